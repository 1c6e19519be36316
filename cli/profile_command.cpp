// `warpvp profile`.

#include <fmt/format.h>

#include <ostream>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/run_choice.h"
#include "platform/results/provenance.h"
#include "study/record_profiles.h"

namespace warpvp {
namespace fs = std::filesystem;
namespace po = boost::program_options;

CommandOptions profile_options() {
  CommandOptions options({"profile", "FILE",
                          "Records profiles of kernels for `sm.type: profile` from runs at cycle grain: FILE "
                          "is run with one CTA\n"
                          "at a time, with one SM, and as it is. FILE is as for run.",
                          "  warpvp profile matmul --platform titan_v -o matmul.yaml\n"
                          "  warpvp run matmul --platform titan_v --set platform.sm=profile --set "
                          "platform.sm.profiles=matmul.yaml\n"});
  add_run_choice(options);
  options.add()("out,o", po::value<std::string>(),
                "File for the profiles; default: profiles.yaml in the folder of the runs.")(
      "runs", po::value<std::string>(), "Folder for the runs; default: runs/profile_NAME.")(
      "quiet,q", "Say nothing of the end.");
  return options;
}

ExitCode profile_command(const Words& words, const Console& console) {
  CommandOptions options = profile_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  ProfileRequest request;
  RunChoice run = chosen_run(options, "profile");
  run.file.apply(run.sets);
  request.file = std::move(run.file);
  request.runs = options.get_or<std::string>("runs", (fs::path("runs") / ("profile_" + run.name)).string());
  request.profiles = options.get_or<std::string>("out", (request.runs / "profiles.yaml").string());
  Words command = {"warpvp", "profile"};
  command.insert(command.end(), words.begin(), words.end());
  request.command = shell_text(command);
  request.quiet = options.has("quiet");
  request.interrupted = &watch_for_interrupts();
  request.output = console.out;
  return record_profiles(request);
}

}  // namespace warpvp
