// Of a bank of the L2: lines that come and go, those that L1s have to drop, and those that are prefetched.

#include "modules/l2/cache_bank.h"

namespace warpvp {

// Takes room for an absent line, of which `fetch` is going to come.
TagArray::Reservation CacheBank::take_in(std::uint64_t local, Mask fetch, const MemExtension& cause,
                                         Cycle now) {
  const CacheUser by = user_of(cause);
  const TagArray::Reservation reserved = tags_.reserve(local, fetch, TagArray::kNoLine, by);
  const TagArray::Line line = reserved.line;
  if (reserved.victim_dirty) dirty_.set(line, 0);
  if (prefetching_.on()) prefetching_.gone(line, launches_.of(cause.launch).prefetch);
  if (recalls_) {
    const std::uint64_t victim = map_.device_address(bank_, reserved.victim_address);
    const unsigned holders = recalls_->holders(line);
    const bool drop = holders != 0 && inclusion_.call([&](L2InclusionPolicy& policy) {
      return policy.recall({victim, holders, by});
    });
    launches_.of(cause.launch).recalls +=
        recalls_->replace(line, drop ? &victim : nullptr, cause.launch, now);
  }
  return reserved;
}

// Shows the prefetcher what a request found: its line `present` or not, `coming` or not; `hit`: all of it.
void CacheBank::note_use(const Request& request, TagArray::Line line, bool present, bool coming, bool hit) {
  const MemExtension& ext = MemExtension::of(*request.payload);
  PrefetchCounters& counters = launches_.of(ext.launch).prefetch;
  const bool first_use = present && prefetching_.used(line, !coming, counters);
  if (request.payload->is_write() || (ext.kind != AccessKind::kLoad && ext.kind != AccessKind::kLocal))
    return;
  const CacheUser by = user_of(ext);
  prefetching_.access(
      {tags_.line_address(request.local), Prefetcher::kUnknownPc, ext.sm, by, true, hit, first_use},
      {ext.launch, ext.sm, by, ext.issue_cycle}, counters);
}

// Requests a line that the prefetcher proposed. A quarter of the MSHRs stays for what is asked for.
void CacheBank::prefetch_line(Cycle now) {
  const Prefetching::Proposal proposal = prefetching_.front();
  prefetching_.pop();
  PrefetchCounters& counters = launches_.of(proposal.cause.launch).prefetch;
  const std::uint64_t address = map_.device_address(bank_, proposal.line);
  const std::uint64_t from = map_.device_address(bank_, proposal.from);
  if (address / page_bytes_ != from / page_bytes_ || !memory_.contains(address, config_.line_bytes)) {
    ++counters.outside;
    return;
  }
  if (tags_.probe(proposal.line).line != TagArray::kNoLine || line_is_aside(proposal.line)) {
    ++counters.redundant;
    return;
  }
  const unsigned victim_room = (tags_.sectors_per_line() + 1) / 2;
  if (free_mshrs_.size() * 4 <= mshrs_.size() || room_below() < 1 + victim_room ||
      !tags_.can_reserve_absent(proposal.line)) {
    ++counters.dropped;
    return;
  }
  MemExtension cause;
  cause.kernel_slot = proposal.cause.by.kernel_slot;
  cause.context = proposal.cause.by.context;
  cause.warp = proposal.cause.by.warp;
  cause.sm = proposal.cause.sm;
  cause.launch = proposal.cause.launch;
  cause.issue_cycle = proposal.cause.issue_cycle;
  const TagArray::Reservation reserved = take_in(proposal.line, tags_.all_sectors(), cause, now);
  ++counters.issued;
  prefetching_.mark(reserved.line);
  const std::uint16_t mshr = free_mshrs_.back();
  free_mshrs_.pop_back();
  mshr_of_line_[reserved.line] = mshr;
  mshrs_[mshr].line = reserved.line;
  mshrs_[mshr].outstanding = 1;
  const Cycle ready = now + config_.miss_latency_cycles - 1;
  ++launches_.of(cause.launch).fill_reads;
  send_below(tlm::TLM_READ_COMMAND, proposal.line, tags_.all_sectors(), cause,
             FillToken{mshr, reserved.line}.pack(), ready);
  if (reserved.victim_dirty) {
    ++launches_.of(cause.launch).writebacks;
    send_below(tlm::TLM_WRITE_COMMAND, reserved.victim_address, reserved.victim_dirty, cause, 0, ready);
  }
}

}  // namespace warpvp
