#include "cli/describe_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cli/describe_application.h"
#include "platform/config/run_config.h"
#include "platform/run/run.h"
#include "study/experiment/experiment.h"
#include "study/experiment/page.h"

namespace warpvp {
namespace {

/// The value at a dotted path as one word: a policy by its name, a block by its type; empty if there is none.
std::string word_at(const Setting& root, const std::string& path) {
  const Setting* at = &root;
  for (std::size_t begin = 0; at && begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    at = at->is_mapping() ? at->find(path.substr(begin, end - begin)) : nullptr;
    begin = end + 1;
  }
  if (at && at->is_mapping()) at = at->find("type") ? at->find("type") : at->find("name");
  return at && at->is_scalar() ? at->text : "";
}

/// Replaces each {path} in `pattern` by its value; empty if one of them does not exist.
std::string filled(const std::string& pattern, const Setting& settings) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t open = pattern.find('{', at);
    text += pattern.substr(at, open - at);
    if (open == std::string::npos) break;
    const std::size_t close = pattern.find('}', open);
    const std::string value = word_at(settings, pattern.substr(open + 1, close - open - 1));
    if (value.empty()) return "";
    text += value;
    at = close + 1;
  }
  return text;
}

std::string platform_summary(const std::string& file, const ConfigSearch& search) {
  static constexpr struct {
    const char *title, *pattern;
  } kLines[] = {
      {"SMs", "{sms}"},
      {"SM clock", "{sm_clock_mhz} MHz"},
      {"schedulers", "{sm.schedulers} in an SM, {sm.warp_scheduler}"},
      {"an SM holds",
       "{sm.resources.ctas} CTAs, {sm.resources.warps} warps, {sm.resources.registers} registers"},
      {"shared memory", "{sm.resources.shared_bytes} bytes in {sm.memory.shared_memory.banks} banks"},
      {"L1",
       "{sm.memory.l1.size_kib} KiB, {sm.memory.l1.associativity} ways, lines of {sm.memory.l1.line_bytes} "
       "bytes, {sm.memory.l1.write_policy}, miss queue {sm.memory.l1.miss_queue}"},
      {"work distributor", "{work_distributor.policy}"},
      {"L2",
       "{address_map.banks} banks of {l2.bank_kib} KiB, {l2.associativity} ways, lines of {l2.line_bytes} "
       "bytes"},
      {"DRAM", "{address_map.channels} channels, {dram}"},
      {"DRAM timing", "{dram.preset}, scheduler {dram.scheduler}"},
      {"device memory", "{memory.capacity_mib} MiB"},
  };
  Setting word = Setting::string(file);
  word.directory = ".";
  Setting tree = Setting::mapping();
  tree.put("platform", std::move(word));
  const Setting all =
      RunFile::from_tree(std::move(tree), search).resolved_platform(visit_platform_config, PrintStyle{true});
  std::string text;
  for (const auto& line : kLines) {
    const std::string value = filled(line.pattern, *all.find("platform"));
    if (!value.empty()) text += fmt::format("{:<18}{}\n", line.title, value);
  }
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// A line for the page, whose references to tables are checked on the way.
std::string page_summary(const Experiment& experiment) {
  if (!experiment.page) return "";
  std::vector<ExperimentResults> results;
  for (const Experiment& part : experiment.parts) results.push_back({&part, part.runs(), {}});
  results.push_back({&experiment, experiment.runs(), {}});
  for (ExperimentResults& r : results) r.results.resize(r.runs.size());
  make_page(experiment, results);
  return fmt::format("\npage:\n  {}\n", experiment.page->file.lexically_normal().string());
}

std::string experiment_summary(const std::string& file, const ConfigSearch& search) {
  const Experiment experiment = Experiment::load(file, search);
  std::string text;
  if (!experiment.description.empty()) text += experiment.description + ".\n\n";
  if (!experiment.parts.empty()) {
    text += "experiments run first:\n";
    for (const Experiment& part : experiment.parts)
      text += fmt::format("  {:<24}{} runs\n", part.name, part.runs().size());
    if (experiment.base.is_null()) return text + page_summary(experiment);
    text += "\n";
  }
  Setting base = Setting::mapping();
  base.put("base", experiment.base);
  text += to_yaml(base) + fmt::format("\n{} runs:\n", experiment.runs().size());
  for (const Axis& axis : experiment.matrix) {
    std::vector<std::string> labels;
    for (const Alternative& alternative : axis.alternatives) labels.push_back(alternative.label);
    text += fmt::format("  {:<16}{}\n", axis.name, joined(labels));
  }
  text += "\ntables:\n";
  for (const TableSpec& table : experiment.tables) {
    std::vector<std::string> values;
    for (const ValueSpec& value : table.values) values.push_back(value.title);
    text += fmt::format("  {}\n", table.title.empty() ? joined(values) : table.title);
  }
  return text + page_summary(experiment);
}

}  // namespace

std::string describe_file(const std::string& name, const std::string& kind, const ConfigSearch& search) {
  const std::string file = search.find(name, kind, ".", "").string();
  const std::string comment = ConfigSearch::head_comment(file);
  const auto text = [&](const char* what, const std::string& summary) {
    const bool path = name == file;
    return fmt::format("# `{}`\n\n{}{}.\n\n{}{}{}\n", name, what, path ? "" : " of configs/" + kind, comment,
                       comment.empty() ? "" : "\n", summary);
  };
  if (kind == "platforms")
    return text("A platform",
                platform_summary(file, search) + "\nEvery setting: warpvp config " + name + "\n");
  const Setting tree = search.load(file, kind);
  if (kind == "workloads") return text("A workload", to_yaml(tree) + describe_mix(tree));
  if (tree.find("experiment")) return text("An experiment", experiment_summary(file, search));
  const Setting* const workload = tree.find("workload");
  return text("A run", to_yaml(tree) + (workload ? describe_mix(*workload) : ""));
}

}  // namespace warpvp
