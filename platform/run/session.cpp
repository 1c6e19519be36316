// The session: how it is built, and how it runs.

#include "platform/run/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/end_guard.h"
#include "interconnect/outstanding.h"
#include "platform/guard/surroundings.h"
#include "platform/observe/instruction_file.h"
#include "platform/run/host_heap.h"
#include "platform/run/reported_fault.h"
#include "platform/run/run.h"
#include "platform/run/sampled_run.h"
#include "platform/run/workload.h"

namespace warpvp {

using sc_core::sc_time;

namespace {

/// Simulated time between two looks at the limits, the watchdog, clients and stop() of other threads. SMs
/// that compute nothing simulate far more time a second, and have no loops that a look could find spinning.
constexpr double kStepMicroseconds = 2, kStepWithoutComputing = 50;

/// Until the next event; zero before the simulation has begun, and when there is none.
sc_time to_next_event() {
  return sc_core::sc_pending_activity() ? sc_core::sc_time_to_pending_activity() : sc_core::SC_ZERO_TIME;
}

SessionSettings read_settings(const RunFile& file) {
  constexpr auto kOptional = RunFile::Workload::kOptional;
  SessionSettings settings;
  settings.resolved = file.resolved([&](FieldVisitor& v) { settings.platform.fields(v); }, PrintStyle{true},
                                    &settings.run, kOptional);
  return settings;
}

/// Of contexts 1, 2, .., where the work distributor's policy is `token`.
std::optional<std::vector<std::uint32_t>> tokens_of(const Setting& resolved) {
  const Setting* at = &resolved;
  for (const char* key : {"platform", "work_distributor", "policy"})
    if (at != nullptr) at = at->find(key);
  if (at == nullptr) return {};
  const Setting* const name = at->is_mapping() ? at->find("name") : at;
  if (name == nullptr || !name->is_scalar() || name->text != "token") return {};
  std::vector<std::uint32_t> tokens;
  if (const Setting* const given = at->is_mapping() ? at->find("tokens") : nullptr)
    for (const Setting& each : given->items) {
      std::uint64_t number = 0;
      parse_unsigned(each.text, number);
      tokens.push_back(static_cast<std::uint32_t>(number));
    }
  return tokens;
}

bool has_workload(const RunConfig& run) {
  return !run.workload.app.name.empty() || run.workload.is_launch_list() || run.workload.has_processes() ||
         run.workload.job_stream.given();
}

}  // namespace

SimulationSession::SimulationSession(Simulation& owner, const RunFile& file, const SimulationOptions& options)
    : owner_(owner),
      file_(file),
      settings_(read_settings(file)),
      provenance_(provenance_of_process(file.platform_origin())) {
  use_huge_pages();
  const RunConfig& run = settings_.run;
  check_run_can_be_sampled(settings_.platform, run);
  if (run.output.redundancy) check_redundancy_can_be_watched(settings_.platform);
  if (run.energy.given()) energies_ = read_energy_table(run.energy.table, result_reference());
  if (!options.folder.empty()) writer_.emplace(options.folder);
  // Made before the platform: what is wrong with a workload is reported without one.
  if (has_workload(run)) {
    check_fit(run);
    if (run.workload.has_processes()) {
      check_applications_fit(run.workload.all_processes(), settings_.platform.sm.resources);
      processes_ = std::make_unique<ProcessGroup>(settings_.run, app_context(run), platform_digest());
    } else {
      check_jobs_fit(run.workload, settings_.platform.command_processor.queues);
      check_job_stream_fits(run.workload.job_stream, settings_.platform.command_processor.queues);
      workload_ = make_workload(run, options.folder, settings_.platform.sm_clock_mhz);
    }
  }
  if (!context_.take())
    throw SimulationMisuse(
        "a process has one simulation at a time: SystemC has one simulation context, and another Simulation "
        "has it, or shared it with modules that are still there");
  configure_time();
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO,
                                          sc_core::SC_DO_NOTHING);  // "Simulation stopped by user."
  // A step in which nothing was due is no news for whoever reads the program's output.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
  std::function<void(const std::string&)> print = options.print;
  if (!print)
    print = [](const std::string& text) {
      std::fputs(text.c_str(), stdout);
      std::fflush(stdout);
    };
  platform_ = std::make_unique<Platform>("platform", settings_.platform, std::move(print), run.monitors,
                                         options.folder, run.seed);
  DeviceView view;
  view.rests = [this] { return device_rests(*platform_); };
  view.memory = &platform_->memory();
  view.may_hold = [this] { return wants_watchdog() && !stop_asked_ && !EndGuard::of_process().ending(); };
  view.queues = settings_.platform.command_processor.queues;
  view.local_bytes = std::uint64_t{settings_.platform.memory.local_mib} << 20;
  view.properties = platform_->properties();
  platform_->host().see_device(view);
  if (run.output.instructions) profile_instructions(*platform_);
  if (energies_ && energies_->charges("kernels.executed")) count_executed(*platform_);
  if (run.output.intervals.cycles != 0) intervals_.emplace(*platform_, run.output.intervals, options.folder);
  if (run.trace.enabled) open_timeline(options.folder);
}

