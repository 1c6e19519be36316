#pragma once
// Pass: loads from constant memory as wide as the chip has them.

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Bytes of the widest load from constant memory, LDC.64: ptxas 13 writes two of them for ld.const.v4.f32
/// (sm_75), and the counters of parboil-mri-q show two requests for the four words of an iteration.
inline constexpr unsigned kConstantWidth = 8;

/// Makes two loads of each from constant memory that is wider, where its address is proven to be a multiple
/// of its width: another one faults as a whole, which two halves might not.
void split_constant_loads(const ir::Module& m, ir::Function& f);

}  // namespace warpvp::ptx::machine
