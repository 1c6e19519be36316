#include "platform/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "interconnect/edge_process.h"
#include "interconnect/shared_context.h"
#include "modules/host/socket_host.h"
#include "platform/build/platform.h"
#include "platform/collect/collect.h"
#include "platform/config/run_input.h"
#include "platform/energy/energy_table.h"
#include "platform/observe/instruction_file.h"
#include "platform/results/json_stats.h"
#include "platform/results/provenance.h"
#include "platform/results/result_reference.h"
#include "platform/results/result_writer.h"
#include "platform/run/gpu_guard.h"
#include "platform/run/host_heap.h"
#include "platform/run/reported_fault.h"
#include "platform/run/run.h"
#include "platform/run/statistic.h"

namespace warpvp {

static_assert(Gpu::kHostMemory == regmap::kHostBusBase && Gpu::kDeviceMemory == regmap::kMemoryBase &&
              Gpu::kRegisterBytes == regmap::kRegisterBytes && Gpu::kVectors == kEndpointVectors &&
              std::is_same_v<Gpu::InterruptPort, InterruptPort>);

/// The typed settings of a GPU.
struct GpuConfig {
  RunConfig run;
  PlatformConfig platform;
  Setting resolved;
};

namespace {

/// Settings of the loop that a Simulation has and a module in another's design has not.
void refuse_what_a_session_does(const RunFile& file, const GpuConfig& settings) {
  const RunConfig& run = settings.run;
  const std::pair<bool, const char*> refused[] = {{file.tree().find("workload") != nullptr, "workload"},
                                                  {run.limits.wall_seconds != 0, "limits.wall_seconds"},
                                                  {run.trace.enabled, "trace"},
                                                  {run.profile, "profile"},
                                                  {run.output.intervals.cycles != 0, "output.intervals"},
                                                  {run.output.redundancy, "output.redundancy"},
                                                  {run.output.applications, "output.applications"}};
  for (const auto& [given, key] : refused)
    if (given)
      throw InputError(
          fmt::format("{}: '{}' is for runs of warpvp's own, not for a GPU in another's design; "
                      "allowed: platform, seed, plugins, monitors, energy, output.kernels, "
                      "output.most_kernels, output.instructions, limits.cycles, limits.progress_us",
                      file.tree().place.empty() ? "settings" : file.tree().place, key));
}

GpuConfig read(const RunFile& file) {
  GpuConfig settings;
  settings.resolved = file.resolved([&](FieldVisitor& v) { settings.platform.fields(v); }, PrintStyle{true},
                                    &settings.run, RunFile::Workload::kOptional);
  refuse_what_a_session_does(file, settings);
  // A design may let a kernel wait for as long as it likes, unless it says otherwise.
  const Setting* const limits = file.tree().find("limits");
  if (limits == nullptr || limits->find("progress_us") == nullptr) settings.run.limits.progress_us = 0;
  return settings;
}

/// Makes a SocketHost, and remembers it.
class SocketHostType : public HostType {
 public:
  std::unique_ptr<HostCpu> build(const char* name, FaultSink& faults) const override {
    auto host = std::make_unique<SocketHost>(name, faults);
    made = host.get();
    return host;
  }
  mutable SocketHost* made = nullptr;
};

/// No process of a device that has stopped goes on, but those that are in the design, at `host.dma`, and the
/// one that the domains of all devices share.
void suspend_processes(const sc_core::sc_object& of, const SocketHost& host) {
  const auto& in_design = host.platform_calls();
  for (sc_core::sc_object* const child : of.get_child_objects()) {
    if (child == &host || dynamic_cast<const EdgeProcess*>(child) != nullptr) continue;
    sc_core::sc_process_handle process(child);
    if (process.valid() && std::find(in_design.begin(), in_design.end(), process) == in_design.end())
      process.suspend();
    suspend_processes(*child, host);
  }
}

void take_part_in_design() {
  if (!share_systemc_context())
    throw SimulationMisuse(
        "a Gpu is a module of somebody else's design: this process has a Simulation, whose context it cannot "
        "share");
  // Asking makes it too late to set it, so whoever has the first word sets it: the design.
  const sc_core::sc_time resolution = sc_core::sc_get_time_resolution();
  if (std::llround(resolution.to_seconds() * 1e15) != 1)
    throw SimulationMisuse(
        fmt::format("a Gpu's clocks need another time resolution than {}; allowed: 1 fs, by "
                    "sc_set_time_resolution(1, SC_FS) in sc_main(), before the first sc_time is made",
                    resolution.to_string()));
}

}  // namespace

/// What a Gpu has behind its sockets.
class GpuSession : private DispatchObserver {
 public:
  GpuSession(const RunFile& file, const SimulationOptions& options)
      : settings_(read(file)), provenance_(provenance_of_process(file.platform_origin())) {
    if (settings_.run.energy.given())
      energies_ = read_energy_table(settings_.run.energy.table, result_reference());
    if (!options.folder.empty()) writer_.emplace(options.folder);
    take_part_in_design();
    use_huge_pages();
    std::function<void(const std::string&)> print = options.print;
    if (!print)
      print = [](const std::string& text) {
        std::fputs(text.c_str(), stdout);
        std::fflush(stdout);
      };
    const SocketHostType sockets;
    platform_ =
        std::make_unique<Platform>("platform", settings_.platform, std::move(print), settings_.run.monitors,
                                   options.folder, settings_.run.seed, &sockets);
    host_ = sockets.made;
    DeviceView view;
    view.memory = &platform_->memory();
    view.queues = settings_.platform.command_processor.queues;
    view.properties = platform_->properties();
    host_->see_device(view);
    platform_->observe(this, nullptr, nullptr);
    platform_->faults().on_fault = [this] {
      for (ClockDomain* const clock : platform_->clocks()) clock->stop();
      faulted.notify();
    };
    for (ClockDomain* const clock : platform_->clocks())
      clock->contain_errors(
          [this](const sc_core::sc_report& error) { platform_->faults().raise(reported_fault(error)); });
    guard_ = std::make_unique<GpuGuard>("guard", *platform_, settings_.run.limits);
    if (settings_.run.output.instructions) profile_instructions(*platform_);
    if (energies_ && energies_->charges("kernels.executed")) count_executed(*platform_);
  }