void SimulationSession::open_timeline(const std::string& folder) {
  const TraceConfig& config = settings_.run.trace;
  const std::vector<unsigned> sms = config.warps.of(settings_.platform.sms);
  if (!sms.empty() && platform_->sms()[sms[0]]->warps() == nullptr)
    throw InputError(fmt::format("{}{}'trace.warps': SMs of type {} have no warps to show",
                                 config.warps.place, config.warps.place.empty() ? "" : ": ",
                                 settings_.platform.sm.type.name));
  constexpr double kPsPerUs = 1e6;
  trace_.set_window(
      static_cast<std::uint64_t>(config.start_us * kPsPerUs),
      config.end_us > 0 ? static_cast<std::uint64_t>(config.end_us * kPsPerUs) : TraceWriter::kForEver);
  trace_.set_limit(std::uint64_t{config.limit_mib} << 20);
  trace_.open((std::filesystem::path(folder) / config.file).string());
  const auto owner_of = [this](std::uint64_t address) {
    const auto range = platform_->memory().range_of(address);
    return range && range->context != 0 ? std::to_string(range->context) : std::string();
  };
  timeline_ = std::make_unique<Timeline>(
      trace_,
      Timeline::Names{[this](std::uint32_t id) { return platform_->launch(id).name; },
                      [this](std::uint32_t id) { return platform_->launch(id).context; }, owner_of},
      config.ctas == "true" || (config.ctas == "auto" && platform_->computes()));
  if (const auto tokens = tokens_of(settings_.resolved)) timeline_->show_tokens(*tokens);
  platform_->observe(timeline_.get(), timeline_.get(), &timeline_->copies(), &timeline_->copies());
  if (processes_) processes_->set_observer(timeline_.get());
  if (intervals_)
    intervals_->show_to(
        [this](const IntervalStatistics::Row& row) { timeline_->interval(intervals_->columns(), row); });
}

/// Once those who take the place of an observer have come.
void SimulationSession::watch_warps() {
  for (const unsigned sm : settings_.run.trace.warps.of(settings_.platform.sms))
    warp_timelines_.push_back(
        std::make_unique<WarpTimeline>(trace_, *platform_->sms()[sm]->warps(), sm, platform_->sm_clock()));
}

void SimulationSession::require_between_steps(const char* call) const {
  if (std::this_thread::get_id() != thread_)
    throw SimulationMisuse(fmt::format(
        "Simulation::{} was called by another thread than the session's; only stop() may be", call));
  if (stepping_)
    throw SimulationMisuse(fmt::format(
        "Simulation::{} was called while a step is under way; host programs may call stop() only", call));
}

void SimulationSession::require_not_begun(const char* call) const {
  require_between_steps(call);
  if (begun_ || over())
    throw SimulationMisuse(fmt::format("Simulation::{} was called after the first run()", call));
}

void SimulationSession::add_program(const std::string& name,
                                    std::function<apps::AppResult(rt::Runtime&)> program) {
  programs_.push_back(std::make_unique<Program>());
  Program& entry = *programs_.back();
  entry.name = name;
  platform_->add_program(
      name, [&entry, program = std::move(program)](rt::Runtime& device) { entry.result = program(device); });
}

void SimulationSession::check_fit(const RunConfig& run) const {
  const DeviceMemoryConfig& memory = settings_.platform.memory;
  check_buffers_fit(run.workload, std::uint64_t{memory.capacity_mib - memory.local_mib} << 20);
}

