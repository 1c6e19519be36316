#pragma once
// `mmu.type: page_tables`: a TLB for each SM, one that they share, and a page walker.
//
//   sm_0 -> tlb_0 -------------------------> crossbar
//             | miss
//   sm_1 -> tlb_1 -> shared TLB -> page walker -> crossbar (page tables in device memory)

#include <memory>
#include <vector>

#include "modules/mmu/context_tables.h"
#include "modules/mmu/mmu.h"
#include "modules/mmu/page_walker.h"
#include "modules/mmu/shared_tlb.h"
#include "modules/mmu/tlb.h"

namespace warpvp {

class PagedMmu : public Mmu {
 public:
  /// The page tables follow what is allocated in `place.memory` from now on.
  PagedMmu(sc_core::sc_module_name name, const MmuPlace& place, const PagedMmuConfig& config);

  tlm::tlm_target_socket<>& in(unsigned sm) override { return tlbs_[sm]->in(); }
  tlm::tlm_initiator_socket<>& out(unsigned sm) override { return tlbs_[sm]->out(); }
  tlm::tlm_initiator_socket<>& tables() override { return walker_.memory(); }
  AddressSpaces& spaces() override { return tables_; }
  MmuCounters at(std::uint32_t launch) const override;
  MmuCounters total() const override;
  /// To map what no allocation does.
  PageTables& page_tables() { return tables_.tables(); }

 private:
  void forget(unsigned context, std::uint64_t address, std::uint64_t bytes);

  ContextTables tables_;
  std::vector<std::unique_ptr<Tlb>> tlbs_;
  SharedTlb shared_;
  PageWalker walker_;
};

}  // namespace warpvp
