// Ways given out to kernels, enforced as by UCP (Qureshi and Patt, "Utility-based cache partitioning", MICRO
// 2006, section 3.4): each line remembers which kernel's miss brought it. On a miss of a kernel that holds
// fewer ways of the set than its quota, the least recently used line of a kernel that is over its quota goes;
// else its own least recently used one. Any way may hold any kernel's line, and hits are not restricted. Who
// decides on quotas, as UCP's monitors do, is left to others: any master of the register bus may change them
// at any time. A change moves no line, it shows as lines are replaced.
//
// What has no quota of its own (other slots, copies, the host) shares the ways that are left. Where the paper
// has no rule: if the line that should go is under fill, or its kernel has none here, the least recently used
// line that may be taken of a kernel over its quota goes, else that of any.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "base/registry.h"
#include "interconnect/cache/replacement_policy.h"

namespace warpvp {
namespace {

struct WayPartitionParams {
  std::vector<std::uint32_t> ways;

  void fields(FieldVisitor& v) {
    v.field(
        "ways", ways, "ways",
        "Ways of each set for kernel slots 0, 1, ... in this order; 0, and slots behind the list: none of "
        "their own, they share what is left with copies and the host.",
        Constraint::range(0, 4096));
  }
};

class WayPartition : public ReplacementPolicy {
 public:
  WayPartition(const WayPartitionParams& params, const Context& context) : params_(params) {
    context.registers.add(
        {"WAYS", 0, 4, std::min(context.kernel_slots, kSlots), 4, RegisterAccess::kReadWrite, 0,
         "Ways of each set that the kernel slot has for itself; 0: it shares what is left. A number with "
         "which all slots would have more than the ways of the cache is not taken.",
         [this](unsigned slot) { return std::uint64_t{quotas_[slot]}; },
         [this](unsigned slot, std::uint64_t ways) { set_quota(slot, static_cast<std::uint32_t>(ways)); }});
  }

  void configure(const Cache& cache) override {
    ways_ = cache.ways;
    lines_.assign(std::size_t{cache.sets} * ways_, {});
    if (params_.ways.size() > kSlots)
      throw InputError(
          fmt::format("'ways' has {} numbers; allowed: at most {}", params_.ways.size(), kSlots));
    for (std::uint32_t slot = 0; slot < params_.ways.size(); ++slot)
      if (!set_quota(slot, params_.ways[slot]))
        throw InputError(fmt::format("'ways' gives out more than the {} ways of the cache", ways_));
  }

  std::uint32_t victim(const Full& full) override {
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
  Place allocated(std::uint32_t set, std::uint32_t way, const CacheUser& by) override {
    lines_[std::size_t{set} * ways_ + way] = {++uses_, by.kernel_slot};
    return Place::kNewest;
  }
  void touched(std::uint32_t set, std::uint32_t way, const CacheUser&) override {
    lines_[std::size_t{set} * ways_ + way].used = ++uses_;
  }
  void removed(std::uint32_t set, std::uint32_t way) override { lines_[std::size_t{set} * ways_ + way] = {}; }
  void stats(StatVisitor& v) const override {
    v.value(
        "taken_from_others", taken_, "lines",
        "Lines replaced that another kernel had brought; kernels without ways of their own count as one.");
  }

 private:
  static constexpr std::uint32_t kSlots = 64;
  static constexpr std::uint32_t kRest = kSlots;  // all that have no quota
  static constexpr std::uint32_t kNone = ~0u;
  struct Owned {
    std::uint64_t used = 0;
    std::uint16_t slot = CacheUser::kNone;  // whose miss brought it
  };

  // False, with nothing changed: all quotas together would be more than the ways.
  bool set_quota(unsigned slot, std::uint32_t ways) {
    const std::uint64_t others = given_ - quotas_[slot];
    if (others + ways > ways_) return false;
    given_ = others + ways;
    quotas_[slot] = ways;
    return true;
  }

  // A slot with a quota, or kRest.
  std::uint32_t sharer(std::uint32_t slot) const {
    return slot < kSlots && quotas_[slot] != 0 ? slot : kRest;
  }
  std::uint32_t share_of(std::uint32_t owner) const {
    return owner == kRest ? ways_ - static_cast<std::uint32_t>(given_) : quotas_[owner];
  }
  // The way of `full` whose line was used least recently, of those whose owner is wanted; or kNone.
  template <class Wanted>
  std::uint32_t oldest(const Full& full, const Wanted& wanted) const {
    const Owned* const lines = &lines_[std::size_t{full.set} * ways_];
    std::uint32_t found = kNone;
    full.takeable.for_each([&](std::uint32_t way) {
      if (wanted(sharer(lines[way].slot)) && (found == kNone || lines[way].used < lines[found].used))
        found = way;
    });
    return found;
  }

  const WayPartitionParams params_;
  std::uint32_t ways_ = 1;
  std::array<std::uint32_t, kSlots> quotas_{};
  std::uint64_t given_ = 0;   // sum of quotas_
  std::uint64_t uses_ = 0;    // so far
  std::uint64_t taken_ = 0;   // lines of others
  std::vector<Owned> lines_;  // [set][way]
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(ReplacementPolicy, WayPartition, WayPartitionParams, "way_partition",
                                   "Kernels have ways of their own, the least recently used line of whoever "
                                   "holds too many goes.");

}  // namespace
}  // namespace warpvp
