#include "platform/config/run_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/registry.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

/// What may have been meant by a name that is no file, workload or experiment.
std::string not_found(const std::string& name, const ConfigSearch& search) {
  const std::string what = fmt::format("no file, workload or experiment is called '{}'", name);
  const std::string see = "; see 'warpvp list'";
  std::vector<std::pair<std::string, std::string>> known;  // name, kind
  for (const char* kind : {"workload", "experiment", "platform"})
    for (const std::string& file : search.names(std::string(kind) + "s")) known.emplace_back(file, kind);
  for (const std::string& app : registry_names("app")) known.emplace_back(app, "app");
  std::vector<std::string> names;
  for (const auto& entry : known) names.push_back(entry.first);
  const auto kind_of = [&](const std::string& word) {
    return std::find_if(known.begin(), known.end(), [&](const auto& e) { return e.first == word; })->second;
  };
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    if (kind_of(name) == "platform")
      return fmt::format(
          "'{0}' is a platform: name a workload, as in 'warpvp run vector_add --platform {0}'{1}", name, see);
    return fmt::format("'{0}' is an app: write 'workload: {{app: {0}}}' in a run file{1}", name, see);
  }
  const std::string near = nearest_name(fs::path(name).stem().string(), names);
  return what + (near.empty() ? "" : fmt::format("; did you mean the {} '{}'?", kind_of(near), near)) + see;
}

}  // namespace

fs::path find_run(const std::string& name, const ConfigSearch& search) {
  const std::vector<std::string> workloads = search.names("workloads");
  const std::vector<std::string> experiments = search.names("experiments");
  const bool workload = std::find(workloads.begin(), workloads.end(), name) != workloads.end() &&
                        std::find(experiments.begin(), experiments.end(), name) == experiments.end();
  try {
    return search.find(name, workload ? "workloads" : "experiments", ".", "");
  } catch (const InputError&) {
    std::error_code error;
    if (fs::exists(name, error)) throw;  // what is wrong with it has been said
    throw InputError(not_found(name, search));
  }
}

bool is_workload(const Setting& file) {
  for (const char* key : {"app", "launches", "jobs", "job_stream", "steps", "processes", "mix"})
    if (file.find(key)) return true;
  return false;
}

Setting load_run(const fs::path& file, const ConfigSearch& search) {
  const Setting raw = load_yaml_file(file);
  if (!is_workload(raw)) return search.load(file, "experiments");
  Setting word = Setting::string(fs::absolute(file).string());
  word.place = file.string();
  Setting run = Setting::mapping();
  run.place = file.string();
  run.put("workload", std::move(word));
  return run;
}

RunFile named_run(const std::string& name) {
  const ConfigSearch search = ConfigSearch::standard();
  return RunFile::from_tree(load_run(find_run(name, search), search), search);
}

RunFile run_from_text(const std::string& yaml) {
  const ConfigSearch search = ConfigSearch::standard();
  Setting tree = parse_yaml(yaml, "settings", ".");
  if (tree.find("extends")) search.resolve(tree, "experiments");
  return RunFile::from_tree(std::move(tree), search);
}

RunFile with_overrides(const RunFile& file, const std::vector<std::string>& overrides) {
  RunFile run = file;
  run.apply(overrides);
  if (run.is_experiment())
    throw InputError(run.tree().place + ": an experiment; allowed: a run file or a workload");
  return run;
}

}  // namespace warpvp
