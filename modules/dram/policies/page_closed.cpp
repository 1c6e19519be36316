// Closed page: a row is closed by the last access to it that waits, with auto-precharge, or by every access.
// The two are gem5's close_adaptive and close (Hansson et al., ISPASS 2014); an access to another row then
// needs no precharge, and one to the same row has to open it again.

#include "base/registry.h"
#include "modules/dram/page_policy.h"

namespace warpvp {
namespace {

struct ClosedPageParams {
  bool every_access = false;

  void fields(FieldVisitor& v) {
    v.field("every_access", every_access, "Close the row even if other accesses to it wait.");
  }
};

class ClosedPage : public DramPagePolicy {
 public:
  explicit ClosedPage(const ClosedPageParams& params) : every_access_(params.every_access) {}
  Cycle close_at(const Access& access, Cycle now) override {
    return every_access_ || !access.row_waiting ? now : kNever;
  }

 private:
  const bool every_access_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(DramPagePolicy, ClosedPage, ClosedPageParams, "closed",
                                   "The last waiting access to a row closes it, with auto-precharge.");

}  // namespace
}  // namespace warpvp
