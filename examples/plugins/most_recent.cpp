// A replacement policy for the L1 and the L2: the line goes that was used last. Of a working set larger than
// the cache that is read in a circle, a part then stays.
#include <vector>

#include "base/registry.h"
#include "interconnect/cache/replacement_policy.h"

namespace {

class MostRecent : public warpvp::ReplacementPolicy {
 public:
  void configure(const Cache& cache) override {
    ways_ = cache.ways;
    used_.assign(std::size_t{cache.sets} * ways_, 0);
  }
  std::uint32_t victim(const Full& full) override {
    const std::uint64_t* const used = &used_[std::size_t{full.set} * ways_];
    std::uint32_t last = full.oldest;
    full.takeable.for_each([&](std::uint32_t way) {
      if (used[way] > used[last]) last = way;
    });
    return last;
  }
  Place allocated(std::uint32_t set, std::uint32_t way, const warpvp::CacheUser&) override {
    use(set, way);
    return Place::kNewest;
  }
  void touched(std::uint32_t set, std::uint32_t way, const warpvp::CacheUser&) override { use(set, way); }

 private:
  void use(std::uint32_t set, std::uint32_t way) { used_[std::size_t{set} * ways_ + way] = ++uses_; }

  std::uint32_t ways_ = 1;
  std::uint64_t uses_ = 0;           // so far
  std::vector<std::uint64_t> used_;  // [set][way]: the last of them
};

WARPVP_REGISTER_POLICY(warpvp::ReplacementPolicy, MostRecent, "most_recent",
                       "The line goes that was used last.");

}  // namespace
