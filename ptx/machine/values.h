#pragma once
// Registers that have one value wherever they are read: those that one instruction writes, unguarded, on
// every way to their reads. Compilers write nearly all of PTX so.

#include <cstdint>
#include <vector>

#include "ptx/cfg.h"
#include "ptx/ir.h"

namespace warpvp::ptx::machine {

class Values {
 public:
  Values(const ir::Function& f, const ControlFlowGraph& cfg);

  /// The instruction that gives register r its only value, or -1 if it has several or is read where none may
  /// have been given.
  int definition(int r) const { return definition_[static_cast<std::size_t>(r)]; }
  /// The number of instructions that read r.
  unsigned reads(int r) const { return reads_[static_cast<std::size_t>(r)]; }
  /// Whether every way to instruction `at` has passed instruction `first`.
  bool passes(std::uint32_t first, std::uint32_t at) const;

 private:
  const ControlFlowGraph& cfg_;
  std::vector<int> definition_, dominator_, depth_;
  std::vector<unsigned> reads_;
};

}  // namespace warpvp::ptx::machine
