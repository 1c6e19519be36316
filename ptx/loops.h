#pragma once
// What the loops of a function may be waiting for, so that a path of a warp that only waits for another one
// can be told from a path that computes (docs/ptx.md, section Divergence).

#include <cstdint>
#include <vector>

#include "ptx/cfg.h"
#include "ptx/ir.h"

namespace warpvp::ptx {

/// An iteration of a loop counts so many units when it may be waiting: it has a volatile, relaxed or
/// acquiring load, an atomic operation whose result is used, a fence or a nanosleep.
inline constexpr std::uint8_t kWaitingUnits = 64;
/// ... or only plain loads of memory that others may write, by which no program without data races can wait.
inline constexpr std::uint8_t kLoadingUnits = 1;

/// The loops that one instruction closes.
struct ClosedLoops {
  std::uint8_t units = 0;  ///< of the loop of them that counts most; 0: none, or they read no memory
  bool has_calls = false;  ///< what callees do is not counted in `units`
};

/// By instruction: the loops closed by branches to lower positions. The loop of such a branch is what can
/// reach it without passing its target, and the target.
std::vector<ClosedLoops> closed_loops(const ir::Function& f, const ControlFlowGraph& cfg);

/// Units by which the instructions of `f` count that count most.
std::uint8_t loop_units(const ir::Function& f);

}  // namespace warpvp::ptx
