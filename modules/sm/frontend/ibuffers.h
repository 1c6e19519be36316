#pragma once
// The I-buffers of a sub-core: for each warp the instructions fetched and not issued, oldest first, as
// program counters. A front end may put NOPs between them.

#include <cassert>
#include <cstdint>
#include <vector>

#include "ptx/program.h"

namespace warpvp {

class IBuffers {
 public:
  static constexpr ptx::Pc kNop = ptx::kNoPc;

  /// `entries` a warp.
  IBuffers(unsigned warps, unsigned entries)
      : depth_(entries), rings_(std::size_t{warps} * (kHeader + entries)) {}

  unsigned size(unsigned warp) const { return ring(warp)[kSize]; }
  /// Requires size() != 0.
  ptx::Pc head(unsigned warp) const {
    assert(size(warp) != 0);
    const std::uint32_t* const r = ring(warp);
    return r[kHeader + r[kFirst]];
  }
  /// Requires size() below the number of entries.
  void push(unsigned warp, ptx::Pc pc) {
    assert(size(warp) < depth_);
    std::uint32_t* const r = ring(warp);
    const unsigned at = r[kFirst] + r[kSize]++;
    r[kHeader + (at < depth_ ? at : at - depth_)] = pc;
  }
  void pop(unsigned warp) {
    assert(size(warp) != 0);
    std::uint32_t* const r = ring(warp);
    --r[kSize];
    r[kFirst] = r[kFirst] + 1 == depth_ ? 0 : r[kFirst] + 1;
  }
  void clear(unsigned warp) { ring(warp)[kFirst] = ring(warp)[kSize] = 0; }

 private:
  static constexpr unsigned kFirst = 0, kSize = 1, kHeader = 2;
  std::uint32_t* ring(unsigned warp) { return rings_.data() + warp * (kHeader + depth_); }
  const std::uint32_t* ring(unsigned warp) const { return rings_.data() + warp * (kHeader + depth_); }

  unsigned depth_;
  std::vector<std::uint32_t>
      rings_;  // a warp's beside each other: index of the oldest, their number, entries
};

}  // namespace warpvp
