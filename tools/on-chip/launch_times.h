#pragma once
// What launching costs on the chip, beside what the kernels do.

#include <ostream>

namespace warpvp::chip {

/// Writes a table: what was measured, its unit, the median and the range of several measurements. InputError
/// where there is no GPU.
void measure_launches(std::ostream& out);

}  // namespace warpvp::chip
