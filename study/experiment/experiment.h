#pragma once
// An experiment file: a base run, a matrix of settings, the tables to print, and the page to write.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/run_config.h"
#include "platform/config/setting.h"
#include "study/experiment/expression.h"
#include "study/experiment/figures.h"

namespace warpvp {

/// What is set besides, in combinations of other axes.
struct AlsoSets {
  std::vector<std::pair<std::string, std::vector<std::string>>>
      where;  ///< axis and labels, one of which it is
  std::vector<Assignment> sets;
};

/// One value of an axis: a label and what it sets.
struct Alternative {
  std::string label;
  std::vector<Assignment> sets;
  std::vector<AlsoSets> also = {};  ///< after the `sets` of all axes
};

/// One dimension of the matrix.
struct Axis {
  std::string name;
  std::vector<Alternative> alternatives;
};

/// Settings picked by label: axis name to alternative label.
using Selection = std::vector<std::pair<std::string, std::string>>;

/// kLogLine: lines, rows that are numbers placed on a logarithmic scale. kScatter: values over what they are
/// compared with, both on logarithmic scales. kStack: bars that stand on one another, parts of a whole.
enum class PlotKind : std::uint8_t { kNone, kBar, kStack, kLine, kLogLine, kScatter };
/// The last two compare values with what they stand `against`.
enum class FootKind : std::uint8_t { kMean, kGeomean, kMape, kLogCorrelation };
/// The label of its row, which is also its word in YAML.
const char* foot_name(FootKind kind);

/// Takes, for each cell, the best of several runs.
struct BestSpec {
  std::string axis;
  std::vector<std::string> among;  ///< labels of that axis
  Expression by;
  bool highest = false;
  bool show_name = false;  ///< the cell is the label of the best run, not a value of it
};

/// A word for a range of values.
struct ClassSpec {
  std::optional<double> below;  ///< none: everything else
  std::string word;
};

/// One figure of every run in the table.
struct ValueSpec {
  Expression key;  ///< most often a dotted path in result.json; with EachSpec that of the first item
  std::string each_key, each_against;  ///< with EachSpec: as they were written
  std::string title;
  Selection where;  ///< fixes axes that are neither rows nor columns
  std::optional<BestSpec> best;
  Selection relative_to;           ///< divide by the value of the run that differs in these
  Expression relative_key;         ///< which value of that run; `key` unless given
  bool invert = false;             ///< reference / value instead: a speed-up from a time
  Expression against;              ///< what the value is compared with; empty: nothing
  double least = 0;                ///< not compared where `against` is zero or less than this
  bool show_ratio = false;         ///< the cell is value / against
  std::vector<ClassSpec> classes;  ///< the first that fits; empty: the number itself
  std::uint32_t digits = 3;
  bool digits_given = false;  ///< otherwise whole numbers are printed whole
  PlotKind plot = PlotKind::kBar;
  std::string place;
};

/// Figures that expressions can name: the line of a run is that of its label on an axis.
struct FiguresSpec {
  Figures figures;
  std::string axis;
};

/// Figures from elsewhere that stand beside ours: one more column.
struct ReferenceSpec {
  std::string title;
  std::string source;  ///< where they come from, for the reader of the page
  std::vector<std::pair<std::string, std::string>> values;  ///< label of a row, or mean or geomean; the cell
};

/// Rows of a table that are the items of a list in one run's result: a series over time, say. In the table's
/// expressions a name `each.KEY` is KEY of the item.
struct EachSpec {
  std::string list;  ///< key in result.json, or `intervals`: rows of intervals.csv
  std::vector<std::pair<std::string, std::string>>
      only;                ///< members and the values that items must have there
  std::string label;       ///< expression as it was written: what stands before each row
  std::string title;       ///< above these
  std::optional<double> from, until;  ///< only items whose label is a number between them, both included
  Selection where;         ///< the run
  std::uint32_t most = 0;  ///< at most so many rows, evenly spread, with the first and the last item; 0: all
  std::string place;
  /// The expression for an item, by its index in the list, from its text as it was written.
  Expression of(const std::string& text, std::size_t item) const;
  /// Indices of the items that are rows, `label_of` an index being what `from` and `until` go by; none where
  /// `items` is no list.
  std::vector<std::size_t> rows_of(const nlohmann::ordered_json& items,
                                   const std::function<std::optional<double>(std::size_t)>& label_of) const;
};

struct TableSpec {
  std::string name;  ///< what a page calls it
  std::string title;
  std::optional<EachSpec> each;     ///< then there are neither `rows` nor `across`
  std::vector<std::string> rows;    ///< axes whose combinations are rows
  std::vector<std::string> across;  ///< axes whose combinations are columns, within each value
  std::vector<ValueSpec> values;
  std::vector<FootKind> foot;
  std::vector<ReferenceSpec> references;
  PlotKind plot = PlotKind::kNone;  ///< one plot of all values, instead of one a value
};

/// Tables of parts one under the other.
struct JoinedSpec {
  std::string name;
  std::string title;
  std::vector<std::string> tables;  ///< "experiment.table" of parts, or "table"; the same columns in each
  std::vector<FootKind> foot;       ///< geomean and mean only
  std::string place;
};

/// A number of a paper.
struct PaperCell {
  std::string row, column;  ///< of our table
  double number = 0;
  std::string text;  ///< as it was written, with `~` before it if it was read by eye
  /// `<`, `>` or `=` stands before ComparisonSpec::than: who wins is known and by how much is not. `number`
  /// is infinite where one side wins.
  bool sign_only = false;
  std::string place;
};

/// A figure or table of a paper beside a table of ours, row by row.
struct ComparisonSpec {
  std::string name;
  std::string title;
  std::string source;
  std::string table;  ///< "table", also of `joined`, or "experiment.table" of a part
  std::vector<PaperCell> cells;
  double than = 1;     ///< the value at which nobody wins
  double even = 0.02;  ///< nobody wins as near to it, relatively, as this
  std::string over;    ///< a column that the others are divided by first; empty: none
};

/// A piece of a page: text in Markdown, a table or its plots, or how far a paper and we agree.
struct PageBlock {
  enum class Kind : std::uint8_t { kText, kTable, kPlot, kComparison, kAgreement };
  Kind kind = Kind::kText;
  std::string text;                      ///< kText; `{{table/row/column}}` stands for that cell
  std::string table;                     ///< kTable, kPlot: "table", or "experiment.table" of a part
  std::vector<std::string> comparisons;  ///< kComparison: one; kAgreement
  std::string place;
};

/// A Markdown file written when the experiment is done.
struct PageSpec {
  std::filesystem::path file;
  std::string title;
  std::vector<PageBlock> blocks;
};

/// One run of the matrix: an alternative of every axis.
struct ExperimentRun {
  std::string name;  ///< also the name of its folder
  std::vector<std::size_t> choice;
};

struct Experiment {
  std::string name;
  std::string description;
  std::vector<Experiment> parts;         ///< experiments that are run first, each with tables of its own
  Setting base;                          ///< null: no runs of its own, only parts
  std::vector<Axis> matrix;              ///< the seeds too, as the last axis
  std::optional<std::size_t> seed_axis;  ///< of `seeds`: tables take the mean along it
  std::vector<Selection> exclude;
  std::optional<FiguresSpec> figures;
  std::vector<TableSpec> tables;
  std::vector<JoinedSpec> joined;
  std::vector<ComparisonSpec> comparisons;
  std::optional<PageSpec> page;

