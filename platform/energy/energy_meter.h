#pragma once
// Counters times energies: what each kernel launch and the whole run cost (energy_table.h has the model).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/energy/energy_table.h"
#include "platform/results/result_visitor.h"

namespace warpvp {

/// An energy in nJ, or whatever else is known within bounds.
struct EnergyRange {
  double value = 0, low = 0, high = 0;

  EnergyRange& operator+=(const EnergyRange& other);
  EnergyRange operator*(double factor) const { return {value * factor, low * factor, high * factor}; }
  /// As KEY, KEY_low and KEY_high.
  void stats(StatVisitor& v, const std::string& key, const char* unit, const std::string& doc) const;
};

using NamedEnergies = std::vector<std::pair<std::string, EnergyRange>>;

/// What a kernel launch cost: its events, without power.
struct KernelEnergy {
  NamedEnergies components;
  EnergyRange total() const;
  void stats(ResultVisitor& v) const;
};

/// The time for which power is paid.
struct EnergyTime {
  double sm_clock_mhz = 1;
  std::uint64_t sms = 0;
  std::uint64_t cycles = 0;            ///< of the SM clock
  std::uint64_t active_sm_cycles = 0;  ///< with warps resident, summed over SMs

  double us() const { return static_cast<double>(cycles) / sm_clock_mhz; }
  std::uint64_t sm_cycles() const { return sms * cycles; }
  std::uint64_t idle_sm_cycles() const {
    return sm_cycles() > active_sm_cycles ? sm_cycles() - active_sm_cycles : 0;
  }
  /// Counters that the table may name and no block counts.
  void stats(StatVisitor& v) const;
};

/// Energy over a time: by events and by power.
struct EnergySum {
  EnergyRange dynamic, steady;
  double us = 0;
  EnergyRange total() const;
  void stats(StatVisitor& v) const;
};

/// What the run cost.
struct EnergyResult {
  std::string table;      ///< the file, as the user wrote it
  std::string uncounted;  ///< counters that the run does not have, separated by blanks
  EnergySum whole;
  EnergySum kernels;  ///< of kernels alone, and power only while any was in the work distributor
  EnergyRange without_source;
  NamedEnergies components, entries;
  EnergyTime time;
  void stats(ResultVisitor& v) const;
};

class EnergyMeter {
 public:
  using Visit = std::function<void(ResultVisitor&)>;

  /// `table` outlives the meter.
  explicit EnergyMeter(const EnergyTable& table);

  /// Takes the counters of a launch, which `visit` visits as a result has them below `kernels`. `keep`:
  /// kernels() will have it.
  void add_kernel(const Visit& visit, bool keep);
  /// Takes all other counters, which `visit` visits from the root of the result, and says what the run cost.
  /// `while_kernels`: with the cycles in which a kernel was in the work distributor. Once, after the kernels.
  EnergyResult result(const Visit& visit, const EnergyTime& time, const EnergyTime& while_kernels);
  /// In the order in which they were added. After result().
  std::vector<KernelEnergy> kernels() const;

 private:
  using Counts = std::vector<std::optional<double>>;

  std::size_t place_of(const std::string& path);
  double count(const Counts& counts, const std::vector<std::size_t>& places) const;
  KernelEnergy energy_of(const Counts& kernel) const;
  EnergyRange energy_of(std::size_t entry, const EnergyTime& time) const;

  struct Places {
    std::vector<std::size_t> counters;
    std::vector<std::size_t> by, by_of_kernel;
  };
  const EnergyTable& table_;
  std::vector<std::string> paths_;         // of all counters that are wanted
  std::vector<Places> places_;             // by entry, in paths_
  std::vector<std::string> components_;    // in the order in which the table names them
  std::vector<std::size_t> component_of_;  // by entry
  Counts whole_;                           // by paths_; of kernels their sums
  std::vector<Counts> kept_;
  std::uint64_t kernels_ = 0;
};

}  // namespace warpvp
