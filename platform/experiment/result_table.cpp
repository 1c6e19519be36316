#include "platform/experiment/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/registry.h"
#include "platform/config/setting.h"
#include "platform/results/json_stats.h"

namespace warpvp {

namespace {

/// A number for the cells of plots and means; text for what is not a number.
struct Cell {
  std::optional<double> number;
  bool whole = false;
  std::string text = "-";
  std::optional<Compared> compared;
  bool left_out = false;  ///< there is a value, and no figure or too small a one to compare it with
};

class Builder {
 public:
  Builder(const Experiment& e, const TableSpec& spec, const std::vector<ExperimentRun>& runs,
          const std::vector<RunResult>& results)
      : e_(e), spec_(spec), runs_(runs), results_(results) {}

  ResultTable build() {
    ResultTable out;
    out.title = spec_.title;
    out.plot = spec_.plot;
    const std::vector<std::vector<std::size_t>> rows = combinations(spec_.rows);
    const std::vector<std::vector<std::size_t>> columns = combinations(spec_.across);
    for (const std::string& axis : spec_.rows)
      out.text.add_column(axis.substr(axis.rfind('.') + 1), TextTable::Align::kLeft);
    if (spec_.rows.empty()) out.text.add_column("", TextTable::Align::kLeft);
    for (const ValueSpec& value : spec_.values) {
      ResultTable::Block block;
      block.value = &value;
      for (const auto& column : columns) {
        const std::string label = joined(spec_.across, column);
        block.series.push_back(label);
        out.text.add_column(label.empty()              ? value.title
                            : spec_.values.size() == 1 ? label
                                                       : value.title + " " + label);
      }
      out.blocks.push_back(std::move(block));
    }
    for (const ReferenceSpec& reference : spec_.references) out.text.add_column(reference.title);
    left_out_.assign(out.blocks.size(), {});
    for (const auto& row : rows) add_row(row, columns, out);
    for (const FootKind kind : spec_.foot) add_foot(kind, out);
    for (const ValueSpec& value : spec_.values) {
      std::vector<std::string> keys = value.key.names();
      for (const std::string& key : value.relative_key.names()) keys.push_back(key);
      for (const std::string& key : value.against.names()) keys.push_back(key);
      if (value.best)
        for (const std::string& key : value.best->by.names()) keys.push_back(key);
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (keys[i][0] != '$' && keys[i][0] != '#' &&
            std::find(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(i), keys[i]) ==
                keys.begin() + static_cast<std::ptrdiff_t>(i))
          warn_if_nowhere(value, keys[i], out);
    }
    return out;
  }

