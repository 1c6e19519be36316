#include "platform/timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "interconnect/register_map.h"
#include "modules/command_processor/queues/decision_log.h"

namespace warpvp {

namespace {

std::uint64_t now_ps() { return picoseconds(sc_core::sc_time_stamp()); }

const char* group_name(TimelineGroup group) {
  switch (group) {
    case TimelineGroup::kKernels:
      return "Kernels";
    case TimelineGroup::kCommands:
      return "Command processor";
    case TimelineGroup::kQueues:
      return "Queues";
    case TimelineGroup::kCopies:
      return "Copies";
    case TimelineGroup::kOwners:
      return "Whose SMs";
    case TimelineGroup::kCounters:
      return "Counters";
    case TimelineGroup::kFirstSm:
      break;
  }
  return "";
}

const char* place(std::uint64_t address) { return regmap::is_host_bus(address) ? "host" : "device"; }

}  // namespace

std::uint64_t picoseconds(const sc_core::sc_time& t) {
  static const std::uint64_t unit = sc_core::sc_time(1, sc_core::SC_PS).value();
  return t.value() / unit;
}

TraceWriter::Track sm_track(TraceWriter& trace, unsigned sm, const std::string& name, std::uint32_t order) {
  return trace.track(fmt::format("SM {}", sm), name, static_cast<std::uint32_t>(TimelineGroup::kFirstSm) + sm,
                     order);
}

TraceWriter::Track Timeline::track(TimelineGroup group, const std::string& name, std::uint32_t order) {
  return trace_.track(group_name(group), name, static_cast<std::uint32_t>(group), order);
}

Timeline::Timeline(TraceWriter& trace, std::function<std::string(std::uint32_t)> name_of, bool ctas)
    : trace_(trace),
      name_of_(std::move(name_of)),
      ctas_(ctas),
      owners_(trace, group_name(TimelineGroup::kOwners), static_cast<std::uint32_t>(TimelineGroup::kOwners),
              name_of_) {}

// ---- kernels and CTAs

void Timeline::kernel_begin(const KernelRecord& record) { kernels_.emplace(record.launch_id, record); }

void Timeline::kernel_end(const KernelRecord& record) {
  kernels_.erase(record.launch_id);
  write_kernel(record, picoseconds(record.ended_at), true);
}

void Timeline::write_kernel(const KernelRecord& r, std::uint64_t end_ps, bool ended) {
  TraceWriter::Args args = {{"launch", std::to_string(r.launch_id)},
                            {"CTAs", std::to_string(r.ctas)},
                            {"priority", std::to_string(r.priority)},
                            {"budget", std::to_string(r.budget)},
                            {"context", std::to_string(r.context)}};
  if (!ended) args.emplace_back("ended", "no");
  trace_.slice(track(TimelineGroup::kKernels, fmt::format("stream {}", r.stream), 1 + r.stream),
               name_of_(r.launch_id), picoseconds(r.launched_at), end_ps, args);
}

void Timeline::count_ctas(std::uint64_t in_flight) {
  in_flight_ = in_flight;
  trace_.counter(track(TimelineGroup::kKernels, "CTAs in flight", 0), "CTAs in flight", now_ps(),
                 static_cast<double>(in_flight));
}

void Timeline::sm_changed(const SmHandover& handover) { owners_.changed(handover, now_ps()); }

void Timeline::cta_begin(const CtaLaunch& launch, unsigned sm) {
  if (!ctas_) return;
  auto& running = running_[sm];
  unsigned row = 0;
  while (std::any_of(running.begin(), running.end(), [&](const Running& r) { return r.row == row; })) ++row;
  running.push_back({launch.launch_id, now_ps(), {launch.cta[0], launch.cta[1], launch.cta[2]}, row});
  count_ctas(in_flight_ + 1);
}

void Timeline::cta_end(const CtaDone& done) { end_cta(done.launch_id, done.sm, done.cta); }

void Timeline::cta_preempted(const CtaPreempted& cta) { end_cta(cta.launch_id, cta.sm, cta.cta); }

void Timeline::end_cta(std::uint32_t launch, unsigned sm, const std::uint32_t (&cta)[3]) {
  if (!ctas_) return;
  auto& running = running_[sm];
  auto it = std::find_if(running.begin(), running.end(), [&](const Running& r) {
    return r.launch_id == launch && std::equal(r.cta, r.cta + 3, cta);
  });
  if (it == running.end()) return;
  write_cta(sm, *it, true);
  running.erase(it);
  count_ctas(in_flight_ - 1);
}

void Timeline::write_cta(unsigned sm, const Running& cta, bool ended) {
  TraceWriter::Args args = {{"CTA", fmt::format("({},{},{})", cta.cta[0], cta.cta[1], cta.cta[2])},
                            {"launch", std::to_string(cta.launch_id)}};
  if (!ended) args.emplace_back("ended", "no");
  trace_.slice(sm_track(trace_, sm, fmt::format("CTA slot {}", cta.row), cta.row), name_of_(cta.launch_id),
               cta.begin_ps, now_ps(), args);
}

// ---- the command processor

void Timeline::doorbell(unsigned queue, std::uint64_t write_index) {
  trace_.instant(track(TimelineGroup::kCommands, "doorbells", 0), fmt::format("queue {}", queue), now_ps(),
                 {{"write index", std::to_string(write_index)}});
}

void Timeline::decision(const SchedulingDecision& decision) {
  const DecisionText text = text_of(decision);
  TraceWriter::Args args = {{"queue", std::to_string(decision.queue)}};
  if (!text.packet.empty()) args.emplace_back("packet", text.packet);
  args.emplace_back("detail", text.detail);
  trace_.instant(track(TimelineGroup::kCommands, fmt::format("decisions: {}", text.what), 1u + decision.kind),
                 fmt::format("{}, queue {}", text.what, decision.queue), picoseconds(decision.at), args);
}

void Timeline::queue_depth(unsigned queue, std::uint64_t packets) {
  const std::string name = fmt::format("queue {}", queue);
  trace_.counter(track(TimelineGroup::kQueues, name, queue), name, now_ps(), static_cast<double>(packets));
}

// ---- copies

void Timeline::copy_begin(const CopyRecord& copy) { copies_.insert_or_assign(copy.engine, copy); }

void Timeline::copy_end(const CopyRecord& copy) {
  copies_.erase(copy.engine);
  write_copy(copy, true);
}

void Timeline::write_copy(const CopyRecord& copy, bool ended) {
  TraceWriter::Args args = {{"bytes", std::to_string(copy.bytes)},
                            {"destination", fmt::format("{:#x}", copy.destination)}};
  if (!copy.fill) args.emplace_back("source", fmt::format("{:#x}", copy.source));
  if (copy.failed) args.emplace_back("failed", "yes");
  if (!ended) args.emplace_back("ended", "no");
  const std::string name =
      copy.fill ? std::string("fill") : fmt::format("{} to {}", place(copy.source), place(copy.destination));
  trace_.slice(track(TimelineGroup::kCopies, fmt::format("engine {}", copy.engine), copy.engine), name,
               picoseconds(copy.begun), now_ps(), args);
}

// ---- counters

void Timeline::interval(const std::vector<IntervalColumn>& columns, const IntervalStatistics::Row& row) {
  const std::uint64_t from = picoseconds(row.from), to = picoseconds(row.to);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i].name;
    trace_.counter(track(TimelineGroup::kCounters, name, static_cast<std::uint32_t>(i)), name,
                   columns[i].level ? to : from, row.values[i]);
  }
}

void Timeline::finish() {
  owners_.finish(now_ps());
  for (const auto& [launch, record] : kernels_) write_kernel(record, now_ps(), false);
  for (const auto& [sm, running] : running_)
    for (const Running& cta : running) write_cta(sm, cta, false);
  for (const auto& [engine, copy] : copies_) write_copy(copy, false);
}

}  // namespace warpvp
