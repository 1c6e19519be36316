// Static re-reference interval prediction (Jaleel, Theobald, Steely, Emer, "High performance cache
// replacement using re-reference interval prediction (RRIP)", ISCA 2010, section 3.2 and table 1). Each line
// has a value of M bits that says in how long it is expected to be used again. A line comes in with the
// longest but one, so that what is used once goes before what is used again, even if it came later: a scan
// does not drive out the working set. The victim is the first line with the longest interval; while there is
// none, all of the set grow.

#include <algorithm>
#include <vector>

#include "base/registry.h"
#include "interconnect/cache/replacement_policy.h"

namespace warpvp {
namespace {

struct SrripParams {
  std::uint32_t bits = 2;
  std::string hit = "priority";

  void fields(FieldVisitor& v) {
    v.field("bits", bits, "bits", "Of a line's prediction (the paper's M).", Constraint::range(1, 7));
    v.field("hit", hit,
            "What a hit does. priority: the line is expected at once (the paper's HP); frequency: one step "
            "earlier (FP).",
            Constraint::words({"priority", "frequency"}));
  }
};

class Srrip : public ReplacementPolicy {
 public:
  explicit Srrip(const SrripParams& params)
      : distant_(static_cast<std::uint8_t>((1u << params.bits) - 1)), at_once_(params.hit == "priority") {}

  void configure(const Cache& cache) override {
    ways_ = cache.ways;
    interval_.assign(std::size_t{cache.sets} * ways_, distant_);
  }
  std::uint32_t victim(const Full& full) override {
    std::uint8_t* const interval = &interval_[std::size_t{full.set} * ways_];
    std::uint8_t longest = 0;
    full.takeable.for_each([&](std::uint32_t way) { longest = std::max(longest, interval[way]); });
    // As many steps at once as the paper's loop takes one by one.
    const auto steps = static_cast<std::uint8_t>(distant_ - longest);
    for (std::uint32_t way = 0; way < ways_; ++way)
      interval[way] = static_cast<std::uint8_t>(std::min<unsigned>(interval[way] + steps, distant_));
    std::uint32_t first = ways_;
    full.takeable.for_each([&](std::uint32_t way) {
      if (first == ways_ && interval[way] == distant_) first = way;
    });
    return first;
  }
  Place allocated(std::uint32_t set, std::uint32_t way, const CacheUser&) override {
    interval_[std::size_t{set} * ways_ + way] = static_cast<std::uint8_t>(distant_ - 1);
    return Place::kNewest;
  }
  void touched(std::uint32_t set, std::uint32_t way, const CacheUser&) override {
    std::uint8_t& interval = interval_[std::size_t{set} * ways_ + way];
    if (at_once_) {
      interval = 0;
    } else if (interval > 0) {
      --interval;
    }
  }

 private:
  const std::uint8_t distant_;  // 2^M - 1
  const bool at_once_;
  std::uint32_t ways_ = 1;
  std::vector<std::uint8_t> interval_;  // [set][way]
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(ReplacementPolicy, Srrip, SrripParams, "srrip",
                                   "The line goes that is expected to be used again last; new lines are "
                                   "expected late, used ones at once.");

}  // namespace
}  // namespace warpvp
