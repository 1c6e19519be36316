#include "modules/sm/stage_context.h"

#include <fmt/format.h>

#include "interconnect/policy_contract.h"
#include "modules/sm/config.h"

namespace warpvp {

unsigned StageContext::warps() const { return config.resources.warps / config.schedulers; }

std::string StageContext::place(Cycle now) const {
  return fmt::format("SM {}, scheduler {}, SM cycle {}", sm, sub_core, now);
}

void StageContext::broken_contract(const char* kind, const std::string& name, const char* what,
                                   unsigned picked, WarpMask allowed, Cycle now) const {
  report_broken_contract(
      kind, name,
      fmt::format("it picked warp {}, which is not {}; allowed: a warp of the set {:#x}, or none", picked,
                  what, allowed),
      place(now));
}

}  // namespace warpvp
