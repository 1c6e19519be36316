#pragma once
// The TLB of one SM. It stands between the SM's memory port and the crossbar, behind the L1, which is
// virtual.
//
//   in -> out      requests whose page is known pass at once, with the address of device memory
//   miss ->        asks the shared TLB for a page: a read of 8 bytes at the page's virtual address, answered
//                  with its page table entry
//
// A request says by whose page tables its address is translated (MemExtension::page_table). What is known of
// a page belongs to the request's context: contexts beside each other forget nothing of one another.
//
// Requests to other pages wait here, and those to known pages pass them; requests to one page keep their
// order. When too many wait, the link to the SM is held up. After an answer its requests leave one an SM
// cycle, before new ones. A page that is not mapped answers its requests with TLM_ADDRESS_ERROR_RESPONSE.

#include <vector>

#include "base/inbox.h"
#include "interconnect/launch_counters.h"
#include "interconnect/new_kernel.h"
#include "interconnect/ports.h"
#include "interconnect/ring.h"
#include "interconnect/transaction.h"
#include "modules/mmu/mmu.h"
#include "modules/mmu/mmu_config.h"
#include "modules/mmu/page_table.h"
#include "modules/mmu/translation_cache.h"

namespace warpvp {

class Tlb : public sc_core::sc_module,
            private Clocked,
            private InitiatorPort::Client,
            private TargetPort::Client {
 public:
  /// `tables` translates for blocking and debug accesses, which take no time here.
  Tlb(sc_core::sc_module_name name, unsigned sm, ClockDomain& clock, const PageTables& tables,
      const PagedMmuConfig& config);

  tlm::tlm_target_socket<>& in() { return in_.socket; }
  tlm::tlm_initiator_socket<>& out() { return out_.socket; }
  tlm::tlm_initiator_socket<>& miss() { return miss_.socket; }
  const PerLaunch<MmuCounters>& launches() const { return launches_; }
  /// Pages [first, first + count) of a context are no longer mapped.
  void forget(unsigned context, std::uint64_t first, std::uint64_t count) {
    pages_.erase(context, first, count);
  }

 private:
  struct Waiting {
    tlm::tlm_generic_payload* payload;
    Cycle since;
  };
  /// A page that is being asked for.
  struct Miss {
    unsigned context;
    std::uint64_t page;
    std::uint64_t page_table;
    std::uint32_t launch;
    bool sent = false;
    std::vector<Waiting> waiting;
  };

  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;
  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;
  void link_free(InitiatorPort&) override { clock_.wake(id_); }
  void response_link_free(TargetPort&) override { clock_.wake(id_); }
  void b_transport(TargetPort&, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort&, tlm::tlm_generic_payload& payload) override;

  bool pass(tlm::tlm_generic_payload& payload);
  bool hold(tlm::tlm_generic_payload& payload, unsigned context, std::uint64_t page);
  void take(tlm::tlm_generic_payload& answer, Cycle now);
  void translate(tlm::tlm_generic_payload& payload, std::uint64_t entry) const;
  bool send_miss();
  bool translate_now(tlm::tlm_generic_payload& payload) const;

  ClockDomain& clock_;
  const PageTables& tables_;
  TlbConfig config_;
  const bool cold_kernels_;
  unsigned sm_;
  unsigned id_;
  TransactionPool pool_;  // before what holds its transactions
  TargetPort in_;
  InitiatorPort out_, miss_;
  TranslationCache<std::uint64_t> pages_;  // page table entries
  NewKernel new_kernel_;
  std::vector<Miss> misses_;                        // oldest first
  unsigned waiting_ = 0;                            // requests of all misses
  Ring<tlm::tlm_generic_payload*> translated_;      // had waited, leave in this order
  GrowingRing<tlm::tlm_generic_payload*> replies_;  // to the SM, when its link takes no more or may not yet
  Inbox<tlm::tlm_generic_payload*> answers_;        // of the shared TLB
  Cycle releasing_at_ = kNever;                     // the edge that belongs to requests that had waited
  const tlm::tlm_generic_payload* passing_ = nullptr;  // within request()
  PerLaunch<MmuCounters> launches_;
};

}  // namespace warpvp
