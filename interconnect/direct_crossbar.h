#pragma once
// `crossbar.type: fixed_latency` and `ideal`: every packet takes the same time, however many travel. For
// asking what a study owes to the network, and as the simplest example of a crossbar.
//
// A request seen at edge c is offered to its bank from edge c + request_latency_cycles on, and a response to
// its requester likewise; the only waiting is for a receiver that takes no more. Packets that arrive at the
// same edge keep the order of their ports.

#include <deque>
#include <memory>
#include <vector>

#include "base/fields.h"
#include "interconnect/crossbar.h"
#include "interconnect/ports.h"

namespace warpvp {

struct DirectCrossbarConfig {
  std::uint32_t request_latency_cycles = 4;
  std::uint32_t reply_latency_cycles = 4;
  std::uint32_t flit_bytes = 32;

  void fields(FieldVisitor& v);
};

class DirectCrossbar : public Crossbar,
                       private Clocked,
                       private InitiatorPort::Client,
                       private TargetPort::Client {
 public:
  DirectCrossbar(sc_core::sc_module_name name, const CrossbarPlace& place,
                 const DirectCrossbarConfig& config);

  tlm::tlm_target_socket<>& in(unsigned port) override { return in_[port]->socket; }
  tlm::tlm_initiator_socket<>& out(unsigned bank) override { return out_[bank]->socket; }
  const PerLaunch<CrossbarLaunchCounters>& launches() const override { return launches_; }

 private:
  struct Packet {
    tlm::tlm_generic_payload* payload;
    unsigned from;
    Cycle due;
  };
  using Queue = std::deque<Packet>;
  /// Where packets wait for one side's ends.
  struct Side {
    explicit Side(std::size_t ends) : queues(ends), waiting((ends + 63) / 64, 0) {}
    std::vector<Queue> queues;           // by end
    std::vector<std::uint64_t> waiting;  // bit by end: its queue has packets
  };

  void evaluate(Cycle) override {}
  Cycle commit(Cycle now) override;
  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort&) override { clock_.wake(id_); }
  void link_free(InitiatorPort&) override { clock_.wake(id_); }
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;
  void b_transport(TargetPort&, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort&, tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(TargetPort&, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  void put(Side& side, unsigned to, tlm::tlm_generic_payload& payload, unsigned from, Cycle latency);
  /// Sends what is due to the ends that are ready; the next edge at which something is due.
  template <class Ready, class Send>
  Cycle pass_on(Side& side, Cycle now, Ready&& ready, Send&& send);

  ClockDomain& clock_;
  const AddressMap& map_;
  DirectCrossbarConfig config_;
  unsigned id_;
  std::vector<std::unique_ptr<TargetPort>> in_;
  std::vector<std::unique_ptr<InitiatorPort>> out_;
  Side requests_;  // by bank
  Side replies_;   // by port
  PerLaunch<CrossbarLaunchCounters> launches_;
};

}  // namespace warpvp
