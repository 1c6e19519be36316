#pragma once
// The GPU as a module of somebody else's SystemC design, beside their CPU, memory and interconnect: a PCI
// function of TLM-2.0 sockets and interrupts (docs/embedding.md), the one that `warpvp serve` shows. The
// design simulates; there is no Simulation.
//
//   their CPU    ---- bar0, bar2 ---> [Gpu] ---- dma ---> their memory
//                <--- interrupts ----

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/fault.h"
#include "platform/simulation.h"
#include "sw/runtime/runtime.h"

namespace warpvp {

class GpuSession;
class HostInterface;

/// The settings of a GPU: a run file without a workload.
class GpuSettings {
 public:
  /// As Simulation::from_file and from_text. InputError.
  static GpuSettings from_file(const std::string& file);
  static GpuSettings from_text(const std::string& yaml);

 private:
  friend class Gpu;
  std::shared_ptr<const RunFile> file_;
};

/// Several may be in one design, each with settings and results of its own; a Simulation may not be in the
/// same process at the same time. Firmware of type `native` is one in a process.
///
/// Made during elaboration, in a design that has set the time resolution to 1 fs. Before anything is built an
/// InputError says in one line what is wrong; with the context (resolution, a Simulation) it is a
/// SimulationMisuse.
///
/// `settings`: platform (but for its host), seed, plugins, monitors, energy, output.kernels,
/// output.most_kernels, output.instructions, limits.cycles and limits.progress_us, which are faults here and
/// bound nothing unless given; others than these are the Simulation's, and refused.
class Gpu : public sc_core::sc_module {
 public:
  /// `options.folder`, if given, gets the files that settings ask for, and result.json.
  Gpu(sc_core::sc_module_name name, const GpuSettings& settings, const SimulationOptions& options = {});
  ~Gpu() override;

  /// The registers of docs/register-map.md, by their addresses, with the endpoint's at the beginning: 256
  /// MiB.
  tlm::tlm_target_socket<> bar0;
  /// Device memory, from its first byte: memory_bytes().
  tlm::tlm_target_socket<> bar2;
  /// What the device reads and writes in the design's memory, by the design's addresses. The device knows
  /// address a as kHostMemory + a.
  tlm::tlm_initiator_socket<> dma;
  /// Interrupts by vector, as MSI-X has them: each is a pulse of 10 ns at that port, after all that the
  /// device has written before. Queues name theirs in their INTERRUPT registers; vector 0 also tells of what
  /// ERROR has. Each may be bound or not.
  static constexpr unsigned kVectors = 32;
  using InterruptPort =
      sc_core::sc_port<sc_core::sc_signal_inout_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  sc_core::sc_vector<InterruptPort> interrupts;

  static constexpr std::uint64_t kHostMemory = 0x4000'0000'0000;
  static constexpr std::uint64_t kDeviceMemory =
      0x1'0000'0000;  ///< as kernels, packets and registers know it
  static constexpr std::uint64_t kRegisterBytes = 0x1000'0000;
  std::uint64_t memory_bytes() const;

  /// A fault of the device stops this Gpu alone, and the simulation goes on: accesses under way and all that
  /// come are answered TLM_GENERIC_ERROR_RESPONSE, but for the endpoint, whose ERROR and ERROR_TEXT say what
  /// has happened; vector 0 is raised; the result is that of this time. An SC_WARNING of this type names the
  /// Gpu and the fault: a design that shall end with it sets SC_STOP or SC_THROW as its action.
  static constexpr const char* kFaultType = "/warpvp/device_fault";
  /// That fault, or nullptr.
  const DeviceFault* fault() const;

  /// The project's runtime over the design's CPU: its calls become accesses by `host`, which reaches the
  /// device through the sockets. Device addresses as HostInterface has them: registers below kRegisterBytes
  /// in BAR 0, from kDeviceMemory on in BAR 2. Made and used in one thread of the design; `host` outlives it.
  std::unique_ptr<rt::Runtime> make_runtime(HostInterface& host);

  /// Cycle of the SM clock.
  std::uint64_t cycle() const;
  /// Who waits for what, in lines.
  std::string describe() const;
  /// The text of a result.json, as far as counted, or of the one that end() has made.
  std::string statistics() const;
  /// One number of it by its key, "simulation.cycles"; InputError if it is none.
  double statistic(const std::string& key) const;

  /// The simulation is over: finishes the files of monitors and firmware, collects the result, and writes
  /// result.json where there is a folder. `outcome`: what the design says of it. Only the first call counts,
  /// and none after a fault, which has ended the Gpu's part. Returns the text of result.json.
  const std::string& end(Outcome outcome = {});

  /// For parts of warpvp that know the platform.
  Platform& platform();

 private:
  void stop_at_fault();
  std::unique_ptr<GpuSession> session_;
};

}  // namespace warpvp
