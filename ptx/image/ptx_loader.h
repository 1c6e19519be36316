#pragma once
// PTX as modules that a driver can load.

#include <memory>

#include "ptx/code_options.h"
#include "ptx/image/loadable_module.h"

namespace warpvp::ptx {

/// Makes modules of PTX, with code as `options` say.
std::unique_ptr<ModuleLoader> make_ptx_loader(const CodeOptions& options);

}  // namespace warpvp::ptx
