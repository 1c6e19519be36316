#pragma once
// Reads the tables of an experiment's file (docs/experiments.md), and what names axes of its matrix.

#include <optional>
#include <string>
#include <vector>

#include "study/experiment/experiment.h"
#include "study/experiment/setting_reader.h"

namespace warpvp {

/// Errors are InputErrors with file and line.
class TableReader : private SettingReader {
 public:
  /// Adds tables to `experiment`, whose matrix and figures have been read by then.
  explicit TableReader(Experiment& experiment) : e_(experiment) {}

  /// `s` is one table; `path` its key in the file.
  void read_table(const Setting& s, const std::string& path);
  /// A mapping of axes to labels of theirs.
  Selection selection(const Setting& s, const std::string& path) const;
  /// Of the axis `name`, which `at` has written.
  std::size_t axis_index(const std::string& name, const Setting& at, const std::string& path) const;
  /// `label`, which `at` has written below `path`, must be one of the axis.
  static void check_label(const Axis& axis, const std::string& label, const Setting& at,
                          const std::string& path);
  /// A word or a list of words of `allowed`.
  static std::vector<FootKind> feet(const Setting& s, const std::string& path,
                                    const std::vector<FootKind>& allowed);

 private:
  std::vector<std::string> axes(const Setting& s, const std::string& path) const;
  static Expression expression(const Setting& s, const std::string& path,
                               const std::optional<EachSpec>& each = {});
  static PlotKind plot_kind(const Setting& s, const std::string& path);
  BestSpec best(const Setting& s, const std::string& path) const;
  std::vector<ClassSpec> classes(const Setting& s, const std::string& path) const;
  /// `$AXIS`, `@AXIS=LABEL:KEY` and figure(HEADING) must name what there is.
  void check_axes(const Expression& e, const Setting& at, const std::string& path) const;
  /// Rows are the combinations of alternatives that occur, which is known before anything has run.
  ReferenceSpec reference(const Setting& s, const std::string& path, const TableSpec& table) const;
  EachSpec each(const Setting& s, const std::string& path) const;
  void read_against(const Setting& s, const std::string& path, const std::optional<EachSpec>& each,
                    ValueSpec& v) const;
  bool is_seeds(const Axis& axis) const { return e_.seed_axis && &axis == &e_.matrix[*e_.seed_axis]; }
  ValueSpec value(const Setting& s, const std::string& path, const TableSpec& table) const;

  Experiment& e_;
};

}  // namespace warpvp
