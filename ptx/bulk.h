#pragma once
// Bulk copies without tensor maps (PTX ISA 9.7.9.25.4 and 9.7.9.25.6).

#include <vector>

#include "ptx/ir.h"
#include "ptx/opcode_table.h"
#include "ptx/replacement.h"

namespace warpvp::ptx {

/// Forms of cp.async.bulk, cp.reduce.async.bulk and of waiting for them, part of opcode_forms().
const std::vector<OpcodeForm>& bulk_forms();
/// Meaning of a suffix that only these have; false: it is none.
bool apply_bulk(const std::string& role, Modifiers& m);
/// The space of address operand `n` of a bulk copy.
Space bulk_space(const ir::Instruction& i, unsigned n);
/// A bulk copy whose addresses are 64-bit registers.
ir::Instruction with_addresses_in_registers(const ir::Instruction& i, const Replacement& to);

}  // namespace warpvp::ptx
