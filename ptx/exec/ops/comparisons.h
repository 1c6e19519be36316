#pragma once
// What comparisons of every type share (PTX ISA 9.7.6): the operators and the third operand, a predicate.

#include "ptx/exec/ops/lanes.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

/// Whether `a` stands to `b` as the operator says. Where the operator is a constant, nothing is left of the
/// others.
template <class T>
WARPVP_INLINE bool holds(Compare c, T a, T b) {
  // The unordered forms are the negations of the opposite ordered ones.
  switch (c) {
    case Compare::eq:
      return a == b;
    case Compare::ne:  // on floats: ordered and different
      if constexpr (std::is_floating_point_v<T>) return (a < b) | (a > b);
      return a != b;
    case Compare::lt:
      return a < b;
    case Compare::le:
      return a <= b;
    case Compare::gt:
      return a > b;
    case Compare::ge:
      return a >= b;
    case Compare::equ:
      return !((a < b) | (a > b));
    case Compare::neu:
      return !(a == b);
    case Compare::ltu:
      return !(a >= b);
    case Compare::leu:
      return !(a > b);
    case Compare::gtu:
      return !(a <= b);
    case Compare::geu:
      return !(a < b);
    case Compare::num:
      return (a == a) & (b == b);
    case Compare::nan:
      return !((a == a) & (b == b));
    default:
      return false;
  }
}

/// The predicate `v` combined with the third operand `c`.
WARPVP_INLINE LaneMask combine(BoolOp op, LaneMask v, LaneMask c) {
  return op == BoolOp::and_ ? v & c : op == BoolOp::or_ ? v | c : v ^ c;
}

}  // namespace
}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
