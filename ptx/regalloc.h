#pragma once
// Virtual registers to rows of the warp's register file.

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/liveness.h"

namespace warpvp::ptx {

inline constexpr unsigned kMaxRows = 1024;

struct Allocation {
  std::vector<std::uint16_t> row;  ///< by register: its (first) row, or its predicate; kNoRow: never used
  unsigned rows = 0, predicates = 0;
};

/// Gives every register the lowest row that is free over all its live ranges, in the order in which they
/// begin; 64-bit registers get an even row and the next, and no row is shared between widths. Throws InputError
/// beyond kMaxRows rows, naming the function in `where`.
Allocation allocate(const ir::Function& f, const Liveness& liveness, const std::string& where);

}  // namespace warpvp::ptx
