// Neither inclusive nor exclusive: L1s keep what the L2 drops.

#include "base/registry.h"
#include "modules/l2/inclusion_policy.h"

namespace warpvp {
namespace {

class NonInclusive : public L2InclusionPolicy {
 public:
  std::uint32_t recalls_at_once() const override { return 0; }
  bool recall(const Departure&) override { return false; }
};

WARPVP_REGISTER_POLICY(L2InclusionPolicy, NonInclusive, "non_inclusive", "L1s keep lines that leave the L2.");

}  // namespace
}  // namespace warpvp
