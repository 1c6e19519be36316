#pragma once
// The forms that each instruction has: suffixes and operands, as data. Video instructions have theirs in video.h.

#include <vector>

#include "ptx/opcode_table.h"

namespace warpvp::ptx {

const std::vector<OpcodeForm>& common_forms();

}  // namespace warpvp::ptx