void SimulationSession::attach_app(const std::string& name, const RunConfig& run,
                                   std::unique_ptr<apps::App> app) {
  programs_.push_back(std::make_unique<Program>());
  Program& entry = *programs_.back();
  entry.name = name;
  entry.app = std::move(app);
  entry.context = app_context(run);
  entry.context.statistic = [this](const std::string& key) { return statistic_now(key); };
  platform_->add_program(name, [this, &entry](rt::Runtime& device) {
    entry.result = call_recorded(entry.name, device, [&entry](rt::Runtime& runtime) {
      return entry.app->run(runtime, entry.context);
    });
  });
}

apps::AppResult SimulationSession::call_recorded(const std::string& name, rt::Runtime& device,
                                                 const std::function<apps::AppResult(rt::Runtime&)>& body) {
  if (!settings_.run.output.applications) return body(device);
  traces_.push_back(std::make_unique<apps::TraceRecorder>(
      device, name, [this]() -> const rt::LaunchInfo& { return platform_->launches().back(); }));
  return body(*traces_.back());
}

void SimulationSession::attach_processes() {
  platform_->contain_faults([this](unsigned context) { return processes_->contains_faults_of(context); });
  for (std::size_t i = 0; i < processes_->size(); ++i) {
    programs_.push_back(std::make_unique<Program>());
    Program& entry = *programs_.back();
    entry.name = processes_->name(i);
    platform_->add_program(entry.name, [this, i, &entry](rt::Runtime& device) {
      processes_->run(
          i, *platform_, device, entry.result,
          [this](const std::string& name, rt::Runtime& runtime,
                 const std::function<apps::AppResult(rt::Runtime&)>& body) {
            return call_recorded(name, runtime, body);
          },
          [] { sc_core::sc_pause(); });
    });
  }
}

/// Of what decides how long a process takes alone: all of the platform but who shares it how.
std::string SimulationSession::platform_digest() const {
  const Setting* platform = settings_.resolved.find("platform");
  if (!platform) return "";
  Setting rest = *platform;
  rest.remove("work_distributor");
  // As if there were no windows, where there are none.
  if (Setting* evaluation = rest.find("evaluation"); evaluation && settings_.platform.evaluation.window == 1)
    evaluation->remove("window");
  if (!settings_.platform.sampling.on()) rest.remove("sampling");  // nor samples
  if (Setting* sm = rest.find("sm"))
    sm->remove("profiles");  // applications' times have a digest of their own
  return fmt::format("{:016x}", digest(to_yaml(rest)));
}

void SimulationSession::attach_file_workload() {
  if (!has_workload(settings_.run) && platform_->host().has_own_program()) return;
  if (!has_workload(settings_.run))
    throw InputError(
        "nothing to run: the settings have no 'workload'; give it 'app', 'launches', 'jobs', 'job_stream', "
        "'steps' or 'processes'");
  if (processes_) {
    if (!programs_.empty())
      throw SimulationMisuse("Simulation::attach_workload(): processes and other programs");
    return attach_processes();
  }
  if (!workload_) throw SimulationMisuse("Simulation::attach_workload() was called twice");
  attach_app("main", settings_.run, std::move(workload_));
}

void SimulationSession::attach_other_workload(const std::string& name, const std::string& yaml) {
  RunFile file = file_;
  file.assign({{"workload", parse_yaml(yaml, "workload " + name, ".")}});
  RunConfig run;
  PlatformConfig config;
  file.read(run, [&](FieldVisitor& v) { config.fields(v); });
  check_fit(run);
  attach_app(name, run, make_workload(run, writer_ ? writer_->folder().string() : "", config.sm_clock_mhz));
}

void SimulationSession::record(Recording& recording) {
  recorder_.emplace(cycle_sm_config(settings_.platform), settings_.platform.sms, recording);
  for (unsigned i = 0; i < settings_.platform.sms; ++i)
    platform_->sms()[i]->warps()->observe_issue(&recorder_->observer(i));
}

void SimulationSession::stop() {
  stop_asked_ = true;
  // Within a step the process that calls is SystemC's, which then ends the step.
  if (std::this_thread::get_id() == thread_ && stepping_) sc_core::sc_pause();
}

