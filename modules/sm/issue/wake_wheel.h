#pragma once
// A timing wheel of warps: which warp's head instruction has its operands at which edge. One entry per warp
// at most, so storage is fixed.

#include <cstdint>
#include <vector>

#include "base/cycle.h"

namespace warpvp {

class WakeWheel {
 public:
  static constexpr unsigned kSlots = 2048;  ///< edges ahead that can be represented

  explicit WakeWheel(unsigned warps) : next_(warps, kNone) {
    for (auto& h : head_) h = kNone;
  }

  /// Arms `warp` for edge `at`, now < at < now + kSlots.
  void arm(unsigned warp, Cycle at) {
    const unsigned slot = at % kSlots;
    next_[warp] = head_[slot];
    head_[slot] = static_cast<std::uint16_t>(warp);
    bits_[slot / 64] |= 1ull << (slot % 64);
    ++armed_;
  }

  /// Calls `f(warp)` for every warp armed for exactly this edge.
  template <class F>
  void fire(Cycle now, F&& f) {
    const unsigned slot = now % kSlots;
    std::uint16_t warp = head_[slot];
    if (warp == kNone) return;
    head_[slot] = kNone;
    bits_[slot / 64] &= ~(1ull << (slot % 64));
    while (warp != kNone) {
      const std::uint16_t next = next_[warp];
      --armed_;
      f(warp);
      warp = next;
    }
  }

  /// Calls `f(warp)` for every warp armed for edge `at` so far.
  template <class F>
  void peek(Cycle at, F&& f) const {
    for (std::uint16_t warp = head_[at % kSlots]; warp != kNone; warp = next_[warp]) f(warp);
  }

  /// The earliest armed edge after `now`, or kNever.
  Cycle next(Cycle now) const {
    if (armed_ == 0) return kNever;
    const unsigned start = (now + 1) % kSlots;
    unsigned word = start / 64;
    std::uint64_t bits = bits_[word] & (~0ull << (start % 64));
    for (unsigned i = 0; i <= kSlots / 64; ++i) {
      if (bits) {
        const unsigned slot = word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
        return now + 1 + (slot + kSlots - start) % kSlots;
      }
      word = (word + 1) % (kSlots / 64);
      bits = bits_[word];
    }
    return kNever;
  }

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  std::uint16_t head_[kSlots];
  std::uint64_t bits_[kSlots / 64] = {};
  std::vector<std::uint16_t> next_;
  unsigned armed_ = 0;
};

}  // namespace warpvp
