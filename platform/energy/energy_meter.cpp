#include "platform/energy/energy_meter.h"

#include <algorithm>

#include "platform/energy/counter_reader.h"

namespace warpvp {

namespace {

constexpr const char kKernels[] = "kernels.";
constexpr const char kUnit[] = "nJ";
// Counters that depend on the time for which power is paid.
constexpr const char kCycles[] = "simulation.cycles", kSmCycles[] = "energy.counts.sm_cycles",
                     kIdleSmCycles[] = "energy.counts.idle_sm_cycles";

EnergyRange range_of(const EnergyEntry& entry) { return EnergyRange{entry.value, entry.low, entry.high}; }

/// `value`, `low` or `high` of each, as the result's writer takes them.
std::vector<std::pair<std::string, double>> each(const NamedEnergies& energies, double EnergyRange::*end) {
  std::vector<std::pair<std::string, double>> list;
  for (const auto& [name, energy] : energies) list.emplace_back(name, energy.*end);
  return list;
}

void visit_components(ResultVisitor& v, const NamedEnergies& energies) {
  v.named("components", each(energies, &EnergyRange::value), "COMPONENT", kUnit,
          "By component, as the table names them.", "Energy of this component.");
  v.named("components_low", each(energies, &EnergyRange::low), "COMPONENT", kUnit,
          "The same with the lowest energies of the table.", "Energy of this component, at least.");
  v.named("components_high", each(energies, &EnergyRange::high), "COMPONENT", kUnit,
          "The same with the highest energies of the table.", "Energy of this component, at most.");
}

}  // namespace

EnergyRange& EnergyRange::operator+=(const EnergyRange& other) {
  value += other.value;
  low += other.low;
  high += other.high;
  return *this;
}

void EnergyRange::stats(StatVisitor& v, const std::string& key, const char* unit,
                        const std::string& doc) const {
  v.value(key.c_str(), value, unit, doc.c_str());
  v.value((key + "_low").c_str(), low, unit, "The same with the lowest energies of the table.");
  v.value((key + "_high").c_str(), high, unit, "The same with the highest energies of the table.");
}

EnergyRange KernelEnergy::total() const {
  EnergyRange sum;
  for (const auto& [name, energy] : components) sum += energy;
  return sum;
}

void KernelEnergy::stats(ResultVisitor& v) const {
  total().stats(v, "total", kUnit, "Energy of its events: the sum of the components.");
  visit_components(v, components);
}

void EnergyTime::stats(StatVisitor& v) const {
  v.value("sm_cycles", sm_cycles(), "cycles",
          "Cycles of the SM clock (simulation.cycles) times the number of SMs.");
  v.value("idle_sm_cycles", idle_sm_cycles(), "cycles",
          "Of these, those without resident warps: sm_cycles less active_cycles of the SMs.");
}

EnergyRange EnergySum::total() const {
  EnergyRange sum = dynamic;
  return sum += steady;
}

void EnergySum::stats(StatVisitor& v) const {
  total().stats(v, "total", kUnit, "Energy: dynamic and static.");
  dynamic.stats(v, "dynamic", kUnit, "Energy of events.");
  steady.stats(v, "static", kUnit,
               "Energy of power that is drawn for a time: leakage, idle parts, the board.");
  v.value("time_us", us, "us", "The time for which power is drawn.");
  // 1 nJ/us is 1 mW.
  const double watts = us > 0 ? 1e-3 / us : 0;
  (total() * watts).stats(v, "average_power", "W", "Total energy over this time.");
  (total() * us).stats(v, "energy_delay_product", "nJ us", "Total energy times this time.");
}

void EnergyResult::stats(ResultVisitor& v) const {
  v.text("table", table, "The table of energies.");
  v.when(!uncounted.empty(), "where there are such", [&] {
    v.text(
        "uncounted", uncounted,
        "Counters that the table charges and the run does not have, for its platform or because they stayed "
        "0: nothing is charged for them.");
  });
  whole.stats(v);
  without_source.stats(v, "without_source", kUnit,
                       "Of the total, what comes from entries of the table that have bounds and no source.");
  visit_components(v, components);
  v.named("entries", each(entries, &EnergyRange::value), "ENTRY", kUnit, "By entry of the table.",
          "Energy of this entry.");
  v.group("kernel_time", kernels,
          "Kernels alone: energy of their own events, and power for simulation.kernel_cycles.");
  v.group("counts", time, "Counters that the table may name besides all others.");
}

EnergyMeter::EnergyMeter(const EnergyTable& table) : table_(table) {
  for (const EnergyEntry& entry : table.entries) {
    Places places;
    for (const std::string& path : entry.counters) places.counters.push_back(place_of(path));
    for (const std::string& path : entry.by) {
      // Without a counter of the whole, the sum over kernels stands for it.
      places.by.push_back(place_of(counter_of_whole(kKernels + path)));
      places.by_of_kernel.push_back(place_of(kKernels + path));
    }
    places_.push_back(std::move(places));
    const auto known = std::find(components_.begin(), components_.end(), entry.component);
    component_of_.push_back(static_cast<std::size_t>(known - components_.begin()));
    if (known == components_.end()) components_.push_back(entry.component);
  }
  whole_.resize(paths_.size());
}

std::size_t EnergyMeter::place_of(const std::string& path) {
  const auto found = std::find(paths_.begin(), paths_.end(), path);
  if (found != paths_.end()) return static_cast<std::size_t>(found - paths_.begin());
  paths_.push_back(path);
  return paths_.size() - 1;
}

double EnergyMeter::count(const Counts& counts, const std::vector<std::size_t>& places) const {
  double sum = 0;
  for (const std::size_t place : places) sum += counts[place].value_or(0);
  return sum;
}

void EnergyMeter::add_kernel(const Visit& visit, bool keep) {
  CounterReader reader(paths_, kKernels);
  visit(reader);
  ++kernels_;
  for (std::size_t i = 0; i < paths_.size(); ++i)
    if (reader.counts()[i]) whole_[i] = whole_[i].value_or(0) + *reader.counts()[i];
  if (keep) kept_.push_back(reader.counts());
}

/// Of events that are a kernel's own, or divided among kernels. `kernel` has counters of kernels alone.
KernelEnergy EnergyMeter::energy_of(const Counts& kernel) const {
  KernelEnergy energy;
  for (const std::string& component : components_) energy.components.push_back({component, {}});
  for (std::size_t e = 0; e < table_.entries.size(); ++e) {
    const EnergyEntry& entry = table_.entries[e];
    if (entry.is_power()) continue;
    double events = 0;
    if (entry.by.empty()) {
      for (const std::size_t place : places_[e].counters)
        if (paths_[place].rfind(kKernels, 0) == 0) events += kernel[place].value_or(0);
    } else if (const double all = count(whole_, places_[e].by); all > 0) {
      events = count(whole_, places_[e].counters) * count(kernel, places_[e].by_of_kernel) / all;
    }
    energy.components[component_of_[e]].second += range_of(entry) * (entry.scale() * events);
  }
  return energy;
}

EnergyRange EnergyMeter::energy_of(std::size_t entry, const EnergyTime& time) const {
  const EnergyEntry& e = table_.entries[entry];
  if (!e.is_power()) return range_of(e) * (e.scale() * count(whole_, places_[entry].counters));
  double us = 0;
  for (const std::size_t place : places_[entry].counters) {
    const std::string& path = paths_[place];
    double cycles = whole_[place].value_or(0);
    if (path == kCycles) cycles = static_cast<double>(time.cycles);
    if (path == kSmCycles) cycles = static_cast<double>(time.sm_cycles());
    if (path == kIdleSmCycles) cycles = static_cast<double>(time.idle_sm_cycles());
    // Keys of result.json end in their unit where they are times.
    const bool is_us = path.size() > 3 && path.compare(path.size() - 3, 3, "_us") == 0;
    us += is_us ? cycles : cycles / time.sm_clock_mhz;
  }
  return range_of(e) * (e.scale() * us * 1e3);  // 1 W for 1 us is 1000 nJ
}

EnergyResult EnergyMeter::result(const Visit& visit, const EnergyTime& time,
                                 const EnergyTime& while_kernels) {
  EnergyResult result;
  result.table = table_.file.written;
  result.time = time;
  CounterReader reader(paths_);
  visit(reader);
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const bool of_kernels = paths_[i].rfind(kKernels, 0) == 0;
    if (!of_kernels) whole_[i] = reader.counts()[i];
    if (paths_[i] == kSmCycles) whole_[i] = static_cast<double>(time.sm_cycles());
    if (paths_[i] == kIdleSmCycles) whole_[i] = static_cast<double>(time.idle_sm_cycles());
    if (!whole_[i] && (!of_kernels || kernels_ != 0))
      result.uncounted += (result.uncounted.empty() ? "" : " ") + paths_[i];
  }
  result.whole.us = time.us();
  result.kernels.us = while_kernels.us();
  for (const std::string& component : components_) result.components.push_back({component, {}});
  for (std::size_t e = 0; e < table_.entries.size(); ++e) {
    const EnergyEntry& entry = table_.entries[e];
    const EnergyRange energy = energy_of(e, time);
    result.entries.emplace_back(entry.name, energy);
    result.components[component_of_[e]].second += energy;
    (entry.is_power() ? result.whole.steady : result.whole.dynamic) += energy;
    if (entry.source.empty()) result.without_source += energy;
    if (entry.is_power()) result.kernels.steady += energy_of(e, while_kernels);
  }
  // Counters of all kernels together are those of one great kernel.
  result.kernels.dynamic = energy_of(whole_).total();
  return result;
}

std::vector<KernelEnergy> EnergyMeter::kernels() const {
  std::vector<KernelEnergy> energies;
  for (const Counts& kernel : kept_) energies.push_back(energy_of(kernel));
  return energies;
}

}  // namespace warpvp
