#include "modules/l2/cache_bank_config.h"

#include "interconnect/cache/prefetcher.h"
#include "interconnect/cache/replacement_policy.h"
#include "modules/l2/inclusion_policy.h"
#include "modules/l2/write_back_policy.h"
#include "modules/l2/write_policy.h"

namespace warpvp {

void CacheBankConfig::fields(FieldVisitor& v) {
  v.field("bank_kib", bank_kib, "KiB", "Capacity of one bank.", Constraint::range(1, 1 << 20));
  v.field("associativity", associativity, "ways", "Lines in a set.", Constraint::range(1, 1024));
  v.field("sector_bytes", sector_bytes, "B",
          "Part of a line that is filled and written back by itself; line_bytes for a cache without sectors.",
          Constraint::pow2(8, Transaction::kScratchBytes));
  v.field(
      "fetch_bytes", fetch_bytes, "B",
      "What a miss of a load fetches: the sectors of the aligned block of this size that are not here, if "
      "it misses one of them; 0: the sector alone. Of what is not asked for each sector counts as a "
      "missed read.",
      Constraint::range(0, Transaction::kScratchBytes));
  v.field("latency_cycles", latency_cycles, "cycles", "Request to response of a hit in an idle bank.",
          Constraint::range(1, 100000));
  v.field("miss_latency_cycles", miss_latency_cycles, "cycles",
          "Request to the request sent to DRAM for a miss in an idle bank.", Constraint::range(1, 100000));
  v.field("fill_latency_cycles", fill_latency_cycles, "cycles", "DRAM's response to the response.",
          Constraint::range(1, 100000));
  v.field("atomic_cycles", atomic_cycles, "cycles", "How long one atomic occupies the bank at least.",
          Constraint::range(1, 1000));
  v.field(
      "atomic_lane_cycles", atomic_lane_cycles, "cycles",
      "How long each lane of an atomic that takes its turn occupies the bank: lanes of one word go one after "
      "the other, words of a sector together, sectors one after the other. 0: their number does not matter.",
      Constraint::range(0, 1000));
  v.field("mshrs", mshrs, "", "Lines that can be under fill at a time.", Constraint::range(1, 32768));
  v.field("mshr_merges", mshr_merges, "", "Requests that can wait for one sector that is under fill.",
          Constraint::range(1, 1024));
  v.field("set_aside", set_aside, "requests",
          "Requests that can step aside when they find no place among those that wait for a sector, or every "
          "way of their set under fill, so that requests of other lines behind them go on; 0: they hold the "
          "bank.",
          Constraint::range(0, 64));
  v.field("request_queue", request_queue, "requests", "Depth of the queue before the tags.",
          Constraint::range(1, 4096));
  v.field("response_queue", response_queue, "responses", "Answers that can wait for the reply network.",
          Constraint::range(1, 4096));
  v.field("dram_queue", dram_queue, "requests", "Depth of the queue towards DRAM.",
          Constraint::range(2, 4096));
  v.field("hash_index", hash_index, "Fold upper address bits into the set index (power-of-two sets).");
  v.field("invalidate", invalidate,
          "never: contents stay from kernel to kernel and from copies to kernels. kernel_start: a bank drops "
          "all it holds, "
          "without time and traffic for dirty lines, before the first request of each kernel, as profilers "
          "have it that "
          "flush all caches before they measure a kernel.",
          Constraint::words({"kernel_start", "never"}));
  v.field("partial_writes", partial_writes,
          "What a write of a part of an absent sector does. fetch: it waits for the sector from DRAM. "
          "byte_masks: the bank keeps which bytes were written; the sector is fetched when it is read, and "
          "written back in part when it leaves.",
          Constraint::words({"fetch", "byte_masks"}));
  v.policy("replacement", ReplacementPolicy::kKind, replacement, "Which line of a full set gives way.");
  v.policy("write_policy", L2WritePolicy::kKind, write_policy,
           "Whether writes take their lines in, and whether they go to DRAM at once.");
  v.policy("write_back", L2WriteBackPolicy::kKind, write_back, "When dirty lines are written back.");
  v.policy("inclusion", L2InclusionPolicy::kKind, inclusion,
           "Whether L1s have to drop the lines that leave the L2.");
  v.policy("prefetcher", Prefetcher::kKind, prefetcher, "Which lines are fetched before they are asked for.");
  v.field("prefetch_queue", prefetch_queue, "lines", "Proposals of the prefetcher that can wait in a bank.",
          Constraint::range(1, 4096));
}

void CacheBankConfig::check(const RequireField& require) const {
  require(sector_bytes <= line_bytes && line_bytes / sector_bytes <= 32, "sector_bytes",
          "must divide line_bytes into at most 32 sectors");
  const std::uint32_t together = fetch_bytes / sector_bytes;
  require(fetch_bytes == 0 || ((fetch_bytes & (fetch_bytes - 1)) == 0 && together >= 1 && together <= 16 &&
                               fetch_bytes <= line_bytes),
          "fetch_bytes", "must be 0, or a power of two of 1 to 16 sectors within a line");
  require(line_bytes * associativity > 0 && bank_kib * 1024 % (line_bytes * associativity) == 0, "bank_kib",
          "must be a whole number of sets (line_bytes * associativity)");
  require(!hash_index || (sets() & (sets() - 1)) == 0, "hash_index", "needs a power of two of sets");
  require(dram_queue >= 2 * ((line_bytes / sector_bytes + 1) / 2), "dram_queue",
          "must hold the fills and write-backs of one line (the number of sectors, at least 2)");
}

void L2Stalls::stats(StatVisitor& v) const {
  v.value("mshr", mshr, "cycles", "The oldest request waited for an MSHR.");
  v.value("merge", merge, "cycles", "The oldest request waited because its MSHR could take no more.");
  v.value("way", way, "cycles", "The oldest request waited because every way was under fill.");
  v.value("dram_queue", dram_queue, "cycles", "The oldest request waited for room towards DRAM.");
  v.value("response_queue", response_queue, "cycles", "The oldest request waited for room for its response.");
  v.value("atomic", atomic, "cycles", "The oldest request waited for an atomic.");
}

}  // namespace warpvp
