#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/markup.h"
#include "platform/results/text_table.h"
#include "study/experiment/svg_chart.h"

namespace warpvp {

namespace {

constexpr double kSide = 420, kTopMargin = 40, kBottomMargin = 56, kLeftMargin = 90, kRightMargin = 200;

/// A square whose sides are the same logarithmic scale, whole decades.
class Scatter {
 public:
  explicit Scatter(const Chart& chart) : c_(chart) {
    double least = 0, most = 0;
    for (std::size_t i = 0; i < c_.values.size(); ++i) {
      for (std::size_t s = 0; s < c_.values[i].size(); ++s) {
        if (!drawn(i, s)) continue;
        const double low = std::min(*c_.values[i][s], *c_.x[i][s]);
        const double high = std::max(*c_.values[i][s], *c_.x[i][s]);
        least = least == 0 ? low : std::min(least, low);
        most = std::max(most, high);
      }
    }
    if (most == 0) least = most = 1;
    first_ = static_cast<int>(std::floor(std::log10(least) + 1e-9));
    last_ = std::max(first_ + 1, static_cast<int>(std::ceil(std::log10(most) - 1e-9)));
  }

  std::string draw() {
    const double width = kLeftMargin + kSide + kRightMargin, height = kTopMargin + kSide + kBottomMargin;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<rect width=\"100%\" "
        "height=\"100%\" fill=\"#fff\"/>\n",
        width, height);
    text(kLeftMargin, 20, "start", c_.title, " font-size=\"14\" font-weight=\"bold\"");
    if (!c_.note.empty()) text(kLeftMargin, 34, "start", c_.note, " font-size=\"10\"");
    for (int decade = first_; decade <= last_; ++decade) {
      const double at = std::pow(10.0, decade);
      line(x(at), kTopMargin, x(at), kTopMargin + kSide, "#ddd");
      line(kLeftMargin, y(at), kLeftMargin + kSide, y(at), "#ddd");
      text(x(at), kTopMargin + kSide + 18, "middle", fmt::format("{:.6g}", at));
      text(kLeftMargin - 6, y(at) + 4, "end", fmt::format("{:.6g}", at));
    }
    line(kLeftMargin, kTopMargin + kSide, kLeftMargin + kSide, kTopMargin, "#000");
    text(kLeftMargin + kSide / 2, kTopMargin + kSide + 40, "middle", "what it is compared with");
    const double centre = kTopMargin + kSide / 2;
    text(14, centre, "middle", c_.series.size() == 1 && !c_.series[0].empty() ? c_.series[0] : "value",
         fmt::format(" transform=\"rotate(-90 14 {:.1f})\"", centre));
    for (std::size_t i = 0; i < c_.values.size(); ++i)
      for (std::size_t s = 0; s < c_.values[i].size(); ++s)
        if (drawn(i, s)) point(i, s);
    legend();
    return out_ + "</svg>\n";
  }

 private:
  bool drawn(std::size_t i, std::size_t s) const {
    const auto& value = c_.values[i][s];
    const auto& over = c_.x[i][s];
    return value && over && std::isfinite(*value) && std::isfinite(*over) && *value > 0 && *over > 0;
  }
  double share(double value) const { return (std::log10(value) - first_) / (last_ - first_); }
  double x(double value) const { return kLeftMargin + kSide * share(value); }
  double y(double value) const { return kTopMargin + kSide * (1 - share(value)); }

  void text(double at_x, double at_y, const char* anchor, const std::string& words,
            const std::string& more = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", at_x, at_y,
                        anchor, more, markup_escaped(words));
  }
  void line(double x1, double y1, double x2, double y2, const char* colour) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1,
                        y1, x2, y2, colour);
  }
  void point(std::size_t i, std::size_t s) {
    const std::string name = c_.series[s].empty() ? c_.categories[i] : c_.categories[i] + " " + c_.series[s];
    out_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" fill-opacity=\"0.8\"><title>{}: {:.6g}{} "
        "for "
        "{:.6g}</title></circle>\n",
        x(*c_.x[i][s]), y(*c_.values[i][s]), series_colour(s), markup_escaped(name), *c_.values[i][s],
        error_text(c_, i, s), *c_.x[i][s]);
    const double error = error_of(c_, i, s);
    const double bottom = std::max(*c_.values[i][s] - error, std::pow(10.0, first_));  // the scale's end
    const double top = std::min(*c_.values[i][s] + error, std::pow(10.0, last_));
    if (error > 0) out_ += error_bar(x(*c_.x[i][s]), y(bottom), y(top));
    // Away from the line of equality, along which points crowd.
    const bool above = *c_.values[i][s] > *c_.x[i][s];
    text(x(*c_.x[i][s]) + (above ? -6 : 6), y(*c_.values[i][s]) + (above ? -4 : 11), above ? "end" : "start",
         c_.categories[i], " font-size=\"9\"");
  }
  void legend() {
    if (c_.series.size() == 1) return;  // the axis says which
    for (std::size_t s = 0; s < c_.series.size(); ++s) {
      const double at = kTopMargin + 18 * static_cast<double>(s);
      out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                          kLeftMargin + kSide + 12, at, series_colour(s));
      text(kLeftMargin + kSide + 30, at + 10, "start", c_.series[s]);
    }
  }

  const Chart& c_;
  int first_ = 0, last_ = 1;  // decades
  std::string out_;
};

}  // namespace

std::string scatter_svg(const Chart& chart) { return Scatter(chart).draw(); }

}  // namespace warpvp