  Platform& platform() { return *platform_; }
  SocketHost& host() { return *host_; }

  std::string statistics() { return result_ ? text_ : result_text(collect_now({})); }

  double statistic(const std::string& key) { return statistic_of(result_ ? *result_ : collect_now({}), key); }

  /// After a fault: nothing of the device moves any more, and its result is what it has come to.
  void stop() {
    suspend_processes(*platform_, *host_);
    end({});
    host_->stop(platform_->faults().fault()->summary());
  }

  const std::string& end(Outcome outcome) {
    if (result_) return text_;
    if (const auto& fault = platform_->faults().fault()) {
      outcome.code = ExitCode::kDeviceFault;
      outcome.message = fault->summary();
      outcome.verified = false;
    }
    settle(*platform_);
    platform_->finish();
    result_ = collect_now(outcome);
    text_ = result_text(*result_);
    if (writer_ && settings_.run.output.instructions)
      writer_->write_file("instructions.csv", instructions_csv(*platform_));
    if (writer_) writer_->write_result(text_);
    return text_;
  }

  sc_core::sc_event faulted;

 private:
  void kernel_begin(const KernelRecord& kernel) override {
    platform_->note_begin(kernel);
    guard_->kernel_begins();
  }

  nlohmann::ordered_json collect_now(const Outcome& outcome) {
    RunResult collected =
        collect(*platform_, settings_.run.output.listed_kernels(), energies_ ? &*energies_ : nullptr);
    collected.header = {outcome.code, outcome.message, outcome.verified, settings_.run.seed};
    collected.remark = outcome.remark;
    collected.measured = outcome.measured;
    const double instructions = static_cast<double>(collected.totals.warp_instructions);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - made_).count();
    collected.host = {seconds, instructions / 1000 / seconds, peak_memory_mib(), {}, {}};
    collected.provenance = provenance_;
    nlohmann::ordered_json result = stats_to_json(collected);
    result["config"] = to_json(settings_.resolved);
    return result;
  }

  const GpuConfig settings_;
  const Provenance provenance_;
  const std::chrono::steady_clock::time_point made_ = std::chrono::steady_clock::now();
  std::optional<EnergyTable> energies_;
  std::optional<ResultWriter> writer_;
  std::unique_ptr<Platform> platform_;
  SocketHost* host_ = nullptr;
  std::unique_ptr<GpuGuard> guard_;
  std::optional<nlohmann::ordered_json> result_;  // since end(), as is its text
  std::string text_;
};

GpuSettings GpuSettings::from_file(const std::string& file) {
  GpuSettings settings;
  settings.file_ = std::make_shared<const RunFile>(named_run(file));
  return settings;
}

GpuSettings GpuSettings::from_text(const std::string& yaml) {
  GpuSettings settings;
  settings.file_ = std::make_shared<const RunFile>(run_from_text(yaml));
  return settings;
}

Gpu::Gpu(sc_core::sc_module_name name, const GpuSettings& settings, const SimulationOptions& options)
    : sc_module(name), bar0("bar0"), bar2("bar2"), dma("dma"), interrupts("interrupts", kVectors) {
  session_ = std::make_unique<GpuSession>(with_overrides(*settings.file_, options.overrides), options);
  SocketHost& host = session_->host();
  bar0.bind(host.registers_bar.socket);
  bar2.bind(host.memory_bar.socket);
  host.dma.bind(dma);
  for (unsigned vector = 0; vector < kVectors; ++vector) host.interrupts[vector].bind(interrupts[vector]);
  SC_HAS_PROCESS(Gpu);
  SC_METHOD(stop_at_fault);
  sensitive << session_->faulted;
  dont_initialize();
}

Gpu::~Gpu() = default;

// In a process of its own, in the same evaluation phase: where the fault was found is no place to suspend
// processes, or to throw from.
void Gpu::stop_at_fault() {
  session_->stop();
  SC_REPORT_WARNING(kFaultType, fmt::format("{}: {}", this->name(), fault()->summary()).c_str());
}

std::uint64_t Gpu::memory_bytes() const { return session_->platform().memory().size(); }
const DeviceFault* Gpu::fault() const {
  const std::optional<DeviceFault>& fault = session_->platform().faults().fault();
  return fault ? &*fault : nullptr;
}
std::unique_ptr<rt::Runtime> Gpu::make_runtime(HostInterface& host) {
  return session_->platform().make_runtime(host);
}
std::uint64_t Gpu::cycle() const { return session_->platform().sm_clock().now(); }
std::string Gpu::describe() const { return session_->platform().describe_waiting(); }
std::string Gpu::statistics() const { return session_->statistics(); }
double Gpu::statistic(const std::string& key) const { return session_->statistic(key); }
const std::string& Gpu::end(Outcome outcome) { return session_->end(std::move(outcome)); }
Platform& Gpu::platform() { return session_->platform(); }

}  // namespace warpvp
