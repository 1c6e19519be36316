#include "modules/sm/memory/instruction_memory.h"

#include <algorithm>

namespace warpvp {

InstructionMemory::InstructionMemory(const InstructionCacheConfig& config, unsigned sub_cores,
                                     InstructionBacking& backing, FetchClient& client,
                                     LaunchCounters& counters)
    : client_(client),
      counters_(counters),
      ideal_(config.ideal),
      per_edge_(config.lines_per_cycle),
      request_latency_(config.l0.request_latency),
      reply_latency_(config.l0.reply_latency),
      l1_(config, counters, backing) {
  if (config.l0.present())
    for (unsigned s = 0; s < sub_cores; ++s) l0s_.emplace_back(config.l0, counters, config.warm);
}

// ---- without an L0

bool InstructionMemory::fetch_from_l1(const InstructionFetch& fetch, Cycle now) {
  const InstructionL1::Outcome found = l1_.lookup(fetch.address, fetch.end, fetch.owner, now).outcome;
  if (found == InstructionL1::Outcome::kFull) {
    const std::uint64_t line = l1_.line_address(fetch.address);
    const bool known = std::any_of(full_.begin(), full_.end(),
                                   [line](const InstructionFetch& f) { return f.address == line; });
    if (!known) full_.push_back({line, fetch.end, fetch.owner, fetch.sub_core});
  }
  return found == InstructionL1::Outcome::kHit;
}

void InstructionMemory::filled(unsigned index, Cycle now) {
  const std::uint64_t line = l1_.fill(index, [&](std::uint32_t request) {
    replies_.push({now + reply_latency_, request});
  });
  blocked_ = false;
  if (!l0s_.empty()) return;
  client_.instruction_line_filled(line, FetchClient::kAllSubCores);
  while (!full_.empty() && !l1_.full()) {
    const InstructionFetch next = full_.front();
    full_.erase(full_.begin());
    fetch_from_l1(next, now);
  }
}

// ---- with an L0

void InstructionMemory::move(Cycle now) {
  deliver(now);
  take_requests(now);
  look_up(now);
}

void InstructionMemory::deliver(Cycle now) {
  for (unsigned n = 0; n < per_edge_ && !replies_.empty() && replies_.front().at <= now; ++n) {
    const Request request = in_flight_[replies_.front().request];
    in_flight_.give_back(replies_.front().request);
    replies_.pop();
    const bool awaited = l0s_[request.sub_core].arrive(request.line.line);
    note_wishes(request.sub_core);
    if (awaited) client_.instruction_line_filled(request.line.line, request.sub_core);
  }
}

void InstructionMemory::take_requests(Cycle now) {
  constexpr std::uint32_t kHalf = (std::uint32_t{1} << kMostSubCores) - 1;
  for (unsigned n = 0; n < per_edge_ && wishes_ != 0; ++n) {
    const std::uint32_t wanting = (wishes_ & kHalf) != 0 ? wishes_ & kHalf : wishes_ >> kMostSubCores;
    const std::uint32_t from_next = wanting >> next_ << next_;
    const auto sub_core = static_cast<unsigned>(__builtin_ctz(from_next != 0 ? from_next : wanting));
    next_ = (sub_core + 1) % static_cast<unsigned>(l0s_.size());
    const std::uint32_t request = in_flight_.take({l0s_[sub_core].next_request(), sub_core});
    note_wishes(sub_core);
    requests_.push({now + request_latency_ - 1, request});
  }
}

void InstructionMemory::look_up(Cycle now) {
  for (unsigned n = 0; n < per_edge_ && !blocked_ && !requests_.empty() && requests_.front().at <= now; ++n) {
    const std::uint32_t id = requests_.front().request;
    const InstructionL0::Request& request = in_flight_[id].line;
    const InstructionL1::Result found = l1_.lookup(request.line, request.end, request.owner, now);
    blocked_ = found.outcome == InstructionL1::Outcome::kFull;
    if (blocked_) return;
    requests_.pop();
    if (found.outcome == InstructionL1::Outcome::kHit)
      replies_.push({now + reply_latency_, id});
    else
      l1_.wait(found.index, id);
  }
}

Cycle InstructionMemory::next_move(Cycle now) const {
  if (wishes_ != 0) return now + 1;
  Cycle next = kNever;
  if (!replies_.empty()) next = replies_.front().at;
  if (!requests_.empty() && !blocked_) next = std::min(next, requests_.front().at);
  return next == kNever ? next : std::max(next, now + 1);
}

// ---- all

void InstructionMemory::invalidate() {
  l1_.invalidate();
  for (unsigned s = 0; s < l0s_.size(); ++s) {
    l0s_[s].invalidate();
    note_wishes(s);
  }
}

bool InstructionMemory::idle() const {
  return l1_.idle() && full_.empty() && in_flight_.in_use() == 0 &&
         std::all_of(l0s_.begin(), l0s_.end(), [](const InstructionL0& l0) { return l0.idle(); });
}

std::string InstructionMemory::whereabouts(unsigned sub_core, std::uint64_t line) const {
  if (!l0s_.empty() && l0s_[sub_core].queued(line)) return "waits for the port of the L1 instruction cache";
  if (l1_.under_way(l1_.line_address(line))) return "is on its way from the L2";
  return l0s_.empty() || blocked_ ? "waits for an MSHR of the L1 instruction cache"
                                  : "is on its way from the L1 instruction cache";
}

}  // namespace warpvp
