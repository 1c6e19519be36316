#pragma once
// `l2.type: cache`: one bank of the L2 cache, tags and timing only.
//
// Optional sectors; which line is replaced, what writes do, when dirty lines are written back, whether L1s
// drop what leaves, and what is prefetched are policies. One request enters the tags per cycle, in order; a
// request that finds no MSHR or no room below stalls those behind it. Misses on a sector that is being filled
// merge into its line's MSHR. One that finds no place there, or no way, steps aside where `set_aside` allows,
// and only requests of the same line follow it. A write that covers whole sectors needs no fill; one of a
// part of a sector needs none with byte masks. Atomics are performed here and hold the bank:
// docs/memory-system.md.
//
// Latencies count L2 cycles between the calls that carry the request and the response (BEGIN_REQ to
// BEGIN_RESP) in an idle bank:
//   hit                                     latency_cycles
//   miss, request to the request to DRAM    miss_latency_cycles
//   DRAM's response to the response         fill_latency_cycles
//
// Each response says in MemExtension::dram_accesses how many DRAM accesses the request caused (CCBP
// section 6.3): one for a fill, one for the write-back of a dirty victim, one for its own data written
// through; a request merged into a fill under way caused none.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/tag_array.h"
#include "interconnect/cache/prefetching.h"
#include "interconnect/cache/replacement.h"
#include "interconnect/new_kernel.h"
#include "interconnect/policy_slot.h"
#include "interconnect/ports.h"
#include "interconnect/ring.h"
#include "interconnect/transaction.h"
#include "modules/l2/bank_registers.h"
#include "modules/l2/cache_bank_config.h"
#include "modules/l2/dirty_lines.h"
#include "modules/l2/inclusion_policy.h"
#include "modules/l2/l2_bank.h"
#include "modules/l2/recalls.h"
#include "modules/l2/write_back_policy.h"
#include "modules/l2/write_policy.h"
#include "modules/l2/written_bytes.h"

namespace warpvp {

class CacheBank : public L2Bank, private Clocked, private InitiatorPort::Client, private TargetPort::Client {
 public:
  CacheBank(sc_core::sc_module_name name, const L2Place& place, const CacheBankConfig& config);

  tlm::tlm_target_socket<>& in() override { return in_.socket; }
  tlm::tlm_initiator_socket<>& out() override { return out_.socket; }
  const PerLaunch<L2Counters>& launches() const override { return launches_; }
  L2Counters totals() const { return launches_.total(); }
  const L2Stalls& stalls() const { return stalls_; }
  tlm::tlm_target_socket<>* registers_socket() override { return registers_.socket(); }
  void stats(StatVisitor& v) const override;
  /// What stats() visits.
  static void visit_stats(StatVisitor& v, const L2Counters& counters, std::uint64_t set_aside,
                          const L2Stalls& stalls);

 private:
  using Mask = TagArray::SectorMask;
  struct Request {
    tlm::tlm_generic_payload* payload = nullptr;
    Cycle visible = 0;
    std::uint64_t local = 0;  // address within the bank
  };
  struct Fill {
    Transaction* payload = nullptr;
    Cycle visible = 0;
  };
  struct Timed {
    tlm::tlm_generic_payload* payload = nullptr;
    Cycle ready = 0;
  };
  struct Waiter {
    tlm::tlm_generic_payload* payload;
    Mask needed;  // sectors still missing
    Mask dirty;   // sectors to mark dirty once the line is there
    bool atomic;
    bool through;  // instead, `dirty` is then written through
  };
  // A request that waits beside the queue, and for what.
  struct Aside {
    Request request;
    bool for_fill = true;  // for a fill; else for room, which any departure may make
  };
  // What a fill belongs to; packed into MemExtension::token.
  struct FillToken {
    unsigned mshr;
    TagArray::Line line;

    std::uint64_t pack() const { return std::uint64_t{line} << 32 | mshr; }
    static FillToken unpack(std::uint64_t token) {
      return {static_cast<unsigned>(token & 0xffffffff), static_cast<TagArray::Line>(token >> 32)};
    }
  };
  struct Mshr {
    TagArray::Line line = TagArray::kNoLine;
    unsigned outstanding = 0;  // DRAM reads under way
    unsigned waiters = 0;      // in its row of `waiters_`, oldest first
    bool failed = false;       // one of them came back with an error
  };

