// run_simulation: one run of the command line, from its file to result.json.

#include "platform/run/run.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "base/end_guard.h"
#include "base/part_mark.h"
#include "base/registry.h"
#include "platform/observe/cta_times.h"
#include "platform/platform_config.h"
#include "platform/results/json_stats.h"
#include "platform/results/result_writer.h"
#include "platform/results/sampled_kernels.h"
#include "platform/results/text_table.h"
#include "platform/run/firmware_debugger.h"
#include "platform/run/progress_line.h"
#include "platform/run/session.h"
#include "platform/simulation.h"

namespace warpvp {

namespace {

/// Stops the session when the user interrupts the program.
class InterruptWatch : public SimulationClient {
 public:
  explicit InterruptWatch(const std::atomic<bool>* interrupted) : interrupted_(interrupted) {}
  /// At the last look; for any thread.
  std::uint64_t cycle() const { return cycle_; }
  void between_steps(Simulation& simulation) override {
    cycle_ = simulation.cycle();
    if (interrupted_ && interrupted_->load()) simulation.stop();
  }

 private:
  const std::atomic<bool>* const interrupted_;
  std::atomic<std::uint64_t> cycle_{0};
};

/// Keeps what is known of a run that cannot end by itself: its verdict. The statistics belong to the thread
/// that hangs.
void write_verdict(const std::filesystem::path& folder, ExitCode code, const std::string& message,
                   std::uint64_t seed) {
  std::error_code error;
  if (!std::filesystem::exists(folder / "result.json", error))
    write_file_atomically(folder / "result.json",
                          result_text(stats_to_json(ResultHeader{code, message, false, seed})));
  // Files that are being written stay behind under names that end so.
  const std::string mark = "." + process_mark();
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() > mark.size() && name.compare(name.size() - mark.size(), mark.size(), mark) == 0)
      std::filesystem::remove(entry.path(), error);
  }
}

/// Seconds to come to the end of a step, and to collect and write results: less than the ten after which an
/// experiment kills a run.
constexpr double kGrace = 4;

/// The policies that part `part` of the model calls (base/part_mark.h), as far as they are of plugins, or all
/// if none is: which of them is under way nobody notes, as that would cost time in every run.
std::string policies_of(const Setting& resolved, const std::string& part) {
  struct Choice {
    const char *part, *kind;
    std::vector<const char*> path;
  };
  static const char kIssue[] = "SM: fetch, issue, scoreboard";
  static const Choice kChoices[] = {
      {kIssue, "warp_scheduler", {"sm", "warp_scheduler"}},
      {kIssue, "fetch_scheduler", {"sm", "frontend", "fetch_scheduler"}},
      {"SM: load/store unit and caches", "miss_queue", {"sm", "memory", "l1", "miss_queue"}},
      {"SM: load/store unit and caches", "replacement", {"sm", "memory", "l1", "replacement"}},
      {"SM: load/store unit and caches", "prefetcher", {"sm", "memory", "l1", "prefetcher"}},
      {"L2", "replacement", {"l2", "replacement"}},
      {"L2", "l2_write_policy", {"l2", "write_policy"}},
      {"L2", "l2_write_back", {"l2", "write_back"}},
      {"L2", "l2_inclusion", {"l2", "inclusion"}},
      {"L2", "prefetcher", {"l2", "prefetcher"}},
      {"DRAM", "dram_scheduler", {"dram", "scheduler"}},
      {"DRAM", "dram_page_policy", {"dram", "page_policy"}},
      {"DRAM", "dram_refresh", {"dram", "refresh"}},
      {"DRAM", "dram_write_drain", {"dram", "write_drain"}},
      {"DRAM", "dram_address_mapping", {"dram", "address_mapping"}},
      {"work distributor", "cta_dispatch", {"work_distributor", "policy"}}};
  std::vector<std::string> own, foreign;
  for (const Choice& choice : kChoices) {
    if (part != choice.part) continue;
    const Setting* at = resolved.find("platform");
    for (const char* key : choice.path) at = at ? at->find(key) : nullptr;
    const Setting* const name = at && at->is_mapping() ? at->find("name") : at;
    if (!name || !name->is_scalar()) continue;
    const std::string title = part_title(choice.kind, name->text);
    const bool of_plugin = title.find(" of the plugin ") != std::string::npos;
    (of_plugin ? foreign : own).push_back(title);
  }
  const std::vector<std::string>& named = foreign.empty() ? own : foreign;
  return named.empty() ? "" : fmt::format(" (which asks {})", join_names(named));
}

