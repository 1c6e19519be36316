#include "modules/sm/memory/instruction_counters.h"

namespace warpvp {

void InstructionLevelCounters::add(const InstructionLevelCounters& o) {
  lookups += o.lookups;
  hits += o.hits;
  prefetches += o.prefetches;
  prefetches_used += o.prefetches_used;
  prefetches_late += o.prefetches_late;
  prefetches_unused += o.prefetches_unused;
}

void InstructionLevelCounters::stats(StatVisitor& v) const {
  v.value("lookups", lookups, "lines", "Lookups, prefetches of the level before included.");
  v.value("hits", hits, "lines", "Lookups that found their line.");
  v.value("misses", lookups - hits, "lines",
          "Lookups that did not find their line, those included whose line was on its way.");
  v.value("prefetches", prefetches, "lines", "Lines that this level asked for ahead.");
  v.value("prefetches_used", prefetches_used, "lines",
          "Lines asked for ahead that were here when first looked up.");
  v.value("prefetches_late", prefetches_late, "lines",
          "Lines asked for ahead that were still on their way when first looked up.");
  v.value("prefetches_unused", prefetches_unused, "lines",
          "Lines asked for ahead that were dropped without having been looked up.");
}

void InstructionCounters::stats(StatVisitor& v) const {
  v.group("l0", l0, "The caches of the sub-cores (`sm.memory.instruction_cache.l0`).");
  v.group("l1", l1, "The cache that the sub-cores share.");
}

}  // namespace warpvp
