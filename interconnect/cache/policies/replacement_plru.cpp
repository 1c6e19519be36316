// Pseudo-LRU by a binary tree over the ways (So and Rechtschaffen, "Cache operations by MRU change", IEEE
// Transactions on Computers 1988; the text-book's tree-PLRU): each node has a bit that points to the half
// that was used longer ago. A use turns the bits on its path away from it; the victim is where the bits lead.
// A half without a way that may be taken (under fill, or out of use) is passed by.

#include <vector>

#include "base/registry.h"
#include "interconnect/cache/replacement_policy.h"

namespace warpvp {
namespace {

class TreePlru : public ReplacementPolicy {
 public:
  void configure(const Cache& cache) override {
    while (leaves_ < cache.ways) leaves_ *= 2;
    upper_.assign(std::size_t{cache.sets} * leaves_, false);
  }
  std::uint32_t victim(const Full& full) override {
    std::uint32_t node = 1, begin = 0;
    for (std::uint32_t half = leaves_ / 2; half != 0; half /= 2) {
      bool up = upper_[index(full.set, node)];
      const std::uint32_t middle = begin + half;
      if (up ? !full.takeable.any(middle, middle + half) : !full.takeable.any(begin, middle)) up = !up;
      if (up) begin = middle;
      node = 2 * node + up;
    }
    return begin;
  }
  Place allocated(std::uint32_t set, std::uint32_t way, const CacheUser&) override {
    use(set, way);
    return Place::kNewest;
  }
  void touched(std::uint32_t set, std::uint32_t way, const CacheUser&) override { use(set, way); }

 private:
  // Nodes of a set are numbered as in a heap, the root 1.
  std::size_t index(std::uint32_t set, std::uint32_t node) const { return std::size_t{set} * leaves_ + node; }
  void use(std::uint32_t set, std::uint32_t way) {
    std::uint32_t node = 1;
    for (std::uint32_t half = leaves_ / 2; half != 0; half /= 2) {
      const bool up = (way & half) != 0;
      upper_[index(set, node)] = !up;
      node = 2 * node + up;
    }
  }

  std::uint32_t leaves_ = 1;  // ways, rounded up to a power of two
  std::vector<bool> upper_;   // the upper half was used longer ago
};

WARPVP_REGISTER_POLICY(ReplacementPolicy, TreePlru, "plru",
                       "A tree of bits leads to a line that was not used for long (tree pseudo-LRU).");

}  // namespace
}  // namespace warpvp