/// What is said and kept while one exists when the guard has to end the process.
class LastWords {
 public:
  LastWords(EndGuard& guard, const RunRequest& request, const InterruptWatch& watch,
            const SimulationSession& session)
      : guard_(guard) {
    guard.set_last_words([&watch, folder = request.out, seed = session.seed(), resolved = session.resolved(),
                          part = &current_part](ExitCode code, const std::string& message) {
      const char* const where = *part;  // of the thread that simulates
      const std::string more =
          fmt::format("{}, after SM cycle {}",
                      where ? fmt::format(" in {}{}", where, policies_of(resolved, where)) : std::string(),
                      watch.cycle());
      write_verdict(folder, code, message + more, seed);
      return more;
    });
  }
  ~LastWords() { guard_.set_last_words({}); }
  LastWords(const LastWords&) = delete;

 private:
  EndGuard& guard_;
};

std::string cell(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "-";
  if (value.is_number_unsigned()) return with_thousands(value.get<std::uint64_t>());
  if (value.is_number()) return fmt::format("{:.3f}", value.get<double>());
  return value.get<std::string>();
}

std::string kernel_table(const nlohmann::ordered_json& result) {
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
  std::string text = table.text();
  if (result.contains("kernels_left_out"))
    text +=
        fmt::format("and {} more (output.most_kernels)\n", result["kernels_left_out"].get<std::uint64_t>());
  return text;
}

std::string process_table(const nlohmann::ordered_json& result) {
  TextTable table;
  table.add_column("process", TextTable::Align::kLeft);
  for (const char* title :
       {"priority", "kernels", "kernel us", "turnaround us", "alone us", "NTT", "executions"})
    table.add_column(title);
  for (const auto& p : result["processes"])
    table.add_row({p["name"], fmt::format("{}", p["priority"].get<int>()), cell(p["launches"]),
                   cell(p["kernel_us"]), cell(p["turnaround_us"]), cell(p["alone_us"]), cell(p["ntt"]),
                   cell(p["executions"])});
  std::string text = table.text();
  const auto& m = result["multiprogram"];
  if (m.contains("antt"))
    text += fmt::format("\nANTT {:.3f}, STP {:.3f}, fairness {:.3f}\n", m["antt"].get<double>(),
                        m["stp"].get<double>(), m["fairness"].get<double>());
  return text;
}

std::string job_table(const nlohmann::ordered_json& result) {
  TextTable table;
  table.add_column("job", TextTable::Align::kLeft);
  for (const char* title :
       {"state", "kernels", "arrival us", "start us", "end us", "latency us", "met", "CTAs"})
    table.add_column(title);
  for (const auto& j : result["jobs"]) {
    const std::string state = j["state"];
    table.add_row({j["name"], j["code"] == 0 ? state : fmt::format("{} {}", state, j["code"].get<unsigned>()),
                   cell(j["kernels"]), cell(j["arrival_us"]), cell(j["start_us"]), cell(j["end_us"]),
                   cell(j["latency_us"]),
                   j["met"].is_null() ? "-"
                   : j["met"] == 1    ? "yes"
                                      : "no",
                   cell(j["ctas"])});
  }
  const auto& s = result["job_summary"];
  const auto count = [&](const char* key) { return s[key].get<std::uint64_t>(); };
  return table.text() +
         fmt::format("\n{} jobs: {} met their deadline, {} missed it, {} rejected; {} of {} CTAs wasted\n",
                     count("jobs"), count("met"), count("missed"), count("rejected"), count("wasted_ctas"),
                     count("ctas"));
}

