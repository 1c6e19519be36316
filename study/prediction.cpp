#include "study/prediction.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "platform/observe/schedule_recorder.h"
#include "platform/platform_config.h"
#include "platform/results/result_writer.h"
#include "platform/results/text_table.h"
#include "platform/run/run.h"
#include "platform/run/run_apart.h"
#include "predict/predictor.h"
#include "predict/reference_policy.h"
#include "predict/trace_file.h"

namespace warpvp {
namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

/// One policy in one kind of front end.
struct Case {
  std::string policy;
  bool coordinated = true;

  /// Its folder's.
  std::string name() const {
    std::string name = policy;
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name + (coordinated ? "_coordinated" : "_separate");
  }
  /// The run of the request with what this case sets.
  RunFile run(const RunFile& file) const {
    RunFile run = file;
    run.apply({fmt::format("platform.sm.frontend.mode={}", coordinated ? "coordinated" : "separate"),
               "platform.sm.warp_scheduler=" + policy, "platform.sm.memory.model=isolated",
               // What the prediction has no model of.
               "platform.sm.barrier_interval=0", "platform.sm.warp_exit=stores_taken"});
    return run;
  }
};

PlatformConfig platform_of_run(const RunFile& run) {
  RunConfig rest;
  PlatformConfig config;
  run.read(rest, [&](FieldVisitor& v) { config.fields(v); });
  return config;
}

ordered_json issue_json(const predict::Trace& trace, const std::optional<predict::Issue>& issue) {
  if (!issue) return nullptr;
  const predict::CtaTrace& cta = trace.ctas[issue->cta];
  ordered_json json;
  json["cycle"] = issue->cycle;
  json["launch"] = trace.launches[cta.launch].id;
  json["cta"] = cta.index;
  json["warp"] = issue->warp;
  json["instruction"] = issue->pc == predict::Issue::kNop ? ordered_json("nop") : ordered_json(issue->pc);
  return json;
}

ordered_json departure_json(const predict::Trace& trace, unsigned sm, const predict::Departure& departure) {
  ordered_json json;
  json["sm"] = sm;
  json["scheduler"] = departure.scheduler;
  json["issues_before"] = departure.index;
  json["predicted"] = issue_json(trace, departure.predicted);
  json["simulated"] = issue_json(trace, departure.simulated);
  return json;
}

Cycle edge_of(const ordered_json& departure) {
  Cycle edge = kNever;
  for (const char* side : {"predicted", "simulated"})
    if (!departure[side].is_null()) edge = std::min(edge, departure[side]["cycle"].get<Cycle>());
  return edge;
}

/// Predicts what was recorded, and compares.
ordered_json assess(const Case& which, const SmConfig& config, const predict::Trace& trace,
                    const Recording& recording) {
  const predict::Predictor predictor(
      config, which.coordinated ? predict::BufferModel::kCoordinated : predict::BufferModel::kAlwaysFull);
  ordered_json order, time;
  bool exact = true;
  Cycle predicted_makespan = 0, simulated_makespan = 0;
  std::uint64_t predicted_issues = 0, simulated_issues = 0, predicted_nops = 0, simulated_nops = 0;
  for (unsigned sm = 0; sm < recording.schedules.size(); ++sm) {
    const predict::Schedule& simulated = recording.schedules[sm];
    const predict::Schedule predicted = predictor.run(trace, sm);
    const predict::Comparison comparison = compare(predicted, simulated);
    exact = exact && comparison.exact();
    predicted_makespan = std::max(predicted_makespan, comparison.predicted_makespan);
    simulated_makespan = std::max(simulated_makespan, comparison.simulated_makespan);
    predicted_issues += comparison.predicted_issues;
    simulated_issues += comparison.simulated_issues;
    predicted_nops += predicted.nops();
    simulated_nops += simulated.nops();
    const auto note = [&](const std::optional<predict::Departure>& departure, ordered_json& first) {
      if (!departure) return;
      ordered_json json = departure_json(trace, sm, *departure);
      if (first.is_null() || edge_of(json) < edge_of(first)) first = std::move(json);
    };
    note(comparison.order, order);
    note(comparison.time, time);
  }
  ordered_json json;
  json["policy"] = which.policy;
  json["front_end"] = which.coordinated ? "coordinated" : "separate";
  if (!which.coordinated) json["fetch_scheduler"] = config.frontend.fetch_scheduler.name;
  json["exact"] = exact;
  json["policy_reference"] =
      predict::make_reference(config.warp_scheduler) ? "independent" : "the policy itself";
  json["predicted"] = {
      {"makespan", predicted_makespan}, {"issues", predicted_issues}, {"nops", predicted_nops}};
  json["simulated"] = {
      {"makespan", simulated_makespan}, {"issues", simulated_issues}, {"nops", simulated_nops}};
  json["difference"] = static_cast<std::int64_t>(simulated_makespan - predicted_makespan);
  json["first_other_choice"] = order;
  json["first_other_edge"] = time;
  const std::string differs = predict::first_difference(trace, recording.trace);
  json["trace_differs"] = differs.empty() ? ordered_json() : ordered_json(differs);
  return json;
}

/// Simulates a case and writes `prediction.json` beside its result.
ExitCode examine(const PredictRequest& request, const Case& which, const fs::path& traces, bool record) {
  const RunFile run = which.run(request.file);
  Recording recording;
  RunRequest simulation;
  simulation.file = run;
  simulation.out = request.out / which.name();
  simulation.quiet = true;
  simulation.interrupted = request.interrupted;
  simulation.recording = &recording;
  const ExitCode code = run_simulation(simulation);
  if (code != ExitCode::kOk) return code;
  if (record) {
    std::ostringstream text;
    write_trace(text, recording.trace);
    write_file_atomically(traces, text.str());
  }
  const predict::Trace trace =
      predict::at_arrivals_of(predict::read_trace_file(traces.string()), recording.trace);
  const ordered_json json = assess(which, cycle_sm_config(platform_of_run(run)), trace, recording);
  write_file_atomically(simulation.out / "prediction.json", json.dump(2) + "\n");
  return ExitCode::kOk;
}

std::string describe(const ordered_json& issue) {
  if (issue.is_null()) return "nothing more";
  const auto& cta = issue["cta"];
  const std::string what = issue["instruction"].is_string()
                               ? "NOP"
                               : fmt::format("instruction {}", issue["instruction"].get<std::uint64_t>());
  return fmt::format("{} of warp {}, CTA ({},{},{})", what, issue["warp"].get<unsigned>(),
                     cta[0].get<unsigned>(), cta[1].get<unsigned>(), cta[2].get<unsigned>());
}

void print_table(std::ostream& out, const ordered_json& result) {
  using Align = TextTable::Align;
  TextTable table;
  table.add_column("policy", Align::kLeft);
  table.add_column("front end", Align::kLeft);
  for (const char* title : {"simulated", "predicted", "difference", "NOPs", "issues in order"})
    table.add_column(title);
  table.add_column("schedule", Align::kLeft);
  std::string departures;
  for (const ordered_json& run : result["runs"]) {
    const auto predicted = run["predicted"]["makespan"].get<std::uint64_t>();
    const auto simulated = run["simulated"]["makespan"].get<std::uint64_t>();
    const bool coordinated = run["front_end"] == "coordinated";
    const ordered_json& order = run["first_other_choice"];
    const std::string front_end =
        coordinated ? "coordinated" : "separate, fetch " + run["fetch_scheduler"].get<std::string>();
    table.add_row({run["policy"], front_end, with_thousands(simulated), with_thousands(predicted),
                   predicted ? fmt::format("{:+.2f}%", 100 * run["difference"].get<double>() /
                                                           static_cast<double>(predicted))
                             : "-",
                   with_thousands(run["simulated"]["nops"]),
                   with_thousands(order.is_null() ? run["predicted"]["issues"].get<std::uint64_t>()
                                                  : order["issues_before"].get<std::uint64_t>()),
                   !run["exact"].get<bool>()                  ? "departs"
                   : run["policy_reference"] == "independent" ? "as predicted"
                                                              : "as predicted by the policy itself"});
    if (run["exact"]) continue;
    const ordered_json& first = order.is_null() ? run["first_other_edge"] : order;
    if (first.is_null()) continue;
    departures += fmt::format("{}, {}: {} at edge {} of scheduler {}: predicted {}, simulated {}\n",
                              run["policy"].get<std::string>(), front_end,
                              order.is_null() ? "first other edge" : "first other choice", edge_of(first),
                              first["scheduler"].get<unsigned>(), describe(first["predicted"]),
                              describe(first["simulated"]));
    if (coordinated && run["trace_differs"].is_string())
      departures += fmt::format("  its warps do not do what the traces say: {}\n",
                                run["trace_differs"].get<std::string>());
  }
  out << table.text();
  if (!departures.empty()) out << '\n' << departures;
}

}  // namespace

