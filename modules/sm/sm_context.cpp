#include "modules/sm/sm_context.h"

#include <fmt/format.h>

#include <utility>

#include "interconnect/register_map.h"

namespace warpvp {

SmContexts::SmContexts(SmContext sm, PolicyRegisters::Take take)
    : sm_(std::move(sm)), take_(std::move(take)) {
  sm_.shared = std::make_shared<SharedStates>();
}

SmContext SmContexts::of(const char* kind, const std::string& name, unsigned sub_core) const {
  SmContext context = sm_;
  context.kind = kind;
  context.name = name;
  context.sub_core = sub_core;
  context.place = fmt::format("SM {}", context.index);
  std::string prefix = kind;
  if (sub_core != SmContext::kAllSubCores) {
    context.place += fmt::format(", scheduler {}", sub_core);
    prefix += std::to_string(sub_core);
  }
  const regmap::sm::PolicyWindow window =
      regmap::sm::policy_window(kind, sub_core == SmContext::kAllSubCores ? 0 : sub_core);
  if (window.bytes == 0) {
    context.registers = PolicyRegisters::none(fmt::format("a {} of an SM", kind));
  } else {
    context.registers = PolicyRegisters::window(prefix, window.base, window.bytes, take_);
  }
  return context;
}

}  // namespace warpvp