bool SimulationSession::wants_watchdog() const {
  return std::none_of(clients_.begin(), clients_.end(),
                      [](const SimulationClient* client) { return client->device_may_wait(); });
}

void SimulationSession::begin() {
  if (begun_) return;
  begun_ = true;
  if (settings_.run.output.redundancy) redundancy_.emplace(*platform_);
  if (timeline_) watch_warps();
  watchdog_.emplace(*platform_, settings_.run.limits);
  if (settings_.run.profile) {
    for (ClockDomain* clock : platform_->clocks()) clock->count_visits();
    profile_.emplace();
  }
}

/// Nothing more happens before `time`, or at it.
bool SimulationSession::reached(const sc_time& time) const {
  const sc_time stamp = sc_core::sc_time_stamp();
  return stamp >= time || (sc_core::sc_pending_activity() && to_next_event() > time - stamp);
}

Halt SimulationSession::run_until(std::optional<sc_time> until) {
  if (over()) return Halt::kEnded;
  if (running_) throw SimulationMisuse("Simulation::run() was called by one of its own clients");
  if (programs_.empty() && !platform_->host().has_own_program())
    throw SimulationMisuse(
        "Simulation::run(): no host program is attached, and the host has none of its own");
  begin();
  const Running running(*this);
  while (true) {
    if (platform_->host().finished() || processes_over() || platform_->faults().faulted()) return conclude();
    if (stop_asked_.exchange(false)) return Halt::kStopped;
    const bool stopped = sc_core::sc_get_status() == sc_core::SC_STOPPED;
    if (stopped || starved_ || out_of_time_ || !limit_.empty()) return conclude();
    if (until && reached(*until)) {
      reached_ = std::max(reached_, *until);
      return Halt::kTime;
    }
    step(until);
    const double most = settings_.run.limits.wall_seconds;
    out_of_time_ = (most > 0 && running.seconds() > most) || EndGuard::of_process().limit_passed();
  }
}

void SimulationSession::step(const std::optional<sc_time>& until) {
  const sc_time stamp = sc_core::sc_time_stamp();
  // The times of looks do not depend on where run_until() stops in between, so a run that one of them ends
  // does so at the same cycle however it is sliced. At least up to the next event: a step in which nothing
  // happens would not move time.
  if (!next_look_) {
    const double pause = platform_->computes() ? kStepMicroseconds : kStepWithoutComputing;
    next_look_ = stamp + std::max(sc_time(pause, sc_core::SC_US), to_next_event());
  }
  sc_time end = until ? std::min(*until, *next_look_) : *next_look_;
  if (intervals_) {
    take_intervals(end);
    end = std::min(end, intervals_->due());
  }
  if (!advance(end - stamp)) return;
  for (std::size_t i = 0; i < clients_.size(); ++i) clients_[i]->between_steps(owner_);
  if (sc_core::sc_get_status() == sc_core::SC_STOPPED || platform_->host().finished()) return;
  starved_ = !sc_core::sc_pending_activity();
  if (starved_ || reached(*next_look_)) look();
}

/// False: a module has reported an error, which is now a fault.
bool SimulationSession::advance(const sc_time& duration) {
  struct Stepping {
    bool& flag;
    explicit Stepping(bool& f) : flag(f) { flag = true; }
    ~Stepping() { flag = false; }
  } stepping(stepping_);
  try {
    sc_core::sc_start(duration, sc_core::SC_EXIT_ON_STARVATION);
    return true;
  } catch (const sc_core::sc_report& report) {
    platform_->faults().raise(reported_fault(report));
    return false;
  }
}

/// Those that are over before anything happens; time is about to move on, to `end` at most.
void SimulationSession::take_intervals(const sc_time& end) {
  while (intervals_->due() <= end && sc_core::sc_pending_activity() && reached(intervals_->due()))
    intervals_->take(sc_core::sc_time_stamp() + to_next_event());
}

void SimulationSession::look() {
  next_look_.reset();
  const LimitsConfig& limits = settings_.run.limits;
  if (limits.cycles != 0 && platform_->sm_clock().now() >= limits.cycles) {
    limit_ = fmt::format("the limit of {} SM cycles (limits.cycles) is reached", limits.cycles);
  } else if (!platform_->host().finished() && wants_watchdog()) {
    limit_ = watchdog_->look();
  }
}

}  // namespace warpvp
