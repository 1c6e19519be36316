#pragma once
// The intermediate form back to PTX text.

#include <string>

#include "ptx/ir.h"

namespace warpvp::ptx {

/// A whole module: PTX that `parse_module` turns into the same intermediate form (places aside). Nested
/// scopes are gone: their registers, variables and labels have names of their own at function level. So are
/// refused functions and variables, but for a comment each that says why.
std::string disassemble(const ir::Module& m);

/// One instruction without its semicolon, for messages and listings.
std::string disassemble(const ir::Module& m, const ir::Function& f, const ir::Instruction& i);

}  // namespace warpvp::ptx
