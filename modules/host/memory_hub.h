#pragma once
// The hub: where those who are no SM and no copy engine reach device memory, through one crossbar port that
// they share. Host loads and stores come from the PCIe link, packets and signals from the command processor,
// what the firmware's core reads from the register bus.
//
//   PCIe link ---------> host      ---+--> memory ----> crossbar -> L2 -> DRAM
//   command processor -> processor ---+
//   register bus ------> bus ---------+
//                        host --------> registers ----> register bus
//
// `host` and `processor` are served under the base protocol: an access ends when the memory system has
// answered all its requests, and values move as line_requester.h says. The host's accesses keep PCIe's order
// as far as it can be seen: a register access or a read begins when all its earlier writes to memory are
// answered, so a doorbell never overtakes its packet. `bus` is loosely timed, as the register bus is: values
// move at once, the time is that of an idle memory system, and the requests are sent for their traffic alone.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "base/fields.h"
#include "base/outlook.h"
#include "base/stats.h"
#include "interconnect/device_memory.h"
#include "interconnect/memory_access.h"
#include "interconnect/ports.h"
#include "modules/host/line_requester.h"
#include "modules/host/timed_calls.h"

namespace warpvp {

struct MemoryHubConfig {
  double latency_ns = 20;
  std::uint32_t requests = 64;
  void fields(FieldVisitor& v) {
    v.field("latency_ns", latency_ns, "ns",
            "Time an access to device memory spends in the hub before its first request leaves.",
            Constraint::at_least(0));
    v.field("requests", requests, "requests",
            "Requests to device memory under way at once, each of at most an L2 line.",
            Constraint::range(1, 4096));
  }
};

struct MemoryHubStats {
  std::uint64_t host_reads = 0, host_writes = 0, host_registers = 0;
  std::uint64_t processor_reads = 0, processor_writes = 0;
  std::uint64_t bus_accesses = 0;
  LineRequester::Traffic memory;
  void stats(StatVisitor& v) const;
};

class MemoryHub : public sc_core::sc_module, public Foreseeing, private TargetPort::Client {
 public:
  /// `line_bytes`: of the L2.
  MemoryHub(sc_core::sc_module_name name, const MemoryHubConfig& config, DeviceMemory& memory,
            unsigned line_bytes);

  TargetPort host;                                 ///< absolute device addresses, memory and registers
  TargetPort processor;                            ///< device memory
  tlm_utils::simple_target_socket<MemoryHub> bus;  ///< device memory, by absolute addresses
  tlm_utils::simple_initiator_socket<MemoryHub> registers;  ///< the host's accesses outside memory
  /// To a crossbar port.
  tlm::tlm_initiator_socket<>& memory() { return requester_.port.socket; }

  MemoryHubStats statistics() const;
  Outlook outlook() const override {
    if (!later_.idle()) return Outlook::kActs;
    return host_queue_.empty() && jobs_.size() == free_jobs_.size() ? Outlook::kRests : Outlook::kAwaits;
  }

 private:
  struct Job {
    LineRequester::Access access;
    TargetPort* port = nullptr;  // nullptr: nobody waits for the answer
    tlm::tlm_generic_payload* payload = nullptr;
  };

  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort& port) override { send_responses(port); }
  void b_transport(TargetPort& port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void bus_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned bus_debug(tlm::tlm_generic_payload& payload) { return access_memory_debug(memory_, payload); }

  bool in_memory(const tlm::tlm_generic_payload& payload) const {
    return memory_.contains(payload.get_address(), payload.get_data_length());
  }
  void serve_host();
  void start(TargetPort* port, tlm::tlm_generic_payload& payload);
  void done(LineRequester::Access& access);
  void respond(TargetPort& port, tlm::tlm_generic_payload& payload);
  void send_responses(TargetPort& port);

  MemoryHubConfig config_;
  DeviceMemory& memory_;
  TimedCalls later_;
  LineRequester requester_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<Job*> free_jobs_;
  std::deque<tlm::tlm_generic_payload*> host_queue_;    // not begun
  std::deque<tlm::tlm_generic_payload*> responses_[2];  // by port, waiting for END_RESP
  unsigned host_writes_under_way_ = 0;
  MemoryHubStats stats_;
};

}  // namespace warpvp
