#pragma once
// mma of double precision on 16 rows (PTX ISA 9.7.14, m16n8k4, m16n8k8 and m16n8k16; sm_90), made of m8n8k4:
// the same chain of multiply-adds in the order of k, in as many cycles of the tensor unit.

#include "ptx/ir.h"
#include "ptx/replacement.h"

namespace warpvp::ptx {

bool is_long_double_product(const ir::Instruction& i);
void expand_double_product(const ir::Instruction& i, const Replacement& to);

}  // namespace warpvp::ptx
