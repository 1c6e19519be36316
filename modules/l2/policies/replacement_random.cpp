// Any line goes, whenever it was used. A working set somewhat larger than the cache keeps a part of its hits,
// where LRU has none.

#include "base/registry.h"
#include "modules/l2/policies/random_bits.h"
#include "modules/l2/replacement_policy.h"

namespace warpvp {
namespace {

class RandomReplacement : public L2ReplacementPolicy {
 public:
  void configure(std::uint32_t, std::uint32_t ways, std::uint32_t bank) override {
    ways_ = ways;
    bits_ = RandomBits(bank);
  }
  Choice choose(std::uint32_t) override { return {bits_.below(ways_), false}; }

 private:
  std::uint32_t ways_ = 1;
  RandomBits bits_{0};
};

WARPVP_REGISTER_POLICY(L2ReplacementPolicy, RandomReplacement, "random",
                       "Any line goes; the sequence depends on the bank alone.");

}  // namespace
}  // namespace warpvp
