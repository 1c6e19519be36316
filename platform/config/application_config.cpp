#include "platform/config/application_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/kernel_profile.h"
#include "base/registry.h"
#include "platform/config/trace_reader.h"
#include "platform/config/yaml_document.h"

namespace warpvp {

namespace fs = std::filesystem;

namespace {

using apps::TraceStep;
using TraceKind = TraceStep::Kind;

const char* const kApplications = "applications";
/// Means over all CTAs and over all launches; 0 where a kernel's time is not known.
void set_means(ApplicationFile& file, const KernelProfiles& profiles) {
  double cta_us = 0, ctas = 0, launch_us = 0, share_us = 0, launches = 0;
  bool know_ctas = true, know_launches = true;
  for_each_trace_step(file.trace.steps, [&](const TraceStep& step, std::uint64_t times) {
    if (step.kind != TraceKind::kLaunch) return;
    const auto grid = static_cast<double>(product(step.launch.grid));
    const auto n = static_cast<double>(times);
    const KernelProfile* const profile =
        profiles.find(step.launch.kernel, product(step.launch.grid),
                      static_cast<std::uint32_t>(product(step.launch.block)));
    know_ctas = know_ctas && profile != nullptr && profile->cta_us > 0;
    know_launches = know_launches && profile != nullptr && profile->launch_us > 0;
    launches += n;
    ctas += n * grid;
    if (know_ctas) cta_us += n * grid * profile->cta_us;
    if (know_launches) {
      launch_us += n * profile->launch_us;
      share_us += n * profile->launch_us / grid;
    }
  });
  if (!(launches > 0)) return;
  if (know_ctas) file.mean_cta_us = cta_us / ctas;
  if (!know_launches) return;
  file.mean_launch_us = launch_us / launches;
  file.mean_share_us = share_us / launches;
}

}  // namespace

ApplicationFile load_application(const std::string& path) {
  const Setting tree = load_yaml_file(path);
  if (!tree.is_mapping())
    refuse(tree.place, "found " + std::string(kind_name(tree)), "a mapping with 'steps'");
  require_keys(tree, "the application", {"profiles", "rates", "streams", "steps"});
  ApplicationFile out;
  out.path = path;
  out.trace.name = fs::path(path).stem().string();
  KernelProfiles known;
  if (const Setting* profiles = tree.find("profiles")) {
    known = read_profiles(*profiles);
    out.profiles = known.files.front().resolved;
  }
  if (const Setting* rates = tree.find("rates")) out.rates = read_cpu_rates(*rates);
  if (const Setting* streams = tree.find("streams")) {
    if (!streams->is_sequence())
      refuse(streams->place, "'streams' is " + shown(*streams),
             "the priorities of streams 1, 2, .. in a list");
    for (const Setting& item : streams->items) {
      std::int64_t priority = 0;
      if (!item.is_scalar() || !parse_signed(item.text, priority) || priority < -100 || priority > 100)
        refuse(item.place, "'streams' has " + shown(item), "whole numbers from -100 to 100");
      out.trace.stream_priorities.push_back(static_cast<int>(priority));
    }
  }
  if (!tree.find("steps")) refuse(tree.place, "'steps' is missing", "a list of steps");
  out.trace.steps = read_trace_steps(*tree.find("steps"), "steps", out.profiles.empty() ? nullptr : &known,
                                     out.rates.file.resolved.empty() ? nullptr : &out.rates);
  set_means(out, known);
  return out;
}

std::string find_application(const std::string& name, const std::string& directory,
                             const std::string& place) {
  const ConfigSearch search = ConfigSearch::standard();
  const fs::path path(name);
  const std::string folder = (fs::path(kApplications) / path.parent_path()).string();
  if (path.has_parent_path() && path.extension() != ".yaml" && !search.names(folder).empty())
    return search.find(path.filename().string(), folder, directory, place).string();
  return search.find(name, kApplications, directory, place).string();
}

std::vector<std::string> applications_in(const std::string& folder, const std::string& place) {
  std::vector<std::string> names;
  for (const std::string& name :
       ConfigSearch::standard().names((fs::path(kApplications) / folder).lexically_normal().string()))
    names.push_back(folder.empty() ? name : folder + "/" + name);
  if (names.empty())
    refuse(place, fmt::format("no applications in '{}'", folder), "a folder of configs/applications");
  return names;
}

std::vector<std::string> all_applications() {
  const ConfigSearch search = ConfigSearch::standard();
  std::vector<std::string> names = search.names(kApplications);
  for (const std::string& folder : search.folders(kApplications))
    for (const std::string& name : applications_in(folder, "")) names.push_back(name);
  return names;
}

namespace {

Setting number(double value) { return Setting::scalar(print_double(value)); }
Setting number(std::uint64_t value) { return Setting::scalar(std::to_string(value)); }

Setting print_three(const std::uint32_t (&value)[3]) {
  if (value[1] == 1 && value[2] == 1) return number(std::uint64_t{value[0]});
  Setting list = Setting::sequence();
  for (const std::uint32_t v : value) list.items.push_back(number(std::uint64_t{v}));
  return list;
}

Setting print_steps(const std::vector<TraceStep>& steps) {
  Setting list = Setting::sequence();
  for (const TraceStep& step : steps) {
    Setting out = Setting::mapping();
    Setting value = Setting::mapping();
    const auto word = std::find_if(step_words().begin(), step_words().end(), [&](const StepWord& w) {
      return w.kind == (step.kind == TraceKind::kSynchronizeEvent ? TraceKind::kSynchronize : step.kind);
    });
    switch (step.kind) {
      case TraceKind::kCpu:
        value = number(step.us);
        break;
      case TraceKind::kLaunch:
        value.put("kernel", Setting::string(step.launch.kernel));
        value.put("ctas", print_three(step.launch.grid));
        value.put("threads", print_three(step.launch.block));
        value.put("registers", number(std::uint64_t{step.launch.registers}));
        value.put("shared_bytes", number(std::uint64_t{step.launch.shared_bytes}));
        break;
      case TraceKind::kSynchronize:
        if (step.stream) {
          value.put("stream", number(std::uint64_t{*step.stream}));
        } else {
          value = Setting::scalar("true");
        }
        break;
      case TraceKind::kSynchronizeEvent:
        value.put("event", number(std::uint64_t{step.event}));
        break;
      case TraceKind::kRecord:
      case TraceKind::kWait:
        value = number(std::uint64_t{step.event});
        break;
      case TraceKind::kRepeat:
        value = number(step.times);
        break;
      default:
        value.put("bytes", number(step.bytes));
    }
    out.put(word->word, value);
    if (step.kind == TraceKind::kRepeat) out.put("steps", print_steps(step.body));
    if (step.stream && step.kind != TraceKind::kSynchronize)
      out.put("stream", number(std::uint64_t{*step.stream}));
    list.items.push_back(std::move(out));
  }
  return list;
}

}  // namespace

std::string application_yaml(const apps::ApplicationTrace& trace, const std::string& comment) {
  Setting tree = Setting::mapping();
  if (!trace.stream_priorities.empty()) {
    Setting streams = Setting::sequence();
    for (const int priority : trace.stream_priorities)
      streams.items.push_back(Setting::scalar(std::to_string(priority)));
    tree.put("streams", std::move(streams));
  }
  tree.put("steps", print_steps(trace.steps));
  return (comment.empty() ? "" : "# " + comment + "\n") + to_yaml(tree);
}

void ApplicationRef::load(const Setting& setting, const std::string& path) {
  if (!setting.is_scalar() || setting.text.empty())
    refuse(setting.place, fmt::format("'{}' is {}", path, shown(setting)), syntax());
  file = {setting.text, find_application(setting.text, setting.directory, setting.place), setting.place};
  application = load_application(file.resolved);
}

Setting ApplicationRef::print(const PrintStyle& style) const {
  if (file.written.empty()) return {};
  return Setting::string(style.absolute_paths ? fs::absolute(file.resolved).lexically_normal().string()
                                              : file.written);
}

}  // namespace warpvp
