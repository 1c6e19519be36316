// The session: how it ends, and what it says of itself.

#include <fmt/format.h>

#include <algorithm>

#include "platform/collect/block_visits.h"
#include "platform/collect/collect.h"
#include "platform/observe/instruction_file.h"
#include "platform/results/json_stats.h"
#include "platform/run/account.h"
#include "platform/run/host_heap.h"
#include "platform/run/session.h"
#include "platform/run/statistic.h"
#include "platform/run/workload.h"
#include "sw/runtime/device_hang.h"

namespace warpvp {

Halt SimulationSession::conclude() {
  // A fault may be what ended a host program.
  if (std::exception_ptr failure = platform_->host().failure(); failure && !platform_->faults().faulted()) {
    try {
      std::rethrow_exception(failure);
    } catch (const rt::DeviceHang& hang) {
      end_stuck(hang.what());
      return Halt::kEnded;
    } catch (const std::exception& error) {
      outcome_ = Outcome{exit_code_of(error), error.what(), {}, {}, false};
      throw;
    }
  }
  outcome_.emplace();
  if (platform_->faults().faulted()) {
    outcome_->code = ExitCode::kDeviceFault;
    outcome_->message = platform_->faults().fault()->summary();
    outcome_->detail = platform_->faults().fault()->detail;
  } else if (platform_->host().finished() || processes_over()) {
    outcome_ = finished();
  } else if (out_of_time_ && limit_.empty()) {
    outcome_->code = ExitCode::kWallLimit;
    outcome_->message =
        fmt::format("ended at SM cycle {}: the wall-clock limit of {} s (limits.wall_seconds) is reached",
                    platform_->sm_clock().now(), settings_.run.limits.wall_seconds);
  } else {
    end_stuck(!limit_.empty() ? limit_
                              : "deadlock: nothing on the device can make progress and the host still waits");
  }
  return Halt::kEnded;
}

/// The run cannot go on for a reason that no single place on the device stands for.
void SimulationSession::end_stuck(const std::string& why) {
  outcome_.emplace();
  outcome_->code = ExitCode::kDeviceFault;
  // What has been unanswered for a good part of the time that nothing moved may be why.
  const double us = settings_.run.limits.progress_us / 2;
  const std::string waits = describe_unanswered(
      *platform_, starved_ ? sc_core::SC_ZERO_TIME : sc_core::sc_time(us, sc_core::SC_US));
  outcome_->message = waits.empty() ? why : why + "; " + waits;
  outcome_->detail = (watchdog_ ? watchdog_->proof() : std::string()) + describe();
  for (SimulationClient* client : clients_) client->stuck(owner_, why);
}

/// All host programs have ended: what came of them. With several, each line says whose it is.
Outcome SimulationSession::finished() const {
  Outcome outcome;
  const bool computes = platform_->computes();
  const decltype(outcome.measured) kNothing;
  unsigned checked = 0, differing = 0;
  for (const auto& program : programs_) {
    const apps::AppResult& result = program->result;
    checked += result.checked;
    differing += computes && result.checked && !result.verified;
    for (const auto& [name, value] : computes || !result.checked ? result.measured : kNothing)
      outcome.measured.emplace_back(programs_.size() > 1 ? program->name + "." + name : name, value);
    // What a program says of results that nobody has computed is nothing to tell.
    if (result.message.empty() || (!computes && !result.verified)) continue;
    std::string& lines = result.verified ? outcome.remark : outcome.message;
    if (!lines.empty()) lines += "; ";
    lines += programs_.size() > 1 ? program->name + ": " + result.message : result.message;
  }
  outcome.computed = computes;
  outcome.verified = computes && checked != 0 && differing == 0;
  if (differing != 0) outcome.code = ExitCode::kResultDiffers;
  // Processes that have faulted while the others went on.
  std::string faults;
  for (const auto& [context, fault] : platform_->contained_faults()) {
    faults += fmt::format("{}process {}: {}", faults.empty() ? "" : "; ", processes_->name_of(context),
                          fault.summary());
    outcome.detail += fault.detail;
  }
  if (!faults.empty()) {
    outcome.code = ExitCode::kDeviceFault;
    outcome.message = faults + (outcome.message.empty() ? "" : "; ") + outcome.message;
    outcome.verified = false;
  }
  return outcome;
}

Outcome SimulationSession::interrupted() const {
  return {ExitCode::kInterrupted,
          fmt::format("ended at SM cycle {}, before its host programs", platform_->sm_clock().now()),
          {},
          {},
          false,
          {}};
}

nlohmann::ordered_json SimulationSession::collect_result(const Outcome& outcome) {
  if (over()) settle(*platform_);
  RunResult collected = collect(*platform_, settings_.run.output.listed_kernels(),
                                energies_ ? &*energies_ : nullptr, redundancy_ ? &*redundancy_ : nullptr);
  collected.header = {outcome.code, outcome.message, outcome.verified, settings_.run.seed};
  collected.remark = outcome.remark;
  collected.measured = outcome.measured;
  const double instructions = static_cast<double>(collected.totals.warp_instructions);
  const double seconds = std::chrono::duration<double>(spent_).count();
  collected.host = {seconds, seconds > 0 ? instructions / 1000 / seconds : 0, peak_memory_mib(), shares_,
                    shares_ ? block_visits(*platform_) : std::vector<BlockVisits>()};
  collected.provenance = provenance_;
  if (processes_) {
    std::vector<const apps::AppResult*> checks;
    for (const auto& program : programs_) checks.push_back(&program->result);
    collected.processes = processes_->results(*platform_, checks);
    collected.multiprogram = processes_->together(*platform_);
  }
  nlohmann::ordered_json result = stats_to_json(collected);
  result["config"] = to_json(settings_.resolved);
  return result;
}

void SimulationSession::finish_timeline() {
  for (const auto& warps : warp_timelines_) warps->finish();
  timeline_->finish();
  trace_.finish();
  if (trace_.stopped_at() == TraceWriter::kForEver) return;
  const TraceConfig& config = settings_.run.trace;
  fmt::print(stderr,
             "warpvp: warning: {} ends at {:.3f} us, where it reached its limit of {} MiB (trace.limit_mib); "
             "trace.start_us and trace.end_us choose another part\n",
             config.file, static_cast<double>(trace_.stopped_at()) / 1e6, config.limit_mib);
}

/// Traces of what host programs have called, and times of processes alone.
void SimulationSession::write_applications() {
  if (!writer_) return;
  for (const auto& trace : traces_)
    writer_->write_file(
        fmt::format("application_{}.yaml", trace->trace().name),
        application_yaml(trace->trace(), "Recorded from a run: what " + trace->trace().name + " called."));
  const std::string alone = processes_ ? processes_->alone_yaml() : "";
  if (!alone.empty()) writer_->write_file("alone.yaml", alone);
}

const Outcome& SimulationSession::end(Outcome reason) {
  if (result_) return *outcome_;
  if (!over()) outcome_ = std::move(reason);
  if (profile_) shares_ = profile_->stop();  // before any result is collected
  if (worth_draining()) {
    // The figures are those of the moment at which the host programs ended.
    platform_->finish_firmware();
    result_ = collect_result(*outcome_);
    if (intervals_) intervals_->finish();
    drain();
    (*result_)["exit_code"] = static_cast<int>(outcome_->code);
    (*result_)["message"] = outcome_->message;
    (*result_)["verified"] = outcome_->verified;
  }
  const bool collected = result_.has_value();
  for (SimulationClient* client : clients_) client->ended(*outcome_);
  if (begun_ && sc_core::sc_get_status() != sc_core::SC_STOPPED) sc_core::sc_stop();
  platform_->finish();
  if (!collected) result_ = collect_result(*outcome_);
  text_ = result_text(*result_);
  if (!collected && intervals_) intervals_->finish();
  if (timeline_) finish_timeline();
  const std::string unsound = redundancy_ ? redundancy_->warning() : "";
  if (!unsound.empty()) fmt::print(stderr, "warpvp: warning: {}\n", unsound);
  if (const DeviceFault* const access = platform_->stray_access())
    fmt::print(stderr,
               "warpvp: warning: {}; a chip lets it pass, as this run has: to make it a fault, --set "
               "platform.memory.stray_accesses=fault\n",
               access->summary());
  // The result last: whoever finds it finds the other files too.
  if (writer_ && settings_.run.output.instructions)
    writer_->write_file("instructions.csv", instructions_csv(*platform_));
  write_applications();
  if (writer_) writer_->write_result(text_);
  return *outcome_;
}

const std::string& SimulationSession::result() const {
  if (!result_) throw SimulationMisuse("Simulation::result() was called before end()");
  return text_;
}

const nlohmann::ordered_json& SimulationSession::result_tree() const { return result_.value(); }

std::string SimulationSession::statistics() {
  return result_ ? text_ : result_text(collect_result(outcome()));
}

double SimulationSession::statistic(const std::string& key) {
  return statistic_of(result_ ? *result_ : collect_result(outcome()), key);
}

std::optional<double> SimulationSession::statistic_now(const std::string& key) {
  const nlohmann::ordered_json all = collect_result(interrupted());
  const nlohmann::ordered_json* const value = find_value(all, key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::vector<KernelState> SimulationSession::kernels() const {
  std::vector<KernelState> states;
  for (const rt::LaunchInfo& info : platform_->launches()) {
    KernelState state;
    state.launch = static_cast<std::uint32_t>(states.size());
    state.name = info.name;
    state.stream = info.stream;
    state.ctas = std::uint64_t{info.grid[0]} * info.grid[1] * info.grid[2];
    states.push_back(std::move(state));
  }
  for (const KernelRecord& record : platform_->distributor().records()) {
    KernelState& state = states.at(record.launch_id);
    state.phase = record.finished() ? KernelState::Phase::kFinished : KernelState::Phase::kRunning;
    state.ctas_done = record.ctas_done;
    state.start_cycle = record.launched;
    if (record.finished()) state.end_cycle = record.ended;
  }
  return states;
}

SimulationProgress SimulationSession::progress() const {
  SimulationProgress p;
  p.simulated_us = now().to_seconds() * 1e6;
  p.cycle = platform_->sm_clock().now();
  for (const auto& sm : platform_->sms()) p.instructions += sm->counters().issued;
  p.kernels_launched = platform_->launches().size();
  for (const KernelRecord& record : platform_->distributor().records()) {
    ++(record.finished() ? p.kernels_done : p.kernels_running);
    p.ctas_done += record.ctas_done;
  }
  const ExpectedWork expected = expected_work(settings_.run.workload);
  p.expected_kernels = expected.kernels;
  p.expected_ctas = expected.ctas;
  p.cycle_limit = settings_.run.limits.cycles;
  p.wall_limit = settings_.run.limits.wall_seconds;
  return p;
}

std::byte* SimulationSession::memory_at(std::uint64_t address, std::size_t bytes) const {
  DeviceMemory& memory = platform_->memory();
  if (!memory.contains(address, bytes))
    throw InputError(fmt::format("device memory has no {} bytes at {:#x}; allowed: from {:#x}, below {:#x}",
                                 bytes, address, memory.base(), memory.base() + memory.size()));
  return memory.at(address);
}

}  // namespace warpvp
