#pragma once
// A simulation as an object: a platform made from settings, host programs and clients attached to it, run in
// slices of simulated time, looked at in between, ended. The command line, the debugger of the firmware and
// programs that embed warpvp (docs/embedding.md) are its users. Including this needs no SystemC.

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/sim_time.h"
#include "sw/apps/app.h"
#include "sw/runtime/runtime.h"

namespace warpvp {

class Platform;
class RunFile;
class Simulation;
class SimulationSession;
struct PlatformConfig;
struct Recording;

/// A call that the contract of Simulation excludes: a mistake of the calling program, not of its user.
class SimulationMisuse : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// The exit status that an error means to the command line: kBadInput for InputError and for memory of the
/// host that is not there, otherwise kDeviceFault.
ExitCode exit_code_of(const std::exception& error);

/// How a session ended.
struct Outcome {
  ExitCode code = ExitCode::kOk;
  std::string message;    ///< one line: what went wrong; empty when all is well
  std::string detail;     ///< further lines of it, each ending in a newline
  std::string remark;     ///< what host programs measured
  bool verified = false;  ///< host programs compared results with a reference, and none differed
  /// The same as numbers; with several host programs, each name begins with its program's and a dot.
  std::vector<std::pair<std::string, double>> measured = {};
  bool computed = true;  ///< false: the SMs compute nothing, and what they left in memory says nothing
};

/// Why run() returned.
enum class Halt : std::uint8_t {
  kTime,     ///< the time is reached
  kStopped,  ///< stop() was called
  kEnded     ///< the run is over, as outcome() says
};

/// One kernel launch.
struct KernelState {
  enum class Phase : std::uint8_t { kQueued, kRunning, kFinished };
  std::uint32_t launch = 0;  ///< launch id, in order of the calls
  std::string name;
  std::string stream;
  Phase phase = Phase::kQueued;
  std::uint64_t ctas = 0, ctas_done = 0;
  std::uint64_t start_cycle = 0;  ///< SM clock; of running and finished kernels
  std::uint64_t end_cycle = 0;    ///< of finished kernels
};

/// How far a run is; cheap enough to ask a few times a second.
struct SimulationProgress {
  double simulated_us = 0;
  std::uint64_t cycle = 0;         ///< SM clock
  std::uint64_t instructions = 0;  ///< warp instructions issued
  std::uint64_t kernels_launched = 0, kernels_running = 0, kernels_done = 0;
  std::uint64_t ctas_done = 0;
  /// What the launch list of the settings launches in all; 0: no launch list, or it is known only later.
  std::uint64_t expected_kernels = 0, expected_ctas = 0;
  std::uint64_t cycle_limit = 0;  ///< limits.cycles; 0: none
  double wall_limit = 0;          ///< limits.wall_seconds; 0: none
};

/// Somebody outside of the simulation who acts between its steps: a debugger, a display, another simulator.
class SimulationClient {
 public:
  virtual ~SimulationClient() = default;
  /// Called within run(), on its thread, after each step: at most 2 us of simulated time, 50 where SMs
  /// compute nothing, or longer where nothing happens for longer. Simulated time stands still until it
  /// returns. It may query the session, access memory, and stop().
  virtual void between_steps(Simulation&) {}
  /// The run is about to end since it cannot go on: a deadlock, or a limit of simulated time. The last look
  /// at it.
  virtual void stuck(Simulation&, const std::string& /*why*/) {}
  /// Called by end().
  virtual void ended(const Outcome&) {}
  /// True: the device may wait for this client for as long as it likes, so the session has no watchdog.
  virtual bool device_may_wait() const { return false; }
};

struct SimulationOptions {
  std::vector<std::string> overrides;  ///< "a.b=value", as `--set` of the command line
  /// The run's folder: made, and found writable, by the constructor; end() writes result.json into it. Empty:
  /// no result.json, and files that settings ask for (a timeline, dumps) go into the current folder.
  std::string folder;
  /// Gets what kernels and firmware print; empty: the standard output does.
  std::function<void(const std::string&)> print;
};

/// One simulation, and the only one that its process has at a time: SystemC has one simulation context. A
/// second session beside it is refused (SimulationMisuse). When the first is gone, the next begins at time
/// zero, as if it were alone; but where SystemC modules of others shared the first one's context and are
/// still there, it is refused as well. Settings that are refused before anything is built do not count.
///
/// All calls but stop() are made on the thread that made the session, and not while a step is under way, so
/// never by a host program. Wrong input is an InputError, "place: what is wrong; what is allowed".
class Simulation {
 public:
  /// From a run file or a workload: a path, or the name of a file in configs/experiments or
  /// configs/workloads.
  static Simulation from_file(const std::string& file, const SimulationOptions& options = {});
  /// From the text of a run file; its paths are relative to the current folder.
  static Simulation from_text(const std::string& yaml, const SimulationOptions& options = {});
  /// From a struct, which has the fields that all types of a block share; those of one type by overrides.
  static Simulation from_config(const PlatformConfig& config, const SimulationOptions& options = {});
  explicit Simulation(const RunFile& file, const SimulationOptions& options = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // --- What takes part. Programs before the first run().

  /// Attaches a host program: a function of rt::Runtime&, which runs on a thread of the simulated host from
  /// time zero. One that returns apps::AppResult has its results counted in Outcome; one that returns nothing
  /// checks nothing. What it throws comes out of run().
  template <class Program>
  void attach_program(const std::string& name, Program program) {
    if constexpr (std::is_void_v<std::invoke_result_t<Program&, rt::Runtime&>>) {
      add_program(name, [program = std::move(program)](rt::Runtime& device) mutable {
        program(device);
        return apps::AppResult{false, {}, false};
      });
    } else {
      add_program(name, std::move(program));
    }
  }
  /// Attaches the app or launch list that `workload:` of the settings names. InputError if they name none.
  void attach_workload();
  /// Attaches another one, written as `workload:` is: a name, or "{app: vector_add, params: {count: 64}}".
  void attach_workload(const std::string& name, const std::string& yaml);
  /// `client` outlives the last run() and end().
  void attach_client(SimulationClient& client);
  /// Has what the SMs issue noted in `recording`, which outlives end(). InputError for SMs without warps.
  void record(Recording& recording);

  // --- Running.

  /// Goes on until all host programs have ended, a fault, a limit, or stop(). Once the run is over it returns
  /// kEnded at once. Rethrows what a host program has thrown; the run is over then.
  Halt run();
  /// The same, at most until now() is `time`. Where one slice ends leaves no trace in the results.
  Halt run_until(SimTime time);
  Halt run_for(SimTime duration) { return run_until(now() + duration); }
  /// Has run() return kStopped, or the next one if none is under way: at the end of the present delta cycle
  /// when a host program or a client calls it, after the present step when another thread does. run() may be
  /// called again. Any thread.
  void stop();
  bool ended() const;

  // --- Queries.

  /// Simulated time. A run_until() that was not cut short has reached its time.
  SimTime now() const;
  /// Cycle of the SM clock.
  std::uint64_t cycle() const;
  /// The statistics so far, as the text of a result.json: what end() would give now, but that waits of warps
  /// count when they are over, and that the firmware's core may be some instructions ahead of time.
  std::string statistics();
  /// One number of them by its key, "simulation.cycles" or "kernels.0.end_cycle"; InputError if it is none.
  double statistic(const std::string& key);
  /// All launches so far.
  std::vector<KernelState> kernels() const;
  /// How far the run is.
  SimulationProgress progress() const;
  /// Who waits for what, in lines: kernels, CTAs, warps, queues, copies.
  std::string describe() const;
  /// Device memory as kernels see it, by device address, without time. InputError outside of it.
  void read_memory(std::uint64_t address, void* data, std::size_t bytes) const;
  void write_memory(std::uint64_t address, const void* data, std::size_t bytes);

  // --- The end.

  /// Ends the session: finishes the files of its observers, collects the result and writes result.json. A run
  /// that is not over counts as interrupted, or as `reason` says. Further calls change nothing.
  const Outcome& end();
  const Outcome& end(Outcome reason);
  /// Of a run that is over; otherwise what statistics() and end() say of it now.
  Outcome outcome() const;
  /// The text of result.json. After end().
  const std::string& result() const;

  /// For parts of warpvp that know the platform, or the session behind this one.
  Platform& platform();
  SimulationSession& session() { return *session_; }

 private:
  void add_program(const std::string& name, std::function<apps::AppResult(rt::Runtime&)> program);
  std::unique_ptr<SimulationSession> session_;
};

}  // namespace warpvp
