#pragma once
// `pcie.type: packets`: two directions, each serialising packets at its bandwidth and
// delivering them a latency later, in order. Writes are posted (the sender goes on when the link has taken
// them), reads are not (a header goes one way, the data come back the other). The host's loads and stores,
// DMA engines and the command processor's completion writes all share it.
//
// At the device, requests of the host are handed over in the order of their arrival.

#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/fields.h"
#include "base/outlook.h"
#include "interconnect/ports.h"
#include "interconnect/transaction.h"
#include "modules/host/pcie_link.h"
#include "modules/host/timed_calls.h"

namespace warpvp {

struct PcieConfig {
  double gb_per_s = 15.75;
  double latency_ns = 400;
  std::uint32_t packet_bytes = 256;
  std::uint32_t header_bytes = 24;

  void fields(FieldVisitor& v) {
    v.field("gb_per_s", gb_per_s, "GB/s", "Raw bandwidth of each direction (10^9 bytes a second).",
            Constraint::range(0.001, 10000));
    v.field("latency_ns", latency_ns, "ns", "One way, from the last byte sent to delivery.",
            Constraint::at_least(0));
    v.field("packet_bytes", packet_bytes, "bytes", "Most payload of one packet.", Constraint::pow2(64, 4096));
    v.field("header_bytes", header_bytes, "bytes", "Header, framing and checksum of each packet.",
            Constraint::range(0, 256));
  }
  /// Bytes on the wire for a transfer of `bytes`; 0 bytes is a read request or an acknowledgement.
  std::uint64_t wire_bytes(std::uint64_t bytes) const {
    const std::uint64_t packets = bytes == 0 ? 1 : (bytes + packet_bytes - 1) / packet_bytes;
    return bytes + packets * header_bytes;
  }
  sc_core::sc_time wire_time(std::uint64_t bytes) const {
    return sc_core::sc_time(static_cast<double>(wire_bytes(bytes)) / gb_per_s, sc_core::SC_NS);
  }
};

class PacketLink : public PcieLink, public Foreseeing, private TargetPort::Client, private InitiatorPort::Client {
 public:
  PacketLink(sc_core::sc_module_name name, const PcieConfig& config, FaultSink& faults);

  /// Loads and stores of the host CPU; addresses are device addresses.
  TargetPort& host() { return *ports_[0]; }
  TargetPort& add_port(const std::string& name);
  InitiatorPort device;                                        ///< what host accesses reach
  tlm_utils::simple_initiator_socket<PacketLink> host_memory;  ///< what device accesses reach, by b_transport

  tlm::tlm_target_socket<>& host_socket() override { return host().socket; }
  tlm::tlm_target_socket<>& add_device_master(const std::string& name) override {
    return add_port(name).socket;
  }
  tlm::tlm_initiator_socket<>& device_socket() override { return device.socket; }
  tlm::tlm_initiator_socket<>& host_memory_socket() override { return host_memory; }
  void let_host_memory_wait() override { at_host_.emplace(); }
  const PcieStats& statistics() const override { return stats_; }
  bool sending() const override { return down_.busy || up_.busy; }
  Outlook outlook() const override;

 private:
  struct Job {
    unsigned port = 0;
    tlm::tlm_generic_payload* payload = nullptr;  // null once a posted write was answered
    std::uint64_t address = 0;
    std::vector<unsigned char> data;  // of a posted write
    unsigned empty_bytes = 0;         // length of a posted write that moves none (no_bytes.h)
    AccessKind kind = AccessKind::kCommand;
    bool completion = false;          // data of a read on their way back
    sc_core::sc_event* blocking = nullptr;
  };
  struct Direction {
    bool to_device = false;
    bool busy = false;
    std::deque<Job> queue;
  };

  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort& port) override;
  void b_transport(TargetPort& port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort& port, tlm::tlm_generic_payload& payload) override;

  void link_free(InitiatorPort&) override;
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;

  void enqueue(Direction& direction, Job job);
  void start_next(Direction& direction);
  void sent(Direction& direction, Job job);
  void arrive(Direction& direction, Job job);
  void arrive_at_host(Job job);
  void hand_over();
  void respond(const Job& job);
  void check_write(const Direction& direction, const Job& job, const tlm::tlm_generic_payload& write);

  PcieConfig config_;
  FaultSink& faults_;
  TimedCalls later_;
  std::optional<TimedCalls> at_host_;  // makes the accesses to host memory where these may wait
  std::vector<std::unique_ptr<TargetPort>> ports_;
  std::vector<std::deque<tlm::tlm_generic_payload*>> responses_;  // by port, waiting for END_RESP
  Direction down_, up_;
  TransactionPool pool_;
  std::deque<Job> arrived_;       // at the device, not handed over
  std::vector<Job> handed_over_;  // by the token of their transaction
  std::vector<std::size_t> free_places_;
  std::vector<unsigned char> nothing_;  // what writes that move no bytes name as theirs
  PcieStats stats_;
};

}  // namespace warpvp
