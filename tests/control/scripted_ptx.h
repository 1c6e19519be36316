#pragma once
// Modules without code, for tests of the runtime that are of the control path alone: "loading" a path yields
// the module that the test has registered under it. Their kernels have images of a few bytes that no device
// can decode.

#include <map>
#include <string>
#include <vector>

#include "ptx/image/loadable_module.h"

namespace warpvp::test {

struct ScriptedVariable {
  ptx::ModuleVariable variable;
  std::vector<std::uint8_t> value;  ///< empty: zeros
};
struct ScriptedModule {
  std::vector<ScriptedVariable> variables;
  std::vector<ptx::KernelFacts> kernels;
};
/// What the loader finds, by path and by text.
std::map<std::string, ScriptedModule>& scripted_modules();
const ptx::ModuleLoader& scripted_loader();
/// The image of a scripted kernel.
std::vector<std::uint8_t> scripted_image(const std::string& kernel, std::uint64_t code_address);

}  // namespace warpvp::test
