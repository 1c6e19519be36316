#pragma once
// What the command line needs of the assembled platform. Nothing above this header knows SystemC.

#include <atomic>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/fields.h"
#include "platform/config/run_config.h"

namespace warpvp {

struct Recording;  // platform/schedule_recorder.h

/// Visits a default-constructed platform configuration: for loading, printing and documenting it.
void visit_platform_config(FieldVisitor& visitor);

/// One simulation.
struct RunRequest {
  RunFile file;  ///< read it with RunFile::read and the platform's own fields
  std::filesystem::path
      out;             ///< the run's folder; made and found writable by ResultWriter before anything runs
  bool quiet = false;  ///< no progress and no summary on the terminal
  /// Becomes true on Ctrl-C or SIGTERM; the run then ends at the next opportunity with what is known so far.
  const std::atomic<bool>* interrupted = nullptr;
  Recording* recording = nullptr;  ///< if given: gets what the SMs issue
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
};
/// Prints the report to the standard output. InputError as the PTX loader.
ExitCode show_ptx(const PtxRequest& request);

}  // namespace warpvp
