#pragma once
// The I-buffers of a sub-core: for each warp the instructions fetched and not issued, oldest first, as
// program counters. A front end may put NOPs between them, and tag each entry with a number of its own.

#include <cassert>
#include <cstdint>
#include <vector>

#include "ptx/program.h"

namespace warpvp {

class IBuffers {
 public:
  static constexpr ptx::Pc kNop = ptx::kNoPc;

  /// `entries` a warp. Tags have room only where they are wanted.
  IBuffers(unsigned warps, unsigned entries, bool tagged = false) {
    unsigned room = 1;
    while (room < entries) room *= 2;
    mask_ = room - 1;
    stride_ = kHeader + room * (tagged ? 2 : 1);
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
  /// Of the head; 0 without tags. Requires size() != 0.
  std::uint32_t tag(unsigned warp) const {
    const std::uint32_t* const r = ring(warp);
    return tagged() ? r[tag_at(r[kBegin])] : 0;
  }
  /// Appends `count` instructions that follow each other from `pc` on; requires room for them, and I-buffers
  /// without tags.
  void push(unsigned warp, ptx::Pc pc, unsigned count = 1) {
    std::uint32_t* const r = ring(warp);
    assert(!tagged());
    assert(r[kEnd] - r[kBegin] + count <= mask_ + 1);
    for (std::uint32_t& end = r[kEnd]; count != 0; --count) r[kHeader + (end++ & mask_)] = pc++;
  }
  /// Appends one instruction with a tag; requires room for it, and I-buffers with tags.
  void push_tagged(unsigned warp, ptx::Pc pc, std::uint32_t tag) {
    std::uint32_t* const r = ring(warp);
    assert(r[kEnd] - r[kBegin] <= mask_ && tagged());
    r[tag_at(r[kEnd])] = tag;
    r[kHeader + (r[kEnd]++ & mask_)] = pc;
  }
  /// Takes the head away; requires one. True if none is left.
  bool pop(unsigned warp) {
    std::uint32_t* const r = ring(warp);
    assert(r[kBegin] != r[kEnd]);
    return ++r[kBegin] == r[kEnd];
  }
  void clear(unsigned warp) { ring(warp)[kBegin] = ring(warp)[kEnd]; }

 private:
  // A warp's words lie beside each other: entries taken and entries put in so far, then the entries, then
  // their tags if there are any.
  static constexpr unsigned kBegin = 0, kEnd = 1, kHeader = 2;
  std::uint32_t* ring(unsigned warp) { return rings_.data() + warp * stride_; }
  const std::uint32_t* ring(unsigned warp) const { return rings_.data() + warp * stride_; }

  bool tagged() const { return stride_ > kHeader + mask_ + 1; }
  unsigned tag_at(std::uint32_t entry) const { return kHeader + mask_ + 1 + (entry & mask_); }

  unsigned mask_ = 0, stride_ = 0;
  std::vector<std::uint32_t> rings_;
};

}  // namespace warpvp
