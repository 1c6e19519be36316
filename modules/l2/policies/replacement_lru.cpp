// Least recently used.

#include "base/registry.h"
#include "modules/l2/replacement_policy.h"

namespace warpvp {
namespace {

class Lru : public L2ReplacementPolicy {
 public:
  void configure(std::uint32_t, std::uint32_t, std::uint32_t) override {}
  Choice choose(std::uint32_t) override { return {}; }
};

WARPVP_REGISTER_POLICY(L2ReplacementPolicy, Lru, "lru", "The least recently used line goes.");

}  // namespace
}  // namespace warpvp
