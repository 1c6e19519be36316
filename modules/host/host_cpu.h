#pragma once
// The face of the host: its memory as the device sees it, and programs that drive the device through
// HostInterface. Types register themselves (registry kind "host") and are chosen by `host.type` in YAML.
//
//   pcie -> PCIe link      the CPU's loads and stores, by device address
//   PCIe link -> memory    host memory, by bus address

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "base/block.h"
#include "base/fault.h"
#include "interconnect/host_interface.h"
#include "interconnect/register_block.h"

namespace warpvp {

class HostCpu : public sc_core::sc_module {
 public:
  explicit HostCpu(sc_core::sc_module_name name) : sc_module(name) {}
  virtual tlm::tlm_initiator_socket<>& pcie_socket() = 0;
  virtual tlm::tlm_target_socket<>& memory_socket() = 0;
  /// True: memory_socket() calls wait() (PcieLink::let_host_memory_wait).
  virtual bool memory_waits() const { return false; }
  /// Registers on the device's register bus, those of regmap::interrupts; nullptr: it has none.
  virtual tlm::tlm_target_socket<>* registers_socket() { return nullptr; }
  virtual const RegisterBlock* register_block() const { return nullptr; }

  /// Adds a host program; each runs by itself from time zero. Before the simulation starts, or while another
  /// program runs, then from that time on.
  virtual void add_program(const std::string& name, std::function<void(HostInterface&)> program) = 0;
  /// True: it drives the device by itself, so that a run needs no program and no workload. It ends as programs do.
  virtual bool has_own_program() const { return false; }
  /// Called once, when the last program has ended or one has failed.
  std::function<void()> on_finished;
  virtual bool finished() const = 0;
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
  /// `faults` outlives the host.
  virtual std::unique_ptr<HostCpu> build(const char* name, FaultSink& faults) const = 0;
};

}  // namespace warpvp
