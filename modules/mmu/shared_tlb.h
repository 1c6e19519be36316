#pragma once
// The TLB behind those of the SMs. Each of them asks through a port of its own: a read of 8 bytes at the
// virtual address of a page, answered with its page table entry (0: not mapped). An entry here covers a run
// of neighbouring pages, which one walk brings.
//
//   in(sm) -> lookups, `lookups_per_cycle` in turn -> answer after `latency_cycles`
//   walk -> page walker     a read of a whole run; questions for the same run wait together

#include <memory>
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

class SharedTlb : public sc_core::sc_module,
                  private Clocked,
                  private InitiatorPort::Client,
                  private TargetPort::Client {
 public:
  SharedTlb(sc_core::sc_module_name name, unsigned sms, ClockDomain& clock, const PageTables& tables,
            const PagedMmuConfig& config);

  tlm::tlm_target_socket<>& in(unsigned sm) { return in_[sm]->socket; }
  tlm::tlm_initiator_socket<>& walk() { return walk_.socket; }
  const PerLaunch<MmuCounters>& launches() const { return launches_; }
  /// Pages [first, first + count) of a context are no longer mapped.
  void forget(unsigned context, std::uint64_t first, std::uint64_t count) {
    const std::uint64_t run = first / config_.pages_per_entry;
    runs_.erase(context, run, (first + count - 1) / config_.pages_per_entry - run + 1);
  }

 private:
  /// Entries of the last table for a run of pages.
  struct Run {
    std::uint64_t entries[16] = {};
  };
  struct Question {
    tlm::tlm_generic_payload* payload;
    Cycle visible;
  };
  struct Answer {
    tlm::tlm_generic_payload* payload;
    Cycle due;
  };
  struct Walk {
    unsigned context;
    std::uint64_t run;
    std::uint64_t page_table;
    std::uint32_t launch;
    bool sent = false;
    std::vector<std::pair<unsigned, tlm::tlm_generic_payload*>> waiting;  // port, question
  };

  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;
  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;
  void link_free(InitiatorPort&) override { clock_.wake(id_); }
  void response_link_free(TargetPort&) override { clock_.wake(id_); }

  std::uint64_t run_of(std::uint64_t address) const {
    return tables_.page_of(address) / config_.pages_per_entry;
  }
  void look_up(unsigned port, tlm::tlm_generic_payload& payload, Cycle now);
  void answer(unsigned port, tlm::tlm_generic_payload& payload, const Run& run, Cycle due);
  void take_walk(tlm::tlm_generic_payload& payload, Cycle now);

  ClockDomain& clock_;
  const PageTables& tables_;
  SharedTlbConfig config_;
  const bool cold_kernels_;
  unsigned id_;
  TransactionPool pool_;
  std::vector<std::unique_ptr<TargetPort>> in_;
  InitiatorPort walk_;
  TranslationCache<Run> runs_;
  NewKernel new_kernel_;
  std::vector<Ring<Question>> questions_;    // by port
  std::vector<Ring<Answer>> answers_;        // by port, in order of `due`
  unsigned asked_ = 0;                       // questions in the queues
  unsigned answering_ = 0;                   // answers there
  unsigned turn_ = 0;                        // the port that is asked first
  std::vector<Walk> walks_;                  // oldest first
  Inbox<tlm::tlm_generic_payload*> walked_;  // answers of the walker
  PerLaunch<MmuCounters> launches_;
};

}  // namespace warpvp
