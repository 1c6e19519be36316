#include "study/experiment/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/markup.h"
#include "platform/config/setting.h"
#include "platform/results/text_table.h"

namespace warpvp {

namespace {

// Colours that stay apart for readers with the common kinds of colour blindness: Okabe and Ito's set, then
// darker ones, then Tol's muted ones.
const char* const kColours[] = {"#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7",
                                "#7f7f7f", "#b8a800", "#332288", "#882255", "#000000", "#8c564b",
                                "#117733", "#ddcc77", "#aa4499", "#44aa99"};
constexpr double kHeight = 320;
constexpr double kTop = 40;
constexpr double kBottom = 70;
constexpr double kLeft = 70;
constexpr double kRight = 160;           // the legend
constexpr std::size_t kMostLabels = 24;  // along a scale; more, and round numbers stand in their place

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : c_(chart) {
    width_ = std::clamp(120.0 * static_cast<double>(c_.categories.size()), 360.0, 1100.0);
    double low = 0;
    double high = 0;
    for (std::size_t i = 0; i < c_.values.size(); ++i) {
      Stack stack;
      for (std::size_t s = 0; s < c_.values[i].size(); ++s)
        if (const auto& value = c_.values[i][s]; value && std::isfinite(*value)) {
          low = std::min(low, c_.stacked ? stack.add(*value).second : *value - error(i, s));
          high = std::max(high, c_.stacked ? stack.above : *value + error(i, s));
        }
    }
    if (low == high) high = low + 1;
    ticks_ = axis_ticks(low, high);
    place_categories();
  }

  std::string draw() {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
        "height=\"{:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"#fff\"/>\n",
        total_width(), kTop + kHeight + bottom(), total_width(), kTop + kHeight + bottom());
    // Where the chart is too narrow for its title at 14 px, of which bold letters take 8.2 in the mean, it is
    // smaller.
    const double needed = 8.2 * static_cast<double>(c_.title.size());
    const double size = std::clamp(14 * (total_width() - kLeft - 10) / std::max(needed, 1.0), 8.0, 14.0);
    text(kLeft, 20, "start", c_.title, fmt::format(" font-size=\"{:.3g}\" font-weight=\"bold\"", size));
    if (!c_.note.empty()) text(kLeft, 34, "start", c_.note, " font-size=\"10\"");
    axes();
    c_.lines ? lines() : c_.stacked ? stacks() : bars();
    legend();
    return out_ + "</svg>\n";
  }

 private:
  /// The bars of a category so far: what is positive goes up from zero, the rest down.
  struct Stack {
    double above = 0, below = 0;
    /// Where the next bar ends, the higher end first.
    std::pair<double, double> add(double value) {
      double& end = value < 0 ? below : above;
      const double begin = end;
      end += value;
      return {std::max(begin, end), std::min(begin, end)};
    }
  };

  bool slanted(const std::string& label) const { return c_.categories.size() > 9 || label.size() > 16; }
  /// Room below the axis: a slanted label goes down by half its length.
  double bottom() const {
    double room = kBottom;
    if (!x_ticks_.empty()) return room;
    for (const std::string& label : c_.categories)
      if (slanted(label)) room = std::max(room, 30 + 3.5 * static_cast<double>(label.size()));
    return room;
  }
  double total_width() const { return kLeft + width_ + kRight; }
  double y(double value) const {
    return kTop + kHeight * (1 - (value - ticks_.front()) / (ticks_.back() - ticks_.front()));
  }
  const char* colour(std::size_t series) const { return series_colour(series); }
  double error(std::size_t category, std::size_t series) const { return error_of(c_, category, series); }

