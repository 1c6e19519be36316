#include "modules/sm/memory/l1_cache.h"

namespace warpvp {

namespace {
TagArray::Geometry geometry_of(const L1Config& c) {
  if (c.size_kib == 0) return {1, 1, c.line_bytes, c.sector_bytes, false};
  return {c.sets(), c.most_ways(), c.line_bytes, c.sector_bytes, c.hash_index};
}
/// Of a policy of the kind.
SmContext cache_context(const MemorySidePlace& place, const char* kind, const PolicyChoice& choice) {
  SmContext context = place.contexts.of(kind, choice.name);
  context.place = "L1 of " + context.place;
  return context;
}
}  // namespace

L1Cache::L1Cache(const L1Config& config, const MemorySidePlace& place, MemoryPort& port,
                 LaunchCounters& counters)
    : enabled_(config.size_kib != 0),
      policy_(config.writes()),
      allocate_on_miss_(config.allocate == "on_miss"),
      sector_bytes_(config.sector_bytes),
      way_bytes_(config.sets() * config.line_bytes),
      tags_(geometry_of(config)),
      replacement_(config.replacement, cache_context(place, kL1ReplacementKind, config.replacement), tags_),
      prefetching_(enabled_ ? config.prefetcher : "none",
                   cache_context(place, kL1PrefetcherKind, enabled_ ? config.prefetcher : "none"),
                   {config.line_bytes, true}, tags_.geometry().sets * tags_.geometry().ways,
                   config.prefetch_queue),
      memory_(place.backing.memory),
      page_bytes_(place.backing.page_bytes),
      l2_line_bytes_(place.backing.l2_line_bytes),
      mshrs_(config.mshrs, config.mshr_merge),
      most_mshrs_(config.mshrs),
      prefetched_(prefetching_.on() ? config.mshrs : 0, 0),
      port_(port),
      counters_(counters),
      events_(place.events) {
  if (enabled_ && config.associativity != config.most_ways()) tags_.limit_ways(config.associativity);
}

void L1Cache::stats(StatVisitor& v) const {
  replacement_.stats(v, kL1ReplacementKind);
  prefetching_.stats(v, kL1PrefetcherKind);
}

L1Cache::Result L1Cache::load(const LineAccess& access, const WarpAccess& info, Cycle now) {
  if (!enabled_) return load_around(access, info, now);
  busy_at_ = now;
  const TagArray::Lookup found = tags_.probe(access.line, access.sectors);
  if (found.result == TagArray::Result::kHit) {
    tags_.touch(found.line, user_of(info.owner));
    ++info.counters->l1_hits;
    count_load(info, access.sectors, 0);
    tell_access(access, info, L1Access::Result::kHit, false, now);
    if (prefetching_.on()) note_load(access, info, found.line, true);
    return Result::done(0);
  }
  const std::uint32_t valid = found.line == TagArray::kNoLine ? 0 : tags_.valid_sectors(found.line);
  const Result result = fetch(access, valid, access.sectors & ~valid, info, false, now);
  if (prefetching_.on() && result.taken) note_load(access, info, found.line, false);
  return result;
}

// Makes `waits_for` (sectors that are not valid) come: what is not on its way is requested. Loads, and stores
// of a write-back cache that cover a sector only in part.
L1Cache::Result L1Cache::fetch(const LineAccess& access, std::uint32_t valid, std::uint32_t waits_for,
                               const WarpAccess& info, bool store, Cycle now) {
  unsigned mshr = mshrs_.find(access.line);
  const bool known = mshr != MshrFile::kNone;
  if (known && !mshrs_.can_merge(mshr, waits_for)) return Result::refused(Reservation::kMerge);
  if (!known && mshrs_.full()) return Result::refused(Reservation::kMshr);
  const std::uint32_t missing = known ? waits_for & ~mshrs_[mshr].outstanding : waits_for;
  if (missing) {
    const bool may_evict = policy_ == WritePolicy::kWriteBack && allocate_on_miss_;
    if (!port_.can_push(info.owner.kernel_slot, runs_of(missing) + may_evict))
      return Result::refused(Reservation::kMissQueue);
    if (allocate_on_miss_) {
      const TagArray::Reservation room = reserve(access.line, missing, info.owner, now);
      if (!room.ok) return Result::refused(Reservation::kWay);
      if (room.victim_dirty) write_back(room.victim_address, room.victim_dirty, info.owner, now);
    }
    if (!known) mshr = mshrs_.allocate(access.line, info.owner, now);
    mshrs_[mshr].outstanding |= missing;
    read(access.line, missing, info, ReplyKind::kL1Fill, mshr, now);
  }
  if (!store) {
    count_load(info, access.sectors & ~missing, missing);
    if (missing) {
      ++info.counters->l1_misses;
      if (known || valid) ++info.counters->l1_sector_misses;
    } else {
      ++info.counters->l1_hits_reserved;
    }
  }
  tell_access(access, info, missing ? L1Access::Result::kMiss : L1Access::Result::kHitReserved, store, now);
  if (prefetching_.on()) note_merge(mshr, info);
  mshrs_.add_target(mshr, info.id, waits_for, store);
  return Result::done(1);
}

L1Cache::Result L1Cache::load_around(const LineAccess& access, const WarpAccess& info, Cycle now) {
  const unsigned runs = runs_of(access.sectors);
  if (!port_.can_push(info.owner.kernel_slot, runs)) return Result::refused(Reservation::kMissQueue);
  read(access.line, access.sectors, info, ReplyKind::kAccess, info.id, now);
  ++info.counters->l1_bypasses;
  count_load(info, 0, access.sectors);
  return Result::done(runs);
}

L1Cache::Result L1Cache::store(const LineAccess& access, const WarpAccess& info, Cycle now) {
  if (enabled_ && policy_ == WritePolicy::kWriteBack) return store_back(access, info, now);
  if (port_.store_buffer_full()) return Result::refused(Reservation::kStoreBuffer);
  if (!port_.can_push(info.owner.kernel_slot, 1)) return Result::refused(Reservation::kMissQueue);
  if (!enabled_) {
    count_store(info, access.sectors, false);
  } else {
    const TagArray::Lookup found = tags_.probe(access.line, access.sectors);
    count_store(info, access.sectors, found.line != TagArray::kNoLine);
    const bool hit = found.result == TagArray::Result::kHit;
    ++(hit ? info.counters->l1_store_hits : info.counters->l1_store_misses);
    tell_access(access, info, hit ? L1Access::Result::kHit : L1Access::Result::kMiss, true, now);
    busy_at_ = now;
    if (policy_ == WritePolicy::kWriteEvict) {
      if (found.line != TagArray::kNoLine) drop(found.line, info.owner);
    } else if (policy_ == WritePolicy::kWriteThroughAllocate) {
      allocate_store(access, found, info.owner, now);
    } else if (hit) {
      tags_.touch(found.line, user_of(info.owner));
    }
  }
  port_.push_data({true,
                   info.kind,
                   access.line + access.begin,
                   unsigned{access.end} - access.begin,
                   info.owner,
                   info.issue_cycle,
                   {ReplyKind::kAccess, info.id, access.sectors},
                   0,
                   policy_ == WritePolicy::kWriteThroughAllocate},
                  now);
  return Result::done(1);
}

// Write-through with allocation: the line of a store takes a way, if one is to be had, and sectors written
// whole can be read from then on. What was written in part is fetched when it is read. Nobody waits: the data
// goes on to L2 in any case.
void L1Cache::allocate_store(const LineAccess& access, const TagArray::Lookup& found,
                             const AccessOwner& owner, Cycle now) {
  const TagArray::Reservation room = reserve(access.line, 0, found.line, owner, now);
  if (!room.ok) return;
  const std::uint32_t whole =
      tags_.full_sectors_of(access.line + access.begin, unsigned{access.end} - access.begin);
  tags_.validate(room.line, whole & access.sectors & ~tags_.pending_sectors(room.line));
}

// Write-back: sectors written whole become valid and dirty at once, others are fetched first. Sectors on
// their way are waited for, so that no fill ever meets a line that has been evicted meanwhile.
L1Cache::Result L1Cache::store_back(const LineAccess& access, const WarpAccess& info, Cycle now) {
  busy_at_ = now;
  const TagArray::Lookup found = tags_.probe(access.line, access.sectors);
  if (found.result == TagArray::Result::kHit) {
    tags_.touch(found.line, user_of(info.owner));
    tags_.mark_dirty(found.line, access.sectors);
    ++info.counters->l1_store_hits;
    count_store(info, access.sectors, true);
    tell_access(access, info, L1Access::Result::kHit, true, now);
    return Result::done(0);
  }
  // Room for all it could need: its fetches and a victim. Later refusals then come before anything has
  // changed.
  if (!port_.can_push(info.owner.kernel_slot, (tags_.sectors_per_line() + 1) / 2 + 1))
    return Result::refused(Reservation::kMissQueue);
  const std::uint32_t valid = found.line == TagArray::kNoLine ? 0 : tags_.valid_sectors(found.line);
  const unsigned mshr = mshrs_.find(access.line);
  const std::uint32_t coming = mshr == MshrFile::kNone ? 0 : mshrs_[mshr].outstanding;
  const std::uint32_t whole =
      tags_.full_sectors_of(access.line + access.begin, unsigned{access.end} - access.begin);
  const std::uint32_t waits_for = access.sectors & ~valid & (~whole | coming);
  Result result = Result::done(0);
  if (waits_for) {
    result = fetch(access, valid, waits_for, info, true, now);
    if (!result.taken) return result;
  }
  const std::uint32_t at_once = access.sectors & ~waits_for;
  if (at_once) {
    const TagArray::Reservation room = reserve(access.line, 0, info.owner, now);
    if (!room.ok) return Result::refused(Reservation::kWay);
    if (room.victim_dirty) write_back(room.victim_address, room.victim_dirty, info.owner, now);
    tags_.validate(room.line, at_once & whole & ~valid);
    tags_.mark_dirty(room.line, at_once);
  }
  ++info.counters->l1_store_misses;
  count_store(info, access.sectors, found.line != TagArray::kNoLine);
  return result;
}

L1Cache::Result L1Cache::atomic(const LineAccess& access, const WarpAccess& info, bool returns_value,
                                Cycle now) {
  if (!returns_value && port_.store_buffer_full()) return Result::refused(Reservation::kStoreBuffer);
  if (!port_.can_push(info.owner.kernel_slot, policy_ == WritePolicy::kWriteBack ? 2 : 1))
    return Result::refused(Reservation::kMissQueue);
  if (enabled_) {
    // A store that waits for its fill will dirty the line; it has to be through first.
    if (policy_ == WritePolicy::kWriteBack && mshrs_.find(access.line) != MshrFile::kNone)
      return Result::refused(Reservation::kMshr);
    const TagArray::Line line = tags_.probe(access.line, access.sectors).line;
    if (line != TagArray::kNoLine) {
      if (tags_.dirty_sectors(line)) write_back(access.line, tags_.dirty_sectors(line), info.owner, now);
      drop(line, info.owner);
    }
  }
  port_.push_data({!returns_value,
                   AccessKind::kAtomic,
                   access.line + access.begin,
                   unsigned{access.end} - access.begin,
                   info.owner,
                   info.issue_cycle,
                   {ReplyKind::kAccess, info.id, access.sectors},
                   static_cast<std::uint8_t>(access.in_turn)},
                  now);
  return Result::done(1);
}

// A way for a line, which is `present` or absent. Whoever asked for evictions is told of one.
void L1Cache::tell_access(const LineAccess& access, const WarpAccess& info, L1Access::Result result,
                          bool store, Cycle now) const {
  if (events_.wanted(SmEvent::kL1Accesses))
    events_.l1_accessed({access.line, info.owner, result, store}, now);
}

// One request for each run of neighbouring sectors.
void L1Cache::read(std::uint64_t line, std::uint32_t sectors, const WarpAccess& info, ReplyKind reply,
                   unsigned index, Cycle now) {
  while (sectors) {
    const unsigned first = static_cast<unsigned>(__builtin_ctz(sectors));
    const unsigned count =
        static_cast<unsigned>(__builtin_ctz(~(sectors >> first)));  // at most 4 sectors a line
    const std::uint32_t run = ((1u << count) - 1) << first;
    port_.push_data({false,
                     info.kind == AccessKind::kStore ? AccessKind::kLoad : info.kind,
                     line + std::uint64_t{first} * sector_bytes_,
                     count * sector_bytes_,
                     info.owner,
                     info.issue_cycle,
                     {reply, index, run},
                     0,
                     reply == ReplyKind::kL1Fill},
                    now);
    sectors &= ~run;
  }
}

void L1Cache::write_back(std::uint64_t line, std::uint32_t dirty, const AccessOwner& owner, Cycle now) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(dirty));
  const unsigned last = 31 - static_cast<unsigned>(__builtin_clz(dirty));
  ++counters_.of(owner.launch).l1_write_backs;
  port_.push_data({true,
                   AccessKind::kStore,
                   line + std::uint64_t{first} * sector_bytes_,
                   (last - first + 1) * sector_bytes_,
                   owner,
                   now,
                   {ReplyKind::kWriteBack, 0, dirty}},
                  now);
}

