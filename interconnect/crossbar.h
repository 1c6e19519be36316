#pragma once
// The network between SMs (and other requesters) and L2 banks: one crossbar for requests and one for replies,
// as in CCBP section 2.1 and figure 1.
//
//   in(0..) -> [input queues] -> request switch -> out(0..banks-1)
//   in(0..) <- reply switch <- [input queues] <- out(0..banks-1)
//
// Packets travel in flits of `flit_bytes`, the first of which is the header (CCBP table 1, section 5.3):
//   read request 1; write request 1 + data; atomic request 1 + data (its operands);
//   read reply 1 + data; reply to an atomic that returns a value (a read command) 1 + data; write reply 1.
// Several requesters can share one input (`ports_per_input`: the SMs of a cluster).
// Backpressure is a withheld END_REQ (input queue full) or END_RESP (reply queue full).

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "base/fields.h"
#include "base/stats.h"
#include "interconnect/address_map.h"
#include "interconnect/clock_domain.h"
#include "interconnect/crossbar_switch.h"
#include "interconnect/launch_counters.h"
#include "interconnect/ports.h"

namespace warpvp {

struct CrossbarConfig {
  double clock_mhz = 1200;
  std::uint32_t flit_bytes = 32;
  std::uint32_t request_latency_cycles = 4;
  std::uint32_t reply_latency_cycles = 4;
  std::uint32_t input_queue_packets = 8;
  std::uint32_t output_queue_packets = 4;
  std::uint32_t ports_per_input = 1;

  void fields(FieldVisitor& v);
};

/// Traffic of one direction.
struct CrossbarCounters {
  std::uint64_t packets = 0;
  std::uint64_t flits = 0;
  std::uint64_t queueing_cycles = 0;  ///< summed over packets: from being visible to the switch to the grant

  CrossbarCounters& operator+=(const CrossbarCounters& o) {
    packets += o.packets;
    flits += o.flits;
    queueing_cycles += o.queueing_cycles;
    return *this;
  }
  void stats(StatVisitor& v) const;
};

struct CrossbarLaunchCounters {
  CrossbarCounters request, reply;

  CrossbarLaunchCounters& operator+=(const CrossbarLaunchCounters& o) {
    request += o.request;
    reply += o.reply;
    return *this;
  }
  void stats(StatVisitor& v) const;
};

class Crossbar : public sc_core::sc_module,
                 private Clocked,
                 private InitiatorPort::Client,
                 private TargetPort::Client {
 public:
  /// `sharing_ports` requesters (SMs) come `ports_per_input` to an input; `own_ports` more have an input
  /// each. One initiator socket for each bank of the map. `domain` is the crossbar's clock; `map` must
  /// outlive it.
  Crossbar(sc_core::sc_module_name name, ClockDomain& domain, const CrossbarConfig& config,
           const AddressMap& map, unsigned sharing_ports, unsigned own_ports = 0);

  /// Socket of requester `port`: the sharing ones first, then those with an input of their own.
  tlm::tlm_target_socket<>& in(unsigned port) { return in_[port]->socket; }
  /// Socket towards L2 bank `bank`.
  tlm::tlm_initiator_socket<>& out(unsigned bank) { return out_[bank]->socket; }
  unsigned ports() const { return static_cast<unsigned>(in_.size()); }
  unsigned inputs() const { return request_.inputs; }

  /// Totals; output-busy cycles of a direction equal its flits.
  CrossbarLaunchCounters totals() const;
  const PerLaunch<CrossbarLaunchCounters>& launches() const { return launches_; }
  void stats(StatVisitor& v) const { totals().stats(v); }

 private:
  struct Direction {
    unsigned inputs;
    CrossbarSwitch fabric;
  };

  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;
  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort&) override { domain_.wake(id_); }
  void link_free(InitiatorPort&) override { domain_.wake(id_); }
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;
  void b_transport(TargetPort&, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort&, tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(TargetPort&, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

  unsigned data_flits(const tlm::tlm_generic_payload& payload) const;
  unsigned request_flits(const tlm::tlm_generic_payload& payload) const;
  unsigned reply_flits(const tlm::tlm_generic_payload& payload) const;
  void take_staged(Cycle now);
  void push_reply(unsigned bank, tlm::tlm_generic_payload& payload);
  void send_requests(Cycle now);
  void send_replies(Cycle now);
  void retry(Cycle now);

  ClockDomain& domain_;
  const AddressMap& map_;
  CrossbarConfig config_;
  unsigned id_;
  std::vector<unsigned> input_of_port_;
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
  std::vector<unsigned> moved_;            // ports whose place became free at this edge
  Direction request_, reply_;
  std::vector<std::unique_ptr<TargetPort>> in_;
  std::vector<std::unique_ptr<InitiatorPort>> out_;
  std::vector<std::vector<tlm::tlm_generic_payload*>>
      refused_;  // [bank]: replies that found their queue full
  PerLaunch<CrossbarLaunchCounters> launches_;
};

}  // namespace warpvp
