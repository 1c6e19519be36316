// Asks a real GPU what tests and experiments ask the platform. See usage() and docs/validation.md.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "platform/config/run_input.h"
#include "platform/run/run.h"
#include "platform/run/workload.h"
#include "study/experiment/experiment.h"
#include "tools/on-chip/chip_runtime.h"
#include "tools/on-chip/conformance.h"
#include "tools/on-chip/launch_times.h"

namespace warpvp::chip {
namespace {

constexpr const char* kUsage =
    "usage: on_chip chip                              the GPU, in a line\n"
    "       on_chip ask WHAT ANSWERS LOG [FIRST COUNT] [JOBS]\n"
    "                                                 programs of tests/ptx_reference; WHAT: forms, random,\n"
    "                                                 cases, approximate, single\n"
    "       on_chip programs WHAT FOLDER [FIRST COUNT] their PTX as files; no GPU needed\n"
    "       on_chip run FILE [SETTING=VALUE...]       a run or workload file as it is, on the GPU\n"
    "       on_chip experiment FILE RESULTS [TIMES]   all runs of an experiment, each so often; medians of "
    "what\n"
    "                                                 they measure, as a table\n"
    "       on_chip launches RESULTS                  what launching costs\n"
    "Exit status 1 when something differs or is not verified, 2 for wrong input or where there is no GPU.\n";

std::ofstream opened(const std::string& file) {
  std::ofstream out(file);
  if (!out) throw InputError(fmt::format("cannot write {}", file));
  return out;
}

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  if (!parse_unsigned(text, value)) throw InputError(fmt::format("'{}'; allowed: a whole number", text));
  return value;
}

apps::AppResult run_on_chip(const RunFile& file) {
  RunConfig run;
  file.read(run, visit_platform_config);
  ChipRuntime device;
  constexpr double kNoClock = 1;  // of profiles, which no GPU replays
  return make_workload(run, ".", kNoClock)->run(device, app_context(run));
}

ExitCode run(const std::vector<std::string>& words) {
  const ConfigSearch search = ConfigSearch::standard();
  RunFile file = RunFile::from_tree(load_run(find_run(words[1], search), search), search);
  file.apply({words.begin() + 2, words.end()});
  const apps::AppResult result = run_on_chip(file);
  fmt::print("{}\t{}\t{}\n", words[1],
             !result.checked   ? "not checked"
             : result.verified ? "verified"
                               : "differs",
             result.message);
  return result.checked && !result.verified ? ExitCode::kResultDiffers : ExitCode::kOk;
}

void run_all(const Experiment& experiment, const ConfigSearch& search, unsigned times, std::ostream& out) {
  for (const Experiment& part : experiment.parts) run_all(part, search, times, out);
  for (const ExperimentRun& each : experiment.runs()) {
    RunFile file = RunFile::from_tree(experiment.base, search);
    file.assign(experiment.assignments(each));
    std::map<std::string, std::vector<double>> measured;
    std::string standing = "verified";
    try {
      for (unsigned i = 0; i < times; ++i) {
        const apps::AppResult result = run_on_chip(file);
        if (result.checked && !result.verified) standing = "differs: " + result.message;
        for (const auto& [key, value] : result.measured) measured[key].push_back(value);
      }
    } catch (const InputError& error) {
      standing = error.what();
    }
    std::string labels;
    for (std::size_t axis = 0; axis < experiment.matrix.size(); ++axis)
      labels += (axis == 0 ? "" : "; ") + experiment.matrix[axis].name + "=" + experiment.label(each, axis);
    if (measured.empty()) out << fmt::format("{}\t{}\t-\t-\t-\t-\t{}\n", experiment.name, labels, standing);
    for (auto& [key, values] : measured) {
      std::sort(values.begin(), values.end());
      out << fmt::format("{}\t{}\t{}\t{:.6g}\t{:.6g}\t{:.6g}\t{}\n", experiment.name, labels, key,
                         values[values.size() / 2], values.front(), values.back(), standing);
    }
    out.flush();
  }
}

ExitCode experiment(const std::vector<std::string>& words) {
  const ConfigSearch search = ConfigSearch::standard();
  std::ofstream out = opened(words[2]);
  out << "# " << chip_info().line() << "\nexperiment\trun\tkey\tmedian\tleast\tmost\tstanding\n";
  run_all(Experiment::load(search.find(words[1], "experiments", ".", ""), search), search,
          words.size() > 3 ? static_cast<unsigned>(number(words[3])) : 1, out);
  return ExitCode::kOk;
}

ConformanceRequest request_of(const std::vector<std::string>& words, std::size_t first_at) {
  ConformanceRequest request;
  request.what = words[1];
  if (request.what == "random") {
    if (words.size() < first_at + 2) throw InputError("random programs need FIRST and COUNT");
    request.first = number(words[first_at]);
    request.count = number(words[first_at + 1]);
  } else if (request.what != "forms" && request.what != "cases" && request.what != "approximate" &&
             request.what != "single") {
    throw InputError(fmt::format("'{}'; allowed: forms, random, cases, approximate, single", request.what));
  }
  return request;
}

ExitCode ask(const std::vector<std::string>& words) {
  ConformanceRequest request = request_of(words, 4);
  request.jobs = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t jobs_at = request.what == "random" ? 6 : 4;
  if (words.size() > jobs_at)
    request.jobs = static_cast<unsigned>(std::max<std::uint64_t>(1, number(words[jobs_at])));
  std::ofstream answers = opened(words[2]), log = opened(words[3]);
  const unsigned differ = ask_chip(request, answers, log);
  fmt::print("{}: {} differ\n", request.what, differ);
  return differ == 0 ? ExitCode::kOk : ExitCode::kResultDiffers;
}

ExitCode write_programs(const std::vector<std::string>& words) {
  const ConformanceRequest request = request_of(words, 3);
  std::filesystem::create_directories(words[2]);
  for_each_program(request, [&](const std::string& name, const std::string& text) {
    opened(fmt::format("{}/{}-{}.ptx", words[2], request.what, name)) << text;
  });
  return ExitCode::kOk;
}

ExitCode dispatch(const std::vector<std::string>& words) {
  const std::string command = words.empty() ? "" : words[0];
  if (command == "chip") {
    fmt::print("{}\n", chip_info().line());
    return ExitCode::kOk;
  }
  if (command == "ask" && words.size() >= 4) return ask(words);
  if (command == "programs" && words.size() >= 3) return write_programs(words);
  if (command == "run" && words.size() >= 2) return run(words);
  if (command == "experiment" && words.size() >= 3) return experiment(words);
  if (command == "launches" && words.size() == 2) {
    std::ofstream out = opened(words[1]);
    out << "# " << chip_info().line() << "\n";
    measure_launches(out);
    return ExitCode::kOk;
  }
  std::cerr << kUsage;
  return ExitCode::kBadInput;
}

}  // namespace
}  // namespace warpvp::chip

int main(int count, char** words) {
  try {
    return static_cast<int>(warpvp::chip::dispatch({words + 1, words + count}));
  } catch (const warpvp::InputError& error) {
    std::cerr << error.what() << "\n";
    return static_cast<int>(warpvp::ExitCode::kBadInput);
  }
}
