#include "modules/command_processor/native/native_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/registry.h"
#include "modules/command_processor/native/native_core.h"

namespace warpvp {

std::string native_policy(const std::string& firmware) {
  const std::vector<std::string> names = NativeCore::policies();
  if (std::find(names.begin(), names.end(), firmware) != names.end()) return firmware;
  throw InputError(fmt::format(
      "command_processor.firmware: no policy '{}' is compiled into this program; with type: native "
      "allowed: {}; a program of one's own needs type: riscv",
      firmware, join_names(names)));
}

}  // namespace warpvp
