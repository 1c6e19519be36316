// First in, first out: the line that came first goes, however often it was used since (Smith, "Cache
// memories", ACM Computing Surveys 1982, section 2.2).

#include <vector>

#include "base/registry.h"
#include "interconnect/cache/replacement_policy.h"

namespace warpvp {
namespace {

class Fifo : public ReplacementPolicy {
 public:
  void configure(const Cache& cache) override {
    ways_ = cache.ways;
    came_.assign(std::size_t{cache.sets} * ways_, 0);
  }
  std::uint32_t victim(const Full& full) override {
    const std::uint64_t* const came = &came_[std::size_t{full.set} * ways_];
    std::uint32_t first = full.oldest;
    full.takeable.for_each([&](std::uint32_t way) {
      if (came[way] < came[first]) first = way;
    });
    return first;
  }
  Place allocated(std::uint32_t set, std::uint32_t way, const CacheUser&) override {
    came_[std::size_t{set} * ways_ + way] = ++lines_;
    return Place::kNewest;
  }
  void touched(std::uint32_t, std::uint32_t, const CacheUser&) override {}

 private:
  std::uint32_t ways_ = 1;
  std::uint64_t lines_ = 0;          // so far
  std::vector<std::uint64_t> came_;  // [set][way]: the number of the line there
};

WARPVP_REGISTER_POLICY(ReplacementPolicy, Fifo, "fifo", "The line that came first goes, used or not.");

}  // namespace
}  // namespace warpvp
