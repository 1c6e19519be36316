#include "modules/l2/perfect_bank.h"

#include <algorithm>

#include "interconnect/memory_access.h"
#include "interconnect/transaction.h"

namespace warpvp {

using tlm::tlm_generic_payload;

void PerfectBankConfig::fields(FieldVisitor& v) {
  v.field("latency_cycles", latency_cycles, "cycles", "Request to response in an idle bank.",
          Constraint::range(1, 100000));
  v.field("request_queue", request_queue, "requests", "Requests that can wait beside those under way.",
          Constraint::range(1, 4096));
}

PerfectBank::PerfectBank(sc_core::sc_module_name name, const L2Place& place, const PerfectBankConfig& config)
    : L2Bank(name),
      clock_(place.clock),
      memory_(place.memory),
      config_(config),
      line_bytes_(place.line_bytes),
      reply_edges_(place.reply_edges),
      id_(place.clock.join(*this)),
      in_("in", *this),
      out_("out", *this),
      pending_(std::size_t{config.latency_cycles} + config.request_queue) {}

bool PerfectBank::request(TargetPort&, tlm_generic_payload& payload) {
  if (pending_.full()) return false;
  const bool in_one_line = payload.get_address() % line_bytes_ + payload.get_data_length() <= line_bytes_;
  payload.set_response_status(in_one_line ? check_request(memory_, payload) : tlm::TLM_BURST_ERROR_RESPONSE);
  MemExtension& ext = MemExtension::of(payload);
  ext.dram_accesses = 0;
  if (payload.is_response_ok()) {
    L2Counters& counters = launches_.of(ext.launch);
    ++counters.accesses;
    ++counters.hits;
    counters.count_sectors(payload, ext.kind, 0);
    ++(ext.kind == AccessKind::kAtomic ? counters.atomics
       : payload.is_write()            ? counters.writes
                                       : counters.reads);
  }
  const Cycle ready = clock_.now() + config_.latency_cycles - (ext.seen_later ? reply_edges_ : 0);
  pending_.push({&payload, ready});  // one response an edge: commit sees to that
  clock_.wake(id_, ready);
  return true;
}

Cycle PerfectBank::commit(Cycle now) {
  if (!pending_.empty() && pending_.front().ready <= now && in_.response_ready()) {
    tlm_generic_payload& payload = *pending_.front().payload;
    pending_.pop();
    in_.respond(payload);
    in_.retry_request();
  }
  if (pending_.empty() || !in_.response_ready()) return kNever;
  return std::max(pending_.front().ready, now + 1);
}

void PerfectBank::b_transport(TargetPort&, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_memory(memory_, payload);
  delay += config_.latency_cycles * clock_.period();
}

unsigned PerfectBank::transport_dbg(TargetPort&, tlm_generic_payload& payload) {
  return access_memory_debug(memory_, payload);
}

bool PerfectBank::get_direct_mem_ptr(TargetPort&, tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  return grant_dmi(memory_, payload, dmi, config_.latency_cycles * clock_.period());
}

namespace {

class PerfectL2 : public L2Type {
 public:
  explicit PerfectL2(const PerfectBankConfig& config) : config_(config) {}
  unsigned shortest_answer() const override { return config_.latency_cycles - 1; }
  std::unique_ptr<L2Bank> build(const char* name, const L2Place& place) const override {
    return std::make_unique<PerfectBank>(name, place, config_);
  }

 private:
  PerfectBankConfig config_;
};

WARPVP_REGISTER_BLOCK(L2Type, PerfectL2, PerfectBankConfig, "perfect",
                      "Holds everything: each request is a hit, and DRAM sees no traffic.");

}  // namespace
}  // namespace warpvp
