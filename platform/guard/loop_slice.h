#pragma once
// Which registers decide where a loop goes and what others can see of it: its slice. A counter that nobody
// looks at is not among them, so `while (!flag) ++i;` is seen to do the same for ever.

#include <string>
#include <unordered_set>
#include <vector>

#include "ptx/program.h"

namespace warpvp {

struct LoopSlice {
  /// By function of the program, and within it by number relative to the frame.
  std::vector<bool> rows, preds;
  std::vector<ptx::Pc> functions;  ///< where they begin, in order
  unsigned rows_each = 0, preds_each = 0;
  /// By program counter: the loads and atomics whose result the slice needs. What they read decides too.
  std::vector<bool> looks;
  bool carry = false;  ///< the carry counts as well
  /// Why what registers and memory say is not all; nullptr: it is.
  const char* opaque = nullptr;

  unsigned function_of(ptx::Pc pc) const;
  bool row(unsigned function, unsigned index) const {
    return index < rows_each && rows[function * rows_each + index];
  }
  bool pred(unsigned function, unsigned index) const {
    return index < preds_each && preds[function * preds_each + index];
  }
  bool operator==(const LoopSlice& o) const {
    return rows == o.rows && preds == o.preds && looks == o.looks && carry == o.carry && opaque == o.opaque;
  }
};

/// Operands of stores and atomics that decide what is written where some loop looks. Others do not matter.
using TellingOperands = std::unordered_set<const ptx::Operand*>;

/// The slice of the instructions marked in `executed` (one flag an instruction of the program): the rows and
/// predicates that branches, addresses, barriers, votes and telling operands among them read, and what those
/// are computed from. What goes from function to function does so through memory (parameters).
LoopSlice loop_slice(const ptx::Program& program, const std::vector<bool>& executed,
                     const TellingOperands& telling);

}  // namespace warpvp
