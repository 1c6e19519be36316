// Any line goes, whenever it was used. A working set somewhat larger than the cache keeps a part of its hits,
// where LRU has none. Each cache draws numbers of its own, which follow from the run's seed and the cache's
// number: nothing depends on which cache is evaluated first.

#include "base/registry.h"
#include "interconnect/cache/policies/random_bits.h"
#include "interconnect/cache/replacement_policy.h"

namespace warpvp {
namespace {

class RandomReplacement : public ReplacementPolicy {
 public:
  void configure(const Cache& cache) override { bits_ = RandomBits(cache.seed); }
  std::uint32_t victim(const Full& full) override {
    std::uint32_t left = bits_.below(full.takeable.count());
    std::uint32_t drawn = full.oldest;
    full.takeable.for_each([&](std::uint32_t way) {
      if (left-- == 0) drawn = way;
    });
    return drawn;
  }
  Place allocated(std::uint32_t, std::uint32_t, const CacheUser&) override { return Place::kNewest; }
  void touched(std::uint32_t, std::uint32_t, const CacheUser&) override {}

 private:
  RandomBits bits_{0};
};

WARPVP_REGISTER_POLICY(ReplacementPolicy, RandomReplacement, "random",
                       "Any line goes; which one follows from the run's seed.");

}  // namespace
}  // namespace warpvp
