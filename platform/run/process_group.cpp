#include "platform/run/process_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/input_file.h"
#include "interconnect/host_interface.h"
#include "interconnect/sim_time.h"
#include "platform/collect/collect.h"
#include "platform/config/config_printer.h"
#include "platform/config/yaml_document.h"
#include "sw/apps/application_trace.h"
#include "sw/runtime/context_fault.h"

namespace warpvp {

namespace {

/// What a process runs, with a digest of all that decides what that is.
std::string key_of(const ProcessConfig& config) {
  if (config.app.name.empty()) {
    const ApplicationFile& file = config.application.application;
    std::uint64_t sum = digest(read_input_file(file.path, input_limit::kYaml));
    if (!file.profiles.empty()) sum = digest(read_input_file(file.profiles, input_limit::kYaml), sum);
    if (!file.rates.file.resolved.empty())
      sum = digest(read_input_file(file.rates.file.resolved, input_limit::kYaml), sum);
    return fmt::format("{}#{:016x}", config.application.file.written, sum);
  }
  ProcessConfig alike;
  alike.app = config.app;
  ConfigPrinter printer(PrintStyle{});
  alike.fields(printer);
  std::uint64_t sum = digest(to_yaml(printer.tree()));
  for (const std::string& file : Registry<apps::App>::instance().make(config.app)->files())
    sum = digest(read_input_file(file, input_limit::kData), sum);
  return fmt::format("{}#{:016x}", config.app.name, sum);
}

}  // namespace

ProcessGroup::ProcessGroup(const RunConfig& run, const apps::AppContext& context, std::string platform_digest)
    : workload_(run.workload), context_(context), platform_digest_(std::move(platform_digest)) {
  for (const ProcessConfig& config : workload_.all_processes()) {
    Process process;
    process.config = config;
    process.key = key_of(config);
    if (workload_.cpu_scale != 1 && config.app.name.empty())
      process.key += fmt::format("@cpu{}", print_double(workload_.cpu_scale));
    if (!workload_.cpu_rates.stated() && config.app.name.empty())
      process.key += "@" + workload_.cpu_rates.text();
    process.like = processes_.size();
    for (std::size_t i = processes_.size(); i-- > 0;)
      if (processes_[i].key == process.key) process.like = i;
    process.handles_faults = make(process)->handles_faults();  // its parameters are looked at, too
    processes_.push_back(std::move(process));
  }
  if (workload_.alone == "file") read_alone_times(workload_.alone_times);
}

std::unique_ptr<apps::App> ProcessGroup::make(const Process& process) const {
  if (!process.config.app.name.empty()) return Registry<apps::App>::instance().make(process.config.app);
  return std::make_unique<apps::TracePlayer>(process.config.application.application.trace,
                                             workload_.cpu_scale);
}

void ProcessGroup::read_alone_times(const PathValue& file) {
  const Setting tree = load_yaml_file(file.resolved);
  const Setting* platform = tree.find("platform");
  const Setting* times = tree.find("alone_us");
  const std::string remedy = "; a run with alone: only makes such a file";
  if (!platform || !platform->is_scalar() || !times || !times->is_mapping())
    throw InputError(fmt::format("{}: no 'platform' or no 'alone_us'{}", tree.place, remedy));
  if (platform->text != platform_digest_)
    throw InputError(fmt::format("{}: these are times of another platform ({}; this one is {}){}",
                                 platform->place, platform->text, platform_digest_, remedy));
  for (Process& process : processes_) {
    const Setting* time = times->find(process.key);
    double parsed = 0;
    if (!time)
      throw InputError(
          fmt::format("{}: no time of {}, as it is now{}", times->place, process.config.what(), remedy));
    if (!time->is_scalar() || !parse_double(time->text, parsed) || !(parsed > 0))
      throw InputError(fmt::format("{}: '{}'; allowed: a time above 0", time->place, time->text));
    process.alone_us = parsed;
  }
}

void ProcessGroup::wait_for(const std::function<bool()>& condition) {
  while (!condition()) sc_core::wait(*changed_);
}

apps::AppResult ProcessGroup::execute(Process& process, ProcessExecution::Kind kind,
                                      rt::ProcessRuntime& device, const Call* call) {
  const ProcessExecution execution = {process.config.name, process.context, process.config.priority, kind,
                                      device.host().now()};
  if (observer_) observer_->process_begin(execution);
  const auto body = [&](rt::Runtime& runtime) {
    if (process.config.deadline_us == 0) return make(process)->run(runtime, context_);
    rt::RequestRuntime requests(runtime, process.config.name, process.config.deadline_us);
    apps::AppResult of_app;
    try {
      of_app = make(process)->run(requests, context_);
      requests.synchronize();
    } catch (const rt::RequestRejected& rejected) {  // that the program has no use for
      of_app.message = rejected.what();
    }
    process.requests = requests.counts();
    return of_app;
  };
  device.reset_traffic();
  apps::AppResult result;
  try {
    result = call ? (*call)(process.config.name, device, body) : body(device);
    device.synchronize();
  } catch (const rt::ContextFault& fault) {
    process.fault = fault.what();
    result = {};
    result.checked = false;
  }
  device.free_all();
  if (observer_) observer_->process_end(execution);
  return result;
}

void ProcessGroup::run(std::size_t index, Platform& platform, rt::Runtime& device, apps::AppResult& result,
                       const Call& call, const std::function<void()>& on_over) {
  if (!changed_) changed_ = std::make_unique<sc_core::sc_event>();
  Process& process = processes_[index];
  wait_for([&] { return next_context_ == index; });
  process.context = device.create_context();
  ++next_context_;
  changed();
  rt::ProcessRuntime own(device, process.context, process.config.priority);
  result.checked = false;

  if (workload_.alone == "measure" || workload_.alone == "only") {
    // Each has made its streams before the first one runs, so that nobody's setting up is in its way.
    ++ready_;
    changed();
    wait_for([&] { return ready_ >= processes_.size() && next_alone_ == index; });
    if (process.like == index) {
      const SimTime from = device.host().now();
      result =
          execute(process, ProcessExecution::Kind::kAlone, own, workload_.alone == "only" ? &call : nullptr);
      if (process.fault.empty()) process.alone_us = (device.host().now() - from).to_us();
    } else {
      process.alone_us = processes_[process.like].alone_us;
    }
    ++next_alone_;
    changed();
    if (workload_.alone == "only") return;
    if (!process.fault.empty()) return end_once(platform, on_over);
    wait_for([&] { return next_alone_ == processes_.size(); });
  } else {
    ++ready_;
    changed();
    wait_for([&] { return ready_ == processes_.size(); });
  }
  if (!at_start_) at_start_ = usage_of(platform);
  for (std::size_t i = 0; i < index; ++i) sc_core::wait(sc_core::SC_ZERO_TIME);  // in the order of processes
  if (process.config.arrival_us > 0) device.host().sleep(SimTime::from_us(process.config.arrival_us));

  while (true) {
    const SimTime from = device.host().now();
    const bool first = process.executions == 0;
    if (first) process.arrived = from;
    const apps::AppResult now =
        execute(process, first ? ProcessExecution::Kind::kFirst : ProcessExecution::Kind::kAgain, own,
                first ? &call : nullptr);
    if (first || (now.checked && !now.verified && result.verified)) result = now;
    if (first) process.traffic = own.traffic(), process.first_requests = process.requests;
    if (!process.fault.empty()) return first ? end_once(platform, on_over) : void();
    ++process.executions;
    if (first) {
      process.ended = device.host().now();
      end_once(platform, on_over);
    }
    if (over_) return first ? void() : on_over();
    if (workload_.replay == "once") return;
  }
}

void ProcessGroup::end_once(Platform& platform, const std::function<void()>& on_over) {
  over_ = ++ended_once_ == processes_.size();
  if (!over_) return;
  at_end_ = usage_of(platform);
  on_over();
}

bool ProcessGroup::contains_faults_of(unsigned context) const {
  for (const Process& process : processes_)
    if (context != 0 && process.context == context) return processes_.size() > 1 || process.handles_faults;
  return false;
}

std::string ProcessGroup::name_of(unsigned context) const {
  for (const Process& process : processes_)
    if (context != 0 && process.context == context) return process.config.name;
  return {};
}

ProcessGroup::Usage ProcessGroup::usage_of(Platform& platform) {
  settle(platform);
  Usage usage;
  usage.time_us = sc_core::sc_time_stamp().to_seconds() * 1e6;
  for (const auto& sm : platform.sms()) usage.sm_cycles += static_cast<double>(sm->counters().active_cycles);
  for (const auto& engine : platform.dma()) {
    const DmaStats stats = engine->statistics();
    usage.to_device_us += stats.to_device_busy_us;
    usage.to_host_us += stats.to_host_busy_us;
  }
  return usage;
}

std::vector<ProcessResult> ProcessGroup::results(Platform& platform,
                                                 const std::vector<const apps::AppResult*>& checks) const {
  std::vector<ProcessResult> results;
  for (const Process& process : processes_) {
    ProcessResult result;
    result.fault = process.fault;
    result.state = !process.fault.empty() ? "faulted" : process.executions != 0 ? "finished" : "running";
    if (process.fault.empty() && process.executions == 0 && workload_.alone == "only" && process.alone_us)
      result.state = "finished";
    const apps::AppResult& check = *checks.at(results.size());
    result.verified = platform.computes() && result.state == "finished" && check.checked && check.verified;
    result.name = process.config.name;
    result.application = process.config.what();
    result.context = process.context;
    result.priority = process.config.priority;
    result.arrival_us = process.config.arrival_us;
    result.alone_us = process.alone_us;
    result.requests = process.first_requests;
    result.executions = process.executions;
    if (process.arrived && process.ended) result.turnaround_us = (*process.ended - *process.arrived).to_us();
    result.copies_to_device = process.traffic.copies_to_device;
    result.copies_to_host = process.traffic.copies_to_host;
    result.bytes_to_device = process.traffic.bytes_to_device;
    result.bytes_to_host = process.traffic.bytes_to_host;
    results.push_back(std::move(result));
  }
  // Of first executions together; with `alone: only`, of those alone.
  const bool only = workload_.alone == "only";
  for (const KernelRecord& record : platform.distributor().records()) {
    const rt::LaunchInfo& info = platform.launch(record.launch_id);
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      const Process& process = processes_[i];
      if (process.context != info.context || !record.finished() || record.first_cta == kNever) continue;
      const bool first = process.arrived && *process.arrived <= info.enqueued &&
                         (!process.ended || info.enqueued < *process.ended);
      if (!first && !only) continue;
      ProcessResult& result = results[i];
      const double took = (record.ended_at - record.first_cta_at).to_seconds() * 1e6;
      if (process.arrived) {
        const double waited = record.first_cta_at.to_seconds() * 1e6 - process.arrived->to_us();
        result.response_us = std::min(result.response_us.value_or(waited), waited);
      }
      ++result.launches;
      result.kernel_us += took;
      result.launch_us.push_back((to_sim_time(record.ended_at) - info.enqueued).to_seconds() * 1e6);
      auto kernel = std::find_if(result.kernels.begin(), result.kernels.end(),
                                 [&](const ProcessKernelResult& k) { return k.name == info.entry; });
      if (kernel == result.kernels.end()) kernel = result.kernels.insert(kernel, {info.entry});
      ++kernel->launches;
      kernel->ctas += record.ctas;
      kernel->execution_us += took;
    }
  }
  return results;
}

