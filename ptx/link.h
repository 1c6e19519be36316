#pragma once
// Several PTX modules as one, as a device linker would join them.

#include <string>
#include <vector>

namespace warpvp::ptx {

struct ModuleText {
  std::string file;  ///< named in messages
  std::string text;
};

/// One module of all: what one declares `.extern` another may define. Names without linkage stay private to
/// their module: where another module has the name too they get "$2", "$3", ... behind them, by the module's
/// number, and more "$" where that is a name already. Source files of later modules get numbers of their own.
/// Of `.weak` and `.common` definitions of one name the first counts; two others of one name are an
/// InputError that tells both files. The result takes the newest `.version` and the greatest `.target`.
std::string link_modules(const std::vector<ModuleText>& modules);

}  // namespace warpvp::ptx
