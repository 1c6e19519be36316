#include "platform/config/run_config.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/registry.h"
#include "platform/config/config_printer.h"
#include "platform/config/variables.h"
#include "platform/config/workload_checks.h"
#include "platform/config/yaml_field_loader.h"
#include "sw/apps/app.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {
constexpr const char kChanged[] = ", changed";

void visit(const Setting& tree, RunConfig& run, const RunFile::PlatformFields& platform, ConfigVisitor& v) {
  v.begin_group("platform", "The machine: the name or path of a platform file, or a mapping with `extends`.");
  if (platform) platform(v);
  v.end_group();
  run.fields(v);
}

}  // namespace

RunFile RunFile::load(const fs::path& file, const std::vector<std::string>& overrides,
                      const ConfigSearch& search, const std::string& directory) {
  RunFile run = from_tree(search.load(file, "experiments"), search);
  run.apply(overrides, directory);
  return run;
}

RunFile RunFile::from_tree(Setting tree, const ConfigSearch& search) {
  RunFile run;
  run.tree_ = std::move(tree);
  run.search_ = search;
  return run;
}

void RunFile::apply(const std::vector<std::string>& overrides, const std::string& directory) {
  std::vector<Assignment> assignments;
  for (const std::string& text : overrides) assignments.push_back(parse_override(text, directory));
  assign(std::move(assignments));
}

void RunFile::assign(std::vector<Assignment> assignments) {
  // `platform` before `platform.sm.schedulers`: whatever the order of writing, the part refines the whole.
  // What a file extends is set while the file still says so itself, before anything else opens it.
  const auto names_base = [](const Assignment& a, const std::string& key) {
    return a.path == key + ".extends";
  };
  const auto rank = [&](const Assignment& a) {
    return 2 * std::count(a.path.begin(), a.path.end(), '.') -
           (names_base(a, "platform") || names_base(a, "workload"));
  };
  std::stable_sort(assignments.begin(), assignments.end(),
                   [&](const Assignment& a, const Assignment& b) { return rank(a) < rank(b); });
  for (const Assignment& assignment : assignments) {
    const auto within = [&](const std::string& key) { return assignment.path.rfind(key + ".", 0) == 0; };
    if (within("platform")) {
      take_default_platform();
      PlatformOrigin origin = platform_origin();
      if (!origin.file.empty() && origin.name.find(kChanged) == std::string::npos) origin.name += kChanged;
      origin.is_default = false;
      origin_ = std::move(origin);
    }
    if (assignment.path == "platform" || names_base(assignment, "platform")) origin_.reset();
    for (const auto& [key, kind] : {std::pair{"platform", "platforms"}, std::pair{"workload", "workloads"}})
      if (within(key) && !names_base(assignment, key))
        if (Setting* setting = tree_.find(key)) search_.resolve(*setting, kind);
    assign_setting(tree_, assignment, ++next_layer_);
  }
}

bool RunFile::names_no_platform() const {
  const Setting* platform = tree_.find("platform");
  return (!platform || platform->is_null()) && !search_.default_platform().empty() && !is_experiment();
}

void RunFile::take_default_platform() {
  if (!names_no_platform()) return;
  origin_ = platform_origin();
  Setting word = Setting::string(search_.default_platform());
  word.place = "the default platform";
  word.directory = ".";
  tree_.put("platform", std::move(word));
}

PlatformOrigin RunFile::platform_origin() const {
  if (origin_) return *origin_;
  const auto found = [&](const std::string& name, const Setting& at, bool changed) {
    const fs::path file = search_.find(name, "platforms", at.directory, at.place);
    return PlatformOrigin{file.stem().string() + (changed ? kChanged : ""), file.string(), false};
  };
  if (names_no_platform()) {
    PlatformOrigin origin = found(search_.default_platform(), Setting{}, false);
    origin.is_default = true;
    return origin;
  }
  const Setting* platform = tree_.find("platform");
  if (!platform || platform->is_null()) return {};
  if (platform->is_scalar()) return found(platform->text, *platform, false);
  const Setting* base = platform->find("extends");
  if (base && base->is_scalar()) return found(base->text, *base, platform->entries.size() > 1);
  return {"written in the run file", platform->place.substr(0, platform->place.find(':')), false};
}

void RunFile::resolve_references() {
  if (Setting* platform = tree_.find("platform")) search_.resolve(*platform, "platforms");
  if (Setting* workload = tree_.find("workload")) {
    search_.resolve(*workload, "workloads");
    expand_variables(*workload);
  }
}