MultiprogramResult ProcessGroup::together(Platform& platform) const {
  MultiprogramResult result;
  if (!at_start_) return result;
  const Usage end = at_end_ ? *at_end_ : usage_of(platform);
  result.time_us = end.time_us - at_start_->time_us;
  if (result.time_us > 0) {
    const double cycles = result.time_us * platform.config().sm_clock_mhz * platform.config().sms;
    result.sm_occupancy = (end.sm_cycles - at_start_->sm_cycles) / cycles;
    result.to_device_occupancy = (end.to_device_us - at_start_->to_device_us) / result.time_us;
    result.to_host_occupancy = (end.to_host_us - at_start_->to_host_us) / result.time_us;
  }
  std::vector<ProgramTimes> times;
  double sum = 0;
  for (const Process& process : processes_) {
    if (!process.arrived || !process.ended) return result;
    const double took = (*process.ended - *process.arrived).to_us();
    sum += took;
    if (process.alone_us && *process.alone_us > 0 && took > 0) times.push_back({*process.alone_us, took});
  }
  result.turnaround_us = sum / static_cast<double>(processes_.size());
  if (times.size() == processes_.size()) result.metrics = MultiprogramMetrics::of(times);
  return result;
}

std::string ProcessGroup::alone_yaml() const {
  Setting times = Setting::mapping();
  if (workload_.alone == "measure" || workload_.alone == "only")
    for (const Process& process : processes_)
      if (process.alone_us) times.put(process.key, Setting::scalar(print_double(*process.alone_us)));
  if (times.entries.empty()) return "";
  Setting tree = Setting::mapping();
  tree.put("platform", Setting::string(platform_digest_));
  tree.put("alone_us", std::move(times));
  return "# Turnaround times of applications with the device to themselves, for workload.alone_times.\n" +
         to_yaml(tree);
}

}  // namespace warpvp
