#pragma once
// What instructions compute from numbers that are known before the code runs.

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// By register: its bits, where they are known. Of a predicate 0 or 1.
using KnownValues = std::vector<std::optional<std::uint64_t>>;

/// What `i` writes into its only destination, a register of 32 or 64 bits that is as wide as the operation:
/// integer arithmetic whose operands are all known, moves of known numbers, conversions between known singles
/// and integers that hold the same number, sums, differences and products of known singles rounded to nearest,
/// logarithms and powers of two that are exact. Singles and their results must be zero or normal.
std::optional<std::uint64_t> computed_value(const ir::Function& f, const ir::Instruction& i,
                                            const KnownValues& known);

/// What a comparison of known integers or singles writes into its only destination.
std::optional<bool> compared_value(const ir::Function& f, const ir::Instruction& i, const KnownValues& known);

}  // namespace warpvp::ptx::machine
