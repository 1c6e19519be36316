#include "modules/sm/stage_context.h"

#include <fmt/format.h>

#include "interconnect/policy_contract.h"

namespace warpvp {

std::string StageContext::place_at(Cycle now) const { return fmt::format("{}, SM cycle {}", place, now); }

void StageContext::broken_contract(const char* kind, const std::string& name, const char* what,
                                   unsigned picked, WarpMask allowed, Cycle now) const {
  report_broken_contract(
      kind, name,
      fmt::format("it picked warp {}, which is not {}; allowed: a warp of the set {:#x}, or none", picked,
                  what, allowed),
      place_at(now));
}

}  // namespace warpvp
