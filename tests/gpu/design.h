#pragma once
// Designs of somebody else's with a Gpu in them, for tests: a CPU, its memory, and protocol checkers on every
// link between them and the Gpu.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "interconnect/protocol_checker.h"
#include "modules/host/threaded_host.h"
#include "platform/gpu.h"

namespace warpvp::test {

/// Takes accesses by device addresses to the BAR that shows them, under all transports.
class BarRouter : public sc_core::sc_module {
 public:
  explicit BarRouter(sc_core::sc_module_name name);
  tlm_utils::simple_target_socket<BarRouter> in{"in"};
  tlm_utils::simple_initiator_socket<BarRouter> bar0{"bar0"}, bar2{"bar2"};

 private:
  tlm_utils::simple_initiator_socket<BarRouter>& towards(tlm::tlm_generic_payload& payload);
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  std::map<tlm::tlm_generic_payload*, tlm_utils::simple_initiator_socket<BarRouter>*> routes_;
};

/// The links of a Gpu, each with a checker: what it is bound to binds these.
struct CheckedGpu {
  CheckedGpu(const char* name, const std::string& yaml, const SimulationOptions& options = {});
  tlm::tlm_target_socket<>& bar0() { return bar0_checker.target; }
  tlm::tlm_target_socket<>& bar2() { return bar2_checker.target; }
  tlm::tlm_initiator_socket<>& dma() { return dma_checker.initiator; }
  /// What was violated so far, in lines.
  std::string violations() const;

  Gpu gpu;
  ProtocolChecker bar0_checker, bar2_checker, dma_checker;
};

/// A CPU that runs one host program on the project's runtime, by nb_transport, with memory of its own. When
/// all programs of a process have ended it pauses the simulation.
class RuntimeDesign : public sc_core::sc_module {
 public:
  RuntimeDesign(sc_core::sc_module_name name, const std::string& yaml,
                std::function<bool(rt::Runtime&)> program, const SimulationOptions& options = {});
  bool done() const { return done_; }
  CheckedGpu device;
  /// The text of the Gpu's result.json. Throws for a fault of the CPU's and what the checkers have found.
  std::string end();

 private:
  void dma(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  FaultSink faults_;
  ThreadedHost cpu_;
  BarRouter router_;
  tlm_utils::simple_target_socket<RuntimeDesign> dma_{"dma"};
  tlm_utils::simple_initiator_socket<RuntimeDesign> memory_{"memory"};
  bool done_ = false, right_ = false;
};

/// Runs designs until their programs have ended.
void run_all(const std::vector<std::unique_ptr<RuntimeDesign>>& designs);

}  // namespace warpvp::test
