#pragma once
// The face of the host: its memory as the device sees it, and programs that drive the device through
// HostInterface. Types register themselves (registry kind "host") and are chosen by `host.type` in YAML.
//
//   pcie -> PCIe link      the CPU's loads and stores, by device address
//   PCIe link -> memory    host memory, by bus address

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>

#include "base/block.h"
#include "base/fault.h"
#include "interconnect/host_interface.h"

namespace warpvp {

class DeviceMemory;

/// Whose a hardware queue is, where several share the device.
struct QueueOwner {
  unsigned context = 0;
  std::uint64_t bus_base = 0, bus_bytes = 0;  ///< his part of the host's memory
  bool reaches(std::uint64_t bus_address, std::uint64_t bytes) const {
    return bus_address >= bus_base && bus_address - bus_base <= bus_bytes &&
           bytes <= bus_bytes - (bus_address - bus_base);
  }
};

/// What a host that others drive the device through has to know of it beside its addresses. What it refers to
/// outlives the host.
struct DeviceView {
  /// The device has nothing to do: no command is announced and not complete, and nothing is on its way to or
  /// from it.
  std::function<bool()> rests;
  DeviceMemory* memory = nullptr;
  /// The simulation may be held within a step: nobody else waits for a turn of his.
  std::function<bool()> may_hold;
  unsigned queues = 0;            ///< hardware queues
  std::uint64_t local_bytes = 0;  ///< local memory that a context with page tables needs
  std::string properties;         ///< what software outside has to know of the device (rt::DeviceProperties)
};

class HostCpu : public sc_core::sc_module {
 public:
  explicit HostCpu(sc_core::sc_module_name name) : sc_module(name) {}
  virtual tlm::tlm_initiator_socket<>& pcie_socket() = 0;
  virtual tlm::tlm_target_socket<>& memory_socket() = 0;
  /// True: memory_socket() calls wait() (PcieLink::let_host_memory_wait).
  virtual bool memory_waits() const { return false; }

  /// Adds a host program; each runs by itself from time zero. Before the simulation starts, or while another
  /// program runs, then from that time on.
  virtual void add_program(const std::string& name, std::function<void(HostInterface&)> program) = 0;
  /// True: it drives the device by itself, so that a run needs no program and no workload. It ends as
  /// programs do.
  virtual bool has_own_program() const { return false; }
  /// Called once, when the last program has ended or one has failed.
  std::function<void()> on_finished;
  virtual bool finished() const = 0;
  /// Packets may come from programs outside of the model.
  virtual bool outside() const { return false; }
  /// False: nobody here has named or numbered the launches in packets.
  virtual bool knows_launches() const { return true; }
  /// Of such a host: whose packets a queue has; nothing: they may name whatever there is.
  virtual std::optional<QueueOwner> owner_of_queue(unsigned /*queue*/) const { return std::nullopt; }
  /// Device memory was allocated for whom that queue belongs to.
  virtual void allocated_for(unsigned /*queue*/, std::uint64_t /*begin*/) {}
  /// Called once, before the simulation starts.
  virtual void see_device(const DeviceView&) {}
  /// A device fault has ended the simulation: those who drive the device from outside are told, as long as
  /// they stay and `stop` is false.
  virtual void outlive_fault(const std::string& /*what*/, const std::function<bool()>& /*stop*/) {}
  /// The exception that ended a program (the first one), or null.
  virtual std::exception_ptr failure() const = 0;

  /// Accesses and sleeps that programs have completed.
  virtual std::uint64_t activity() const = 0;
  /// A program sleeps and will wake by itself.
  virtual bool sleeping() const = 0;
};

/// A configured type of host, made by the registry from YAML.
class HostType {
 public:
  static constexpr const char* kKind = "host";
  virtual ~HostType() = default;
  /// Others map device memory: it is to be a file.
  virtual bool shares_device_memory() const { return false; }
  /// `faults` outlives the host.
  virtual std::unique_ptr<HostCpu> build(const char* name, FaultSink& faults) const = 0;
};

}  // namespace warpvp
