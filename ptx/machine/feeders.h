#pragma once
// What computes an operand for one instruction alone, and so may become part of it.

#include <cstdint>
#include <vector>

#include "ptx/cfg.h"
#include "ptx/ir.h"
#include "ptx/machine/values.h"

namespace warpvp::ptx::machine {

class Feeders {
 public:
  /// `f` must outlive it and keep its instructions' places until remove_taken().
  explicit Feeders(ir::Function& f);

  /// The instruction that computes register operand `o` for instruction `at` and nobody else, unguarded, in
  /// the same block, with one result, if its own operands still have their values at `at`. Null otherwise.
  const ir::Instruction* of(const ir::Operand& o, std::uint32_t at) const;

  /// The one of register operand `o` has become part of another instruction.
  void take(const ir::Operand& o);
  /// Takes out what was taken.
  void remove_taken();

 private:
  ir::Function& f_;
  const ControlFlowGraph cfg_;
  const Values values_;
  std::vector<bool> taken_;
};

}  // namespace warpvp::ptx::machine
