#pragma once
// `crossbar.type: switched`: one input-queued switch for requests and one for replies, as in CCBP section 2.1
// and figure 1.
//
//   in(0..) -> [input queues] -> request switch -> out(0..banks-1)
//   in(0..) <- reply switch <- [input queues] <- out(0..banks-1)
//
// Packets travel in flits of `flit_bytes`, the first of which is the header (CCBP table 1, section 5.3), or
// with the header beside the data (`header_flit: false`):
//   read request 1; write request 1 + data; atomic request 1 + data (its operands);
//   read reply 1 + data; reply to an atomic that returns a value (a read command) 1 + data; write reply 1.
// Several requesters can share one input (`ports_per_input`: the SMs of a cluster), for requests alone or for
// replies too, and the inputs of a group of them (a GPC) a link behind them.
// Backpressure is a withheld END_REQ (input queue full) or END_RESP (reply queue full).

#include <memory>
#include <vector>

#include "base/fields.h"
#include "interconnect/crossbar.h"
#include "interconnect/crossbar_switch.h"
#include "interconnect/ports.h"

namespace warpvp {

struct SwitchedCrossbarConfig {
  std::uint32_t flit_bytes = 32;
  std::uint32_t request_latency_cycles = 4;
  std::uint32_t reply_latency_cycles = 4;
  std::uint32_t input_queue_packets = 8;
  std::uint32_t output_queue_packets = 4;
  std::uint32_t ports_per_input = 1;
  bool header_flit = true;
  std::uint32_t requester_flits = 1;
  bool shared_replies = true;
  std::uint32_t groups = 0;
  std::uint32_t group_flits = 1;

  void fields(FieldVisitor& v);
};

class SwitchedCrossbar : public Crossbar,
                         private Clocked,
                         private InitiatorPort::Client,
                         private TargetPort::Client {
 public:
  /// `sharing_ports` requesters (SMs) come `ports_per_input` to an input; `own_ports` more have an input
  /// each. One initiator socket for each bank of the map. `domain` is the crossbar's clock; `map` must
  /// outlive it.
  SwitchedCrossbar(sc_core::sc_module_name name, ClockDomain& domain, const SwitchedCrossbarConfig& config,
                   const AddressMap& map, unsigned sharing_ports, unsigned own_ports = 0);

  tlm::tlm_target_socket<>& in(unsigned port) override { return in_[port]->socket; }
  tlm::tlm_initiator_socket<>& out(unsigned bank) override { return out_[bank]->socket; }
  unsigned ports() const { return static_cast<unsigned>(in_.size()); }
  unsigned inputs() const { return request_.inputs; }

  /// Totals; output-busy cycles of a direction equal its flits.
  CrossbarLaunchCounters totals() const { return launches_.total(); }
  const PerLaunch<CrossbarLaunchCounters>& launches() const override { return launches_; }

 private:
  struct Direction {
    unsigned inputs;
    CrossbarSwitch fabric;
  };

  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;
  std::uint64_t progress() const override {
    return moves_ + request_.fabric.totals().packets + reply_.fabric.totals().packets;
  }
  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort&) override { domain_.wake(id_); }
  void link_free(InitiatorPort&) override { domain_.wake(id_); }
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;
  void b_transport(TargetPort&, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort&, tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(TargetPort&, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

  void take_staged(Cycle now);
  void push_reply(unsigned bank, tlm::tlm_generic_payload& payload);
  tlm::tlm_generic_payload& take(CrossbarSwitch& fabric, unsigned output, Cycle now,
                                 CrossbarCounters CrossbarLaunchCounters::*direction);
  Cycle send_requests(Cycle now);
  Cycle send_replies(Cycle now);
  void retry(Cycle now);

  ClockDomain& domain_;
  const AddressMap& map_;
  SwitchedCrossbarConfig config_;
  unsigned id_;
  std::vector<unsigned> input_of_port_;  // of the request switch
  std::vector<unsigned> reply_of_port_;  // output of the reply switch
  std::vector<std::vector<unsigned>> ports_of_input_;
  std::vector<unsigned> next_port_;  // [input]: which of its ports comes first
  // [port]: a request that was taken and waits for its turn in the input queue. One place a port, so that
  // what is taken at an instant does not depend on who came first.
  struct Staged {
    CrossbarSwitch::Packet packet;
    Cycle visible = kNever;  // kNever: empty
  };
  std::vector<Staged> staged_;
  std::vector<unsigned> staged_of_input_;  // [input]: how many of its ports have one
  CrossbarSwitch::Bits staged_inputs_;     // inputs that have any
  std::uint64_t moves_ = 0;                // into queues and out of them
  std::vector<unsigned> moved_;            // ports whose place became free at this edge
  Direction request_, reply_;
  std::vector<std::unique_ptr<TargetPort>> in_;
  std::vector<std::unique_ptr<InitiatorPort>> out_;
  std::vector<std::vector<tlm::tlm_generic_payload*>>
      refused_;  // [bank]: replies that found their queue full
  PerLaunch<CrossbarLaunchCounters> launches_;
};

}  // namespace warpvp