 private:
  /// Alternatives of the axes, in order, that occur in at least one run.
  std::vector<std::vector<std::size_t>> combinations(const std::vector<std::string>& axes) const {
    std::vector<std::vector<std::size_t>> found;
    for (const ExperimentRun& run : runs_) {
      std::vector<std::size_t> choice;
      for (const std::string& name : axes) choice.push_back(run.choice[e_.axis(name)]);
      found.push_back(std::move(choice));
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  std::string joined(const std::vector<std::string>& axes, const std::vector<std::size_t>& choice) const {
    std::string text;
    for (std::size_t i = 0; i < axes.size(); ++i)
      text += (i > 0 ? " " : "") + e_.matrix[e_.axis(axes[i])].alternatives[choice[i]].label;
    return text;
  }

  void choose(std::vector<std::size_t>& point, const Selection& selection) const {
    for (const auto& [name, label] : selection) {
      const std::size_t axis = e_.axis(name);
      const auto& alternatives = e_.matrix[axis].alternatives;
      for (std::size_t i = 0; i < alternatives.size(); ++i)
        if (alternatives[i].label == label) point[axis] = i;
    }
  }

  /// The result of the run at `point`; nullptr if it has none.
  const nlohmann::ordered_json* result_at(const std::vector<std::size_t>& point) const {
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (runs_[i].choice == point)
        return results_[i].exit_code == 0 && results_[i].result.is_object() ? &results_[i].result : nullptr;
    return nullptr;
  }
  const nlohmann::ordered_json* value_at(const std::vector<std::size_t>& point,
                                         const std::string& key) const {
    const nlohmann::ordered_json* result = result_at(point);
    return result ? find_value(*result, key) : nullptr;
  }

  /// The value of an expression in the run at `point`.
  std::optional<double> number_at(const std::vector<std::size_t>& point, const Expression& expression) const {
    return expression.evaluate([&](const std::string& name) -> std::optional<double> {
      if (name[0] == '$') {
        const std::size_t axis = e_.axis(name.substr(1));
        double number = 0;
        if (!parse_double(e_.matrix[axis].alternatives[point[axis]].label, number)) return std::nullopt;
        return number;
      }
      if (name[0] == '#') {
        const std::size_t axis = e_.axis(e_.figures->axis);
        return e_.figures->figures.number(e_.matrix[axis].alternatives[point[axis]].label, name.substr(1));
      }
      if (name[0] == '@') {
        const Expression::Elsewhere there = Expression::elsewhere(name);
        std::vector<std::size_t> other = point;
        choose(other, {{there.axis, there.label}});
        const nlohmann::ordered_json* result = result_at(other);
        return result ? sum_at(*result, there.key) : std::nullopt;
      }
      const nlohmann::ordered_json* result = result_at(point);
      return result ? sum_at(*result, name) : std::nullopt;
    });
  }

  /// The number under a key; with `*` in it, the sum over the list's items.
  static std::optional<double> sum_at(const nlohmann::ordered_json& root, const std::string& key) {
    const std::size_t star = key.find(".*");
    const nlohmann::ordered_json* found = key.empty() ? &root : find_value(root, key.substr(0, star));
    if (!found) return std::nullopt;
    if (star == std::string::npos) {
      if (found->is_boolean()) return found->get<bool>() ? 1 : 0;
      return found->is_number() ? std::optional<double>(found->get<double>()) : std::nullopt;
    }
    if (!found->is_array()) return std::nullopt;
    double sum = 0;
    for (const nlohmann::ordered_json& item : *found) {
      const std::optional<double> one = sum_at(item, key.substr(std::min(star + 3, key.size())));
      if (!one) return std::nullopt;
      sum += *one;
    }
    return sum;
  }

  /// Moves `point` to the best run, the first of equals; false unless all runs have a value.
  bool choose_best(std::vector<std::size_t>& point, const BestSpec& best) const {
    std::optional<double> least;
    std::string winner;
    for (const std::string& label : best.among) {
      choose(point, {{best.axis, label}});
      const std::optional<double> number = number_at(point, best.by);
      if (!number) return false;
      if (!least || (best.highest ? *number > *least : *number < *least)) {
        least = number;
        winner = label;
      }
    }
    choose(point, {{best.axis, winner}});
    return true;
  }

  /// Where such an expression has no value, there is no figure.
  static bool all_figures(const Expression& e) {
    return std::all_of(e.names().begin(), e.names().end(), [](const std::string& n) { return n[0] == '#'; });
  }

  Cell cell(const ValueSpec& value, const std::vector<std::size_t>& row,
            const std::vector<std::size_t>& column) const {
    std::vector<std::size_t> point(e_.matrix.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) point[e_.axis(spec_.rows[i])] = row[i];
    for (std::size_t i = 0; i < column.size(); ++i) point[e_.axis(spec_.across[i])] = column[i];
    choose(point, value.where);
    Cell out;
    if (value.best) {
      if (!choose_best(point, *value.best)) return out;
      if (value.best->show_name) {
        const std::size_t axis = e_.axis(value.best->axis);
        out.text = e_.matrix[axis].alternatives[point[axis]].label;
        return out;
      }
    }
    std::optional<double> number;
    if (value.key.is_key()) {
      const nlohmann::ordered_json* found = value_at(point, value.key.text());
      if (!found || found->is_null()) return out;
      if (!found->is_number()) {
        out.text = found->is_string() ? found->get<std::string>() : found->dump();
        return out;
      }
      number = found->get<double>();
      out.whole = found->is_number_integer() && value.relative_to.empty();
    } else {
      number = number_at(point, value.key);
      if (!number) return out;
    }
    if (!value.relative_to.empty()) {
      choose(point, value.relative_to);
      const std::optional<double> base = number_at(point, value.relative_key);
      if (!base || (value.invert ? *number : *base) == 0) return out;
      number = value.invert ? *base / *number : *number / *base;
    }
    if (!value.against.text().empty()) {
      const std::optional<double> figure = number_at(point, value.against);
      out.left_out = figure ? *figure == 0 || *figure < value.least : all_figures(value.against);
      if (figure && !out.left_out) out.compared = Compared{*number, *figure};
      if (value.show_ratio) {
        if (!out.compared) return out;
        number = *number / *figure;
        out.whole = false;
      }
    }
    for (const ClassSpec& one : value.classes) {
      if (one.below && *number >= *one.below) continue;
      out.text = one.word;
      return out;
    }
    out.number = number;
    out.text = shown(*number, value, out.whole);
    return out;
  }

  static std::string shown(double number, const ValueSpec& value, bool whole) {
    if (whole && !value.digits_given) return fmt::format("{:.0f}", number);
    return fmt::format("{:.{}f}", number, value.digits);
  }

  void add_row(const std::vector<std::size_t>& row, const std::vector<std::vector<std::size_t>>& columns,
               ResultTable& out) {
    out.row_labels.push_back(joined(spec_.rows, row));
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i)
      cells.push_back(e_.matrix[e_.axis(spec_.rows[i])].alternatives[row[i]].label);
    if (row.empty()) cells.push_back(e_.name);
    for (ResultTable::Block& block : out.blocks) {
      std::vector<std::optional<double>> numbers;
      std::vector<std::optional<Compared>> compared;
      std::vector<bool> left_out;
      for (const auto& column : columns) {
        const Cell c = cell(*block.value, row, column);
        cells.push_back(c.text);
        numbers.push_back(c.number);
        compared.push_back(c.compared);
        left_out.push_back(c.left_out);
      }
      block.cells.push_back(std::move(numbers));
      block.compared.push_back(std::move(compared));
      left_out_[&block - out.blocks.data()].push_back(std::move(left_out));
    }
    add_references(out.row_labels.back(), cells);
    out.text.add_row(std::move(cells));
  }

  void add_foot(FootKind kind, ResultTable& out) const {
    std::vector<std::string> cells(std::max<std::size_t>(spec_.rows.size(), 1));
    cells[0] = foot_name(kind);
    for (std::size_t b = 0; b < out.blocks.size(); ++b)
      for (std::size_t s = 0; s < out.blocks[b].series.size(); ++s)
        cells.push_back(foot_cell(kind, out.blocks[b], left_out_[b], s));
    add_references(cells[0], cells);
    out.text.add_foot(std::move(cells));
  }

  static std::string foot_cell(FootKind kind, const ResultTable::Block& block,
                               const std::vector<std::vector<bool>>& left_out, std::size_t s) {
    const bool compares = kind == FootKind::kMape || kind == FootKind::kLogCorrelation;
    std::vector<double> values;
    std::vector<Compared> pairs;
    for (std::size_t row = 0; row < block.cells.size(); ++row) {
      if ((compares || block.value->show_ratio) && left_out[row][s]) continue;
      if (compares ? !block.compared[row][s] : !block.cells[row][s]) return "-";
      compares ? pairs.push_back(*block.compared[row][s]) : values.push_back(*block.cells[row][s]);
    }
    std::optional<double> number;
    if (kind == FootKind::kMape) {
      number = mean_relative_error(pairs);
      return number ? fmt::format("{:.1f} %", *number * 100) : "-";
    }
    if (kind == FootKind::kLogCorrelation) {
      number = log_correlation(pairs);
      return number ? fmt::format("{:.3f}", *number) : "-";
    }
    if (kind == FootKind::kGeomean) {
      number = geometric_mean(values);
    } else if (!values.empty()) {
      number = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    }
    return number ? shown(*number, *block.value, false) : "-";
  }

  void add_references(const std::string& row, std::vector<std::string>& cells) const {
    for (const ReferenceSpec& reference : spec_.references) {
      cells.emplace_back();
      for (const auto& [label, cell] : reference.values)
        if (label == row) cells.back() = cell;
    }
  }

  void warn_if_nowhere(const ValueSpec& value, std::string key, ResultTable& out) const {
    if (key[0] == '@') key = Expression::elsewhere(key).key;
    for (std::size_t star; (star = key.find(".*")) != std::string::npos;) key[star + 1] = '0';
    const nlohmann::ordered_json* some = nullptr;
    for (const RunResult& result : results_) {
      if (result.exit_code != 0 || !result.result.is_object()) continue;
      if (find_value(result.result, key)) return;
      some = &result.result;
    }
    if (!some) return;
    std::vector<std::string> keys;
    for (const auto& leaf : flatten(*some)) keys.push_back(leaf.first);
    const std::string near = nearest_name(key, keys);
    out.warnings.push_back(fmt::format("{}: no result has the key '{}'{}", value.place, key,
                                       near.empty() ? "" : "; nearest: '" + near + "'"));
  }

  const Experiment& e_;
  const TableSpec& spec_;
  const std::vector<ExperimentRun>& runs_;
  const std::vector<RunResult>& results_;
  std::vector<std::vector<std::vector<bool>>> left_out_;  ///< [block][row][series]
};

}  // namespace

const std::string* ResultTable::cell(const std::string& row, const std::string& column) const {
  const std::vector<std::string>& titles = text.titles();
  const auto at = std::find(titles.begin(), titles.end(), column);
  if (at == titles.end()) return nullptr;
  const auto index = static_cast<std::size_t>(at - titles.begin());
  for (std::size_t i = 0; i < row_labels.size(); ++i)
    if (row_labels[i] == row) return &text.row(i)[index];
  for (std::size_t i = 0; i < text.foot().size(); ++i)
    if (text.foot()[i][0] == row) return &text.foot()[i][index];
  return nullptr;
}

std::optional<double> geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) {
    if (!(value > 0)) return std::nullopt;
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

ResultTable make_table(const Experiment& experiment, const TableSpec& spec,
                       const std::vector<ExperimentRun>& runs, const std::vector<RunResult>& results) {
  return Builder(experiment, spec, runs, results).build();
}

}  // namespace warpvp
