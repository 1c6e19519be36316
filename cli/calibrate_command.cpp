// `warpvp calibrate`.

#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "study/calibrate_bandwidth.h"

namespace warpvp {
namespace fs = std::filesystem;
namespace po = boost::program_options;

CommandOptions calibrate_options() {
  CommandOptions options(
      {"calibrate", "bandwidth",
       "Measures what bandwidth the network from L2 to SMs and DRAM of a platform sustain, by kernels that "
       "load\n"
       "lines in streams and at random, and prints it beside the peaks. With --write it makes a platform "
       "file\n"
       "that extends the platform and has the two as sustainable_bandwidth.",
       "  warpvp calibrate bandwidth --platform ccbp_gpu\n"
       "  warpvp calibrate bandwidth --platform titan_v --write my_titan_v.yaml\n"
       "  warpvp calibrate bandwidth --platform ccbp_gpu --set platform.dram.refresh=none\n"});
  options.positional("what", 1);
  options.add()("platform,p", po::value<std::string>(), "A platform: a name in configs/ or a path.")(
      "set,s", po::value<Words>()->composing(),
      "Set platform.a.b=value on top of the platform; may be repeated. Not with --write.")(
      "seed", po::value<std::string>()->value_name("N"), "The same as --set seed=N.")(
      "write,w", po::value<std::string>()->value_name("FILE"), "Platform file to write.");
  return options;
}

ExitCode calibrate_command(const Words& words, const Console& console) {
  CommandOptions options = calibrate_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  const std::string what = options.required("what");
  if (what != "bandwidth") throw InputError(fmt::format("calibrate knows no '{}'; allowed: bandwidth", what));
  if (!options.has("platform"))
    throw InputError("calibrate needs --platform NAME; see 'warpvp calibrate --help'");
  Words sets = options.get_or<Words>("set", {});
  if (options.has("write") && !sets.empty())
    throw InputError("--write and --set exclude each other: the file extends the platform as it is");
  if (options.has("seed")) sets.push_back(fmt::format("seed={}", options.number("seed", 0, kAnyNumber)));

  CalibrationRequest request;
  request.platform = options.get<std::string>("platform");
  const ConfigSearch search = ConfigSearch::standard();
  const fs::path file = search.find(request.platform, "platforms", ".", "--platform");
  Setting word = Setting::string(file.string());
  word.directory = ".";
  Setting tree = Setting::mapping();
  tree.put("platform", std::move(word));
  request.file = RunFile::from_tree(std::move(tree), search);
  request.file.apply(sets);
  if (options.has("write")) {
    request.write = options.get<std::string>("write");
    std::error_code none;
    if (fs::equivalent(request.write, file, none))
      throw InputError(fmt::format("--write: {} is the platform itself", request.write.string()));
    const Words names = search.names("platforms");
    const bool named = std::find(names.begin(), names.end(), request.platform) != names.end();
    const fs::path folder = fs::absolute(request.write).parent_path();
    request.extends = named ? request.platform : fs::absolute(file).lexically_relative(folder).string();
  }
  request.interrupted = &watch_for_interrupts();
  request.output = console.out;
  return calibrate_bandwidth(request);
}

}  // namespace warpvp
