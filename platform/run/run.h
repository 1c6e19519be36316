#pragma once
// What the command line needs of the assembled platform. Nothing above this header knows SystemC.

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/fields.h"
#include "platform/config/run_config.h"
#include "platform/results/result_reference.h"

namespace warpvp {

struct CtaTime;    // platform/observe/cta_times.h
struct Recording;  // platform/observe/schedule_recorder.h

/// Visits a default-constructed platform configuration: for loading, printing and documenting it.
void visit_platform_config(FieldVisitor& visitor);

/// A debugger for the firmware: where to listen for it.
struct DebugRequest {
  std::uint16_t port = 0;  ///< on the loopback interface; 0: one that is free
  bool wait = false;       ///< the firmware does not start before the debugger lets it
};

/// Every key that result.json can have, with its unit and a sentence.
ResultReference result_reference();

/// One simulation.
struct RunRequest {
  RunFile file;  ///< read it with RunFile::read and the platform's own fields
  std::filesystem::path
      out;             ///< the run's folder; made and found writable by ResultWriter before anything runs
  bool quiet = false;  ///< no progress and no summary on the terminal
  std::ostream* progress = nullptr;  ///< gets lines that tell how far the run is, unless quiet; may be null
  bool progress_is_terminal = false;
  double progress_seconds = 0;  ///< between two of them; 0: as ProgressLine sees fit
  /// Becomes true on Ctrl-C or SIGTERM; the run then ends at the next opportunity with what is known so far.
  const std::atomic<bool>* interrupted = nullptr;
  Recording* recording = nullptr;             ///< if given: gets what the SMs issue
  std::vector<CtaTime>* cta_times = nullptr;  ///< if given: gets when each CTA ran
  /// If given: gets what host programs have measured, by name, as result.json has it.
  std::vector<std::pair<std::string, double>>* measured = nullptr;
  std::optional<DebugRequest> debug;          ///< if given: serves GDB, and says on standard error where
};

/// Runs the simulation and writes result.json. InputError for anything the user can mend, thrown before the
/// simulation starts; otherwise what the run came to.
ExitCode run_simulation(const RunRequest& request);

/// `warpvp ptx`: what to show of a PTX file.
struct PtxRequest {
  std::filesystem::path file;
  std::string entry;         ///< empty: all
  bool dot = false;          ///< control-flow graph as Graphviz
  bool disassemble = false;  ///< the kernel as text again
  RunFile platform;          ///< `platform` of this tree gives the limits for occupancy
  std::string platform_name;
  unsigned block = 256;       ///< threads in a CTA, for occupancy
  unsigned shared_bytes = 0;  ///< dynamic shared memory, for occupancy
  std::string code;           ///< ptx or machine; empty: as the platform says
  bool redundancy = false;    ///< each kernel with the marks of ptx/redundancy.h instead
  std::array<std::uint32_t, 3> shape{0, 0, 0};  ///< of a CTA, for those marks; zeros: unknown
  bool by_xy = false;                           ///< as Promotion::of
};
/// Prints the report to the standard output. InputError as the PTX loader.
ExitCode show_ptx(const PtxRequest& request);

}  // namespace warpvp
