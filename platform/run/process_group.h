#pragma once
// The processes of a run: each alone first if the settings say so, then all together, and again those that
// end early (Tuck and Tullsen, PACT 2003; CUsched, section IV-A). Runs in the host's threads; says when all
// have ended once.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "platform/build/platform.h"
#include "platform/collect/process_result.h"
#include "platform/config/run_config.h"
#include "platform/observe/process_observer.h"
#include "sw/apps/app.h"
#include "sw/runtime/process_runtime.h"

namespace warpvp {

class ProcessGroup {
 public:
  /// Calls the app with the runtime it is given, perhaps with a record of its calls in between.
  using Call = std::function<apps::AppResult(const std::string& name, rt::Runtime&,
                                             const std::function<apps::AppResult(rt::Runtime&)>&)>;

  /// What is referred to outlives it. `platform_digest` is of the settings that decide how long a process
  /// takes alone. InputError for what is wrong with apps' parameters or the file of times.
  ProcessGroup(const RunConfig& run, const apps::AppContext& context, std::string platform_digest);

  /// nullptr: nobody. It outlives the group or is taken back.
  void set_observer(ProcessObserver* observer) { observer_ = observer; }
  std::size_t size() const { return processes_.size(); }
  const std::string& name(std::size_t process) const { return processes_[process].config.name; }
  /// The host program of a process; `result` gets what came of its first execution, or of the first one that
  /// was wrong. `on_over` is called when nothing of what still runs is wanted any more.
  void run(std::size_t process, Platform& platform, rt::Runtime& device, apps::AppResult& result,
           const Call& call, const std::function<void()>& on_over);

  /// Whether a fault of that context is to end its process alone: it is that of one of several, or of one
  /// that wants to be told.
  bool contains_faults_of(unsigned context) const;
  /// The name of that context's process; empty: it is none's.
  std::string name_of(unsigned context) const;

  /// All have ended once, or by a fault.
  bool over() const { return over_; }
  std::vector<ProcessResult> results(Platform& platform,
                                     const std::vector<const apps::AppResult*>& checks) const;
  MultiprogramResult together(Platform& platform) const;
  /// Of the times alone that were measured, for `alone_times`; empty: none were.
  std::string alone_yaml() const;

 private:
  struct Process {
    ProcessConfig config;
    std::string key;       ///< what it runs, for times alone
    std::size_t like = 0;  ///< the first process that runs the same
    bool handles_faults = false;
    unsigned context = 0;
    std::optional<double> alone_us;
    std::optional<SimTime> arrived, ended;  ///< first execution together
    std::uint64_t executions = 0;
    std::string fault;  ///< that has ended it
    rt::ProcessRuntime::Traffic traffic;
    std::optional<rt::RequestCounts> requests;  ///< of the execution that ended last
    std::optional<rt::RequestCounts> first_requests;
  };
  /// Of the device, at one time.
  struct Usage {
    double time_us = 0, sm_cycles = 0, to_device_us = 0, to_host_us = 0;
  };

  std::unique_ptr<apps::App> make(const Process& process) const;
  void read_alone_times(const PathValue& file);
  void wait_for(const std::function<bool()>& condition);
  void changed() { changed_->notify(sc_core::SC_ZERO_TIME); }
  apps::AppResult execute(Process& process, ProcessExecution::Kind kind, rt::ProcessRuntime& device,
                          const Call* call);
  static Usage usage_of(Platform& platform);
  /// One more has ended once.
  void end_once(Platform& platform, const std::function<void()>& on_over);

  const WorkloadConfig& workload_;
  const apps::AppContext context_;
  const std::string platform_digest_;
  ProcessObserver* observer_ = nullptr;
  std::vector<Process> processes_;
  std::unique_ptr<sc_core::sc_event> changed_;
  std::size_t next_context_ = 0;  ///< process whose turn it is to get one
  std::size_t next_alone_ = 0;    ///< process whose turn it is to run alone
  std::size_t ready_ = 0;
  std::size_t ended_once_ = 0;
  bool over_ = false;
  std::optional<Usage> at_start_, at_end_;
};

}  // namespace warpvp
