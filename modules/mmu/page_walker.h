#pragma once
// Walks through page tables. A question is a read of `8 * pages` bytes at the virtual address of a run of
// pages that share a line of the last table; it is answered with their entries (zeros where nothing is
// mapped).
//
// A walk reads an entry of each level from memory, from the root that the question names
// (MemExtension::page_table) or from the deepest table of its context that it knows the place of, one after
// the other. Values come from DeviceMemory, times from the memory system. Without a root nothing is mapped.

#include <vector>

#include "base/inbox.h"
#include "interconnect/launch_counters.h"
#include "interconnect/ports.h"
#include "interconnect/ring.h"
#include "interconnect/transaction.h"
#include "modules/mmu/mmu.h"
#include "modules/mmu/mmu_config.h"
#include "modules/mmu/page_table.h"
#include "modules/mmu/translation_cache.h"

namespace warpvp {

class PageWalker : public sc_core::sc_module,
                   private Clocked,
                   private InitiatorPort::Client,
                   private TargetPort::Client {
 public:
  PageWalker(sc_core::sc_module_name name, ClockDomain& clock, DeviceMemory& memory, const PageTables& tables,
             const PagedMmuConfig& config);

  tlm::tlm_target_socket<>& in() { return in_.socket; }
  tlm::tlm_initiator_socket<>& memory() { return memory_port_.socket; }
  const PerLaunch<MmuCounters>& launches() const { return launches_; }

 private:
  struct Walk {
    tlm::tlm_generic_payload* question = nullptr;  // nullptr: free
    Cycle began = 0;
    Cycle next_read = kNever;  // kNever: a read is under way, or the walk is done
    unsigned level = 0;
    std::uint64_t table = 0;  // of this level
  };

  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;
  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;
  void link_free(InitiatorPort&) override { clock_.wake(id_); }
  void response_link_free(TargetPort&) override { clock_.wake(id_); }

  void begin(Walk& walk, tlm::tlm_generic_payload& question, Cycle now);
  void take_read(tlm::tlm_generic_payload& read, Cycle now);
  void finish(Walk& walk, Cycle now);
  void send_read(Walk& walk);
  std::uint64_t page_of(const Walk& walk) const { return tables_.page_of(walk.question->get_address()); }

  ClockDomain& clock_;
  DeviceMemory& memory_;
  const PageTables& tables_;
  PageWalkerConfig config_;
  unsigned id_;
  TransactionPool pool_;
  TargetPort in_;
  InitiatorPort memory_port_;
  /// Places of tables, by level.
  std::vector<TranslationCache<std::uint64_t>> known_;
  std::vector<Walk> walks_;
  Inbox<tlm::tlm_generic_payload*> questions_, reads_;
  GrowingRing<tlm::tlm_generic_payload*> waiting_;  // questions without a walk
  GrowingRing<tlm::tlm_generic_payload*> done_;     // waits for the link
  PerLaunch<MmuCounters> launches_;
};

}  // namespace warpvp
