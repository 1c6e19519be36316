#pragma once
// What is behind Simulation (platform/simulation.h): its platform and what is attached to it, the loop that
// runs it step by step, and its result. session.cpp builds and runs, session_result.cpp ends and collects.

#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <systemc>
#include <thread>
#include <utility>
#include <vector>

#include "interconnect/systemc_context.h"
#include "platform/build/platform.h"
#include "platform/config/run_config.h"
#include "platform/energy/energy_table.h"
#include "platform/guard/watchdog.h"
#include "platform/observe/interval_statistics.h"
#include "platform/observe/redundancy_watch.h"
#include "platform/observe/schedule_recorder.h"
#include "platform/observe/time_breakdown.h"
#include "platform/observe/timeline.h"
#include "platform/observe/warp_timeline.h"
#include "platform/results/provenance.h"
#include "platform/results/result_writer.h"
#include "platform/run/process_group.h"
#include "platform/simulation.h"
#include "sw/apps/trace_recorder.h"

namespace warpvp {

/// The typed settings of a session.
struct SessionSettings {
  RunConfig run;
  PlatformConfig platform;
  Setting resolved;
};

class SimulationSession {
 public:
  SimulationSession(Simulation& owner, const RunFile& file, const SimulationOptions& options);

  void attach_file_workload();
  void attach_other_workload(const std::string& name, const std::string& yaml);
  void add_program(const std::string& name, std::function<apps::AppResult(rt::Runtime&)> program);
  void attach_client(SimulationClient& client) { clients_.push_back(&client); }
  void record(Recording& recording);

  Halt run_until(std::optional<sc_core::sc_time> time);
  void stop();
  bool over() const { return outcome_.has_value(); }
  sc_core::sc_time now() const { return std::max(sc_core::sc_time_stamp(), reached_); }

  const Outcome& end(Outcome reason);
  Outcome outcome() const { return over() ? *outcome_ : interrupted(); }
  std::string statistics();
  double statistic(const std::string& key);
  const std::string& result() const;
  /// The same before it became text. After end().
  const nlohmann::ordered_json& result_tree() const;
  std::vector<KernelState> kernels() const;
  SimulationProgress progress() const;
  std::string describe() const { return platform_->describe_waiting(); }
  std::byte* memory_at(std::uint64_t address, std::size_t bytes) const;
  void note_change() {
    if (watchdog_) watchdog_->note_change();
  }
  Platform& platform() { return *platform_; }
  const Setting& resolved() const { return settings_.resolved; }
  std::uint64_t seed() const { return settings_.run.seed; }
  /// Misuse unless it is the session's own thread, between two steps.
  void require_between_steps(const char* call) const;
  void require_not_begun(const char* call) const;

 private:
  SystemcContext context_;  // outlives all that simulates

  /// An attached host program and what came of it.
  struct Program {
    std::string name;
    std::unique_ptr<apps::App> app;
    apps::AppContext context;  ///< here, as a program that is stopped never frees what its stack holds
    apps::AppResult result;
  };

  void attach_processes();
  /// Calls the body; with output.applications, a recorder takes down what it calls.
  apps::AppResult call_recorded(const std::string& name, rt::Runtime& device,
                                const std::function<apps::AppResult(rt::Runtime&)>& body);
  std::string platform_digest() const;
  bool processes_over() const { return processes_ && processes_->over(); }
  void attach_app(const std::string& name, const RunConfig& run, std::unique_ptr<apps::App> app);
  void check_fit(const RunConfig& run) const;
  void begin();
  void open_timeline(const std::string& folder);
  void watch_warps();
  void finish_timeline();
  void step(const std::optional<sc_core::sc_time>& until);
  bool advance(const sc_core::sc_time& duration);
  void look();
  void take_intervals(const sc_core::sc_time& end);
  bool reached(const sc_core::sc_time& time) const;
  bool wants_watchdog() const;
  Halt conclude();
  void end_stuck(const std::string& why);
  /// session_drain.cpp
  bool worth_draining() const;
  void drain();
  Outcome finished() const;
  Outcome interrupted() const;
  void write_applications();
  nlohmann::ordered_json collect_result(const Outcome& outcome);
  /// For host programs, in the middle of a step.
  std::optional<double> statistic_now(const std::string& key);

  /// While one exists run() is under way, and the host's time counts.
  class Running {
   public:
    explicit Running(SimulationSession& session) : session_(session) { session_.running_ = true; }
    ~Running() {
      session_.running_ = false;
      session_.spent_ += std::chrono::steady_clock::now() - from_;
    }
    Running(const Running&) = delete;
    /// Of all run() so far.
    double seconds() const {
      return std::chrono::duration<double>(session_.spent_ + (std::chrono::steady_clock::now() - from_))
          .count();
    }

   private:
    SimulationSession& session_;
    const std::chrono::steady_clock::time_point from_ = std::chrono::steady_clock::now();
  };

  Simulation& owner_;
  const RunFile file_;
  const SessionSettings settings_;
  std::optional<EnergyTable> energies_;
  const Provenance provenance_;
  std::optional<ResultWriter> writer_;
  std::unique_ptr<apps::App> workload_;  // of the settings, until it is attached
  std::vector<std::unique_ptr<Program>> programs_;
  std::unique_ptr<ProcessGroup> processes_;  // instead of the workload
  std::vector<std::unique_ptr<apps::TraceRecorder>> traces_;
  std::unique_ptr<Platform> platform_;
  std::optional<ScheduleRecorder> recorder_;  // the timelines of warps pass on to it
  std::optional<IntervalStatistics> intervals_;
  std::optional<RedundancyWatch> redundancy_;
  TraceWriter trace_;
  std::unique_ptr<Timeline> timeline_;
  std::vector<std::unique_ptr<WarpTimeline>> warp_timelines_;
  std::vector<SimulationClient*> clients_;

  const std::thread::id thread_ = std::this_thread::get_id();
  std::atomic<bool> stop_asked_{false};
  bool stepping_ = false;
  bool running_ = false;
  bool begun_ = false;
  std::optional<Watchdog> watchdog_;
  std::optional<TimeBreakdown> profile_;
  std::optional<std::vector<std::pair<std::string, double>>> shares_;  // of the profile, when it is over
  std::optional<sc_core::sc_time> next_look_;  // nothing: to be settled by the next step
  sc_core::sc_time reached_;                   // by run_until(); SystemC's own time stays at the last event
  std::chrono::steady_clock::duration spent_{0};  // of the host's time, in run()
  std::string limit_;                             // which one is reached
  bool out_of_time_ = false;
  bool starved_ = false;
  std::optional<Outcome> outcome_;                // since the run is over
  std::optional<nlohmann::ordered_json> result_;  // since end(), as is its text
  std::string text_;
};

}  // namespace warpvp
