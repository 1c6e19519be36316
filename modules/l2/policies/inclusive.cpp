// Inclusion (Baer and Wang, "On the inclusion properties for multi-level cache hierarchies", ISCA 1988): what
// leaves the L2 leaves the L1s.

#include "base/registry.h"
#include "modules/l2/inclusion_policy.h"

namespace warpvp {
namespace {

struct InclusiveParams {
  std::uint32_t recalls_at_once = 4;

  void fields(FieldVisitor& v) {
    v.field("recalls_at_once", recalls_at_once, "recalls",
            "Recalls from one bank to one SM that may be on their way; further ones wait in the bank.",
            Constraint::range(1, 64));
  }
};

class Inclusive : public L2InclusionPolicy {
 public:
  explicit Inclusive(const InclusiveParams& params) : at_once_(params.recalls_at_once) {}
  std::uint32_t recalls_at_once() const override { return at_once_; }
  bool recall(const Departure&) override { return true; }

 private:
  const std::uint32_t at_once_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(L2InclusionPolicy, Inclusive, InclusiveParams, "inclusive",
                                   "SMs drop from their L1s what leaves the L2.");

}  // namespace
}  // namespace warpvp
