#pragma once
// Interval statistics: a row of counters in intervals.csv after every so many cycles of the SM clock.
//
// An interval of n cycles holds what happened at n edges and before the next one. While nothing happens at
// all in the simulation, no rows are written: such a stretch is one interval, some whole number of intervals
// long, so that every row's interval begins where the one before ends.

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "platform/config/interval_config.h"
#include "platform/observe/interval_counters.h"

namespace warpvp {

class IntervalStatistics {
 public:
  /// A row: what the counters grew by from `from` to `to`, and the levels at `to`.
  struct Row {
    sc_core::sc_time from, to;
    Cycle cycle = 0;  ///< of the SM clock, at `to`
    std::vector<double> values;
  };

  /// Opens the file in `folder`. InputError for names that stand for nothing, and when it cannot be written.
  IntervalStatistics(Platform& platform, const IntervalConfig& config, const std::filesystem::path& folder);
  ~IntervalStatistics();
  IntervalStatistics(const IntervalStatistics&) = delete;

  /// When the present interval ends.
  sc_core::sc_time due() const { return due_; }
  /// Ends it. Everything before due() has happened and nothing at it; `next_event` is when something will.
  void take(const sc_core::sc_time& next_event);
  /// Writes what is left, when the run is over and all waits have been counted. InputError if something could
  /// not be written. Further calls do nothing.
  void finish();

  const std::vector<IntervalColumn>& columns() const { return counters_.columns(); }
  /// Gets each row from now on, in order.
  void show_to(std::function<void(const Row&)> listener) { listener_ = std::move(listener); }

 private:
  void hold(Row row);
  void write_held();
  void difference(std::vector<double>& values);

  Platform& platform_;
  const Cycle length_;
  IntervalCounters counters_;
  std::function<void(const Row&)> listener_;
  std::string path_;
  std::ofstream out_;
  int error_ = 0;  // errno of the first write that failed
  std::string line_;
  sc_core::sc_time due_;
  Cycle due_cycle_;
  std::vector<double> last_;  // counters at the end of the interval before
  // The row last taken, not written yet: what happens at its very end, when the run ends there, joins it.
  Row held_;
  bool holds_ = false, finished_ = false;
};

}  // namespace warpvp
