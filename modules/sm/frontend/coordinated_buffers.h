#pragma once
// I-buffers of the coordinated front end (SWaS paper, section IV-B): FIFOs that are always full.
//
// A warp's FIFO holds as many entries as edges pass from an instruction's fetch to its earliest issue. Each
// time the warp is selected its head leaves and one entry joins, so the new one cannot become the head before
// it has arrived, and nobody waits for an arrival. An entry is an instruction or a NOP. Instructions follow
// each other in program order: the first one in the FIFO is the warp's next, so that one bit an entry says
// everything.

#include <cstdint>

namespace warpvp {

class CoordinatedBuffers {
 public:
  /// `depth` entries a warp, at most 32: instruction-cache hit latency plus decode latency.
  explicit CoordinatedBuffers(unsigned depth) : depth_(depth) {}

  /// The warp starts, or a taken branch made what it holds useless: NOPs only. Returns the instructions
  /// dropped.
  unsigned fill_with_nops(unsigned warp) {
    const unsigned dropped = instructions(warp);
    entries_[warp] = 0;
    return dropped;
  }
  /// The warp is selected: its head leaves; an instruction joins, or a NOP in its place.
  void advance(unsigned warp, bool instruction) {
    entries_[warp] = entries_[warp] >> 1 | (instruction ? 1u << (depth_ - 1) : 0u);
  }

  bool nop_at_head(unsigned warp) const { return !(entries_[warp] & 1); }
  unsigned instructions(unsigned warp) const {
    return static_cast<unsigned>(__builtin_popcount(entries_[warp]));
  }

 private:
  unsigned depth_;
  std::uint32_t entries_[64] = {};  // bit i: entry i, counted from the head, is an instruction
};

}  // namespace warpvp