void print_summary(const nlohmann::ordered_json& result, const Outcome& outcome, const std::string& folder) {
  if (!result["kernels"].empty() || !result.contains("processes"))
    std::fputs(kernel_table(result).c_str(), stdout);
  if (result.contains("processes"))
    fmt::print("{}{}", result["kernels"].empty() ? "" : "\n", process_table(result));
  if (result.contains("jobs")) fmt::print("\n{}", job_table(result));
  const auto& s = result["simulation"];
  fmt::print(
      "\n{} SM cycles ({} with kernels), {} warp instructions in {:.2f} s: {:.0f} kilo-warp-instructions/s\n",
      cell(s["cycles"]), cell(s["kernel_cycles"]), cell(s["warp_instructions"]),
      result["host"]["wall_seconds"].get<double>(),
      result["host"]["kilo_warp_instructions_per_second"].get<double>());
  for (const std::string& line : sampled_kernels(result)) fmt::print("{}\n", line);
  if (outcome.code == ExitCode::kOk)
    fmt::print("{}\n", outcome.verified   ? "results verified"
                       : outcome.computed ? "results not checked"
                                          : "results not verified: the SMs of this platform compute nothing");
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
  EndGuard& guard = EndGuard::of_process();
  if (request.interrupted) guard.start(*request.interrupted);
  SimulationOptions options;
  options.folder = request.out.string();
  std::optional<Activity> building(std::in_place, "building the platform");
  Simulation simulation(request.file, options);
  if (request.recording) simulation.record(*request.recording);
  std::optional<CtaWatch> watch;
  if (request.cta_times) watch.emplace(simulation.platform(), *request.cta_times);
  simulation.attach_workload();
  std::optional<FirmwareDebugger> debugger;
  if (request.debug) {
    debugger.emplace(simulation, *request.debug, request.interrupted);
    fmt::print(stderr, "gdb: listening on 127.0.0.1:{}\n", debugger->port());
    std::fflush(stderr);
  }
  if (const PlatformOrigin origin = request.file.platform_origin();
      origin.is_default && !request.quiet && request.progress)
    *request.progress << fmt::format("platform: {}, since none is named; --platform NAME takes another\n",
                                     origin.name);
  InterruptWatch interrupts(request.interrupted);
  interrupts.between_steps(simulation);
  simulation.attach_client(interrupts);
  std::optional<ProgressLine> progress;
  if (request.progress && !request.quiet) {
    progress.emplace(*request.progress, request.progress_is_terminal, request.progress_seconds);
    simulation.attach_client(*progress);
  }

  if (const double limit = simulation.progress().wall_limit; limit > 0) guard.set_limit(limit);
  const LastWords last_words(guard, request, interrupts, simulation.session());
  building.reset();
  std::optional<Activity> simulating(std::in_place, "simulating", "", kGrace);
  const Halt halt = simulation.run();
  simulating.reset();
  if (simulation.platform().faults().faulted())
    simulation.platform().host().outlive_fault(simulation.outcome().message, [&] {
      return request.interrupted != nullptr && request.interrupted->load();
    });
  Outcome reason;
  if (halt == Halt::kStopped) {
    reason.code = ExitCode::kInterrupted;
    reason.message = fmt::format("{} at SM cycle {}",
                                 debugger && debugger->killed() ? "ended by the debugger" : "interrupted",
                                 simulation.cycle());
  }
  std::optional<Activity> writing(std::in_place, "writing the results into", request.out.string(), kGrace);
  const Outcome& outcome = simulation.end(reason);
  writing.reset();
  if (request.measured != nullptr) *request.measured = outcome.measured;
  if (!request.quiet) print_summary(simulation.session().result_tree(), outcome, request.out.string());
  if (!outcome.message.empty()) fmt::print(stderr, "warpvp: {}\n", outcome.message);
  if (!outcome.detail.empty()) std::fputs(outcome.detail.c_str(), stderr);
  return outcome.code;
}

}  // namespace warpvp
