#pragma once
// The control-flow graph of an executable program: of the instructions that the SM runs, whatever made them.
// Functions are graphs of their own; a call goes on behind itself.

#include <vector>

#include "ptx/program.h"

namespace warpvp::ptx {

/// A basic block: instructions [begin, end).
struct FlowBlock {
  Pc begin = 0, end = 0;
  std::vector<unsigned> successors;  ///< without doubles
  bool leaves = false;               ///< some or all threads may leave the function, or end, here
  int post_dominator = -1;           ///< the immediate one; -1: only the end of the function
};

class ProgramFlow {
 public:
  explicit ProgramFlow(const Program& program);

  const std::vector<FlowBlock>& blocks() const { return blocks_; }
  unsigned block_of(Pc pc) const { return block_of_[pc]; }
  /// Where the entry, then the functions begin.
  const std::vector<unsigned>& roots() const { return roots_; }
  /// Blocks that can be reached from `from` without passing `stop`, which is not among them; -1: none stops.
  std::vector<bool> reachable(unsigned from, int stop) const;

 private:
  std::vector<FlowBlock> blocks_;
  std::vector<unsigned> block_of_;  // by pc
  std::vector<unsigned> roots_;
};

/// Whether the warp may go elsewhere than to the next instruction, or lanes may leave it. Not a call, which
/// comes back.
inline bool ends_flow_block(const Inst& inst) {
  return inst.effect == Effect::kExit || inst.effect == Effect::kTrap ||
         (inst.effect == Effect::kBranch && inst.opcode != Opcode::call);
}

}  // namespace warpvp::ptx
