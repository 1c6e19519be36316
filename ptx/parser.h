#pragma once
// PTX text to typed intermediate form.

#include <string>

#include "ptx/ir.h"

namespace warpvp::ptx {

/// Parses and checks one PTX module. Names are resolved, every instruction matches a row of the opcode table
/// and its operands have the types that row asks for. Throws InputError "file:line:column: what; what is
/// allowed".
ir::Module parse_module(const std::string& text, const std::string& file);

}  // namespace warpvp::ptx
