// Runs a workload on GPGPU-Sim instead of the platform: the same host program, PTX and inputs
// (simulator_runtime.h). Started by tools/gpgpusim-compare in a folder that has what GPGPU-Sim reads.

#include <fmt/format.h>
#include <sys/resource.h>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "platform/config/run_input.h"
#include "platform/run/run.h"
#include "platform/run/workload.h"
#include "tools/gpgpu-sim/simulator_runtime.h"

namespace warpvp::gpgpusim {
namespace {

constexpr const char* kUsage =
    "usage: on_gpgpu_sim FILE RESULT [SETTING=VALUE...]\n"
    "Runs the workload of a run file on GPGPU-Sim, whose library has to be the first libcudart.so.11.0 in\n"
    "LD_LIBRARY_PATH, and writes to RESULT, as lines of a key and a value: standing (verified, differs or "
    "unchecked),\n"
    "message, and the processor time that was not simulation: program_seconds of the host program,\n"
    "polling_seconds of a thread that waited, and children_seconds of programs that GPGPU-Sim started. "
    "Standard output is GPGPU-Sim's.\n"
    "Exit status 1 when the result differs from its reference, 2 for wrong input.\n";

double children_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

ExitCode run(const std::vector<std::string>& words) {
  if (words.size() < 2) {
    std::cerr << kUsage;
    return ExitCode::kBadInput;
  }
  const ConfigSearch search = ConfigSearch::standard();
  RunFile file = RunFile::from_tree(load_run(find_run(words[0], search), search), search);
  file.apply({words.begin() + 2, words.end()});
  RunConfig config;
  file.read(config, visit_platform_config);
  apps::AppResult result;
  SimulatorRuntime::Outside outside;
  {
    SimulatorRuntime device;
    constexpr double kNoClock = 1;  // of profiles, which are not replayed here
    result = make_workload(config, ".", kNoClock)->run(device, app_context(config));
    outside = device.outside();
  }
  std::ofstream out(words[1]);
  out << fmt::format(
      "standing\t{}\nmessage\t{}\nprogram_seconds\t{:.3f}\npolling_seconds\t{:.3f}\nchildren_seconds\t{:.3f}"
      "\n",
      !result.checked   ? "unchecked"
      : result.verified ? "verified"
                        : "differs",
      result.message, outside.program, outside.polling, children_seconds());
  if (!out.flush()) throw InputError(fmt::format("cannot write {}", words[1]));
  return result.checked && !result.verified ? ExitCode::kResultDiffers : ExitCode::kOk;
}

}  // namespace
}  // namespace warpvp::gpgpusim

int main(int count, char** words) {
  try {
    return static_cast<int>(warpvp::gpgpusim::run({words + 1, words + count}));
  } catch (const warpvp::InputError& error) {
    std::cerr << "on_gpgpu_sim: " << error.what() << "\n";
    return static_cast<int>(warpvp::ExitCode::kBadInput);
  }
}
