#pragma once
// Turns the 32 addresses of a warp access into transactions on cache lines.
//
// A transaction covers any sectors of one line. Either all lanes are coalesced together, or accesses wider
// than four bytes a lane are taken apart as early chips do: 8 bytes a lane as two half warps, 16 bytes as
// four quarters, each coalesced by itself, so that a group never moves more than 128 bytes at best.

#include <cstdint>

#include "ptx/exec/cta.h"

namespace warpvp {

/// One transaction: sectors of a line, and the span of bytes touched (which is what a store sends).
struct LineAccess {
  std::uint64_t line = 0;     ///< address of the line's first byte
  std::uint16_t sectors = 0;  ///< bit i: sector i of the line
  std::uint16_t in_turn = 0;  ///< of an atomic: lanes served in turn by a unit that takes a sector at a time
  std::uint16_t begin = 0;    ///< first byte touched, relative to the line
  std::uint16_t end = 0;      ///< one past the last
};

class Coalescer {
 public:
  /// Most transactions one access can make: texture reads of 32 lanes with eight texels each.
  static constexpr unsigned kMaxTransactions = 8 * ptx::kWarpSize;

  /// Both powers of two, 32 <= sector <= line. `whole_warp`: loads and stores are not taken apart.
  Coalescer(unsigned line_bytes, unsigned sector_bytes, bool whole_warp = false);

  /// Global addresses: `bytes` (1..16) at address[lane] for each lane in `lanes`. Writes the transactions to
  /// `out` (room for kMaxTransactions), groups in order and within a group by first lane; returns their
  /// number. Atomics are always taken apart, and counted: the words of a sector are changed together, lanes
  /// of one word in turn, so `in_turn` is the sum over the sectors of the lanes on their fullest word.
  unsigned global(const std::uint64_t* address, ptx::LaneMask lanes, unsigned bytes, LineAccess* out,
                  bool atomic = false) const;

  /// Texels of a filtered read: those of all rows together, taken apart by lanes as above, whatever
  /// `whole_warp` says. Every line is one transaction of such a group, however many lanes and rows
  /// touch it. Texels lie at multiples of `bytes`.
  unsigned texels(const ptx::TexelRows& rows, unsigned bytes, LineAccess* out) const;

  /// Local memory: `offset` is each lane's byte offset in its own space. The spaces of the 32 lanes are
  /// interleaved by words: byte o of lane l lies at base + ((o / 4) * 32 + l) * 4 + o % 4.
  unsigned local(const std::uint64_t* offset, ptx::LaneMask lanes, unsigned bytes, std::uint64_t base,
                 LineAccess* out) const;

  /// The first transaction of [begin, end), which is not empty.
  LineAccess first_of(std::uint64_t begin, std::uint64_t end) const;
  /// Transactions of `bytes`, which are not none, at `address`.
  std::uint64_t lines_of(std::uint64_t address, std::uint64_t bytes) const {
    return ((address + bytes - 1) >> line_shift_) - (address >> line_shift_) + 1;
  }

  /// Addresses that differ, in first-lane order (constant memory serves one of them per cycle).
  static unsigned distinct(const std::uint64_t* address, ptx::LaneMask lanes, std::uint64_t* out);

 private:
  unsigned range(std::uint64_t begin, std::uint64_t end, LineAccess* out) const;
  unsigned group(const std::uint64_t* address, ptx::LaneMask lanes, unsigned bytes, LineAccess* out) const;
  void count_in_turn(const std::uint64_t* address, ptx::LaneMask lanes, unsigned bytes, LineAccess* accesses,
                     unsigned count) const;
  std::uint16_t sectors(unsigned begin, unsigned end) const {
    const unsigned first = begin >> sector_shift_;
    const unsigned last = (end - 1) >> sector_shift_;
    return static_cast<std::uint16_t>((~std::uint32_t{0} >> (31 - (last - first))) << first);
  }

  unsigned line_bytes_;
  bool whole_warp_;
  unsigned line_shift_ = 0;
  unsigned sector_shift_ = 0;
};

}  // namespace warpvp