void RunFile::read(RunConfig& run, const PlatformFields& platform, Workload workload) const {
  PluginList::load_named_in(tree_);
  RunFile resolved = *this;
  resolved.take_default_platform();
  resolved.resolve_references();
  YamlFieldLoader loader(resolved.tree_, "");
  visit(resolved.tree_, run, platform, loader);
  loader.finish();
  check_workload(run, resolved.tree_, workload);
}

Setting RunFile::resolved(const PlatformFields& platform, PrintStyle style, RunConfig* typed,
                          Workload workload) const {
  PluginList::load_named_in(tree_);
  RunFile file = *this;
  file.take_default_platform();
  file.resolve_references();
  RunConfig run;
  ConfigPrinter printer(style);
  {
    YamlFieldLoader loader(file.tree_, "");
    TeeVisitor tee(loader, printer);
    tee.begin_group("platform", "");
    if (platform) platform(tee);
    tee.end_group();
    run.fields(loader);
    loader.finish();
  }
  check_workload(run, file.tree_, workload);
  run.fields(printer);
  if (typed) *typed = std::move(run);
  return printer.tree();
}

Setting RunFile::resolved_platform(const PlatformFields& platform, PrintStyle style) const {
  ConfigPrinter printer(style);
  printer.begin_group("platform", "");
  visit_platform(platform, &printer);
  printer.end_group();
  return printer.tree();
}

void RunFile::read_platform(const PlatformFields& platform) const { visit_platform(platform, nullptr); }

void RunFile::visit_platform(const PlatformFields& platform, ConfigVisitor* printer) const {
  PluginList::load_named_in(tree_);
  RunFile file = *this;
  file.resolve_references();
  Setting nothing;
  nothing.place = tree_.place;
  const Setting* written = file.tree_.find("platform");
  YamlFieldLoader loader(written ? *written : nothing, "platform");
  if (printer) {
    TeeVisitor tee(loader, *printer);
    platform(tee);
  } else {
    platform(loader);
  }
  loader.finish();
}

void check_buffers_fit(const WorkloadConfig& workload, std::uint64_t capacity) {
  std::uint64_t used = 0;
  for (const auto& [name, buffer] : workload.buffers) {
    const std::uint64_t bytes = buffer.bytes() + workload.pad_bytes;
    if (bytes > capacity - used)
      throw InputError(fmt::format(
          "{}: 'workload.buffers.{}' has {} bytes, and {} of the {} bytes of device memory are left; raise "
          "platform.memory.capacity_mib",
          buffer.place, name, bytes, capacity - used, capacity));
    used += bytes;
  }
}

std::vector<std::string> input_files(const RunConfig& run) {
  std::vector<std::string> files;
  const auto add_app = [&](const PolicyChoice& app) {
    const auto& apps = Registry<apps::App>::instance();
    if (!apps.contains(app.name)) return;  // none is named
    for (const std::string& file : apps.make(app)->files()) files.push_back(file);
  };
  add_app(run.workload.app);
  for (const PathValue& plugin : run.plugins.files) files.push_back(plugin.resolved);
  for (const ProcessConfig& process : run.workload.all_processes()) {
    add_app(process.app);
    if (!process.application.file.written.empty()) files.push_back(process.application.file.resolved);
    if (!process.application.application.profiles.empty())
      files.push_back(process.application.application.profiles);
    if (!process.application.application.rates.file.resolved.empty())
      files.push_back(process.application.application.rates.file.resolved);
  }
  const JobBenchmarkList& benchmarks = run.workload.job_stream.benchmarks;
  for (const PathValue& file : benchmarks.files) files.push_back(file.resolved);
  for (const JobBenchmarkFile& file : benchmarks.benchmarks)
    if (!file.profiles.empty()) files.push_back(file.profiles);
  if (run.energy.given()) files.push_back(run.energy.table.resolved);
  if (!run.workload.alone_times.written.empty()) files.push_back(run.workload.alone_times.resolved);
  for_each_launch(run.workload, [&](const LaunchConfig& launch) {
    files.push_back(launch.ptx.resolved);
    for (const PathValue& file : launch.link.files) files.push_back(file.resolved);
  });
  for_each_target(run.workload, [&](const TargetConfig& target, const std::string&) {
    if (!target.ptx.written.empty()) files.push_back(target.ptx.resolved);
  });
  for (const auto& entry : run.workload.buffers)
    if (entry.second.init.kind == BufferContents::Kind::kFile)
      files.push_back(entry.second.init.file.resolved);
  for (const CheckConfig& check : run.workload.checks)
    if (check.equals.kind == BufferContents::Kind::kFile) files.push_back(check.equals.file.resolved);
  for_each_step(run.workload.steps.items, [&](const StepConfig& step) {
    if (step.equals.kind == BufferContents::Kind::kFile) files.push_back(step.equals.file.resolved);
  });
  return files;
}

}  // namespace warpvp