TagArray::Line L1Cache::place(unsigned mshr, std::uint32_t sectors, Cycle now) {
  const MshrFile::Entry& entry = mshrs_[mshr];
  if (allocate_on_miss_) return tags_.fill(entry.line, sectors);
  const TagArray::Reservation room = reserve(entry.line, 0, entry.owner, now);
  if (room.victim_dirty) write_back(room.victim_address, room.victim_dirty, entry.owner, now);
  tags_.validate(room.line, sectors);
  return room.line;
}

void L1Cache::write_out() {
  tags_.for_each_dirty([&](std::uint64_t line, std::uint32_t dirty) { leaving_.push({line, dirty}); });
}

void L1Cache::invalidate() {
  write_out();
  tags_.invalidate_all();
  prefetching_.forget();
}

void L1Cache::resize(std::uint32_t bytes) {
  if (!enabled_ || bytes == this->bytes()) return;
  write_out();
  tags_.limit_ways(bytes / way_bytes_);  // which empties them all
  prefetching_.forget();
}

// A fill came to a way that went to shared memory meanwhile: those who wait are served, nothing is kept.
void L1Cache::drop_closed(TagArray::Line line) {
  if (tags_.dirty_sectors(line)) leaving_.push({tags_.address_of(line), tags_.dirty_sectors(line)});
  tags_.drop_closed(line);
}

void L1Cache::evaluate(Cycle now) {
  AccessOwner nobody;
  nobody.launch = 0xffffffffu;
  nobody.kernel_slot = nobody.context = nobody.warp = MemExtension::kNone;
  while (has_work()) {
    write_back(leaving_.front().line, leaving_.front().sectors, nobody, now);
    leaving_.pop();
  }
}

}  // namespace warpvp
