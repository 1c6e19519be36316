#pragma once
// The face of the PCIe link between host and device. Types register themselves (registry kind "pcie_link")
// and are chosen by `pcie.type` in YAML.
//
//   host CPU -> host         loads and stores, by device address   -> device -> memory hub
//   device masters (copy engines, command processor), by host bus address -> host_memory -> host memory

#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "base/block.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/stats.h"

namespace warpvp {

struct PcieStats {
  std::uint64_t to_device_bytes = 0, to_host_bytes = 0;  ///< payload
  std::uint64_t to_device_wire_bytes = 0, to_host_wire_bytes = 0;
  std::uint64_t transfers = 0;
  void stats(StatVisitor& v) const;
};

/// What a link sends in one go.
struct PcieTransfer {
  bool to_device = false;
  sc_core::sc_time from, to;  ///< on the wire
  std::uint64_t bytes = 0, wire_bytes = 0;
};

/// Told about what a link sends, when it begins to; for timelines.
class PcieObserver {
 public:
  virtual ~PcieObserver() = default;
  virtual void sends(const PcieTransfer&) {}
};

class PcieLink : public sc_core::sc_module {
 public:
  explicit PcieLink(sc_core::sc_module_name name) : sc_module(name) {}
  /// nullptr: nobody. It outlives the link or is taken back.
  void set_observer(PcieObserver* observer) { observer_ = observer; }
  virtual tlm::tlm_target_socket<>& host_socket() = 0;
  /// A port for one more master on the device. Called before the simulation starts.
  virtual tlm::tlm_target_socket<>& add_device_master(const std::string& name) = 0;
  virtual tlm::tlm_initiator_socket<>& device_socket() = 0;
  /// Loosely timed: its target adds its time to the delay. What is written carries a MemExtension with the
  /// kind of access that it is.
  virtual tlm::tlm_initiator_socket<>& host_memory_socket() = 0;
  /// That target calls wait(), which must hold up nothing else on the link. Before the simulation starts. The
  /// default refuses with InputError: not every type sees to it.
  virtual void let_host_memory_wait() {
    throw InputError(
        "platform.pcie: this type of link needs host memory that never waits, and that of "
        "somebody else's platform may; allowed: packets");
  }
  virtual const PcieStats& statistics() const = 0;
  /// A transfer is on the wire.
  virtual bool sending() const = 0;

 protected:
  /// For types to tell of what they send.
  void tell(const PcieTransfer& transfer) {
    if (observer_) observer_->sends(transfer);
  }

 private:
  PcieObserver* observer_ = nullptr;
};

/// A configured type of link, made by the registry from YAML.
class PcieLinkType {
 public:
  static constexpr const char* kKind = "pcie_link";
  virtual ~PcieLinkType() = default;
  /// `faults` outlives the link.
  virtual std::unique_ptr<PcieLink> build(const char* name, FaultSink& faults) const = 0;
};

}  // namespace warpvp
