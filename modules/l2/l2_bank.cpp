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
  return *this;
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
  v.value("writebacks", writebacks, "lines", "Dirty lines evicted.");
}

}  // namespace warpvp
