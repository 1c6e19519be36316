#include "cli/command_line.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <ostream>

#include "base/registry.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/manual.h"
#include "cli/message_text.h"
#include "platform/results/build_info.h"

namespace warpvp {

namespace {

ExitCode version_command(const Words&, const Console& console) {
  const BuildInfo build = build_info();
  *console.out << fmt::format("warpvp {}\ncommit {}{}\nbuilt as {} by {}\nSystemC {}\n", build.version,
                              build.commit, build.modified ? ", modified" : "", build.build_type,
                              build.compiler, build.systemc);
  return ExitCode::kOk;
}

}  // namespace

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = {
      {"run", "Run one simulation, or an experiment.", run_command, run_options},
      {"experiment", "Run a matrix of simulations and print its tables.", experiment_command,
       experiment_options},
      {"serve", "Be a PCIe device of other processes and virtual machines.", serve_command, serve_options},
      {"attach", "Run a workload at a device that another process serves.", attach_command, attach_options},
      {"cuda", "Run an unmodified CUDA program on a platform.", cuda_command, cuda_options},
      {"report", "Make a page of the results of a run or an experiment.", report_command, report_options},
      {"predict", "Compute warp schedules from traces and compare them with the simulated ones.",
       predict_command, predict_options},
      {"profile", "Record profiles of kernels for runs at the grain of CTAs.", profile_command,
       profile_options},
      {"calibrate", "Measure what bandwidth network and DRAM of a platform sustain.", calibrate_command,
       calibrate_options},
      {"record", "Record what host programs call as traces of applications.", record_command, record_options},
      {"config", "Print the fully resolved settings of a file.", config_command, config_options},
      {"ptx", "Analyse a PTX file.", ptx_command, ptx_options},
      {"list", "List platforms, workloads, experiments, apps and policies.", list_command, list_options},
      {"describe",
       "Describe anything that list shows, the fields of a platform or a run, or the keys of a result.",
       describe_command, describe_options},
      {"version", "Print the version, and what the program was built from.", version_command, nullptr},
  };
  return commands;
}

const char* exit_status_text() {
  return "0 fine; 1 a result differed; 2 the input is wrong; 3 the device faulted or deadlocked;\n"
         "130 interrupted, with partial results written.\n";
}

namespace {

std::string usage() {
  std::string text = "usage: warpvp COMMAND [ARGUMENTS]\n\nCommands:\n";
  for (const Command& command : all_commands())
    text += fmt::format("  {:<12}{}\n", command.name, command.sentence);
  text +=
      "\n'warpvp COMMAND --help' shows a command's options with examples.\n\n"
      "Exit status: ";
  text += exit_status_text();
  return text;
}

ExitCode dispatch(const Words& args, const Console& console) {
  if (args.empty()) {
    *console.err << usage();
    return ExitCode::kBadInput;
  }
  const std::string& name = args[0];
  if (name == "--help" || name == "-h" || name == "help") {
    *console.out << usage();
    return ExitCode::kOk;
  }
  const Words rest(args.begin() + 1, args.end());
  // For shells and the build: what bash and zsh ask, and the page that `man warpvp` shows.
  if (name == "--complete") {
    for (const std::string& candidate : completions(rest)) *console.out << candidate << "\n";
    return ExitCode::kOk;
  }
  if (name == "--manual") {
    *console.out << manual_page();
    return ExitCode::kOk;
  }
  if (name == "--version") return version_command(rest, console);
  std::vector<std::string> names;
  for (const Command& command : all_commands()) {
    if (name == command.name) return command.run(rest, console);
    names.emplace_back(command.name);
  }
  const std::string near = nearest_name(name, names);
  throw InputError(fmt::format("unknown command '{}'{}; allowed: {}", name,
                               near.empty() ? "" : "; did you mean '" + near + "'?", join_names(names)));
}

/// What was asked for must have arrived: a full disk behind a redirection is no success.
ExitCode finish_output(ExitCode code, const Console& console) {
  errno = 0;
  console.out->flush();
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !console.out->good();
  if (!lost) return code;
  *console.err << "warpvp: cannot write to the standard output"
               << (errno != 0 ? std::string(": ") + std::strerror(errno) : std::string()) << "\n";
  return code == ExitCode::kOk ? ExitCode::kBadInput : code;
}

}  // namespace

int run_command_line(const std::vector<std::string>& args, const Console& console) {
  try {
    return static_cast<int>(finish_output(dispatch(args, console), console));
  } catch (const InputError& e) {
    *console.err << "warpvp: " << message_text(e.what()) << "\n";
    return static_cast<int>(ExitCode::kBadInput);
  } catch (const std::bad_alloc&) {
    *console.err << "warpvp: out of memory; choose a smaller platform or workload\n";
    return static_cast<int>(ExitCode::kBadInput);
  } catch (const PartFailure& e) {
    *console.err << "warpvp: " << e.what() << "\n";
    return static_cast<int>(ExitCode::kDeviceFault);
  } catch (const std::exception& e) {
    *console.err << "warpvp: internal error: " << e.what() << "\n";
    return static_cast<int>(ExitCode::kDeviceFault);
  }
}

}  // namespace warpvp
