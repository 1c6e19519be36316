#pragma once
// The energy table: what one event costs, in YAML.
//
// Energy is the counters of a result times a table, worked out when the result is collected. Nothing of it
// takes part in the simulation, so that a run without a table is as it ever was, and a run with one takes the
// same cycles.
//
// Which counters cost something is data, not code. An entry names counters by their paths in result.json
// (`kernels.frontend.fetches`, `sms.policies.front_end.NAME`), so that whatever a block or a policy counts
// can be charged by a line of YAML as soon as it is in the result. In turn every name is looked up in the
// reference of result.json: one that no run can have is wrong input.
//
// Whose energy it is follows from the path. What lies below `kernels` is a launch's; other counters are those
// of the whole platform, unless `by` divides them among launches in proportion to what each of them counted
// there. An energy is per event (pJ, nJ, uJ); a power (mW, W) is for a time, and makes the static part.
//
// A number is worth what its source is: an entry has the text of one, or says that there is none and gives
// the bounds within which the value lies and why (`bounds`, `low`, `high`). Results are given at the value
// and at both ends. No event is charged twice, by one name or by the name of a sum that it is a part of,
// unless the entry says so (`again`).

#include <string>
#include <vector>

#include "base/fields.h"
#include "platform/results/result_reference.h"

namespace warpvp {

struct EnergyEntry {
  std::string name;
  std::vector<std::string> counters;  ///< paths in result.json
  std::vector<std::string> by;        ///< paths below `kernels`; empty: the whole platform's
  std::string component;
  double value = kNone, low = kNone, high = kNone;  ///< in `unit`; after reading low <= value <= high
  std::string unit = "pJ";
  std::string source, bounds;  ///< one of them
  bool again = false;          ///< its counters may be charged by other entries too

  static constexpr double kNone = -1;

  /// Of a time, not of an event.
  bool is_power() const { return unit == "W" || unit == "mW"; }
  /// nJ of one event; for powers W.
  double scale() const;
  void fields(FieldVisitor& v);
  /// Checks what has been read, and fills in bounds.
  void settle(FieldVisitor& v);

 private:
  std::string counter_words_, by_words_;
};

struct EnergyTable {
  PathValue file;
  std::vector<EnergyEntry> entries;  ///< in the order of writing

  /// Whether an entry charges a counter below `group` ("kernels.executed").
  bool charges(const std::string& group) const;
};

/// The counter of the whole platform that has the events of this one too: "dram.reads" of
/// "kernels.dram.reads". The path itself where there is none.
std::string counter_of_whole(const std::string& path);

/// Reads a table and looks its counters up in `results`. InputError, with the place, for whatever is wrong:
/// unknown or missing keys, numbers below zero, a counter that result.json has not or that does not add up,
/// one that is charged twice.
EnergyTable read_energy_table(const PathValue& file, const ResultReference& results);

}  // namespace warpvp
