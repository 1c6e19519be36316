#pragma once
// `l2.type: perfect`: a bank in which everything is always present. It answers one request a cycle, each
// after the same time, and its channel sees no traffic.

#include "base/fields.h"
#include "interconnect/ports.h"
#include "interconnect/ring.h"
#include "modules/l2/l2_bank.h"

namespace warpvp {

struct PerfectBankConfig {
  std::uint32_t latency_cycles = 30;
  std::uint32_t request_queue = 8;

  void fields(FieldVisitor& v);
};

class PerfectBank : public L2Bank,
                    private Clocked,
                    private InitiatorPort::Client,
                    private TargetPort::Client {
 public:
  PerfectBank(sc_core::sc_module_name name, const L2Place& place, const PerfectBankConfig& config);

  tlm::tlm_target_socket<>& in() override { return in_.socket; }
  tlm::tlm_initiator_socket<>& out() override { return out_.socket; }
  const PerLaunch<L2Counters>& launches() const override { return launches_; }

 private:
  struct Pending {
    tlm::tlm_generic_payload* payload = nullptr;
    Cycle ready = 0;
  };

  void evaluate(Cycle) override {}
  Cycle commit(Cycle now) override;
  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort&) override { clock_.wake(id_); }
  void link_free(InitiatorPort&) override {}
  bool response(InitiatorPort&, tlm::tlm_generic_payload&) override { return true; }
  void b_transport(TargetPort&, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort&, tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(TargetPort&, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

  ClockDomain& clock_;
  DeviceMemory& memory_;
  PerfectBankConfig config_;
  std::uint32_t line_bytes_;
  unsigned reply_edges_;
  unsigned id_;
  TargetPort in_;
  InitiatorPort out_;
  Ring<Pending> pending_;  // in order
  PerLaunch<L2Counters> launches_;
};

}  // namespace warpvp
