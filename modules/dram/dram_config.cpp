#include "modules/dram/dram_config.h"

#include "modules/dram/address_mapping.h"
#include "modules/dram/page_policy.h"
#include "modules/dram/refresh_policy.h"
#include "modules/dram/scheduler.h"
#include "modules/dram/write_drain_policy.h"

namespace warpvp {

DramConfig::DramConfig() {
  if (const DramTiming* table = dram_preset(preset)) {
    timing = *table;
    applied_preset_ = preset;
  }
}

void DramConfig::fields(FieldVisitor& v) {
  v.field("preset", preset, "Timing table to start from; single figures can be changed under `timing`.",
          Constraint::words(dram_preset_names()));
  if (preset != applied_preset_) {
    if (const DramTiming* table = dram_preset(preset)) timing = *table;
    applied_preset_ = preset;
  }
  v.group("timing", timing, "Timing of the device, in cycles of its command clock (CK).");
  v.policy("scheduler", DramScheduler::kKind, scheduler, "Which command goes next.");
  v.policy("page_policy", DramPagePolicy::kKind, page_policy,
           "When a row is closed that is in nobody's way.");
  v.policy("refresh", DramRefreshPolicy::kKind, refresh, "Which banks are refreshed when.");
  v.policy("write_drain", DramWriteDrainPolicy::kKind, write_drain,
           "When queued writes go before waiting reads.");
  v.policy("address_mapping", DramAddressMapping::kKind, address_mapping,
           "In which bank, row and column of the channel an address lies.");
  v.field("read_queue", read_queue, "requests", "Reads between acceptance and response.",
          Constraint::range(1, 4096));
  v.field("write_queue", write_queue, "requests", "Writes between acceptance and their last data.",
          Constraint::range(1, 4096));
  v.field("write_high", write_high, "requests", "Queued writes at which `watermark` begins to drain them.",
          Constraint::range(1, 4096));
  v.field("write_low", write_low, "requests", "Queued writes at which `watermark` ends a drain.",
          Constraint::range(0, 4096));
  v.field("frontend_cycles", frontend_cycles, "CK", "Fixed time from a request to its first command.",
          Constraint::range(1, 10000));
  v.field("backend_cycles", backend_cycles, "CK", "Fixed time from the last data to the response.",
          Constraint::range(0, 10000));
  v.field(
      "group_interleave_bytes", group_interleave_bytes, "B",
      "Neighbouring bytes in one row before the next bank group's turn, or with bank_interleaved the next "
      "bank's (GPGPU-Sim's mapping: 256).",
      Constraint::pow2(8, 1 << 16));
  v.field("bank_hash", bank_hash,
          "Rotate banks by row bits, so that strides of whole rows spread (row_bank_column and "
          "bank_interleaved).");
  v.require(write_high <= write_queue, "write_high", "must not exceed write_queue");
  v.require(write_low < write_high, "write_low", "must be below write_high");
  v.require(group_interleave_bytes >= timing.atom_bytes() && group_interleave_bytes <= timing.row_bytes,
            "group_interleave_bytes", "must be between one column access and one row");
}

void DramCounters::stats(StatVisitor& v) const {
  v.value("row_hits", row_hits, "bursts", "Column accesses that found their row open.");
  v.value("row_misses", row_misses, "bursts", "Column accesses whose bank was closed.");
  v.value("row_conflicts", row_conflicts, "bursts", "Column accesses that had another row closed first.");
  v.value("read_bursts", read_bursts, "bursts", "RD commands.");
  v.value("write_bursts", write_bursts, "bursts", "WR commands.");
  v.value("activates", activates, "commands", "ACT commands.");
  v.value("precharges", precharges, "commands", "PRE commands.");
  v.value("auto_precharges", auto_precharges, "commands", "Column accesses that closed their row.");
  v.value("refreshes", refreshes, "commands", "Refresh commands, those in idle time included.");
  v.value("busy_cycles", busy_cycles, "DRAM cycles", "Cycles with data on the bus.");
  v.value("forwarded_reads", forwarded_reads, "requests", "Reads answered from the write queue.");
  v.value("write_drains", write_drains, "drains", "Times writes began to go before waiting reads.");
}

}  // namespace warpvp
