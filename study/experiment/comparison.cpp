#include "study/experiment/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace warpvp {

namespace {

/// -1, 0 or 1: below, as good as at, above.
int side(double value, double than, double even) {
  if (std::fabs(value - than) <= even * std::fabs(than)) return 0;
  return value < than ? -1 : 1;
}

const char* words(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOpposite:
      return "**no**";
    case Verdict::kDrawHere:
      return "**no**, a draw here";
    case Verdict::kDrawThere:
      return "**no**, a draw there";
    case Verdict::kUnsettled:
      return "not settled";
    case Verdict::kMissing:
      return "no number";
    case Verdict::kSame:
      break;
  }
  return "yes";
}

std::optional<Estimate> number_at(const ComparisonSpec& spec, const ResultTable& table, const PaperCell& cell,
                                  const std::string& column) {
  if (!table.cell(cell.row, column))
    throw InputError(fmt::format("{}: table '{}' has no row '{}' with a column '{}'", cell.place, spec.table,
                                 cell.row, column));
  return table.number(cell.row, column);
}

std::string percent_of_even(const ComparisonSpec& spec) { return fmt::format("{:g}", spec.even * 100); }

}  // namespace

std::size_t Comparison::same() const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.verdict == Verdict::kSame; }));
}

Verdict judge(double paper, const std::optional<Estimate>& ours, double than, double even) {
  if (!ours) return Verdict::kMissing;
  const int theirs = side(paper, than, even), mine = side(ours->mean, than, even);
  if (mine != 0 && ours->half && std::fabs(ours->mean - than) < *ours->half) return Verdict::kUnsettled;
  if (theirs == mine) return Verdict::kSame;
  if (mine == 0) return Verdict::kDrawHere;
  return theirs == 0 ? Verdict::kDrawThere : Verdict::kOpposite;
}

Comparison compare(const ComparisonSpec& spec, const ResultTable& table) {
  Comparison out;
  out.spec = &spec;
  out.row_title = table.text.titles()[0];
  for (const PaperCell& cell : spec.cells) {
    ComparedRow row{cell.row, cell.column, {}, "-", Verdict::kMissing};
    std::optional<Estimate> ours = number_at(spec, table, cell, cell.column);
    double paper = cell.number;
    if (spec.over.empty()) {
      row.paper = cell.text;
      if (ours) row.ours = *table.cell(cell.row, cell.column);
    } else {
      const auto other = std::find_if(spec.cells.begin(), spec.cells.end(), [&](const PaperCell& c) {
        return c.row == cell.row && c.column == spec.over;
      });
      const std::optional<Estimate> base = number_at(spec, table, cell, spec.over);
      if (cell.column == spec.over) continue;
      if (!cell.sign_only) paper /= other->number;
      row.column = cell.column + " over " + spec.over;
      row.paper =
          cell.sign_only
              ? cell.text
              : fmt::format("{}{:.2f}", cell.text[0] == '~' || other->text[0] == '~' ? "~" : "", paper);
      // The interval of a ratio of two means is not known from theirs.
      if (ours && base && base->mean != 0) {
        ours = Estimate{ours->runs, ours->mean / base->mean, std::nullopt};
        row.ours = fmt::format("{:.2f}", ours->mean);
      } else {
        ours.reset();
      }
    }
    row.verdict = judge(paper, ours, spec.than, spec.even);
    out.rows.push_back(std::move(row));
  }
  std::stable_partition(out.rows.begin(), out.rows.end(),
                        [](const ComparedRow& row) { return row.verdict != Verdict::kSame; });
  return out;
}

std::string comparison_text(const Comparison& comparison) {
  const ComparisonSpec& spec = *comparison.spec;
  const bool columns = std::any_of(comparison.rows.begin(), comparison.rows.end(), [&](const auto& row) {
    return row.column != comparison.rows.front().column;
  });
  TextTable table;
  table.add_column(comparison.row_title, TextTable::Align::kLeft);
  if (columns) table.add_column("of", TextTable::Align::kLeft);
  const std::string of = columns ? "" : ", " + comparison.rows.front().column;
  table.add_column("paper" + of);
  table.add_column("ours" + of);
  table.add_column("same sign?", TextTable::Align::kLeft);
  for (const ComparedRow& row : comparison.rows) {
    std::vector<std::string> cells = {row.row};
    if (columns) cells.push_back(row.column);
    for (const std::string& cell : {row.paper, row.ours, std::string(words(row.verdict))})
      cells.push_back(cell);
    table.add_row(std::move(cells));
  }
  const bool by_eye = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                  [](const auto& row) { return row.paper[0] == '~'; });
  const bool sign_only =
      std::any_of(spec.cells.begin(), spec.cells.end(), [](const PaperCell& cell) { return cell.sign_only; });
  return fmt::format(
      "**{}: the same sign in {} of {}**\n\n{}\n*paper*: {}. Who wins is told by {:g}; within {} % of it "
      "nobody "
      "does.{}{}\n",
      spec.title, comparison.same(), comparison.rows.size(), table.markdown(), spec.source, spec.than,
      percent_of_even(spec), by_eye ? " With ~: the height of a bar, read by eye." : "",
      sign_only ? " With <, > or =: the text says who wins, and the number is not in it." : "");
}

std::string agreement_text(std::vector<Comparison> comparisons) {
  std::size_t rows = 0, same = 0;
  for (const Comparison& comparison : comparisons) {
    rows += comparison.rows.size();
    same += comparison.same();
  }
  const auto share = [](const Comparison& c) {
    return static_cast<double>(c.same()) / static_cast<double>(c.rows.size());
  };
  std::stable_sort(comparisons.begin(), comparisons.end(),
                   [&](const Comparison& a, const Comparison& b) { return share(a) < share(b); });
  TextTable table;
  table.add_column("figure", TextTable::Align::kLeft);
  table.add_column("rows");
  table.add_column("same sign");
  table.add_column("other", TextTable::Align::kLeft);
  for (const Comparison& comparison : comparisons) {
    std::string others;
    for (const ComparedRow& row : comparison.rows)
      if (row.verdict != Verdict::kSame) others += (others.empty() ? "" : ", ") + row.row + " " + row.column;
    table.add_row({comparison.spec->title, fmt::format("{}", comparison.rows.size()),
                   fmt::format("{}", comparison.same()), others});
  }
  return fmt::format("**In {} of {} rows of the paper's figures the same side wins here as there.**\n\n{}",
                     same, rows, table.markdown());
}

}  // namespace warpvp
