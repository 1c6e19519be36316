#pragma once
// A host that is somebody else's platform: the device's PCI function as sockets towards it.
//
//   BAR 0 (registers) -+                      +- dma, by addresses of the platform; interrupts
//                      +-> pcie -> PCIe link  |
//   BAR 2 (memory) ----+        PCIe link -> memory (bus addresses)
//
// Addresses in the BARs are offsets: BAR 0 shows the register map from 0 to regmap::kRegisterBytes, with the
// endpoint's registers at its beginning, BAR 2 all of device memory from its first byte. An access travels
// over the PCIe link as the model's own host's do, under either transport: a write is answered when the link
// has taken it, a read when the data are back; the endpoint answers at once. Data of any length, whole: byte
// enables and streaming are refused. Direct memory access is refused too, since a store in no time would
// overtake those on the link.
//
// What the device does to host memory comes out at `dma`, in order, by b_transport in a thread: its target
// may add to the delay, or call wait(). Bus address regmap::kHostBusBase + a is address a there; those of
// interrupts (regmap::kInterruptBase) are pulses at `interrupts`, after all that was written before.
//
// A device fault stops the device (stop()): what is under way is answered with an error, and so is all that
// comes, but for the endpoint's registers, which say what has happened.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "interconnect/ports.h"
#include "interconnect/transaction.h"
#include "modules/host/endpoint_registers.h"
#include "modules/host/host_cpu.h"
#include "modules/host/interrupt_pulses.h"
#include "modules/host/timed_calls.h"

namespace warpvp {

class SocketHost : public HostCpu, private TargetPort::Client, private InitiatorPort::Client {
 public:
  /// `faults` outlives the host.
  SocketHost(sc_core::sc_module_name name, FaultSink& faults);

  TargetPort registers_bar;  ///< BAR 0
  TargetPort memory_bar;     ///< BAR 2
  tlm_utils::simple_initiator_socket<SocketHost> dma;
  sc_core::sc_vector<InterruptPort> interrupts;  ///< by vector

  /// The device has stopped for good, and no process of it runs any more but those of platform_calls().
  void stop(const std::string& why);
  /// The device's processes that are in the platform, at `dma`. When they come back they go nowhere.
  const std::vector<sc_core::sc_process_handle>& platform_calls() const { return platform_calls_; }

  tlm::tlm_initiator_socket<>& pcie_socket() override { return pcie_.socket; }
  tlm::tlm_target_socket<>& memory_socket() override { return memory_; }
  bool memory_waits() const override { return true; }
  void see_device(const DeviceView& view) override;
  /// The programs are the platform's: throws std::logic_error.
  void add_program(const std::string& name, std::function<void(HostInterface&)> program) override;
  bool finished() const override { return false; }
  bool outside() const override { return true; }
  std::exception_ptr failure() const override { return nullptr; }
  std::uint64_t activity() const override { return activity_; }
  bool sleeping() const override { return false; }

 private:
  /// One access of the platform's, and where its answer goes.
  struct Access {
    tlm::tlm_generic_payload* payload = nullptr;
    TargetPort* port = nullptr;             // to answer at; nullptr: a thread waits in b_transport
    sc_core::sc_event* done = nullptr;      // of that thread
    std::vector<unsigned char> burst = {};  // what BURST writes
  };
  /// What a write to BURST or MEMORY_BURST asks for.
  struct Burst {
    std::uint64_t address = 0;
    std::vector<unsigned char> data;
  };

  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort& port) override { send_responses(port); }
  void b_transport(TargetPort& port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void link_free(InitiatorPort&) override { send_waiting(); }
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;

  tlm::tlm_response_status check(const TargetPort& port, const tlm::tlm_generic_payload& payload) const;
  std::optional<tlm::tlm_response_status> answer(const TargetPort& port, tlm::tlm_generic_payload& payload);
  void burst(std::uint64_t address, std::uint32_t bytes, bool untimed);
  void start(Access access, std::uint64_t address);
  void send_waiting();
  void end(const Access& access, tlm::tlm_response_status status);
  void send_responses(TargetPort& port);

  void memory_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned memory_debug(tlm::tlm_generic_payload& payload);
  void call_platform(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void go_nowhere_if_stopped();
  void interrupt(std::uint64_t number);
  void note(std::uint32_t error, std::uint64_t address, const std::string& text);

  std::uint64_t memory_bytes_ = 0;  // of device memory
  std::unique_ptr<EndpointRegisters> endpoint_;
  InitiatorPort pcie_;
  tlm_utils::simple_target_socket<SocketHost> memory_;
  TransactionPool pool_;
  TimedCalls later_;
  InterruptPulses pulses_;
  std::deque<Transaction*> waiting_;                    // for the link
  std::vector<Access> under_way_;                       // by the token of their transaction
  std::vector<std::size_t> free_places_;                // there
  std::deque<tlm::tlm_generic_payload*> responses_[2];  // by port, waiting for END_RESP
  std::optional<Burst> burst_;  // asked for by the access to the endpoint that is being carried out
  std::vector<sc_core::sc_process_handle> platform_calls_;
  sc_core::sc_time written_at_;  ///< when the platform has the last of the device's writes
  sc_core::sc_event never_;
  bool stopped_ = false;
  std::uint64_t activity_ = 0;
};

}  // namespace warpvp
