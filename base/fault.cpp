#include "base/fault.h"

#include <fmt/format.h>

namespace warpvp {

std::string DeviceFault::summary() const {
  std::string text = what;
  if (address) text += fmt::format(" at address {:#x}", *address);
  if (!kernel.empty()) text += fmt::format(", kernel {}", kernel);
  if (cta[0] >= 0) text += fmt::format(", CTA ({},{},{})", cta[0], cta[1], cta[2]);
  if (warp >= 0) text += fmt::format(", warp {}", warp);
  if (lane >= 0) text += fmt::format(", lane {}", lane);
  if (sm >= 0) text += fmt::format(", SM {}", sm);
  if (!ptx_location.empty()) text += fmt::format(", {}", ptx_location);
  return text;
}

}  // namespace warpvp
