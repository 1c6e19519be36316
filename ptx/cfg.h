#pragma once
// Control-flow graphs of functions and where divergent branches meet again.

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/ir.h"

namespace warpvp::ptx {

/// A basic block: instructions [begin, end). Successors are in branch order: the fall-through last.
struct Block {
  std::uint32_t begin = 0, end = 0;
  std::vector<int> successors, predecessors;
  bool reachable = false;
  /// Control may leave the thread here (exit, trap, ret): an edge to the virtual exit.
  bool leaves = false;
  /// ... and the leaving threads end for good (exit, trap, ret of an entry) rather than return to a caller.
  bool ends_thread = false;
  int immediate_post_dominator = -1;  ///< block, or -1: only the virtual exit
  /// Where a divergent branch at the end of this block meets again: the immediate post-dominator when paths
  /// that end their threads are left out of account (ended lanes meet nobody). -1: nowhere before the end.
  int reconvergence = -1;
};

class ControlFlowGraph {
 public:
  explicit ControlFlowGraph(const ir::Function& f);

  const std::vector<Block>& blocks() const { return blocks_; }
  int block_of(std::uint32_t instruction) const { return block_of_[instruction]; }

  /// One line a block: its instructions, successors and post-dominator.
  std::string text(const ir::Module& m, const ir::Function& f) const;
  /// Graphviz.
  std::string dot(const ir::Module& m, const ir::Function& f) const;

 private:
  std::vector<Block> blocks_;
  std::vector<int> block_of_;
};

/// Immediate post-dominators of a graph given by successor lists. `leaves[i]`: node i has an edge to the
/// virtual exit. The result is -1 for nodes whose only post-dominator is the virtual exit, and for nodes not
/// reachable from node 0. Endless loops are given an exit at their last node.
std::vector<int> immediate_post_dominators(const std::vector<std::vector<int>>& successors,
                                           const std::vector<bool>& leaves);

/// Whether control never continues behind this instruction.
bool ends_block_for_good(const ir::Instruction& i);

}  // namespace warpvp::ptx
