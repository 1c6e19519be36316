// `sm.frontend.mode: separate`: a fetch scheduler of its own beside issue.

#include "modules/sm/frontend/separate_front_end.h"

#include "base/registry.h"

namespace warpvp {
namespace {

class SeparateFrontEnd final : public SeparateFrontEndOf<SeparateFrontEnd> {
 public:
  using SeparateFrontEndOf::SeparateFrontEndOf;
};

class Separate : public FrontEndType {
 public:
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<SeparateFrontEnd>(context);
  }
};
WARPVP_REGISTER_POLICY(FrontEndType, Separate, "separate",
                       "Fetch and issue each choose a warp: `fetch_scheduler` says which one fetches.");

}  // namespace
}  // namespace warpvp
