#include "platform/observe/timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "interconnect/sim_time.h"
#include "modules/command_processor/queues/decision_log.h"

namespace warpvp {

namespace {

std::uint64_t now_ps() { return picoseconds(sc_core::sc_time_stamp()); }

const char* group_name(TimelineGroup group) {
  switch (group) {
    case TimelineGroup::kProcesses:
      return "Processes";
    case TimelineGroup::kKernels:
      return "Kernels";
    case TimelineGroup::kCommands:
      return "Command processor";
    case TimelineGroup::kQueues:
      return "Queues";
    case TimelineGroup::kOwners:
      return "Whose SMs";
    case TimelineGroup::kCounters:
      return "Counters";
    case TimelineGroup::kCopies:
    case TimelineGroup::kLink:  // platform/observe/copy_timeline.cpp names these
    case TimelineGroup::kFirstSm:
      break;
  }
  return "";
}

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

Timeline::Timeline(TraceWriter& trace, Names names, bool ctas)
    : trace_(trace),
      names_(std::move(names)),
      ctas_(ctas),
      owners_(trace, group_name(TimelineGroup::kOwners), static_cast<std::uint32_t>(TimelineGroup::kOwners),
              {names_.launch, names_.context_of, [this](std::uint32_t c) { return context_name(c); }}),
      copies_(trace, static_cast<std::uint32_t>(TimelineGroup::kCopies),
              static_cast<std::uint32_t>(TimelineGroup::kLink), names_.owner_of) {}

// ---- kernels and CTAs

void Timeline::kernel_begin(const KernelRecord& record) {
  kernels_.emplace(record.launch_id, record);
  change_priority(record, true);
}

void Timeline::kernel_end(const KernelRecord& record) {
  kernels_.erase(record.launch_id);
  change_priority(record, false);
  write_kernel(record, picoseconds(record.ended_at), true);
}

void Timeline::write_kernel(const KernelRecord& r, std::uint64_t end_ps, bool ended) {
  TraceWriter::Args args = {{"launch", std::to_string(r.launch_id)},
                            {"CTAs", std::to_string(r.ctas)},
                            {"priority", std::to_string(r.priority)},
                            {"budget", std::to_string(r.budget)},
                            {"context", std::to_string(r.context)}};
  if (!ended) args.emplace_back("ended", "no");
  constexpr std::uint32_t kAfterCounters = 1u << 16;
  trace_.slice(track(TimelineGroup::kKernels, fmt::format("stream {}", r.stream), kAfterCounters + r.stream),
               names_.launch(r.launch_id), picoseconds(r.launched_at), end_ps, args);
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
  trace_.slice(sm_track(trace_, sm, fmt::format("CTA slot {}", cta.row), cta.row),
               names_.launch(cta.launch_id), cta.begin_ps, now_ps(), args);
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

// ---- processes

void Timeline::process_begin(const ProcessExecution& execution) {
  context_names_[execution.context] = fmt::format("context {} ({})", execution.context, execution.name);
  processes_[execution.context] = execution;
}

void Timeline::process_end(const ProcessExecution& execution) {
  processes_.erase(execution.context);
  write_process(execution, true);
}

void Timeline::write_process(const ProcessExecution& execution, bool ended) {
  TraceWriter::Args args = {{"context", std::to_string(execution.context)},
                            {"priority", std::to_string(execution.priority)}};
  if (!ended) args.emplace_back("ended", "no");
  trace_.slice(track(TimelineGroup::kProcesses, execution.name, execution.context), execution.what(),
               picoseconds(to_sc_time(execution.begun)), now_ps(), args);
}

std::string Timeline::context_name(std::uint32_t context) const {
  const auto named = context_names_.find(context);
  return named != context_names_.end() ? named->second : fmt::format("context {}", context);
}

void Timeline::change_priority(const KernelRecord& record, bool begins) {
  auto& resident = priorities_[record.context];
  if (begins) {
    resident.insert(record.priority);
  } else {
    resident.erase(resident.find(record.priority));
  }
  if (record.priority != 0) with_priorities_.insert(record.context);
  if (with_priorities_.count(record.context) == 0) return;
  const std::string name = "priority of " + context_name(record.context);
  trace_.counter(track(TimelineGroup::kKernels, name, record.context), name, now_ps(),
                 resident.empty() ? 0 : *resident.rbegin());
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
  for (const auto& [context, execution] : processes_) write_process(execution, false);
  copies_.finish(now_ps());
}

}  // namespace warpvp
