#pragma once
// `host.type: threads`: host memory, and programs that are each a SystemC thread.

#include <tlm_utils/simple_target_socket.h>

#include <map>
#include <optional>
#include <vector>

#include "base/fields.h"
#include "interconnect/ports.h"
#include "interconnect/transaction.h"
#include "modules/host/host_cpu.h"
#include "modules/host/shared_cores.h"

namespace warpvp {

struct HostConfig {
  double memory_latency_ns = 90;
  unsigned cores = 0;
  void fields(FieldVisitor& v) {
    v.field("memory_latency_ns", memory_latency_ns, "ns", "Time host memory takes to answer a device's read.",
            Constraint::at_least(0));
    v.field(
        "cores", cores, "cores",
        "CPU cores that host programs share while they compute: CPU phases of applications and the runtime's "
        "own time. Who waits for the device or for a time takes none. 0: one for each program.",
        Constraint::range(0, 4096));
  }
};

class ThreadedHost : public HostCpu, public HostInterface, private InitiatorPort::Client {
 public:
  ThreadedHost(sc_core::sc_module_name name, const HostConfig& config, FaultSink& faults);

  InitiatorPort pcie;                                    ///< the CPU's loads and stores
  tlm_utils::simple_target_socket<ThreadedHost> memory;  ///< host memory, by bus address

  tlm::tlm_initiator_socket<>& pcie_socket() override { return pcie.socket; }
  tlm::tlm_target_socket<>& memory_socket() override { return memory; }
  void add_program(const std::string& name, std::function<void(HostInterface&)> program) override;
  bool finished() const override { return finished_; }
  std::exception_ptr failure() const override { return failure_; }
  std::uint64_t activity() const override { return activity_; }
  bool sleeping() const override { return sleeping_ != 0; }

  void write(std::uint64_t device_address, const void* data, std::size_t bytes) override;
  void write_untimed(std::uint64_t device_address, const void* data, std::size_t bytes) override;
  void read_untimed(std::uint64_t device_address, void* data, std::size_t bytes) override;
  void read(std::uint64_t device_address, void* data, std::size_t bytes) override;
  std::uint64_t map(void* data, std::size_t bytes) override;
  void unmap(std::uint64_t bus_address) override;
  int share_device_memory(std::uint64_t device_address, std::size_t bytes) override;
  void see_device(const DeviceView& view) override { device_memory_ = view.memory; }
  void wait_until(const std::function<bool()>& done) override;
  bool wait_until(const std::function<bool()>& done, SimTime latest) override;
  void sleep(SimTime duration) override;
  void compute(SimTime work) override;
  SimTime now() const override;
  unsigned start(const std::string& name, std::function<void(HostInterface&)> program) override;
  void join(unsigned thread) override;

 protected:
  /// A load or store over the link that the calling thread waits for, as read() and write() do; what it was
  /// answered. A posted store is answered by the link.
  tlm::tlm_response_status transfer(tlm::tlm_command command, std::uint64_t address, void* data,
                                    std::size_t bytes);
  /// The same by TLM's debug transport, in no time; bytes that were moved.
  unsigned transfer_untimed(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes);
  /// Moves the bytes of an access to host memory; what the device is answered.
  virtual tlm::tlm_response_status access_memory(tlm::tlm_generic_payload& payload);
  /// When the device has written host memory.
  const sc_core::sc_event& memory_written() const { return memory_written_; }

 private:
  struct Mapping {
    unsigned char* data;
    std::size_t bytes;
  };
  struct Access {
    sc_core::sc_event done;
    bool complete = false;
  };

  void run(const std::function<void(HostInterface&)>& program);
  void access(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes);
  void access_untimed(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes);
  void link_free(InitiatorPort& port) override;
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;
  void memory_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned memory_debug(tlm::tlm_generic_payload& payload);

  HostConfig config_;
  FaultSink& faults_;
  DeviceMemory* device_memory_ = nullptr;  ///< once the device has been seen
  TransactionPool pool_;
  std::map<std::uint64_t, Mapping> mappings_;  // by bus address
  std::uint64_t next_bus_address_;
  std::optional<SharedCores> cores_;  ///< none: a core for each program
  sc_core::sc_event link_free_, memory_written_, thread_ended_, core_given_up_;
  std::vector<bool> ended_;  ///< threads that programs have started
  unsigned running_ = 0, sleeping_ = 0;
  std::uint64_t activity_ = 0;
  bool finished_ = false;
  std::exception_ptr failure_;
};

}  // namespace warpvp
