#pragma once
// Settings and stall counters of `l2.type: cache`; modules/l2/cache_bank.h says what they mean.

#include <cstdint>
#include <string>

#include "base/block.h"
#include "base/fields.h"
#include "base/stats.h"
#include "interconnect/transaction.h"

namespace warpvp {

struct CacheBankConfig {
  std::uint32_t line_bytes = 128;  ///< the platform's
  std::uint32_t bank_kib = 128;
  std::uint32_t associativity = 8;
  std::uint32_t sector_bytes = 128;
  std::uint32_t fetch_bytes = 0;
  std::uint32_t latency_cycles = 30;
  std::uint32_t miss_latency_cycles = 20;
  std::uint32_t fill_latency_cycles = 10;
  std::uint32_t atomic_cycles = 4;
  std::uint32_t atomic_lane_cycles = 0;
  std::uint32_t mshrs = 256;
  std::uint32_t mshr_merges = 16;
  std::uint32_t set_aside = 0;
  std::uint32_t request_queue = 8;
  std::uint32_t response_queue = 8;
  std::uint32_t dram_queue = 16;
  bool hash_index = false;
  std::string invalidate = "never";
  std::string partial_writes = "fetch";
  PolicyChoice replacement = "lru";
  PolicyChoice write_policy = "write_back_allocate";
  PolicyChoice write_back = "on_eviction";
  PolicyChoice inclusion = "non_inclusive";
  PolicyChoice prefetcher = "none";
  std::uint32_t prefetch_queue = 16;

  /// All but `line_bytes`.
  void fields(FieldVisitor& v);
  /// What must hold between the rest and `line_bytes`.
  void check(const RequireField& require) const;
  std::uint32_t sets() const { return bank_kib * 1024 / (line_bytes * associativity); }
};

/// Cycles in which the oldest request could not enter, by what was lacking.
struct L2Stalls {
  std::uint64_t mshr = 0, merge = 0, way = 0, dram_queue = 0, response_queue = 0, atomic = 0;
  void stats(StatVisitor& v) const;
};

}  // namespace warpvp
