#pragma once
// Stores to global memory of an SM that is ahead of the rest of the device: executed, and seen by nobody else
// yet. Each is kept with the edge at which it was made, and written to memory when the device comes to that
// edge; until then the SM's own loads find it here.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "ptx/exec/own_stores.h"

namespace warpvp::ptx {

class StoreLog final : public OwnStores {
 public:
  /// Of memory that lies at `host` and has addresses from `origin` on.
  StoreLog(std::byte* host, std::uint64_t origin) : OwnStores(false), host_(host), origin_(origin) {}

  void add(Cycle edge, const std::uint64_t* address, LaneMask lanes, unsigned bytes,
           std::uintptr_t* to) override;
  /// Those of earlier edges than `now` are seen.
  void find(const std::uint64_t* address, LaneMask lanes, unsigned bytes, Cycle now, std::byte* room,
            std::uintptr_t* from) override;
  void read(std::uint64_t address, unsigned bytes, Cycle now, std::byte* to) override;
  std::uint64_t added() const override { return written_ + entries_.size(); }
  /// Of those added, how many have been written.
  std::uint64_t written() const { return written_; }
  /// Edge of the oldest; kNever: there is none.
  Cycle first() const { return entries_.empty() ? kNever : entries_.front()->edge; }
  /// Writes the oldest to memory, lanes in ascending order, and forgets it.
  void write_first();

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
