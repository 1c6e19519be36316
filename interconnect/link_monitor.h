#pragma once
// Monitors of links: modules that stand between the two ends of a link, forward everything untouched and
// watch. A run names them in YAML (`monitors:`); types of monitor register themselves (registry kind
// "link_monitor"), so a third party's monitor is one file that wraps it. A link without a monitor is bound
// directly and costs nothing.

#include <filesystem>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "base/fault.h"

namespace warpvp {

enum class LinkKind : std::uint8_t {
  kMemory,   ///< approximately timed: nb_transport, four phases
  kControl,  ///< register accesses: b_transport, whose target must not let time pass
};

/// Where a monitor stands.
struct LinkPlace {
  std::string link;  ///< name of the link, unique on the platform: "sm_3", "bus_to_dma_0"
  LinkKind kind = LinkKind::kMemory;
  FaultSink& faults;  ///< raising a fault ends the run; outlives the monitor
};

class LinkMonitor : public sc_core::sc_module {
 public:
  explicit LinkMonitor(sc_core::sc_module_name name) : sc_module(name) {}
  /// The link's initiator is bound here.
  virtual tlm::tlm_target_socket<>& target() = 0;
  /// Bound to the link's target.
  virtual tlm::tlm_initiator_socket<>& initiator() = 0;
};

/// A configured type of monitor, made by the registry from YAML; builds one module for each link it watches.
class LinkMonitorType {
 public:
  static constexpr const char* kKind = "link_monitor";
  virtual ~LinkMonitorType() = default;
  /// Before the first build: the folder in which files of the run belong. InputError if one cannot be
  /// written.
  virtual void start(const std::filesystem::path& folder) {}
  virtual std::unique_ptr<LinkMonitor> build(const char* name, const LinkPlace& place) = 0;
  /// The simulation is over. InputError if a file cannot be completed.
  virtual void finish() {}
};

}  // namespace warpvp
