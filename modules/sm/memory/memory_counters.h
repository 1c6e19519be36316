#pragma once
// What the memory side counts, per launch; totals are sums over launches.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/stats.h"
#include "interconnect/cache/prefetching.h"
#include "modules/sm/memory/instruction_counters.h"

namespace warpvp {

/// Why a transaction at the head of the load/store unit could not be taken this cycle.
enum class Reservation : std::uint8_t { kWay, kMshr, kMerge, kMissQueue, kStoreBuffer, kCount };

struct SmMemoryCounters {
  std::uint64_t instructions = 0;       ///< warp instructions taken by the load/store unit
  std::uint64_t load_transactions = 0;  ///< coalesced, global and local
  std::uint64_t store_transactions = 0;
  std::uint64_t atomic_transactions = 0;
  std::uint64_t l1_hits = 0;           ///< loads, as the next four
  std::uint64_t l1_hits_reserved = 0;  ///< merged with a fill under way
  std::uint64_t l1_misses = 0;         ///< requests to L2 were needed, sector misses included
  std::uint64_t l1_sector_misses = 0;  ///< of those: the line was there or under way
  std::uint64_t l1_bypasses = 0;
  std::uint64_t l1_store_hits = 0;
  std::uint64_t l1_store_misses = 0;
  std::uint64_t l1_write_backs = 0;
  // As profilers of chips count: sectors of loads and stores to global memory; local memory, texture reads
  // and atomics are left out.
  std::uint64_t l1_read_hit_sectors = 0;    ///< valid, or on their way already
  std::uint64_t l1_read_miss_sectors = 0;   ///< asked of L2, loads around the L1 included
  std::uint64_t l1_write_hit_sectors = 0;   ///< their line was there
  std::uint64_t l1_write_miss_sectors = 0;  ///< it was not, or there is no L1
  std::array<std::uint64_t, static_cast<unsigned>(Reservation::kCount)>
      failures{};                         ///< cycles lost, by reason
  std::uint64_t l1_fills = 0;             ///< MSHR entries completed
  std::uint64_t miss_latency_cycles = 0;  ///< summed over those: first miss to last fill
  std::uint64_t l1_recalls = 0;           ///< from the L2
  std::uint64_t l1_recalled_lines = 0;    ///< lines dropped for them
  PrefetchCounters l1_prefetch;

  std::uint64_t shared_accesses = 0;
  std::uint64_t shared_cycles = 0;      ///< equals shared_accesses when nothing conflicts
  std::uint64_t constant_accesses = 0;  ///< distinct words
  std::uint64_t constant_requests = 0;  ///< of those: from constant memory, not parameters
  std::uint64_t constant_misses = 0;
  std::uint64_t instruction_fetches = 0;  ///< lookups in the cache that sub-cores fetch from
  std::uint64_t instruction_misses = 0;
  InstructionCounters instruction;

  std::uint64_t read_requests = 0;  ///< sent to the interconnect
  std::uint64_t write_requests = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t responses = 0;
  std::uint64_t round_trip_cycles = 0;  ///< summed: instruction issued to response here
  std::uint64_t dram_accesses = 0;      ///< as reported in responses
  /// Round trips by length: bin 0 below 64 cycles, bin i below 64 << i, the last without bound.
  std::array<std::uint64_t, 12> round_trips{};

  void add(const SmMemoryCounters& other);
  void round_trip(std::uint64_t cycles) {
    ++responses;
    round_trip_cycles += cycles;
    unsigned bin = 0;
    while (bin + 1 < round_trips.size() && cycles >= (std::uint64_t{64} << bin)) ++bin;
    ++round_trips[bin];
  }
  void stats(StatVisitor& v) const;
};

/// Counters by launch. References stay valid.
class LaunchCounters {
 public:
  /// Counters of a launch, made on first use. Launch 0xffffffff collects what belongs to none.
  SmMemoryCounters& of(std::uint32_t launch) {
    if (launch == last_launch_) return *last_;
    return look_up(launch);
  }
  /// nullptr if the launch was never here.
  const SmMemoryCounters* find(std::uint32_t launch) const;
  SmMemoryCounters total() const;

 private:
  SmMemoryCounters& look_up(std::uint32_t launch);

  SmMemoryCounters none_;
  std::uint32_t last_launch_ = 0xffffffffu;
  SmMemoryCounters* last_ = &none_;
  std::vector<std::uint32_t> index_;  // by launch: 1 + position in counters_, 0: never here
  std::vector<std::unique_ptr<SmMemoryCounters>> counters_;
};

}  // namespace warpvp
