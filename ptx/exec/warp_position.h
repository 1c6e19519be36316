#pragma once
// Where all paths of a warp stand. With its registers and the memory that it reads, this decides what the
// warp does next.

#include <cstdint>
#include <vector>

#include "ptx/program.h"

namespace warpvp::ptx {

class Warp;

struct WarpPosition {
  /// When its turn comes, of a path that waits for it (docs/ptx.md, section Divergence).
  enum class Turn : std::uint8_t {
    kNone,     ///< it waits for something else, and its time counts from when that is over
    kOpen,     ///< `since` decides
    kCovered,  ///< its lanes are ahead of it: `since` decides if they come back to it
  };
  struct Path {
    Pc pc = 0, reconverge = kNoPc;
    LaneMask lanes = 0;
    std::uint32_t row_base = 0, pred_base = 0, depot_base = 0, call_depth = 0;
    bool fresh = false;
    Turn turn = Turn::kNone;
    std::uint64_t since = 0;
  };
  std::vector<Path> paths;          ///< the running one last
  std::vector<std::uint64_t> rest;  ///< lanes alive, who waits for whom: to be compared, not to be read
  std::uint64_t units = 0;          ///< what `since` is compared with

  /// The paths stand alike, and have their turns after equally long.
  bool same(const WarpPosition& other) const;
};

/// Into `position`, whose storage is used again.
void take_position(const Warp& warp, WarpPosition& position);
/// The carry of the 32 lanes (CC.CF), which is in no register.
LaneMask carry_of(const Warp& warp);

}  // namespace warpvp::ptx
