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
  IBuffers(unsigned warps, unsigned entries) {
    unsigned room = 1;
    while (room < entries) room *= 2;
    mask_ = room - 1;
    stride_ = kHeader + room;
    rings_.resize(std::size_t{warps} * stride_);
  }

  unsigned size(unsigned warp) const {
    const std::uint32_t* const r = ring(warp);
    return r[kEnd] - r[kBegin];
  }
  /// Requires size() != 0.
  ptx::Pc head(unsigned warp) const {
    const std::uint32_t* const r = ring(warp);
    assert(r[kBegin] != r[kEnd]);
    return r[kHeader + (r[kBegin] & mask_)];
  }
  /// Appends `count` instructions that follow each other from `pc` on; requires room for them.
  void push(unsigned warp, ptx::Pc pc, unsigned count = 1) {
    std::uint32_t* const r = ring(warp);
    assert(r[kEnd] - r[kBegin] + count <= mask_ + 1);
    for (std::uint32_t& end = r[kEnd]; count != 0; --count) r[kHeader + (end++ & mask_)] = pc++;
  }
  /// Takes the head away; requires one. True if none is left.
  bool pop(unsigned warp) {
    std::uint32_t* const r = ring(warp);
    assert(r[kBegin] != r[kEnd]);
    return ++r[kBegin] == r[kEnd];
  }
  void clear(unsigned warp) { ring(warp)[kBegin] = ring(warp)[kEnd]; }

 private:
  // A warp's words lie beside each other: entries taken and entries put in so far, then the entries.
  static constexpr unsigned kBegin = 0, kEnd = 1, kHeader = 2;
  std::uint32_t* ring(unsigned warp) { return rings_.data() + warp * stride_; }
  const std::uint32_t* ring(unsigned warp) const { return rings_.data() + warp * stride_; }

  unsigned mask_ = 0, stride_ = 0;
  std::vector<std::uint32_t> rings_;
};

}  // namespace warpvp
