#pragma once
// What is known of the alignment of addresses.

#include <cstdint>

#include "ptx/ir.h"
#include "ptx/machine/values.h"

namespace warpvp::ptx::machine {

/// Bytes at whose multiples lowering places a variable, at least what it declares. The machine's assembler
/// lays out shared and constant memory itself and aligns what is long enough for its widest access.
std::uint32_t placed_alignment(const ir::Variable& v);

/// The greatest power of two, 16 at most, that is proven to divide the address: 1 when nothing is known.
unsigned known_alignment(const ir::Module& m, const ir::Function& f, const Values& values,
                         const ir::Operand& address);

}  // namespace warpvp::ptx::machine
