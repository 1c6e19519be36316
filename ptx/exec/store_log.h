#pragma once
// Stores to global memory of an SM that is ahead of the rest of the device: executed, and seen by nobody else
// yet. Each is kept with the edge at which it was made, and written to memory when the device comes to that
// edge; until then the SM's own loads find it here.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/cycle.h"
#include "ptx/program.h"

namespace warpvp::ptx {

/// Not for several threads at once: each SM has one of its own.
class StoreLog {
 public:
  static constexpr unsigned kMostBytes = 32;  ///< of a lane: four elements of eight bytes

  /// Of memory that lies at `host` and has addresses from `origin` on.
  StoreLog(std::byte* host, std::uint64_t origin) : host_(host), origin_(origin) {}

  /// A place for the data of one store: `bytes` of lane i at the returned address + i * bytes, until
  /// write_first() has written it. `address`: of kWarpSize lanes, of which `lanes` store. Edges ascend.
  std::byte* add(Cycle edge, const std::uint64_t* address, LaneMask lanes, unsigned bytes);
  bool empty() const { return entries_.empty(); }
  /// Stores so far, and of these those that have been written.
  std::uint64_t added() const { return written_ + entries_.size(); }
  std::uint64_t written() const { return written_; }
  /// Edge of the oldest; kNever: there is none.
  Cycle first() const { return entries_.empty() ? kNever : entries_.front()->edge; }
  /// Writes the oldest to `memory`, where device address 0 would be, lanes in ascending order, and forgets
  /// it.
  void write_first();

  /// Whether any of the lanes may read what is here: an aligned access of up to kMostBytes. False is certain.
  bool touches(const std::uint64_t* address, LaneMask lanes) const;
  /// What `bytes` at the address are for a load at edge `now`: those of memory under those that were stored
  /// last here, at an earlier edge.
  void read(std::uint64_t address, unsigned bytes, Cycle now, std::byte* to) const;

 private:
  static constexpr unsigned kSectorBits = 5;
  static constexpr unsigned kCounters = 2048;
  struct Entry {
    Cycle edge;
    LaneMask lanes;
    unsigned bytes;
    std::uint64_t address[kWarpSize];
    std::byte data[kWarpSize * kMostBytes];
  };
  /// Of the sector with the address; a store of up to kMostBytes, aligned, lies in one.
  static unsigned counter_of(std::uint64_t address) {
    const std::uint64_t sector = address >> kSectorBits;
    return static_cast<unsigned>((sector ^ sector >> 11) % kCounters);
  }

  std::byte* at(std::uint64_t address) const { return host_ + (address - origin_); }

  std::byte* const host_;
  const std::uint64_t origin_;
  std::deque<std::unique_ptr<Entry>> entries_;  // oldest first
  std::vector<std::unique_ptr<Entry>> free_;
  std::uint64_t written_ = 0;
  std::uint32_t stored_[kCounters] = {};  // lanes' stores here, by counter_of
};

}  // namespace warpvp::ptx