  /// Reads and checks an experiment file. InputError with place, as everywhere. `seeds`, if given, stands in
  /// place of the file's own, in its parts too.
  static Experiment load(const std::filesystem::path& file, const ConfigSearch& search,
                         const Setting* seeds = nullptr);

  /// All combinations that are not excluded; the last axis varies fastest.
  std::vector<ExperimentRun> runs() const;
  /// What the run sets, in the order of the axes, then what they set `also`.
  std::vector<Assignment> assignments(const ExperimentRun& run) const;
  /// The label of the run on an axis.
  const std::string& label(const ExperimentRun& run, std::size_t axis) const {
    return matrix[axis].alternatives[run.choice[axis]].label;
  }
  /// The table that a page calls `name`, with the experiment it belongs to: this one or a part. Nulls if
  /// none.
  std::pair<const Experiment*, const TableSpec*> table(const std::string& name) const;
  /// nullptr if none of `joined` has that name.
  const JoinedSpec* joined_table(const std::string& name) const;
  /// Whether a page may speak of such a table.
  bool has_table(const std::string& name) const { return joined_table(name) || table(name).second; }
  /// Their names for a message, those of parts too.
  std::string table_names() const;
  /// nullptr if none has that name.
  const ComparisonSpec* comparison(const std::string& name) const;
  /// Index of the axis of that name, or matrix.size().
  std::size_t axis(const std::string& name) const;
};

}  // namespace warpvp
