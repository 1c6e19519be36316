#pragma once
// Bank conflicts of shared memory. Each bank delivers one word per cycle, to as many lanes as ask for that
// word.

#include <cstdint>

#include "ptx/exec/cta.h"

namespace warpvp {

class SharedMemoryBanks {
 public:
  /// Powers of two; `banks` at most 64. `packs_pairs`: see cycles().
  SharedMemoryBanks(unsigned banks, unsigned bank_bytes, bool packs_pairs = false);

  /// What an access does with the words.
  enum class Use : std::uint8_t { kLoad, kStore, kAtomic };
  static Use use_of(const ptx::MemoryAccess& access) {
    return access.atomic ? Use::kAtomic : access.store || access.async ? Use::kStore : Use::kLoad;
  }

  /// Cycles the access of `bytes` (1..16) a lane at byte offsets offset[lane] keeps the banks busy; at
  /// least 1. Lanes that together ask for more than one word of every bank are served in phases (half warps
  /// for 8 bytes on 4-byte banks, quarters for 16). With `packs_pairs` phases of loads have twice the lanes
  /// if every active lane n has the offset of lane n ^ 1, or every one that of lane n ^ 2, as far as both are
  /// active: what comes back fits into half the registers' width, so that compute capability 7 takes half the
  /// cycles (NVIDIA developer forum, topic 77228). Atomics on one word are done one lane at a time: nothing
  /// is broadcast.
  unsigned cycles(const std::uint64_t* offset, ptx::LaneMask lanes, unsigned bytes, Use use) const;
  /// Of the lanes `lanes` of an access. A bulk copy reads and writes a row of all banks at a time.
  unsigned cycles_of(const ptx::MemoryAccess& access, ptx::LaneMask lanes) const {
    return access.is_bulk() ? bulk_cycles(*access.bulk, lanes)
                            : cycles(access.address, lanes, access.bytes, use_of(access));
  }

 private:
  unsigned bulk_cycles(const ptx::BulkSpans& spans, ptx::LaneMask lanes) const;
  bool in_one_row(const std::uint64_t* offset, ptx::LaneMask lanes, unsigned bytes) const;
  bool one_block(const std::uint64_t* offset, ptx::LaneMask lanes, unsigned bytes) const;
  unsigned phase_cycles(const std::uint64_t* offset, ptx::LaneMask lanes, unsigned bytes) const;
  unsigned atomic_cycles(const std::uint64_t* offset, ptx::LaneMask lanes) const;

  unsigned banks_;
  unsigned bank_bytes_;
  bool packs_pairs_;
  unsigned word_shift_ = 0;
};

}  // namespace warpvp
