#pragma once
// Bar, stacked, line and scatter charts as inline SVG: no scripts, nothing to download.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warpvp {

struct Chart {
  std::string title;
  std::string value_title;  ///< of what is drawn, where that is one thing; for reports, not in the SVG
  std::vector<std::string> categories;                     ///< along x
  std::vector<std::string> series;                         ///< one colour each
  std::vector<std::vector<std::optional<double>>> values;  ///< [category][series]; missing: a gap
  /// [category][series]: half the width of the confidence interval, drawn as an error bar; empty: none
  std::vector<std::vector<std::optional<double>>> errors;
  std::string note;        ///< a small line below the title
  bool stacked = false;    ///< bars of a category stand on one another, without error bars
  bool lines = false;      ///< lines instead of bars; categories that are all numbers are placed to scale
  bool log_scale = false;  ///< that scale is logarithmic, if all numbers are positive
  /// [category][series], for a scatter chart: points at (x, value) on logarithmic scales beside the line of
  /// equality. Empty: another kind.
  std::vector<std::vector<std::optional<double>>> x;
};

/// An <svg> element. Text from the user is escaped.
std::string to_svg(const Chart& chart);
/// The same for a chart with `x`; to_svg() uses it.
std::string scatter_svg(const Chart& chart);
/// The colour of a series, the same in every kind of chart.
const char* series_colour(std::size_t series);
/// Half the interval of a value; 0: none.
double error_of(const Chart& chart, std::size_t category, std::size_t series);
/// " ± 0.3" for a value with an interval, otherwise nothing.
std::string error_text(const Chart& chart, std::size_t category, std::size_t series);
/// A vertical bar with ends from `y_low` to `y_high`, in pixels; nothing where they meet.
std::string error_bar(double x, double y_low, double y_high);
/// Round axis steps: 4 to 8 ticks covering [low, high], as 1, 2, 2.5 or 5 times a power of ten.
std::vector<double> axis_ticks(double low, double high);

}  // namespace warpvp
