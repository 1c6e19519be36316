#include "platform/config/run_input.h"

#include <algorithm>
#include <vector>

namespace warpvp {
namespace fs = std::filesystem;

fs::path find_run(const std::string& name, const ConfigSearch& search) {
  const std::vector<std::string> workloads = search.names("workloads");
  const std::vector<std::string> experiments = search.names("experiments");
  const bool workload = std::find(workloads.begin(), workloads.end(), name) != workloads.end() &&
                        std::find(experiments.begin(), experiments.end(), name) == experiments.end();
  return search.find(name, workload ? "workloads" : "experiments", ".", "");
}

Setting load_run(const fs::path& file, const ConfigSearch& search) {
  const Setting raw = load_yaml_file(file);
  if (!raw.find("app") && !raw.find("launches")) return search.load(file, "experiments");
  Setting word = Setting::string(fs::absolute(file).string());
  word.place = file.string();
  Setting run = Setting::mapping();
  run.place = file.string();
  run.put("workload", std::move(word));
  return run;
}

}  // namespace warpvp
