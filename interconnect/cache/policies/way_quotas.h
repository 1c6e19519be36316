#pragma once
// Ways of each set given out to kernels, and whose line goes then, as in the enforcement of UCP (Qureshi and
// Patt, "Utility-based cache partitioning", MICRO 2006, section 3.4): each line remembers which kernel's miss
// brought it. On a miss of a kernel that holds fewer ways of the set than its quota, the least recently used
// line of a kernel that is over its quota goes; else its own least recently used one. Any way may hold any
// kernel's line, and hits are not restricted. A change of quotas moves no line, it shows as lines are
// replaced.
//
// What has no quota of its own (other slots, copies, the host) shares the ways that are left. Where the paper
// has no rule: if the line that should go is under fill, or its kernel has none here, the least recently used
// line that may be taken of a kernel over its quota goes, else that of any.

#include <array>
#include <cstdint>
#include <vector>

#include "interconnect/cache/replacement_policy.h"

namespace warpvp {

class WayQuotas {
 public:
  static constexpr std::uint32_t kSlots = 64;  ///< kernel slots that can have a quota: the first ones

  void configure(std::uint32_t sets, std::uint32_t ways) {
    ways_ = total_ = ways;
    lines_.assign(std::size_t{sets} * ways, {});
  }

  /// Ways of a set that there are to give: all, until restart().
  std::uint32_t ways() const { return total_; }
  std::uint32_t of(std::uint32_t slot) const { return quotas_[slot]; }
  /// False, with nothing changed: all quotas together would be more than the ways.
  bool set(std::uint32_t slot, std::uint32_t ways) {
    const std::uint64_t others = given_ - quotas_[slot];
    if (others + ways > total_) return false;
    given_ = others + ways;
    quotas_[slot] = ways;
    return true;
  }
  /// Nobody has a quota any more, and the first `ways` ways are there to give.
  void restart(std::uint32_t ways) {
    quotas_ = {};
    given_ = 0;
    total_ = ways;
  }

  /// What ReplacementPolicy has under these names.
  std::uint32_t victim(const ReplacementPolicy::Full& full) {
    std::array<std::uint32_t, kSlots + 1> held{};
    const Owned* const lines = &lines_[std::size_t{full.set} * ways_];
    for (std::uint32_t way = 0; way < full.takeable.ways(); ++way) ++held[sharer(lines[way].slot)];
    const auto over = [&](std::uint32_t owner) { return held[owner] > share_of(owner); };
    const std::uint32_t own = sharer(full.by.kernel_slot);
    std::uint32_t way = kNone;
    if (held[own] >= share_of(own)) way = oldest(full, [&](std::uint32_t owner) { return owner == own; });
    if (way == kNone) way = oldest(full, [&](std::uint32_t owner) { return owner != own && over(owner); });
    if (way == kNone) way = oldest(full, [](std::uint32_t) { return true; });
    taken_ += sharer(lines[way].slot) != own;
    return way;
  }
  void allocated(std::uint32_t set, std::uint32_t way, const CacheUser& by) {
    lines_[std::size_t{set} * ways_ + way] = {++uses_, by.kernel_slot};
  }
  void touched(std::uint32_t set, std::uint32_t way) {
    lines_[std::size_t{set} * ways_ + way].used = ++uses_;
  }
  void removed(std::uint32_t set, std::uint32_t way) { lines_[std::size_t{set} * ways_ + way] = {}; }
  void stats(StatVisitor& v) const {
    v.value(
        "taken_from_others", taken_, "lines",
        "Lines replaced that another kernel had brought; kernels without ways of their own count as one.");
  }

 private:
  static constexpr std::uint32_t kRest = kSlots;  // all that have no quota
  static constexpr std::uint32_t kNone = ~0u;
  struct Owned {
    std::uint64_t used = 0;
    std::uint16_t slot = CacheUser::kNone;  // whose miss brought it
  };

  // A slot with a quota, or kRest.
  std::uint32_t sharer(std::uint32_t slot) const {
    return slot < kSlots && quotas_[slot] != 0 ? slot : kRest;
  }
  std::uint32_t share_of(std::uint32_t owner) const {
    return owner == kRest ? total_ - static_cast<std::uint32_t>(given_) : quotas_[owner];
  }
  // The way of `full` whose line was used least recently, of those whose owner is wanted; or kNone.
  template <class Wanted>
  std::uint32_t oldest(const ReplacementPolicy::Full& full, const Wanted& wanted) const {
    const Owned* const lines = &lines_[std::size_t{full.set} * ways_];
    std::uint32_t found = kNone;
    full.takeable.for_each([&](std::uint32_t way) {
      if (wanted(sharer(lines[way].slot)) && (found == kNone || lines[way].used < lines[found].used))
        found = way;
    });
    return found;
  }

  std::uint32_t ways_ = 1, total_ = 1;
  std::array<std::uint32_t, kSlots> quotas_{};
  std::uint64_t given_ = 0;   // sum of quotas_
  std::uint64_t uses_ = 0;    // so far
  std::uint64_t taken_ = 0;   // lines of others
  std::vector<Owned> lines_;  // [set][way]
};

}  // namespace warpvp
