#pragma once
// A host that is somebody else's platform: nothing but sockets towards it.
//
//   BAR 0 (registers) -+                      +- dma, by addresses of the platform; interrupt
//                      +-> pcie -> PCIe link  |
//   BAR 2 (memory) ----+        PCIe link -> memory (bus addresses)
//
// Addresses in the BARs are offsets: BAR 0 shows the register map from 0 to regmap::kRegisterBytes, BAR 2 all
// of device memory from its first byte. An access travels over the PCIe link as the model's own host's do,
// under either transport: a write is answered when the link has taken it, a read when the data are back. Data
// of any length, whole: byte enables and streaming are refused. Direct memory access is refused too, since a
// store in no time would overtake those on the link.
//
// What the device does to host memory comes out at `dma`, in order, by b_transport in a thread: its target
// may add to the delay, or call wait(). Bus address regmap::kHostBusBase + a is address a there.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <systemc>
#include <vector>

#include "interconnect/ports.h"
#include "interconnect/transaction.h"
#include "modules/host/host_cpu.h"
#include "modules/host/host_interrupts.h"
#include "modules/host/timed_calls.h"

namespace warpvp {

class SocketHost : public HostCpu, private TargetPort::Client, private InitiatorPort::Client {
 public:
  /// `memory_bytes`: of device memory. `faults` outlives the host.
  SocketHost(sc_core::sc_module_name name, std::uint64_t memory_bytes, FaultSink& faults);

  TargetPort registers_bar;  ///< BAR 0
  TargetPort memory_bar;     ///< BAR 2
  tlm_utils::simple_initiator_socket<SocketHost> dma;
  sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> interrupt;

  tlm::tlm_initiator_socket<>& pcie_socket() override { return pcie_.socket; }
  tlm::tlm_target_socket<>& memory_socket() override { return memory_; }
  bool memory_waits() const override { return true; }
  tlm::tlm_target_socket<>* registers_socket() override { return &interrupt_registers_; }
  const RegisterBlock* register_block() const override { return &interrupts_.registers(); }
  /// The programs are the platform's: throws std::logic_error.
  void add_program(const std::string& name, std::function<void(HostInterface&)> program) override;
  bool finished() const override { return false; }
  std::exception_ptr failure() const override { return nullptr; }
  std::uint64_t activity() const override { return activity_; }
  bool sleeping() const override { return false; }

 private:
  /// Where the answer to one access of the platform's goes.
  struct Access {
    tlm::tlm_generic_payload* payload = nullptr;
    TargetPort* port = nullptr;         // to answer at; nullptr: a thread waits in b_transport
    sc_core::sc_event* done = nullptr;  // of that thread
  };

  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort& port) override { send_responses(port); }
  void b_transport(TargetPort& port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void link_free(InitiatorPort&) override { send_waiting(); }
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;

  tlm::tlm_response_status check(const TargetPort& port, const tlm::tlm_generic_payload& payload) const;
  void start(const Access& access, std::uint64_t address);
  void send_waiting();
  void end(const Access& access, tlm::tlm_response_status status);
  void send_responses(TargetPort& port);

  void memory_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned memory_debug(tlm::tlm_generic_payload& payload);
  void send_message(std::uint64_t address, std::uint32_t data);
  void interrupt_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    interrupts_.registers().transport(payload);
  }
  unsigned interrupt_debug(tlm::tlm_generic_payload& payload) {
    return interrupts_.registers().transport_dbg(payload);
  }
  void drive_line();

  const std::uint64_t memory_bytes_;
  FaultSink& faults_;
  InitiatorPort pcie_;
  tlm_utils::simple_target_socket<SocketHost> memory_, interrupt_registers_;
  TransactionPool pool_;
  TimedCalls later_, messages_;
  HostInterrupts interrupts_;
  std::deque<Transaction*> waiting_;                    // for the link
  std::vector<Access> under_way_;                       // by the token of their transaction
  std::vector<std::size_t> free_places_;                // there
  std::deque<tlm::tlm_generic_payload*> responses_[2];  // by port, waiting for END_RESP
  sc_core::sc_event line_changed_;
  bool line_ = false;
  std::uint64_t activity_ = 0;
};

}  // namespace warpvp
