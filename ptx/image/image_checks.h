#pragma once
// What must hold in a program from an image before a warp may run it. Private to ptx/image.

#include "ptx/image/image_reader.h"

namespace warpvp::ptx::image {

/// ImageError where anything that execution takes as an index, a row, a program counter or an address is out
/// of its bounds. The lists of `program` are those of the image, Inst::exec is not set yet.
void check_program(const Program& program, const MemoryBounds& memory);

}  // namespace warpvp::ptx::image
