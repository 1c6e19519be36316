// `warpvp config`: what a file means once everything is resolved.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "platform/cli/commands.h"
#include "platform/cli/options.h"
#include "platform/run.h"

namespace warpvp {
namespace po = boost::program_options;

ExitCode config_command(const Words& words, const Console& console) {
  CommandOptions options(
      {"config", "FILE",
       "Prints the fully resolved settings of a run file, of an experiment's base, or of a platform (a\n"
       "path or a name in configs/): every field with its value. The text is a file of the same kind.",
       "  warpvp config titan_v\n"
       "  warpvp config my_run.yaml --set platform.sm.warp_scheduler=gto\n"
       "  warpvp config my_run.yaml > resolved.yaml && warpvp run resolved.yaml\n"});
  options.positional("file", 1);
  options.add()("set,s", po::value<Words>()->composing(),
                "Set a.b.c=value on top of the file; may be repeated.");
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  const std::string name = options.required("file");
  const Words sets = options.get_or<Words>("set", {});
  const ConfigSearch search = ConfigSearch::standard();
  const std::vector<std::string> platforms = search.names("platforms");
  Setting tree;
  bool whole_run = std::find(platforms.begin(), platforms.end(), name) == platforms.end();
  if (whole_run) {
    const std::filesystem::path file = search.find(name, "experiments", ".", "");
    const auto is_run = [](const Setting& setting) {
      return std::any_of(setting.entries.begin(), setting.entries.end(), [](const SettingEntry& e) {
        const auto& k = e.key;
        return k == "platform" || k == "workload" || k == "plugins" || k == "seed" || k == "limits" ||
               k == "trace" || k == "experiment";
      });
    };
    // What a file extends is looked for among its own kind.
    tree = search.load(file, is_run(load_yaml_file(file)) ? "experiments" : "platforms");
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
