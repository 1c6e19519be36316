#include "platform/observe/copy_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interconnect/register_map.h"
#include "platform/observe/timeline.h"

namespace warpvp {

namespace {

std::uint64_t now() { return picoseconds(sc_core::sc_time_stamp()); }

const char* name_of(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kToDevice:
      return "to device";
    case CopyDirection::kToHost:
      return "to host";
    case CopyDirection::kOnDevice:
      break;
  }
  return "on device";
}

std::uint32_t order_of(CopyDirection direction) { return static_cast<std::uint32_t>(direction) << 16; }

std::string microseconds_of_ps(std::uint64_t ps) {
  return fmt::format("{}.{:06}", ps / 1000000, ps % 1000000);
}

}  // namespace

// ---- copies

TraceWriter::Track CopyTimeline::track_of(const CopyRecord& copy) {
  return trace_.track("Copies", fmt::format("{}, engine {}", name_of(copy.direction()), copy.engine),
                      copies_order_, order_of(copy.direction()) + 1 + copy.engine);
}

void CopyTimeline::copy_begin(const CopyRecord& copy) { copies_.insert_or_assign(copy.engine, Open{copy}); }

void CopyTimeline::copy_end(const CopyRecord& copy) {
  const auto open = copies_.find(copy.engine);
  if (open == copies_.end()) return;
  open->second.copy = copy;
  write_overtaken(open->second, now());
  write_copy(open->second, now(), true);
  copies_.erase(open);
}

void CopyTimeline::copy_overtaken(const CopyRecord& copy) {
  const auto open = copies_.find(copy.engine);
  if (open != copies_.end()) open->second.overtaken_ps = now();
}

void CopyTimeline::copy_goes_on(const CopyRecord& copy) {
  const auto open = copies_.find(copy.engine);
  if (open != copies_.end()) write_overtaken(open->second, now());
}

void CopyTimeline::write_overtaken(Open& open, std::uint64_t now_ps) {
  const std::uint64_t since = std::exchange(open.overtaken_ps, 0);
  if (since == 0) return;
  ++open.times;
  trace_.slice(track_of(open.copy), "overtaken", since, now_ps);
}

void CopyTimeline::write_copy(const Open& open, std::uint64_t now_ps, bool ended) {
  const CopyRecord& copy = open.copy;
  TraceWriter::Args args = {{"bytes", std::to_string(copy.bytes)},
                            {"priority", std::to_string(copy.priority)},
                            {"destination", fmt::format("{:#x}", copy.destination)}};
  if (!copy.fill) args.emplace_back("source", fmt::format("{:#x}", copy.source));
  const std::string owner = owner_of_(regmap::is_host_bus(copy.destination) ? copy.source : copy.destination);
  if (!owner.empty()) args.emplace_back("context", owner);
  if (open.times > 0) args.emplace_back("overtaken", std::to_string(open.times));
  if (copy.failed) args.emplace_back("failed", "yes");
  if (!ended) args.emplace_back("ended", "no");
  const auto place = [](std::uint64_t address) { return regmap::is_host_bus(address) ? "host" : "device"; };
  const std::string name =
      copy.fill ? std::string("fill") : fmt::format("{} to {}", place(copy.source), place(copy.destination));
  trace_.slice(track_of(copy), name, picoseconds(copy.begun), now_ps, args);
}

// ---- engines that channels share

void CopyTimeline::engine_works(const EngineStretch& stretch) {
  working_.insert_or_assign(stretch.direction, stretch);
}

void CopyTimeline::engine_rests(const EngineStretch& stretch) {
  working_.erase(stretch.direction);
  write_stretch(stretch, now(), true);
}

void CopyTimeline::write_stretch(const EngineStretch& stretch, std::uint64_t now_ps, bool ended) {
  TraceWriter::Args args;
  if (ended) args.emplace_back("bursts", std::to_string(stretch.bursts));
  if (!ended) args.emplace_back("ended", "no");
  trace_.slice(trace_.track("Copies", fmt::format("{}, bursts of all", name_of(stretch.direction)),
                            copies_order_, order_of(stretch.direction)),
               "bursts", picoseconds(stretch.since), now_ps, args);
}

// ---- the link

void CopyTimeline::sends(const PcieTransfer& transfer) {
  Sent& sent = sent_[transfer.to_device];
  const std::uint64_t from = picoseconds(transfer.from), to = picoseconds(transfer.to);
  if (sent.transfers > 0 && from > sent.to_ps + kGapPs) write_sent(transfer.to_device);
  if (sent.transfers == 0) sent.from_ps = from;
  sent.to_ps = to;
  sent.busy_ps += to - from;
  sent.bytes += transfer.bytes;
  sent.wire_bytes += transfer.wire_bytes;
  ++sent.transfers;
}

void CopyTimeline::write_sent(bool to_device) {
  const Sent sent = std::exchange(sent_[to_device], {});
  if (sent.transfers == 0) return;
  trace_.slice(trace_.track("PCIe", to_device ? "to device" : "to host", link_order_, to_device ? 0 : 1),
               "transfers", sent.from_ps, sent.to_ps,
               {{"bytes", std::to_string(sent.bytes)},
                {"bytes on the wire", std::to_string(sent.wire_bytes)},
                {"busy_us", microseconds_of_ps(sent.busy_ps)},
                {"transfers", std::to_string(sent.transfers)}});
}

void CopyTimeline::finish(std::uint64_t now_ps) {
  for (auto& [engine, open] : copies_) {
    write_overtaken(open, now_ps);
    write_copy(open, now_ps, false);
  }
  for (const auto& [direction, stretch] : working_) write_stretch(stretch, now_ps, false);
  for (const bool to_device : {true, false}) write_sent(to_device);
}

}  // namespace warpvp
