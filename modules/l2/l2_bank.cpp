#include "modules/l2/l2_bank.h"

namespace warpvp {

L2Counters& L2Counters::operator+=(const L2Counters& o) {
  accesses += o.accesses;
  reads += o.reads;
  writes += o.writes;
  atomics += o.atomics;
  hits += o.hits;
  merges += o.merges;
  misses += o.misses;
  fill_reads += o.fill_reads;
  writebacks += o.writebacks;
  cleaned += o.cleaned;
  written_through += o.written_through;
  recalls += o.recalls;
  prefetch += o.prefetch;
  read_hit_sectors += o.read_hit_sectors;
  read_miss_sectors += o.read_miss_sectors;
  write_hit_sectors += o.write_hit_sectors;
  write_miss_sectors += o.write_miss_sectors;
  return *this;
}

void L2Counters::count_sectors(const tlm::tlm_generic_payload& payload, AccessKind kind, unsigned missed) {
  if (kind != AccessKind::kLoad && kind != AccessKind::kStore && kind != AccessKind::kLocal) return;
  const unsigned hit = sectors_touched(payload.get_address(), payload.get_data_length()) - missed;
  (payload.is_write() ? write_hit_sectors : read_hit_sectors) += hit;
  (payload.is_write() ? write_miss_sectors : read_miss_sectors) += missed;
}

void L2Counters::stats(StatVisitor& v) const {
  v.value("accesses", accesses, "requests", "Requests that entered the tags.");
  v.value("reads", reads, "requests", "Reads among the accesses.");
  v.value("writes", writes, "requests", "Writes among the accesses.");
  v.value("atomics", atomics, "requests", "Atomics among the accesses.");
  v.value(
      "hits", hits, "requests",
      "Requests that found everything they wanted valid, or wrote whole sectors of a line that was there.");
  v.value("merges", merges, "requests", "Requests that joined a fill under way.");
  v.value("misses", misses, "requests", "Requests that had to fetch or allocate.");
  v.value("fill_reads", fill_reads, "requests", "Reads sent to DRAM.");
  v.value("writebacks", writebacks, "lines", "Dirty lines written back.");
  v.value("cleaned", cleaned, "lines", "Dirty lines written back before their room was needed.");
  v.value("written_through", written_through, "requests",
          "Writes and atomics whose data went to DRAM at once (`l2.write_policy`).");
  v.value("recalls", recalls, "packets",
          "Packets to SMs that make them drop lines that left the L2 (`l2.inclusion`).");
  v.group("prefetch", prefetch, kPrefetchSentence);
  v.value("read_hit_sectors", read_hit_sectors, "sectors",
          "Sectors that loads found valid or on their way from DRAM; of kernels' loads and stores alone "
          "(global, local, texture), here and in the next three, as profilers of chips do.");
  v.value("read_miss_sectors", read_miss_sectors, "sectors", "Sectors that loads had fetched from DRAM.");
  v.value("write_hit_sectors", write_hit_sectors, "sectors", "Sectors that stores wrote without a fetch.");
  v.value("write_miss_sectors", write_miss_sectors, "sectors",
          "Sectors that were fetched from DRAM for stores of a part of them.");
}

}  // namespace warpvp
