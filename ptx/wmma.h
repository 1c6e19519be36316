#pragma once
// wmma (PTX ISA 9.7.14, "Matrix multiply-accumulate operation using wmma"): whole matrices of a warp. What a
// thread's registers hold of one is left open there; here it is what mma's fragments hold, so that a product
// is one or two mma, and loading and storing are loads and stores of each thread, as sm_75 and later do it.
//
//   m16n16k16, m16n16k8   two mma side by side: halves of B, C and D
//   m32n8k16              two mma one above the other: halves of A, C and D
//   m8n32k16              the transposed product, m32n8k16 with B in place of A
//   m8n8k4, k32, k128     one mma
//
// Of f16, A and B have eight registers in PTX whatever they hold; what is not needed stays as it is.

#include <vector>

#include "ptx/ir.h"
#include "ptx/matrix.h"
#include "ptx/replacement.h"

namespace warpvp::ptx {

/// Forms of wmma, part of opcode_forms().
const std::vector<OpcodeForm>& wmma_forms();

/// Of operand `operand` of a wmma.
Fragment wmma_fragment(const ir::Instruction& i, std::size_t operand);

/// Adds to `to` what a wmma does.
void expand_wmma(const ir::Instruction& i, const Replacement& to);

}  // namespace warpvp::ptx
