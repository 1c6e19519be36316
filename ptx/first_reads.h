#pragma once
// Which rows of its registers a warp may read before it has written them. They begin as zeros; the others
// keep what the warp before had there, which nothing sees.

#include <vector>

#include "ptx/program.h"

namespace warpvp::ptx {

/// In ascending order, without gaps inside a range. All rows of programs with calls, whose frames move, and
/// with matrix instructions, which read whole fragments. Rows that lanes read of others, as `shfl` does, are
/// among them: a lane that has ended, or never was, may not have written its own.
std::vector<RowRange> rows_read_first(const Program& program);

}  // namespace warpvp::ptx
