#pragma once
// The forms of instructions on half precision (f16, bf16, two of them in a register) and on formats that only
// conversions know (tf32, 8-bit floats): PTX ISA 9.7.4 and cvt.

#include <vector>

#include "ptx/opcode_table.h"

namespace warpvp::ptx {

const std::vector<OpcodeForm>& half_forms();

}  // namespace warpvp::ptx
