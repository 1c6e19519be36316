// Write-through: each write goes to DRAM at once, and no line is ever dirty (Jouppi, "Cache write policies
// and performance", ISCA 1993, section 2).

#include "base/registry.h"
#include "modules/l2/write_policy.h"

namespace warpvp {
namespace {

struct WriteThroughParams {
  bool allocate = true;

  void fields(FieldVisitor& v) {
    v.field(
        "allocate", allocate,
        "Whether an absent line is taken in, with the sectors that are written whole; if not, writes that "
        "miss pass the bank by.");
  }
};

class WriteThrough : public L2WritePolicy {
 public:
  explicit WriteThrough(const WriteThroughParams& params) : allocate_(params.allocate) {}
  Decision decide(const Write& write) override { return {allocate_ && write.whole, true}; }

 private:
  const bool allocate_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(L2WritePolicy, WriteThrough, WriteThroughParams, "write_through",
                                   "Writes go to DRAM at once; no line is dirty.");

}  // namespace
}  // namespace warpvp
