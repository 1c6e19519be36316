#pragma once
// A paper's figure beside ours, one row a benchmark: does the same side win?

#include <optional>
#include <string>
#include <vector>

#include "study/experiment/estimate.h"
#include "study/experiment/experiment.h"
#include "study/experiment/result_table.h"

namespace warpvp {

/// kSame: the same side wins, or nobody on both sides. kUnsettled: our confidence interval reaches over the
/// value at which nobody wins. kMissing: we have no number.
enum class Verdict : std::uint8_t { kOpposite, kDrawHere, kDrawThere, kUnsettled, kMissing, kSame };

/// A number of the paper and ours for it.
struct ComparedRow {
  std::string row, column;
  std::string paper;  ///< as it is shown: with `~` where a bar was read by eye
  std::string ours;
  Verdict verdict = Verdict::kMissing;
};

struct Comparison {
  const ComparisonSpec* spec = nullptr;
  std::string row_title;          ///< what its rows are: the axes of the table
  std::vector<ComparedRow> rows;  ///< those that disagree first, otherwise in the order of the file
  std::size_t same() const;
};

/// Who wins, and whether it is the same side. `even` is relative to `than`.
Verdict judge(double paper, const std::optional<Estimate>& ours, double than, double even);

/// `table` is the one that `spec` names. InputError with place for a row or column that it does not have.
Comparison compare(const ComparisonSpec& spec, const ResultTable& table);

/// The rows with their verdicts in Markdown, and below them source and rule.
std::string comparison_text(const Comparison& comparison);

/// What opens a page: of how many rows the sign is the paper's, and a line for each comparison, worst first.
std::string agreement_text(std::vector<Comparison> comparisons);

}  // namespace warpvp
