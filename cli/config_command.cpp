// `warpvp config`: what a file means once everything is resolved.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/commands.h"
#include "cli/options.h"
#include "platform/config/run_input.h"
#include "platform/run/run.h"

namespace warpvp {
namespace po = boost::program_options;

CommandOptions config_options() {
  CommandOptions options(
      {"config", "FILE",
       "Prints the fully resolved settings of a run file or workload, of an experiment's base, or of a\n"
       "platform (a path or a name in configs/): every field with its value. The text is a file of the same\n"
       "kind, for a workload a run file.",
       "  warpvp config titan_v\n"
       "  warpvp config vector_add --platform titan_v\n"
       "  warpvp config my_run.yaml --set platform.sm.warp_scheduler=gto\n"
       "  warpvp config my_run.yaml > resolved.yaml && warpvp run resolved.yaml\n"});
  options.positional("file", 1);
  options.add()("set,s", po::value<Words>()->composing(),
                "Set a.b.c=value on top of the file; may be repeated.")(
      "platform,p", po::value<std::string>(), "The same as --set platform=NAME.")(
      "seed", po::value<std::string>()->value_name("N"), "The same as --set seed=N.");
  return options;
}

ExitCode config_command(const Words& words, const Console& console) {
  CommandOptions options = config_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  const std::string name = options.required("file");
  Words sets = options.get_or<Words>("set", {});
  if (options.has("platform")) sets.push_back("platform=" + options.get<std::string>("platform"));
  if (options.has("seed")) sets.push_back(fmt::format("seed={}", options.number("seed", 0, kAnyNumber)));
  const ConfigSearch search = ConfigSearch::standard();
  const std::vector<std::string> platforms = search.names("platforms");
  Setting tree;
  bool whole_run = std::find(platforms.begin(), platforms.end(), name) == platforms.end();
  if (whole_run) {
    const std::filesystem::path file = find_run(name, search);
    const auto is_run = [](const Setting& setting) {
      return std::any_of(setting.entries.begin(), setting.entries.end(), [](const SettingEntry& e) {
        const auto& k = e.key;
        return k == "platform" || k == "workload" || k == "plugins" || k == "seed" || k == "limits" ||
               k == "trace" || k == "experiment";
      });
    };
    // What a file extends is looked for among its own kind.
    const Setting raw = load_yaml_file(file);
    tree = is_run(raw) || is_workload(raw) ? load_run(file, search) : search.load(file, "platforms");
    if (tree.find("experiment") && !tree.find("base"))
      throw InputError(
          fmt::format("{}: an experiment without 'base' has no settings of its own; print those of one of "
                      "its 'experiments'",
                      tree.place));
    if (Setting* base = tree.find("experiment") ? tree.find("base") : nullptr) {
      Setting inner = *base;
      search.resolve(inner, "experiments");
      tree = std::move(inner);
    }
    whole_run = is_run(tree);
  }
  if (!whole_run) {
    Setting word = Setting::string(search.find(name, "platforms", ".", "").string());
    word.directory = ".";
    tree = Setting::mapping();
    tree.put("platform", std::move(word));
  }
  if (!whole_run && (options.has("platform") || options.has("seed")))
    throw InputError(fmt::format("{} is a platform, so --platform and --seed mean nothing here", name));
  RunFile file = RunFile::from_tree(std::move(tree), search);
  file.apply(sets);
  const PrintStyle style{true};
  if (whole_run) {
    *console.out << to_yaml(file.resolved(visit_platform_config, style));
  } else {
    *console.out << to_yaml(*file.resolved_platform(visit_platform_config, style).find("platform"));
  }
  return ExitCode::kOk;
}

}  // namespace warpvp