  void text(double x, double y, const char* anchor, const std::string& words, const std::string& more = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
                        more, markup_escaped(words));
  }

  void place_categories() {
    std::vector<double> numbers;
    for (const std::string& category : c_.categories) {
      double number = 0;
      if (!parse_double(category, number) || !std::isfinite(number)) break;
      numbers.push_back(number);
    }
    const bool positive = std::all_of(numbers.begin(), numbers.end(), [](double n) { return n > 0; });
    if (c_.log_scale && positive)
      for (double& number : numbers) number = std::log2(number);
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    const bool to_scale =
        c_.lines && numbers.size() == c_.categories.size() && numbers.size() > 1 && *low < *high;
    const double slot = width_ / static_cast<double>(std::max<std::size_t>(c_.categories.size(), 1));
    if (to_scale && !c_.log_scale && numbers.size() > kMostLabels)
      for (const double tick : axis_ticks(*low, *high))
        if (tick >= *low && tick <= *high)
          x_ticks_.emplace_back(kLeft + slot / 2 + (width_ - slot) * (tick - *low) / (*high - *low), tick);
    for (std::size_t i = 0; i < c_.categories.size(); ++i)
      centres_.push_back(to_scale ? kLeft + slot / 2 + (width_ - slot) * (numbers[i] - *low) / (*high - *low)
                                  : kLeft + slot * (static_cast<double>(i) + 0.5));
  }

  void axes() {
    for (const double tick : ticks_) {
      out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n",
                          kLeft, y(tick), kLeft + width_, y(tick), tick == 0 ? "#000" : "#ddd");
      text(kLeft - 6, y(tick) + 4, "end", fmt::format("{:.6g}", tick));
    }
    const double base = kTop + kHeight + 18;
    for (const auto& [x, tick] : x_ticks_) text(x, base, "middle", fmt::format("{:.6g}", tick));
    for (std::size_t i = 0; i < centres_.size() && x_ticks_.empty(); ++i) {
      if (slanted(c_.categories[i])) {
        text(centres_[i], base, "end", c_.categories[i],
             fmt::format(" transform=\"rotate(-30 {:.1f} {:.1f})\"", centres_[i], base));
      } else {
        text(centres_[i], base, "middle", c_.categories[i]);
      }
    }
  }

  void bars() {
    const double slot = width_ / static_cast<double>(std::max<std::size_t>(c_.categories.size(), 1));
    const double bar = 0.8 * slot / static_cast<double>(std::max<std::size_t>(c_.series.size(), 1));
    for (std::size_t i = 0; i < c_.values.size(); ++i) {
      for (std::size_t s = 0; s < c_.values[i].size(); ++s) {
        const auto& value = c_.values[i][s];
        if (!value || !std::isfinite(*value)) continue;
        const double x = centres_[i] - 0.4 * slot + bar * static_cast<double>(s);
        const double top = std::min(y(*value), y(0));
        out_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}: "
            "{:.6g}{}</title></rect>\n",
            x, top, bar * 0.92, std::fabs(y(*value) - y(0)), colour(s), hint(i, s), *value,
            error_text(c_, i, s));
        out_ += error_bar(x + 0.46 * bar, y(*value - error(i, s)), y(*value + error(i, s)));
      }
    }
  }

  void stacks() {
    const double slot = width_ / static_cast<double>(std::max<std::size_t>(c_.categories.size(), 1));
    const double bar = std::min(0.6 * slot, 70.0);
    for (std::size_t i = 0; i < c_.values.size(); ++i) {
      Stack stack;
      for (std::size_t s = 0; s < c_.values[i].size(); ++s) {
        const auto& value = c_.values[i][s];
        if (!value || !std::isfinite(*value)) continue;
        const auto [high, low] = stack.add(*value);
        out_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}: "
            "{:.6g}{}</title></rect>\n",
            centres_[i] - bar / 2, y(high), bar, y(low) - y(high), colour(s), hint(i, s), *value,
            error_text(c_, i, s));
      }
    }
  }

  void lines() {
    for (std::size_t s = 0; s < c_.series.size(); ++s) {
      std::string points;
      for (std::size_t i = 0; i < c_.values.size(); ++i) {
        const auto& value = c_.values[i][s];
        if (!value || !std::isfinite(*value)) {
          polyline(points, s);
          points.clear();
          continue;
        }
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", centres_[i], y(*value));
        out_ += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}: {:.6g}{}</title></circle>\n",
            centres_[i], y(*value), colour(s), hint(i, s), *value, error_text(c_, i, s));
        out_ += error_bar(centres_[i], y(*value - error(i, s)), y(*value + error(i, s)));
      }
      polyline(points, s);
    }
  }

  void polyline(const std::string& points, std::size_t s) {
    if (points.find(' ') != std::string::npos)
      out_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                          points, colour(s));
  }

  std::string hint(std::size_t category, std::size_t series) const {
    const std::string& name = c_.series[series];
    return markup_escaped(c_.categories[category] + (name.empty() ? "" : " " + name));
  }

  void legend() {
    if (c_.series.size() == 1 && c_.series[0].empty()) return;
    for (std::size_t s = 0; s < c_.series.size(); ++s) {
      const double at = kTop + 18 * static_cast<double>(s);
      out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                          kLeft + width_ + 12, at, colour(s));
      text(kLeft + width_ + 30, at + 10, "start", c_.series[s]);
    }
  }

  const Chart& c_;
  double width_ = 0;
  std::vector<double> ticks_;
  std::vector<double> centres_;
  std::vector<std::pair<double, double>> x_ticks_;  ///< place and number, where labels would cover each other
  std::string out_;
};

}  // namespace

std::vector<double> axis_ticks(double low, double high) {
  const double rough = (high - low) / 6;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const auto first = static_cast<long long>(std::floor(low / step + 1e-9));
  const auto last = static_cast<long long>(std::ceil(high / step - 1e-9));
  for (long long i = first; i <= last; ++i) ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

double error_of(const Chart& chart, std::size_t category, std::size_t series) {
  if (chart.errors.empty()) return 0;
  const std::optional<double>& error = chart.errors[category][series];
  return error && std::isfinite(*error) ? *error : 0;
}

std::string error_text(const Chart& chart, std::size_t category, std::size_t series) {
  if (chart.errors.empty() || !chart.errors[category][series]) return "";
  return fmt::format(" ± {:.3g}", *chart.errors[category][series]);
}

std::string error_bar(double x, double y_low, double y_high) {
  if (std::fabs(y_low - y_high) < 0.05) return "";
  return fmt::format(
      "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}M{3:.1f} {1:.1f}H{4:.1f}M{3:.1f} {2:.1f}H{4:.1f}\" fill=\"none\" "
      "stroke=\"#333\" class=\"error\"/>\n",
      x, y_low, y_high, x - 4, x + 4);
}

const char* series_colour(std::size_t series) { return kColours[series % std::size(kColours)]; }

std::string to_svg(const Chart& chart) {
  return chart.x.empty() ? Drawing(chart).draw() : scatter_svg(chart);
}

}  // namespace warpvp
