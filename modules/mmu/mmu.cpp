#include "modules/mmu/mmu.h"

namespace warpvp {

MmuCounters& MmuCounters::operator+=(const MmuCounters& o) {
  hits += o.hits;
  misses += o.misses;
  page_misses += o.page_misses;
  waiting_cycles += o.waiting_cycles;
  shared_hits += o.shared_hits;
  walks += o.walks;
  walk_reads += o.walk_reads;
  walk_cycles += o.walk_cycles;
  return *this;
}

void MmuCounters::stats(StatVisitor& v) const {
  v.value("hits", hits, "requests", "Requests of SMs whose page was in the TLB of their SM.");
  v.value("misses", misses, "requests", "Requests of SMs that waited for their page.");
  v.value("page_misses", page_misses, "pages", "Pages that the TLBs of SMs asked the shared TLB for.");
  v.value("waiting_cycles", waiting_cycles, "cycles",
          "Cycles from the arrival of a request until its page was known, summed over requests that missed.");
  v.value("shared_hits", shared_hits, "pages", "Of page_misses: found in the shared TLB.");
  v.value("walks", walks, "walks", "Walks through page tables.");
  v.value("walk_reads", walk_reads, "reads", "Reads of page tables by walks.");
  v.value("walk_cycles", walk_cycles, "cycles", "Time of walks, summed.");
}

namespace {

class NoTranslation : public MmuType {
 public:
  std::unique_ptr<Mmu> build(const char*, const MmuPlace&) const override { return nullptr; }
};

WARPVP_REGISTER_POLICY(MmuType, NoTranslation, "none",
                       "No translation: addresses of kernels are those of device memory.");

}  // namespace
}  // namespace warpvp
