#include "cli/describe_application.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "platform/config/application_config.h"
#include "platform/config/process_config.h"
#include "platform/config/yaml_document.h"
#include "platform/config/yaml_field_loader.h"
#include "platform/results/text_table.h"

namespace warpvp {

namespace {

using Kind = apps::TraceStep::Kind;

/// What a trace does in all, repeats counted.
struct Sums {
  std::uint64_t launches = 0, ctas = 0;
  double cpu_us = 0;
  std::map<std::string, std::uint64_t> bytes;  // by kind of copy
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> kernels;

  explicit Sums(const apps::ApplicationTrace& trace) {
    for_each_trace_step(trace.steps, [&](const apps::TraceStep& step, std::uint64_t times) {
      const auto& grid = step.launch.grid;
      const std::uint64_t most = times * grid[0] * grid[1] * grid[2];
      switch (step.kind) {
        case Kind::kCpu:
          cpu_us += static_cast<double>(times) * step.us;
          break;
        case Kind::kLaunch:
          launches += times;
          ctas += most;
          kernels[step.launch.kernel].first += times;
          kernels[step.launch.kernel].second += most;
          break;
        case Kind::kCopyToDevice:
          bytes["copied to the device"] += times * step.bytes;
          break;
        case Kind::kCopyToHost:
          bytes["copied to the host"] += times * step.bytes;
          break;
        case Kind::kCopyOnDevice:
          bytes["copied on the device"] += times * step.bytes;
          break;
        case Kind::kFill:
          bytes["filled"] += times * step.bytes;
          break;
        default:
          break;
      }
    });
  }
};

/// ", 12.0 to 34.0 us by the rates' ranges"; empty where no work is counted.
std::string range_of_cpu(const ApplicationFile& file) {
  if (file.rates.by_name.empty()) return "";
  double ends[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    CpuRateChoice choice;
    choice.entries = {{"all", i == 0 ? "low" : "high", ""}};
    apps::ApplicationTrace trace = file.trace;
    set_cpu_phases(trace.steps, file.rates, choice);
    ends[i] = Sums(trace).cpu_us;
  }
  return fmt::format(", {:.1f} to {:.1f} us by the ranges of its rates", ends[0], ends[1]);
}

std::string microseconds(double us) { return us > 0 ? fmt::format("{:.1f} us", us) : "not known"; }

}  // namespace

std::string describe_application(const std::string& name) {
  const std::string path = find_application(name, ".", "");
  const ApplicationFile file = load_application(path);
  const Sums sums(file.trace);
  std::string text = fmt::format("# `{}`\n\nAn application.\n\n{}\n", name, ConfigSearch::head_comment(path));
  text += fmt::format("{:<22}{} of {} CTAs in all, mean time of a CTA {}\n", "launches", sums.launches,
                      sums.ctas, microseconds(file.mean_cta_us));
  for (const auto& [what, bytes] : sums.bytes) text += fmt::format("{:<22}{} bytes\n", what, bytes);
  text += fmt::format("{:<22}{:.1f} us{}\n", "CPU alone", sums.cpu_us, range_of_cpu(file));
  TextTable table;
  table.add_column("kernel", TextTable::Align::kLeft);
  table.add_column("launches");
  table.add_column("CTAs");
  for (const auto& [kernel, counts] : sums.kernels)
    table.add_row({kernel, std::to_string(counts.first), std::to_string(counts.second)});
  return text + "\n" + table.text();
}

std::string describe_applications(const std::string& folder) {
  TextTable table;
  table.add_column("application", TextTable::Align::kLeft);
  std::vector<std::pair<std::string, ApplicationFile>> files;
  for (const std::string& name : applications_in(folder, ""))
    files.emplace_back(name, load_application(find_application(name, ".", "")));
  // What each way to tell short from long says (workload.mix.by); rows in the order of the first.
  std::vector<MixConfig> ways(3);
  ways[1].by = "launch";
  ways[2].by = "share";
  const auto sort_by = [&](const MixConfig& way) {
    std::stable_sort(files.begin(), files.end(), [&](const auto& a, const auto& b) {
      return way.length_of(a.second) < way.length_of(b.second);
    });
  };
  std::map<std::string, std::vector<std::string>> cells;
  for (const MixConfig& way : ways) {
    table.add_column("mean " + std::string(way.by == "cta" ? "CTA" : way.by));
    table.add_column("in mixes", TextTable::Align::kLeft);
    sort_by(way);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const double us = way.length_of(files[i].second);
      cells[files[i].first].push_back(microseconds(us));
      cells[files[i].first].emplace_back(!(us > 0) ? "any" : i < files.size() / 2 ? "short" : "long");
    }
  }
  table.add_column("launches");
  table.add_column("CPU alone");
  sort_by(ways[0]);
  for (const auto& [name, file] : files) {
    std::vector<std::string> row = {name};
    row.insert(row.end(), cells[name].begin(), cells[name].end());
    const Sums sums(file.trace);
    row.push_back(std::to_string(sums.launches));
    row.push_back(fmt::format("{:.1f} us", sums.cpu_us));
    table.add_row(std::move(row));
  }
  return fmt::format("# `{}`\n\nApplications, to be run one by one or drawn for mixes.\n\n{}", folder,
                     table.text());
}

std::string describe_mix(const Setting& workload) {
  const Setting* const at = workload.is_mapping() ? workload.find("mix") : nullptr;
  if (at == nullptr) return "";
  MixConfig mix;
  YamlFieldLoader loader(*at, "mix");
  mix.fields(loader);
  loader.finish();
  mix.place = at->place;
  if (mix.size == 0) return "";
  std::string text = fmt::format("\n{} processes, by seed:\n", mix.size);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    std::string names;
    for (const ProcessConfig& process : mix.draw(seed))
      names += fmt::format("{}{}{}", names.empty() ? "" : ", ", process.what(),
                           process.priority != 0 ? fmt::format(" (priority {})", process.priority) : "");
    text += fmt::format("  {}  {}: {}\n", seed, mix.kind_of(seed), names);
  }
  return text;
}

}  // namespace warpvp
