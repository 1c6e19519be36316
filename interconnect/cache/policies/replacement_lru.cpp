// Least recently used. It is what the tag array does by itself, without a call.

#include "base/registry.h"
#include "interconnect/cache/replacement_policy.h"

namespace warpvp {
namespace {

class Lru : public ReplacementPolicy {
 public:
  bool least_recently_used() const override { return true; }
  void configure(const Cache&) override {}
  std::uint32_t victim(const Full& full) override { return full.oldest; }
  Place allocated(std::uint32_t, std::uint32_t, const CacheUser&) override { return Place::kNewest; }
  void touched(std::uint32_t, std::uint32_t, const CacheUser&) override {}
};

WARPVP_REGISTER_POLICY(ReplacementPolicy, Lru, "lru", "The least recently used line goes.");

}  // namespace
}  // namespace warpvp
