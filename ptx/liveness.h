#pragma once
// Live ranges of virtual registers.
//
// Liveness is that of one thread on the control-flow graph. Under divergence this is exact as long as a row
// holds registers of one width (see regalloc.cpp): each lane then has its own place in it, and follows one
// path. A guarded write may leave the old value, so it does not end the old value's life.

#include <cstdint>
#include <utility>
#include <vector>

#include "ptx/cfg.h"
#include "ptx/ir.h"

namespace warpvp::ptx {

/// Points in a function: instruction i reads its sources at 2i and writes its destinations at 2i + 1.
struct LiveRange {
  std::uint32_t begin, end;  ///< both inclusive
};

struct Liveness {
  std::vector<std::vector<LiveRange>> ranges;  ///< by register, sorted, disjoint; empty: never used
  /// 32-bit registers at the worst point; 64-bit registers count two, those of the constant bank none.
  unsigned max_live_rows = 0;
  unsigned max_live_predicates = 0;
  std::uint32_t worst_instruction = 0;  ///< where max_live_rows is reached first
};

/// Registers an instruction reads and writes. Vectors and pairs are spread; the guard counts as read.
void registers_read(const ir::Instruction& i, std::vector<int>& out);
void registers_written(const ir::Instruction& i, std::vector<int>& out);

/// Registers alive behind the last instruction of each block, by block and register.
std::vector<std::vector<bool>> live_behind_blocks(const ir::Function& f, const ControlFlowGraph& cfg);

Liveness analyse_liveness(const ir::Function& f, const ControlFlowGraph& cfg);

/// Whether a write ends the life of what its destinations held: not a guarded one that may leave it.
bool ends_old_values(const ir::Instruction& i);

/// 32-bit rows of a register of type `t`: 2 for 64-bit, 0 for predicates.
unsigned rows_of(Type t);

/// Whether the destination must not share a row with a source (the rule at "Operand conventions" in
/// program.h).
bool keeps_sources(const ir::Function& f, const ir::Instruction& i);

}  // namespace warpvp::ptx
