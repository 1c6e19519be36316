#pragma once
// What an SM counts instruction by instruction when it is asked to (WarpView::profile_instructions).

#include <cstdint>
#include <memory>
#include <vector>

#include "modules/sm/statistics.h"
#include "ptx/program.h"

namespace warpvp {

/// One instruction of a program on one SM.
struct ExecutionCounts {
  std::uint64_t skipped = 0;  ///< by warps, and left out by the front end: not issued
  std::uint64_t issued = 0;   ///< by warps
  std::uint64_t threads = 0;  ///< lanes that executed it
  /// Issues without some lane of the warp that had not exited: they were on another path. Lanes that the
  /// guard predicate leaves out are no such lanes.
  std::uint64_t divergent = 0;
  /// Warp-cycles in which it was a warp's next instruction and did not issue; for barriers, fences and exits
  /// those in which the warp waited after them.
  StallCycles stalls{};

  void add(const ExecutionCounts& other) {
    skipped += other.skipped;
    issued += other.issued;
    threads += other.threads;
    divergent += other.divergent;
    for (std::size_t r = 0; r < stalls.size(); ++r) stalls[r] += other.stalls[r];
  }
};

/// A program, whatever launches it.
struct ProgramProfile {
  std::shared_ptr<const ptx::Program> program;
  std::uint32_t first_launch = 0;         ///< the first one that came to the SM
  std::vector<ExecutionCounts> counters;  ///< by program counter
};

}  // namespace warpvp
