#pragma once
// What can be set about a DRAM controller, and what it counts.

#include <cstdint>
#include <string>

#include "base/fields.h"
#include "base/stats.h"
#include "modules/dram/timing.h"

namespace warpvp {

struct DramConfig {
  std::string preset = "hbm2";
  DramTiming timing;
  PolicyChoice scheduler = "fr_fcfs";
  PolicyChoice page_policy = "open";
  PolicyChoice refresh = "all_bank";
  PolicyChoice write_drain = "watermark";
  PolicyChoice address_mapping = "row_bank_column";
  std::uint32_t read_queue = 64;
  std::uint32_t write_queue = 64;
  std::uint32_t write_high = 48;
  std::uint32_t write_low = 16;
  std::uint32_t frontend_cycles = 10;
  std::uint32_t backend_cycles = 10;
  std::uint32_t group_interleave_bytes = 256;
  bool bank_hash = true;

  DramConfig();
  void fields(FieldVisitor& v);

 private:
  std::string applied_preset_;
};

struct DramCounters {
  std::uint64_t row_hits = 0;       ///< bursts that found their row open
  std::uint64_t row_misses = 0;     ///< bursts whose bank was closed
  std::uint64_t row_conflicts = 0;  ///< bursts that had another row closed first
  std::uint64_t read_bursts = 0, write_bursts = 0;
  std::uint64_t activates = 0, precharges = 0, auto_precharges = 0, refreshes = 0;
  std::uint64_t busy_cycles = 0;      ///< cycles with data on the bus
  std::uint64_t forwarded_reads = 0;  ///< answered from the write queue
  std::uint64_t write_drains = 0;     ///< times writes began to go before waiting reads

  void stats(StatVisitor& v) const;
};

}  // namespace warpvp