ExitCode predict_schedules(const PredictRequest& request) {
  std::vector<Case> cases;
  for (const std::string& policy : request.policies)
    for (bool coordinated : {true, false}) cases.push_back({policy, coordinated});
  // Whatever is wrong is found before anything is simulated.
  for (const Case& which : cases) cycle_sm_config(platform_of_run(which.run(request.file)));
  const bool record = request.traces.empty();
  if (!record) predict::read_trace_file(request.traces.string());
  make_writable_folder(request.out);
  const fs::path traces = !record                       ? request.traces
                          : request.save_traces.empty() ? request.out / "traces.txt"
                                                        : request.save_traces;
  ordered_json result;
  result["version"] = version();
  result["exact"] = true;
  result["traces"] = traces.string();
  result["runs"] = ordered_json::array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const ExitCode code = run_apart("the simulation of " + cases[i].name(), *request.output,
                                    [&] { return examine(request, cases[i], traces, record && i == 0); });
    if (code != ExitCode::kOk) return code;
    ordered_json run = ordered_json::parse(std::ifstream(request.out / cases[i].name() / "prediction.json"));
    if (cases[i].coordinated && !run["exact"].get<bool>()) result["exact"] = false;
    result["runs"].push_back(std::move(run));
  }
  write_file_atomically(request.out / "predict.json", result.dump(2) + "\n");
  if (!request.quiet) {
    print_table(*request.output, result);
    *request.output << fmt::format("\n{}\n", (request.out / "predict.json").string());
  }
  return result["exact"] ? ExitCode::kOk : ExitCode::kResultDiffers;
}

}  // namespace warpvp
