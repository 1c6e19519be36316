#pragma once
// Which registers, and so which branches, may differ between the threads of a warp.

#include <cstdint>
#include <vector>

#include "ptx/cfg.h"
#include "ptx/ir.h"

namespace warpvp::ptx::machine {

class Divergence {
 public:
  /// Thread and lane numbers, results of atomics, shuffles and calls, a function's parameters, and what is
  /// loaded from local or generic addresses differ, as LLVM's analysis for NVPTX takes it; and what is
  /// computed from such values, or under a branch on them and read where its paths have met.
  Divergence(const ir::Function& f, const ControlFlowGraph& cfg);

  bool is_divergent(int r) const { return registers_[static_cast<std::size_t>(r)]; }
  /// Whether threads may part at the end of block `b`. Guarded exits and returns are no such branches.
  bool parts(int b) const { return parts_[static_cast<std::size_t>(b)]; }

 private:
  bool computes_divergent(const ir::Instruction& i) const;
  /// The blocks between the end of block `b` and where its paths meet.
  std::vector<bool> between(int b) const;
  bool spread_values();
  bool spread_branches();

  const ir::Function& f_;
  const ControlFlowGraph& cfg_;
  std::vector<std::vector<int>> reads_, writes_;               // by instruction
  std::vector<std::vector<std::uint32_t>> writers_, readers_;  // by register
  std::vector<bool> registers_, parts_;
};

}  // namespace warpvp::ptx::machine
