#pragma once
// Reads the comparisons of an experiment's file (docs/experiments.md).

#include <string>

#include "study/experiment/experiment.h"
#include "study/experiment/setting_reader.h"

namespace warpvp {

/// Errors are InputErrors with file and line.
class ComparisonReader : private SettingReader {
 public:
  /// Adds comparisons to `experiment`, whose tables and parts have been read by then.
  explicit ComparisonReader(Experiment& experiment) : e_(experiment) {}

  void read(const Setting& comparisons);

 private:
  ComparisonSpec comparison(const Setting& s) const;
  void read_cells(const Setting& paper, ComparisonSpec& out) const;

  Experiment& e_;
};

}  // namespace warpvp
