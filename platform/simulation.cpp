// run_simulation: one run from its file to result.json.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "interconnect/policy_contract.h"
#include "platform/collect.h"
#include "platform/firmware_debugger.h"
#include "platform/host_heap.h"
#include "platform/platform.h"
#include "platform/results/json_stats.h"
#include "platform/results/result_writer.h"
#include "platform/results/text_table.h"
#include "platform/run.h"
#include "platform/schedule_recorder.h"
#include "platform/time_breakdown.h"
#include "platform/timeline.h"
#include "platform/watchdog.h"
#include "platform/workload.h"

namespace warpvp {

namespace {

/// Simulated time between two looks at the interrupt flag and the limits.
constexpr double kSliceMicroseconds = 2;

struct Outcome {
  ExitCode code = ExitCode::kOk;
  std::string message;  ///< what went wrong
  std::string detail;   ///< further lines of it
  std::string remark;   ///< what the app measured
  bool verified = false;
};

/// Drives the simulation to its end, whatever that is.
Outcome simulate(Platform& platform, const RunConfig& run, const RunRequest& request,
                 apps::AppResult& app_result, FirmwareDebugger* debugger) {
  using sc_core::sc_start;
  Outcome outcome;
  const auto interrupted = [&] { return request.interrupted && request.interrupted->load(); };
  const sc_core::sc_time slice(kSliceMicroseconds, sc_core::SC_US);
  const auto killed = [&] { return debugger && debugger->killed(); };
  const auto begin = std::chrono::steady_clock::now();
  // A debugger stops the firmware for as long as its user likes.
  std::optional<Watchdog> watchdog;
  if (!debugger) watchdog.emplace(platform, run.limits);
  std::string limit;  // which one is reached
  bool out_of_time = false;
  try {
    while (!platform.host().finished() && !platform.faults().faulted() && !interrupted() && !killed() &&
           limit.empty() && !out_of_time) {
      // At least up to the next event: a slice in which nothing happens would not move time.
      const sc_core::sc_time next =
          sc_core::sc_pending_activity() ? sc_core::sc_time_to_pending_activity() : sc_core::SC_ZERO_TIME;
      sc_start(std::max(slice, next), sc_core::SC_EXIT_ON_STARVATION);
      if (debugger) debugger->poll();
      if (sc_core::sc_get_status() == sc_core::SC_STOPPED) break;
      if (run.limits.cycles != 0 && platform.sm_clock().now() >= run.limits.cycles)
        limit = fmt::format("the limit of {} SM cycles (limits.cycles) is reached", run.limits.cycles);
      else if (watchdog && !platform.host().finished())
        limit = watchdog->look();
      out_of_time = run.limits.wall_seconds > 0 &&
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >
                        run.limits.wall_seconds;
      if (!sc_core::sc_pending_activity()) break;
    }
  } catch (const sc_core::sc_report& report) {
    // A module met what its contract excludes (an error response, say).
    DeviceFault fault;
    fault.what = report.get_msg_type() == std::string(kBrokenContract)
                     ? report.get_msg()
                     : fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
    platform.faults().raise(std::move(fault));
  }
  // A fault may be what ended a host program.
  if (std::exception_ptr failure = platform.host().failure(); failure && !platform.faults().faulted())
    std::rethrow_exception(failure);
  if (platform.faults().faulted()) {
    outcome.code = ExitCode::kDeviceFault;
    outcome.message = platform.faults().fault()->summary();
    outcome.detail = platform.faults().fault()->detail;
  } else if (platform.host().finished()) {
    outcome.verified = app_result.verified && app_result.checked;
    (app_result.verified ? outcome.remark : outcome.message) = app_result.message;
    if (!app_result.verified && app_result.checked) outcome.code = ExitCode::kResultDiffers;
  } else if (interrupted() || killed()) {
    outcome.code = ExitCode::kInterrupted;
    outcome.message = fmt::format("{} at SM cycle {}", killed() ? "ended by the debugger" : "interrupted",
                                  platform.sm_clock().now());
  } else if (out_of_time && limit.empty()) {
    outcome.code = ExitCode::kWallLimit;
    outcome.message =
        fmt::format("ended at SM cycle {}: the wall-clock limit of {} s (limits.wall_seconds) is reached",
                    platform.sm_clock().now(), run.limits.wall_seconds);
  } else {
    outcome.code = ExitCode::kDeviceFault;
    outcome.message =
        !limit.empty() ? limit : "deadlock: nothing on the device can make progress and the host still waits";
    outcome.detail = platform.describe_waiting();
    if (debugger) debugger->stop(outcome.message);
  }
  return outcome;
}

double peak_memory_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::string cell(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "-";
  if (value.is_number_unsigned()) return with_thousands(value.get<std::uint64_t>());
  if (value.is_number()) return fmt::format("{:.3f}", value.get<double>());
  return value.get<std::string>();
}

void print_summary(const nlohmann::ordered_json& result, const Outcome& outcome, const std::string& folder) {
  using Align = TextTable::Align;
  TextTable table;
  table.add_column("kernel", Align::kLeft);
  for (const char* title :
       {"stream", "CTAs", "start", "end", "response", "instructions", "IPC", "L1 hit", "L2 hit"})
    table.add_column(title);
  for (const auto& k : result["kernels"]) {
    const double l2 = k["l2"].value("accesses", 0.0);
    table.add_row({k["name"], cell(k["stream"]), cell(k["ctas"]), cell(k["start_cycle"]),
                   cell(k["end_cycle"]), cell(k["response_cycles"]), cell(k["warp_instructions"]),
                   k.contains("ipc") ? fmt::format("{:.2f}", k["ipc"].get<double>()) : "-",
                   k["l1"].contains("l1_hit_rate") && k["l1"]["l1_hit_rate"].is_number()
                       ? fmt::format("{:.1f}%", 100 * k["l1"]["l1_hit_rate"].get<double>())
                       : "-",
                   l2 > 0 ? fmt::format("{:.1f}%", 100 * k["l2"].value("hits", 0.0) / l2) : "-"});
  }
  std::fputs(table.text().c_str(), stdout);
  const auto& s = result["simulation"];
  fmt::print(
      "\n{} SM cycles ({} with kernels), {} warp instructions in {:.2f} s: {:.0f} kilo-warp-instructions/s\n",
      cell(s["cycles"]), cell(s["kernel_cycles"]), cell(s["warp_instructions"]),
      result["host"]["wall_seconds"].get<double>(),
      result["host"]["kilo_warp_instructions_per_second"].get<double>());
  if (outcome.code == ExitCode::kOk)
    fmt::print("{}\n", outcome.verified ? "results verified" : "results not checked");
  if (!outcome.remark.empty()) fmt::print("{}\n", outcome.remark);
  fmt::print("{}/result.json\n", folder);
  std::fflush(stdout);
}

}  // namespace

void visit_platform_config(FieldVisitor& visitor) {
  PlatformConfig config;
  config.fields(visitor);
}

ExitCode run_simulation(const RunRequest& request) {
  use_huge_pages();
  RunConfig run;
  PlatformConfig config;
  request.file.read(run, [&](FieldVisitor& v) { config.fields(v); });
  const Setting resolved = request.file.resolved(visit_platform_config, PrintStyle{true});
  ResultWriter writer(request.out);

  // Made before the clock starts: what is wrong with a workload or a policy is reported without a run.
  check_buffers_fit(run.workload, std::uint64_t{config.memory.capacity_mib - config.memory.local_mib} << 20);
  const std::unique_ptr<apps::App> app = make_workload(run, writer.folder().string());
  configure_time();
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO,
                                          sc_core::SC_DO_NOTHING);  // "Simulation stopped by user."
  Platform platform(
      "platform", config,
      [&](const std::string& text) {
        std::fputs(text.c_str(), stdout);
        std::fflush(stdout);
      },
      run.monitors, writer.folder());

