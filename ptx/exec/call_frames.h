#pragma once
// Where the frames of device functions lie in a warp's register file. Private to ptx/exec.
//
// A callee's rows begin right above its caller's. Lanes of one warp may be in different callees at once, when
// a path of the warp was left in the middle for another. Each lane has a column of its own, but the 64-bit
// value of a lane covers the columns of two lanes in rows of 32 bits (see Row in ptx/regalloc.cpp): so frames
// of different functions may not share rows while both are under way. A callee's frame is then put above the
// frame that it would meet. Within one function all paths use the same rows, since a row serves one width
// only.

#include "ptx/exec/warp.h"

namespace warpvp::ptx {

struct CallFrames {
  /// The lowest row from `base` on at which a frame of the running group meets no frame under way of other
  /// groups; `base` itself unless paths of the warp took turns inside of functions.
  static std::uint32_t place(const Warp& w, std::uint32_t base);
  /// Makes room for the frame at row_base_ (and for predicates and depots, in recursive programs).
  static void grow(Warp& w);
};

}  // namespace warpvp::ptx
