// Adaptive insertion (Qureshi, Jaleel, Patt, Steely, Emer, "Adaptive insertion policies for high performance
// caching", ISCA 2007): a few sets always take new lines as the youngest (LRU), a few take all but one in 32
// as the oldest (bimodal: a working set larger than the cache keeps a part of itself there). A counter of the
// misses of both kinds tells the other sets which to follow.

#include <algorithm>

#include "base/registry.h"
#include "interconnect/cache/policies/random_bits.h"
#include "interconnect/cache/replacement_policy.h"

namespace warpvp {
namespace {

struct AdaptiveInsertionParams {
  std::uint32_t young_one_in = 32;
  std::uint32_t counter_bits = 10;

  void fields(FieldVisitor& v) {
    v.field("young_one_in", young_one_in, "lines",
            "Under bimodal insertion one line in so many comes in as the youngest.",
            Constraint::range(1, 1 << 20));
    v.field("counter_bits", counter_bits, "bits", "Of the counter that compares the misses of both kinds.",
            Constraint::range(2, 20));
  }
};

class AdaptiveInsertion : public ReplacementPolicy {
 public:
  explicit AdaptiveInsertion(const AdaptiveInsertionParams& params)
      : params_(params), most_((1 << params.counter_bits) - 1), counter_(most_ / 2) {}

  void configure(const Cache& cache) override {
    bits_ = RandomBits(cache.number);
    // One set in 16 leads each way; with fewer than 16 sets, the first and the last.
    leader_every_ = std::min<std::uint32_t>(16, cache.sets);
    first_ = cache.number % leader_every_;
  }
  std::uint32_t victim(const Full& full) override { return full.oldest; }
  Place allocated(std::uint32_t set, std::uint32_t, const CacheUser&) override {
    const std::uint32_t place = (set + first_) % leader_every_;
    bool bimodal = counter_ > most_ / 2;
    if (place == 0) {  // always LRU
      bimodal = false;
      counter_ = std::min(counter_ + 1, most_);
    } else if (place == leader_every_ / 2) {  // always bimodal
      bimodal = true;
      counter_ = std::max(counter_ - 1, 0);
    }
    return bimodal && bits_.below(params_.young_one_in) != 0 ? Place::kOldest : Place::kNewest;
  }
  void touched(std::uint32_t, std::uint32_t, const CacheUser&) override {}

 private:
  const AdaptiveInsertionParams params_;
  const std::int32_t most_;
  std::int32_t counter_;  // rises with misses of LRU sets, falls with those of bimodal ones
  std::uint32_t leader_every_ = 1, first_ = 0;
  RandomBits bits_{0};
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(ReplacementPolicy, AdaptiveInsertion, AdaptiveInsertionParams,
                                   "adaptive_insertion",
                                   "The least recently used line goes; new lines come in as the youngest or "
                                   "mostly as the oldest, whichever misses less in sample sets.");

}  // namespace
}  // namespace warpvp
