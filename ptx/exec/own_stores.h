#pragma once
// Stores to global memory that an SM has executed and that nobody else sees yet: where their data are until
// they are written to memory, and what the SM's own loads read meanwhile.

#include <cstddef>
#include <cstdint>

#include "base/cycle.h"
#include "ptx/program.h"

namespace warpvp::ptx {

/// Of one SM, for one thread of the host at a time.
class OwnStores {
 public:
  static constexpr unsigned kMostBytes = 32;  ///< of a lane: four elements of eight bytes

  virtual ~OwnStores();  // not inline: execution functions of other instruction sets include this
  OwnStores(const OwnStores&) = delete;
  OwnStores& operator=(const OwnStores&) = delete;

  bool empty() const { return empty_; }
  /// Whether an aligned access of up to kMostBytes at any address from `low` to `high` may read what is here.
  /// False is certain.
  bool within(std::uint64_t low, std::uint64_t high) const { return low <= high_ && high >= low_; }

  /// Takes a store of `bytes` by each of `lanes`, aligned. Sets to[i], of those lanes, to the host's address
  /// where lane i has to put its data now, lanes in ascending order. Edges ascend.
  virtual void add(Cycle edge, const std::uint64_t* address, LaneMask lanes, unsigned bytes,
                   std::uintptr_t* to) = 0;
  /// Where each of `lanes` finds the aligned `bytes` at its address at edge `now`: sets from[i] of those that
  /// are not in memory as they are. Bytes that are partly there come to `room`, i * bytes behind its start.
  virtual void find(const std::uint64_t* address, LaneMask lanes, unsigned bytes, Cycle now, std::byte* room,
                    std::uintptr_t* from) const = 0;
  /// What `bytes`, at most kMostBytes and within as many aligned ones, are for a load at edge `now`.
  virtual void read(std::uint64_t address, unsigned bytes, Cycle now, std::byte* to) const = 0;
  /// Stores so far, for those that have to come before or after some of them.
  virtual std::uint64_t added() const = 0;

 protected:
  OwnStores() = default;
  void note(std::uint64_t address) {
    empty_ = false;
    if (address < low_) low_ = address & ~std::uint64_t{kMostBytes - 1};
    if (address > high_) high_ = address | (kMostBytes - 1);
  }
  void note_empty() {
    empty_ = true;
    low_ = ~std::uint64_t{0};
    high_ = 0;
  }

 private:
  bool empty_ = true;
  std::uint64_t low_ = ~std::uint64_t{0}, high_ = 0;  // of all bytes that are here, and perhaps more
};

}  // namespace warpvp::ptx