  TraceWriter trace;
  std::unique_ptr<Timeline> timeline;
  if (run.trace.enabled) {
    trace.open((writer.folder() / run.trace.file).string());
    timeline = std::make_unique<Timeline>(trace, [&](std::uint32_t id) { return platform.launch(id).name; });
    platform.observe(timeline.get(), timeline.get());
  }

  std::optional<ScheduleRecorder> recorder;
  if (request.recording) {
    recorder.emplace(cycle_sm_config(config), config.sms, *request.recording);
    for (unsigned i = 0; i < config.sms; ++i)
      platform.sms()[i]->warps()->observe_issue(&recorder->observer(i));
  }

  apps::AppResult app_result;
  const apps::AppContext context =
      app_context(run);  // a program that is stopped never frees what its stack holds
  platform.add_program("main", [&](rt::Runtime& runtime) { app_result = app->run(runtime, context); });

  std::unique_ptr<FirmwareDebugger> debugger;
  if (request.debug) {
    debugger = std::make_unique<FirmwareDebugger>(platform, *request.debug, request.interrupted);
    fmt::print(stderr, "gdb: listening on 127.0.0.1:{}\n", debugger->port());
    std::fflush(stderr);
  }

  std::optional<TimeBreakdown> profile;
  if (run.profile) profile.emplace();
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = simulate(platform, run, request, app_result, debugger.get());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (debugger) debugger->finish(outcome.code);
  platform.finish();
  if (trace.on()) trace.finish();

  RunResult collected = collect(platform);
  collected.header = {outcome.code, outcome.message, outcome.verified, run.seed};
  collected.remark = outcome.remark;
  const double instructions = static_cast<double>(collected.totals.warp_instructions);
  collected.host = {seconds, seconds > 0 ? instructions / 1000 / seconds : 0, peak_memory_mib(), {}};
  if (profile) collected.host.time_shares = profile->stop();
  nlohmann::ordered_json result = stats_to_json(collected);
  result["config"] = to_json(resolved);
  writer.write_result(result);
  if (!request.quiet) print_summary(result, outcome, writer.folder().string());
  if (!outcome.message.empty()) fmt::print(stderr, "warpvp: {}\n", outcome.message);
  if (!outcome.detail.empty()) std::fputs(outcome.detail.c_str(), stderr);
  return outcome.code;
}

}  // namespace warpvp
