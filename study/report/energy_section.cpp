// What a run and its kernels cost, where it had a table of energies.

#include <fmt/format.h>

#include <algorithm>

#include "platform/results/json_stats.h"
#include "study/report/sections.h"

namespace warpvp::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostEnergyRows = 2000;

/// In uJ of nJ.
double micro(double nj) { return nj / 1000; }

std::optional<double> number_in(const Json& of, const std::string& path) {
  const Json* const value = find_value(of, path);
  return value != nullptr && value->is_number() ? std::optional<double>(value->get<double>()) : std::nullopt;
}

std::optional<double> micro_of(const Json& of, const std::string& path) {
  const std::optional<double> nj = number_in(of, path);
  return nj ? std::optional<double>(micro(*nj)) : std::nullopt;
}

std::vector<std::string> components_of(const Json& energy) {
  std::vector<std::string> names;
  const Json* const components = find_value(energy, "components");
  if (components != nullptr && components->is_object())
    for (const auto& [name, value] : components->items()) names.push_back(name);
  return names;
}

Table table_of_run(const Json& energy) {
  Table table;
  table.caption = "The run by component";
  table.columns = {{"component", "", false},
                   {"energy", "uJ", true},
                   {"at least", "uJ", true},
                   {"at most", "uJ", true},
                   {"of all", "%", true, 1u}};
  const double all = number_in(energy, "total").value_or(0);
  const auto row = [&](const std::string& name, const std::string& value, const std::string& low,
                       const std::string& high) {
    const std::optional<double> nj = number_in(energy, value);
    return std::vector<Cell>{name, micro_of(energy, value), micro_of(energy, low), micro_of(energy, high),
                             nj && all > 0 ? std::optional<double>(100 * *nj / all) : std::nullopt};
  };
  for (const std::string& name : components_of(energy))
    table.rows.push_back(
        row(name, "components." + name, "components_low." + name, "components_high." + name));
  for (const char* sum : {"dynamic", "static", "total"})
    table.foot.push_back(row(sum, sum, std::string(sum) + "_low", std::string(sum) + "_high"));
  return table;
}

/// The energy of the `i`th launch; nullptr: it has none.
const Json* energy_of(const RunView& run, std::size_t i) {
  return find_value(run.result, fmt::format("kernels.{}.energy", i));
}

Table table_of_kernels(const RunView& run, const std::vector<std::string>& components) {
  Table table;
  table.caption = "Events of kernel launches";
  table.columns = {{"launch", "", true, 0u},
                   {"kernel", "", false},
                   {"energy", "uJ", true},
                   {"at least", "uJ", true},
                   {"at most", "uJ", true}};
  for (const std::string& name : components) table.columns.push_back({name, "uJ", true});
  for (std::size_t k = 0; k < run.kernels.size() && table.rows.size() < kMostEnergyRows; ++k) {
    const Json* const energy = energy_of(run, k);
    if (energy == nullptr) continue;
    std::vector<Cell> row = {run.kernels[k].launch, run.kernels[k].name, micro_of(*energy, "total"),
                             micro_of(*energy, "total_low"), micro_of(*energy, "total_high")};
    for (const std::string& name : components) row.emplace_back(micro_of(*energy, "components." + name));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Chart chart_of_kernels(const RunView& run, const std::vector<std::string>& components) {
  Chart chart;
  chart.id = "energy-by-kernel";
  chart.kind = ChartKind::kStack;
  chart.title = "By kernel";
  chart.x = {"kernel", "", false};
  chart.y = {"energy of events", "uJ", false};
  for (const std::string& name : components) {
    chart.series.push_back({});
    chart.series.back().name = name;
  }
  for (const KernelGroup& group : run.groups) {
    if (chart.categories.size() == kMostGroups) break;
    chart.categories.push_back(group.label());
    for (std::size_t c = 0; c < components.size(); ++c) {
      double sum = 0;
      for (const KernelView* launch : group.launches)
        if (const Json* const energy = energy_of(run, static_cast<std::size_t>(launch - run.kernels.data())))
          sum += micro_of(*energy, "components." + components[c]).value_or(0);
      chart.series[c].y.push_back({sum, {}, {}});
    }
  }
  chart.summary = "What the events of each kernel cost, by component of the table.";
  return chart;
}

}  // namespace

Section energy_section(const RunView& run) {
  Section section;
  section.id = "energy";
  section.title = "Energy";
  const Json* const energy = find_value(run.result, "energy");
  if (energy == nullptr) return section;
  section.text.push_back(fmt::format(
      "Counters times the energies of {} (docs/energy.md): {} uJ in {} us, {} W on average. The bounds are "
      "sums of all energies at their lowest and at their highest.",
      run.text("energy.table").value_or("a table"), readable(micro(number_in(*energy, "total").value_or(0))),
      readable(number_in(*energy, "time_us").value_or(0)),
      readable(number_in(*energy, "average_power").value_or(0))));
  if (const auto us = number_in(*energy, "kernel_time.time_us"); us && *us > 0)
    section.text.push_back(
        fmt::format("Kernels alone: {} uJ in the {} us in which any was there, {} W on average.",
                    readable(micro_of(*energy, "kernel_time.total").value_or(0)), readable(*us),
                    readable(number_in(*energy, "kernel_time.average_power").value_or(0))));
  if (const auto without = number_in(*energy, "without_source"); without && *without > 0)
    section.text.push_back(fmt::format("{} of it comes from entries without a source, within bounds only.",
                                       percent(*without, number_in(*energy, "total").value_or(0))));
  if (const auto uncounted = run.text("energy.uncounted"))
    section.text.push_back("Not counted by this run, and charged with nothing: " + *uncounted + ".");
  section.tables.push_back(table_of_run(*energy));
  if (run.kernels.empty()) return section;
  // Components of power alone have nothing to show by kernel.
  std::vector<std::string> components = components_of(*energy);
  components.erase(std::remove_if(components.begin(), components.end(),
                                  [&](const std::string& name) {
                                    for (std::size_t k = 0; k < run.kernels.size(); ++k)
                                      if (const Json* const of = energy_of(run, k);
                                          of && number_in(*of, "components_high." + name).value_or(0) > 0)
                                        return false;
                                    return true;
                                  }),
                   components.end());
  if (components.empty()) return section;
  section.charts.push_back(chart_of_kernels(run, components));
  section.tables.push_back(table_of_kernels(run, components));
  return section;
}

}  // namespace warpvp::report
