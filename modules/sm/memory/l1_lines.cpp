// Of the L1: lines that come and go, those that the L2 recalls, and those that are prefetched.

#include "interconnect/device_memory.h"
#include "interconnect/launch_counters.h"
#include "modules/sm/memory/l1_cache.h"

namespace warpvp {

TagArray::Reservation L1Cache::reserve(std::uint64_t line, std::uint32_t pending, TagArray::Line present,
                                       const AccessOwner& owner, Cycle now) {
  const TagArray::Reservation room = tags_.reserve(line, pending, present, user_of(owner));
  const bool came = room.ok && present == TagArray::kNoLine;
  if (came && prefetching_.on()) prefetching_.gone(room.line, counters_.of(owner.launch).l1_prefetch);
  if (came && events_.wanted(SmEvent::kL1Evictions)) {
    if (fillers_.empty()) fillers_.resize(std::size_t{tags_.geometry().sets} * tags_.geometry().ways);
    AccessOwner& filler = fillers_[room.line];
    if (room.evicted) events_.l1_evicted({room.victim_address, filler, owner}, now);
    filler = owner;
  }
  return room;
}

TagArray::Reservation L1Cache::reserve(std::uint64_t line, std::uint32_t pending, const AccessOwner& owner,
                                       Cycle now) {
  return reserve(line, pending, tags_.probe(line).line, owner, now);
}

void L1Cache::drop(TagArray::Line line, const AccessOwner& owner) {
  if (prefetching_.on()) prefetching_.gone(line, counters_.of(owner.launch).l1_prefetch);
  tags_.invalidate(tags_.address_of(line));
}

void L1Cache::recall(std::uint64_t address, std::uint32_t launch) {
  if (!enabled_) return;
  SmMemoryCounters& counters = counters_.of(launch);
  const std::uint64_t end = address + l2_line_bytes_;
  for (std::uint64_t at = tags_.line_address(address); at < end; at += tags_.geometry().line_bytes) {
    const TagArray::Line line = tags_.probe(at).line;
    if (line == TagArray::kNoLine || tags_.valid_sectors(line) == 0) continue;
    ++counters.l1_recalled_lines;
    if (tags_.dirty_sectors(line)) leaving_.push({at, tags_.dirty_sectors(line)});
    if (prefetching_.on()) prefetching_.gone(line, counters.l1_prefetch);
    tags_.drop_valid(at);
  }
}

void L1Cache::note_load(const LineAccess& access, const WarpAccess& info, TagArray::Line line, bool hit) {
  PrefetchCounters& counters = info.counters->l1_prefetch;
  const bool first_use = line != TagArray::kNoLine && prefetching_.used(line, hit, counters);
  const CacheUser by = user_of(info.owner);
  // The SM's own number makes no difference within its L1.
  prefetching_.access({access.line, info.pc, 0, by, info.first, hit, first_use},
                      {info.owner.launch, 0, by, info.issue_cycle}, counters);
}

void L1Cache::note_merge(unsigned mshr, const WarpAccess& info) {
  if (!prefetched_[mshr]) return;
  prefetched_[mshr] = 0;
  ++info.counters->l1_prefetch.late;
}

bool L1Cache::prefetch_came(unsigned mshr, TagArray::Line line, SmMemoryCounters& counters) {
  if (!prefetched_[mshr]) return false;
  prefetched_[mshr] = 0;
  if (line != TagArray::kNoLine && tags_.valid_sectors(line) != 0) {
    prefetching_.mark(line);
  } else {
    ++counters.l1_prefetch.unused;  // dropped on its way
  }
  return true;
}

void L1Cache::drop_prefetched(std::uint64_t address) {
  const TagArray::Line line = tags_.probe(address).line;
  if (line == TagArray::kNoLine) return;
  prefetching_.gone(line, counters_.of(kNoLaunch).l1_prefetch);
  tags_.drop_valid(address);
}

// A quarter of the MSHRs, and room for a whole line's requests, stay for what is asked for.
void L1Cache::prefetch_line(Cycle now) {
  if (busy_at_ == now) return;
  const Prefetching::Proposal proposal = prefetching_.front();
  prefetching_.pop();
  PrefetchCounters& counters = counters_.of(proposal.cause.launch).l1_prefetch;
  const std::uint64_t line = proposal.line;
  if (line / page_bytes_ != proposal.from / page_bytes_ ||
      (memory_ && !memory_->contains(line, tags_.geometry().line_bytes))) {
    ++counters.outside;
    return;
  }
  if (tags_.probe(line).line != TagArray::kNoLine || mshrs_.find(line) != MshrFile::kNone) {
    ++counters.redundant;
    return;
  }
  const CacheUser& by = proposal.cause.by;
  AccessOwner owner;
  owner.launch = proposal.cause.launch;
  owner.kernel_slot = by.kernel_slot;
  owner.context = by.context;
  owner.warp = by.warp;
  if (mshrs_.in_use() * 4 >= most_mshrs_ * 3 ||
      !port_.can_push(owner.kernel_slot, tags_.sectors_per_line() + 2) || !tags_.can_reserve_absent(line)) {
    ++counters.dropped;
    return;
  }
  const std::uint32_t all = tags_.all_sectors();
  if (allocate_on_miss_) {
    const TagArray::Reservation room = reserve(line, all, owner, now);
    if (room.victim_dirty) write_back(room.victim_address, room.victim_dirty, owner, now);
  }
  const unsigned mshr = mshrs_.allocate(line, owner, now);
  mshrs_[mshr].outstanding = all;
  prefetched_[mshr] = 1;
  ++counters.issued;
  WarpAccess info;
  info.owner = owner;
  info.issue_cycle = proposal.cause.issue_cycle;
  read(line, all, info, ReplyKind::kL1Fill, mshr, now);
}

}  // namespace warpvp
