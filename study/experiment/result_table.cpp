#include "study/experiment/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/registry.h"
#include "platform/results/json_stats.h"
#include "study/experiment/run_values.h"

namespace warpvp {

namespace {

/// A value in one run.
struct Sample {
  std::optional<double> number;
  bool whole = false;
  std::string text;  ///< instead of a number
  std::optional<Compared> compared;
  bool left_out = false;  ///< there is a value, and no figure or too small a one to compare it with
};

/// What stands in a cell, and the numbers for plots and feet.
struct Cell {
  std::optional<double> number;
  std::optional<Estimate> estimate;  ///< of values averaged over seeds
  std::string text = "-";
  std::optional<Compared> compared;
  std::vector<Sample> samples;  ///< one a seed, or one
};

class Builder {
 public:
  Builder(const Experiment& e, const TableSpec& spec, const std::vector<ExperimentRun>& runs,
          const std::vector<FinishedRun>& results)
      : e_(e), spec_(spec), runs_(runs), results_(results), values_(e, runs, results) {}

  ResultTable build() {
    ResultTable out;
    out.title = spec_.title;
    out.plot = spec_.plot;
    const std::vector<std::vector<std::size_t>> rows =
        spec_.each ? std::vector<std::vector<std::size_t>>() : combinations(spec_.rows);
    const std::vector<std::vector<std::size_t>> columns = combinations(spec_.across);
    for (const std::string& axis : spec_.rows)
      out.text.add_column(axis.substr(axis.rfind('.') + 1), TextTable::Align::kLeft);
    if (spec_.each) {
      out.text.add_column(spec_.each->title);
    } else if (spec_.rows.empty()) {
      out.text.add_column("", TextTable::Align::kLeft);
    }
    out.label_columns = out.text.columns();
    for (const ValueSpec& value : spec_.values) {
      ResultTable::Block block;
      block.value = &value;
      block.averaged = averaged(value);
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
    add_data_columns(out);
    samples_.assign(out.blocks.size(), {});
    for (const auto& row : rows) add_row(row, columns, out);
    if (spec_.each) add_items(columns, out);
    for (const FootKind kind : spec_.foot) add_foot(kind, out);
    add_note(out);
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

  /// Where such an expression has no value, there is no figure.
  static bool all_figures(const Expression& e) {
    return std::all_of(e.names().begin(), e.names().end(), [](const std::string& n) { return n[0] == '#'; });
  }

  /// Whether the cells of a value are means over the seeds.
  bool averaged(const ValueSpec& value) const {
    if (!e_.seed_axis) return false;
    const std::string& seeds = e_.matrix[*e_.seed_axis].name;
    const auto has = [&](const std::vector<std::string>& axes) {
      return std::find(axes.begin(), axes.end(), seeds) != axes.end();
    };
    return !has(spec_.rows) && !has(spec_.across) && !(value.best && value.best->axis == seeds) &&
           std::none_of(value.where.begin(), value.where.end(),
                        [&](const auto& pick) { return pick.first == seeds; });
  }
  std::size_t seeds() const { return e_.matrix[*e_.seed_axis].alternatives.size(); }

  Cell cell(const ValueSpec& value, const std::vector<std::size_t>& row,
            const std::vector<std::size_t>& column) const {
    std::vector<std::size_t> point(e_.matrix.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) point[e_.axis(spec_.rows[i])] = row[i];
    for (std::size_t i = 0; i < column.size(); ++i) point[e_.axis(spec_.across[i])] = column[i];
    values_.choose(point, value.where);
    std::vector<std::vector<std::size_t>> points = {point};
    if (averaged(value)) {
      points.assign(seeds(), point);
      for (std::size_t seed = 0; seed < points.size(); ++seed) points[seed][*e_.seed_axis] = seed;
    }
    Cell out;
    if (value.best) {
      const std::optional<std::size_t> winner = values_.best(points, *value.best);
      const std::size_t axis = e_.axis(value.best->axis);
      if (!winner) {
        out.samples.resize(points.size());
        return out;
      }
      if (value.best->show_name) {
        out.samples.resize(points.size());
        out.text = e_.matrix[axis].alternatives[*winner].label;
        return out;
      }
      for (auto& one : points) one[axis] = *winner;
    }
    for (const auto& one : points) out.samples.push_back(sample(value, one));
    combine(value, out);
    return out;
  }

  Sample sample(const ValueSpec& value, std::vector<std::size_t> point) const {
    Sample out;
    std::optional<double> number;
    if (value.key.is_key()) {
      const nlohmann::ordered_json* found = values_.value(point, value.key.text());
      if (!found || found->is_null()) return out;
      if (!found->is_number()) {
        out.text = found->is_string() ? found->get<std::string>() : found->dump();
        return out;
      }
      number = found->get<double>();
      out.whole = found->is_number_integer() && value.relative_to.empty();
    } else {
      number = values_.number(point, value.key);
      if (!number) return out;
    }
    if (!value.relative_to.empty()) {
      values_.choose(point, value.relative_to);
      const std::optional<double> base = values_.number(point, value.relative_key);
      if (!base || (value.invert ? *number : *base) == 0) return out;
      number = value.invert ? *base / *number : *number / *base;
    }
    if (!value.against.text().empty()) {
      const std::optional<double> figure = values_.number(point, value.against);
      out.left_out = figure ? *figure == 0 || *figure < value.least : all_figures(value.against);
      if (figure && !out.left_out) out.compared = Compared{*number, *figure};
      if (value.show_ratio) {
        if (!out.compared) return out;
        number = *number / *figure;
        out.whole = false;
      }
    }
    out.number = number;
    return out;
  }

  /// From the samples to what the cell shows.
  void combine(const ValueSpec& value, Cell& cell) const {
    const bool mean = averaged(value);
    std::vector<double> numbers, ours, figures;
    for (const Sample& sample : cell.samples) {
      if (sample.number) numbers.push_back(*sample.number);
      if (!sample.compared) continue;
      ours.push_back(sample.compared->first);
      figures.push_back(sample.compared->second);
    }
    if (!ours.empty()) cell.compared = Compared{estimate(ours)->mean, estimate(figures)->mean};
    if (numbers.empty()) {
      const std::string& text = cell.samples.front().text;
      const bool same = std::all_of(cell.samples.begin(), cell.samples.end(),
                                    [&](const Sample& sample) { return sample.text == text; });
      if (same && !text.empty()) cell.text = text;
      return;
    }
    const std::optional<Estimate> estimated = estimate(numbers);
    if (mean) cell.estimate = estimated;
    for (const ClassSpec& one : value.classes) {
      if (one.below && estimated->mean >= *one.below) continue;
      cell.text = one.word;
      return;
    }
    cell.number = estimated->mean;
    cell.text = mean ? shown(*estimated, value) : shown(*cell.number, value, cell.samples.front().whole);
  }

  std::string shown(const Estimate& e, const ValueSpec& value, const char* unit = "") const {
    std::string text = shown(e.mean, value, false);
    if (e.half) text += " ± " + shown(*e.half, value, false);
    text += unit;
    if (e.runs < seeds()) text += fmt::format(" (n = {})", e.runs);
    return text;
  }

  static std::string shown(double number, const ValueSpec& value, bool whole) {
    if (whole && !value.digits_given) return fmt::format("{:.0f}", number);
    return fmt::format("{:.{}f}", number, value.digits);
  }

  /// Rows of the items of a list.
  void add_items(const std::vector<std::vector<std::size_t>>& columns, ResultTable& out) {
    const EachSpec& each = *spec_.each;
    RunValues::Point point(e_.matrix.size(), 0);
    values_.choose(point, each.where);
    const nlohmann::ordered_json* list = values_.value(point, each.list);
    if (!list) return;
    if (!list->is_array())
      out.warnings.push_back(fmt::format("{}: '{}' is no list in the result", each.place, each.list));
    const auto label_of = [&](std::size_t item) { return values_.number(point, each.of(each.label, item)); };
    for (const std::size_t item : each.rows_of(*list, label_of)) {
      const std::optional<double> label = label_of(item);
      add_row({}, columns, out, item, label ? fmt::format("{:.6g}", *label) : "-");
    }
  }

  void add_row(const std::vector<std::size_t>& row, const std::vector<std::vector<std::size_t>>& columns,
               ResultTable& out, std::optional<std::size_t> item = {}, const std::string& label = {}) {
    out.row_labels.push_back(item ? label : joined(spec_.rows, row));
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i)
      cells.push_back(e_.matrix[e_.axis(spec_.rows[i])].alternatives[row[i]].label);
    if (row.empty()) cells.push_back(item ? label : e_.name);
    std::vector<std::string> data = cells;
    for (ResultTable::Block& block : out.blocks) {
      std::vector<std::optional<double>> numbers;
      std::vector<std::optional<Compared>> compared;
      std::vector<std::optional<Estimate>> estimates;
      std::vector<std::vector<Sample>> samples;
      ValueSpec value = *block.value;
      if (item) {
        value.key = spec_.each->of(value.each_key, *item);
        value.against =
            value.each_against.empty() ? value.against : spec_.each->of(value.each_against, *item);
      }
      for (const auto& column : columns) {
        Cell c = cell(value, row, column);
        cells.push_back(c.text);
        add_data(block, c.text, c.number ? c.estimate : std::nullopt, data);
        numbers.push_back(c.number);
        compared.push_back(c.compared);
        estimates.push_back(c.estimate);
        samples.push_back(std::move(c.samples));
      }
      block.cells.push_back(std::move(numbers));
      block.compared.push_back(std::move(compared));
      if (block.averaged) block.estimates.push_back(std::move(estimates));
      samples_[&block - out.blocks.data()].push_back(std::move(samples));
    }
    add_references(out.row_labels.back(), cells);
    add_references(out.row_labels.back(), data);
    out.text.add_row(std::move(cells));
    out.data.add_row(std::move(data));
  }

  void add_foot(FootKind kind, ResultTable& out) const {
    std::vector<std::string> cells(std::max<std::size_t>(spec_.rows.size(), 1));
    cells[0] = foot_name(kind);
    std::vector<std::string> data = cells;
    const bool percent = kind == FootKind::kMape;
    const char* unit = percent ? " %" : "";
    std::vector<std::optional<Estimate>>& found_numbers = out.foot_numbers.emplace_back();
    for (std::size_t b = 0; b < out.blocks.size(); ++b) {
      ValueSpec value = *out.blocks[b].value;
      if (percent) value.digits = 1;
      if (kind == FootKind::kLogCorrelation) value.digits = 3;
      for (std::size_t s = 0; s < out.blocks[b].series.size(); ++s) {
        std::vector<double> numbers;
        const std::size_t replicates = out.blocks[b].averaged ? seeds() : 1;
        for (std::size_t seed = 0; seed < replicates; ++seed)
          if (const std::optional<double> number = foot(kind, value, b, s, seed))
            numbers.push_back(percent ? *number * 100 : *number);
        const std::optional<Estimate> found = estimate(numbers);
        found_numbers.push_back(found);
        const std::string text = !found                   ? "-"
                                 : out.blocks[b].averaged ? shown(*found, value, unit)
                                                          : shown(found->mean, value, false) + unit;
        cells.push_back(text);
        add_data({&value, {}, {}, {}, out.blocks[b].averaged, {}}, text, found, data);
      }
    }
    const std::string label = cells[0];  // not a reference into what grows
    add_references(label, cells);
    add_references(label, data);
    out.text.add_foot(std::move(cells));
    out.data.add_foot(std::move(data));
  }

  /// The foot of a column, of the runs of one seed.
  std::optional<double> foot(FootKind kind, const ValueSpec& value, std::size_t block, std::size_t series,
                             std::size_t seed) const {
    const bool compares = kind == FootKind::kMape || kind == FootKind::kLogCorrelation;
    std::vector<double> values;
    std::vector<Compared> pairs;
    for (const auto& row : samples_[block]) {
      const Sample& sample = row[series][seed];
      if ((compares || value.show_ratio) && sample.left_out) continue;
      if (compares ? !sample.compared : !sample.number || !value.classes.empty()) return std::nullopt;
      compares ? pairs.push_back(*sample.compared) : values.push_back(*sample.number);
    }
    if (kind == FootKind::kMape) return mean_relative_error(pairs);
    if (kind == FootKind::kLogCorrelation) return log_correlation(pairs);
    if (kind == FootKind::kGeomean) return geometric_mean(values);
    if (values.empty()) return std::nullopt;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }

  /// `data` has the columns of `text`, and two more after each that is averaged.
  void add_data_columns(ResultTable& out) const {
    const std::vector<std::string>& titles = out.text.titles();
    const std::size_t labels = out.label_columns;
    std::size_t at = 0;
    for (; at < labels; ++at) out.data.add_column(titles[at]);
    for (const ResultTable::Block& block : out.blocks) {
      for (std::size_t s = 0; s < block.series.size(); ++s, ++at) {
        out.data.add_column(titles[at]);
        if (!block.averaged) continue;
        out.data.add_column(titles[at] + " ci95");
        out.data.add_column(titles[at] + " runs");
      }
    }
    for (; at < titles.size(); ++at) out.data.add_column(titles[at]);
  }

  static void add_data(const ResultTable::Block& block, const std::string& text,
                       const std::optional<Estimate>& found, std::vector<std::string>& data) {
    if (!block.averaged) {
      data.push_back(text);
      return;
    }
    data.push_back(found ? shown(found->mean, *block.value, false) : text);
    data.push_back(found && found->half ? shown(*found->half, *block.value, false) : "");
    data.push_back(found ? fmt::format("{}", found->runs) : "");
  }

  void add_note(ResultTable& out) const {
    if (std::none_of(out.blocks.begin(), out.blocks.end(), [](const auto& block) { return block.averaged; }))
      return;
    const std::size_t n = seeds();
    std::string labels;
    for (const Alternative& seed : e_.matrix[*e_.seed_axis].alternatives)
      labels += (labels.empty() ? "" : ", ") + seed.label;
    const std::string& last = e_.matrix[*e_.seed_axis].alternatives.back().label;
    if (n > 3 && last == fmt::format("{}", n) && labels.rfind("1, 2, 3", 0) == 0)
      labels = fmt::format("1 to {}", n);
    out.note = n == 1 ? fmt::format("One run a value (seed {}): no interval.", labels)
                      : fmt::format(
                            "Means with 95 % confidence intervals (Student's t); n = {} runs a value, "
                            "with the seeds {}.",
                            n, labels);
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
    for (const FinishedRun& result : results_) {
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
  const std::vector<FinishedRun>& results_;
  const RunValues values_;
  std::vector<std::vector<std::vector<std::vector<Sample>>>> samples_;  ///< [block][row][series][seed]
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

std::optional<Estimate> ResultTable::number(const std::string& row, const std::string& column) const {
  const std::vector<std::string>& titles = text.titles();
  const auto titled = std::find(titles.begin(), titles.end(), column);
  std::size_t columns = 0;
  for (const Block& block : blocks) columns += block.series.size();
  const auto index = static_cast<std::size_t>(titled - titles.begin());
  if (index < label_columns || index >= label_columns + columns) return std::nullopt;
  std::size_t at = index - label_columns;
  for (std::size_t i = 0; i < text.foot().size(); ++i)
    if (text.foot()[i][0] == row) return foot_numbers[i][at];
  const auto labelled = std::find(row_labels.begin(), row_labels.end(), row);
  if (labelled == row_labels.end()) return std::nullopt;
  const auto line = static_cast<std::size_t>(labelled - row_labels.begin());
  for (const Block& block : blocks) {
    if (at >= block.series.size()) {
      at -= block.series.size();
      continue;
    }
    if (block.averaged) return block.estimates[line][at];
    const std::optional<double>& number = block.cells[line][at];
    return number ? std::optional<Estimate>({1, *number, std::nullopt}) : std::nullopt;
  }
  return std::nullopt;
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
                       const std::vector<ExperimentRun>& runs, const std::vector<FinishedRun>& results) {
  return Builder(experiment, spec, runs, results).build();
}

}  // namespace warpvp