  /// When the answer leaves that would at `edge` if it were seen at once.
  Cycle leaves_at(const tlm::tlm_generic_payload& payload, Cycle edge) const {
    return MemExtension::find(payload)->seen_later ? edge - reply_edges_ : edge;
  }
  PolicyContext context_of(const L2Place& place, const char* kind, const PolicyChoice& choice);
  void evaluate(Cycle now) override;
  bool worth_a_thread(Cycle) const override { return false; }  // an edge is short
  Cycle commit(Cycle now) override;
  std::uint64_t progress() const override { return moves_; }
  bool request(TargetPort&, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort&) override { domain_.wake(id_); }
  void link_free(InitiatorPort&) override { domain_.wake(id_); }
  bool response(InitiatorPort&, tlm::tlm_generic_payload& payload) override;
  void b_transport(TargetPort&, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort&, tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(TargetPort&, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const;
  static CacheUser user_of(const MemExtension& ext) { return {ext.kernel_slot, ext.context, ext.warp}; }
  // Lets the request into the tags. Returns nullptr, or the counter of what it lacks with nothing changed but
  // `room_needed_`.
  std::uint64_t* enter(const Request& request, Cycle now);
  bool can_fill(const Transaction& fill);
  void take_fill(Transaction& fill, Cycle now);
  void write_through_after(const Mshr& mshr, Mask sectors, Cycle now);
  // Runs of neighbouring sectors.
  static unsigned runs_of(Mask sectors) {
    return static_cast<unsigned>(__builtin_popcount(sectors & ~(sectors << 1)));
  }
  Mask blocks_of(Mask sectors) const;
  bool can_merge(unsigned mshr, Mask sectors);
  L2WritePolicy::Decision decide_write(bool present, Mask whole, bool atomic, const CacheUser& by) {
    return write_policy_.call([&](L2WritePolicy& policy) {
      return policy.decide({present, whole != 0, atomic, by});
    });
  }
  std::uint64_t* pass_by(const Request& request, Mask wanted, Cycle now);
  TagArray::Reservation take_in(std::uint64_t local, Mask fetch, const MemExtension& cause, Cycle now);
  void note_use(const Request& request, TagArray::Line line, bool present, bool coming, bool hit);
  void prefetch_line(Cycle now);
  void mark_written(TagArray::Line line, const Request& request, Mask whole, Mask part);
  Mask written_through_by(const Mshr& mshr, Mask sectors) const;
  void dirtied(TagArray::Line line);
  // How long an atomic holds the bank.
  Cycle atomic_time(const MemExtension& ext) const {
    return std::max<Cycle>(config_.atomic_cycles, Cycle{ext.in_turn} * config_.atomic_lane_cycles);
  }
  void clean_lines(const MemExtension& cause, Cycle now);
  void take_request(Cycle now);
  bool take_from_aside(Cycle now);
  bool line_is_aside(std::uint64_t local) const;
  // With `invalidate: kernel_start`: drops all contents at the first request of a kernel newer than all
  // before.
  void start_kernel(std::uint32_t launch);
  const Waiter* waiters_of(const Mshr& mshr) const {
    return &waiters_[static_cast<std::size_t>(&mshr - mshrs_.data()) * waiters_of_line_];
  }
  Waiter* waiters_of(unsigned mshr) { return &waiters_[std::size_t{mshr} * waiters_of_line_]; }
  unsigned room_below() const { return static_cast<unsigned>(below_.capacity() - below_.size()); }
  unsigned missed_sectors(const Request& request, Mask fetch) const;
  void send_below(tlm::tlm_command command, std::uint64_t local_line, Mask sectors, const MemExtension& cause,
                  std::uint64_t token, Cycle ready);
  bool send_response(Cycle now);

  ClockDomain& domain_;
  const AddressMap& map_;
  CacheBankConfig config_;
  unsigned bank_;
  unsigned id_;
  TargetPort in_;
  InitiatorPort out_;
  TagArray tags_;
  BankRegisters registers_;
  Replacement replacement_;
  PolicySlot<L2WritePolicy> write_policy_;
  PolicySlot<L2WriteBackPolicy> write_back_;
  PolicySlot<L2InclusionPolicy> inclusion_;
  std::unique_ptr<Recalls> recalls_;  // of an inclusion policy that has any
  Prefetching prefetching_;
  DeviceMemory& memory_;
  const std::uint64_t page_bytes_;
  const unsigned reply_edges_;
  DirtyLines dirty_;
  const bool byte_masks_;
  WrittenBytes written_;  // of sectors that are dirty and not valid
  TransactionPool pool_;

  Ring<Request> requests_;
  Ring<Timed> hits_;    // answered without DRAM, in order of `ready`
  Ring<Timed> filled_;  // answered by fills, in order of `ready`
  Ring<Timed> below_;   // to DRAM, in order
  Ring<Fill> fills_;    // from DRAM
  std::vector<Mshr> mshrs_;
  const unsigned waiters_of_line_;
  // [mshr][waiters_of_line_]; those of an MSHR have values as far as Mshr::waiters says. Memory is not
  // touched before it is used.
  const std::unique_ptr<Waiter[]> waiters_;
  unsigned through_waiters_ = 0;  // of all MSHRs
  std::vector<std::uint16_t> free_mshrs_;
  std::vector<std::uint16_t> mshr_of_line_;  // by tag line; valid while the line has pending sectors
  Cycle busy_until_ = 0;                     // an atomic holds the tags
  const bool cold_kernels_;                  // invalidate: kernel_start
  const unsigned fetched_together_;          // sectors of fetch_bytes
  NewKernel new_kernel_;
  std::vector<Aside> aside_;  // oldest first
  enum class Retry : std::uint8_t { kNo, kAfterRoom, kAfterFill } retry_aside_ = Retry::kNo;
  bool aside_left_ = false;      // a request that had stepped aside was taken this edge
  std::uint64_t set_aside_ = 0;  // requests so far
  std::uint64_t moves_ = 0;      // requests and fills taken, answers and requests sent
  bool room_made_ = false;       // a request was taken this edge

  PerLaunch<L2Counters> launches_;
  L2Stalls stalls_;
  std::uint64_t* stalled_on_ = nullptr;  // the counter that runs while the oldest request waits
  Cycle stalled_since_ = 0;
  unsigned room_needed_ = 0;   // below, by the request that waits for that
  bool tags_changed_ = false;  // by a fill, since that was found
};

}  // namespace warpvp
