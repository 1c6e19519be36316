// Charts over simulated time from intervals.csv, whatever columns it has.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "study/report/sections.h"

namespace warpvp::report {

namespace {

/// More points than pixels say nothing more, and make the page large.
constexpr std::size_t kMostPoints = 1500;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }
std::string before_last(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? std::string() : key.substr(0, dot);
}

/// A column whose values are there at the end of the interval; the others are increases within it.
bool is_level(const std::string& key) {
  const std::string name = last_part(key);
  for (const char* word : {"resident", "in_flight", "occupancy", "queued", "waiting", "under_way"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

/// Of the control path: command processor, copies, PCIe.
bool is_control(const std::string& key) { return key.rfind("control.", 0) == 0; }

bool is_stall(const std::string& key) {
  return key.find("stalls.") != std::string::npos || stall_colour(stall_words(last_part(key))).has_value();
}

bool is_issue(const std::string& key) {
  const std::string name = last_part(key);
  return name == "issued" || ends_with(name, "instructions") || name == "nops";
}

/// The intervals, several put together where there are too many.
class Intervals {
 public:
  explicit Intervals(const CsvTable& table) : table_(table) {
    time_ = *table.find("time_us");
    cycle_ = *table.find("cycle");
    step_ = std::max<std::size_t>(1, (table.rows.size() + kMostPoints - 1) / kMostPoints);
    for (std::size_t end = std::min(step_, table.rows.size()); end > begin();
         end = std::min(end + step_, table.rows.size()))
      ends_.push_back(end);
  }

  std::size_t size() const { return ends_.size(); }
  std::size_t step() const { return step_; }
  double end_us(std::size_t i) const { return table_.number(ends_[i] - 1, time_); }
  double seconds(std::size_t i) const { return (end_us(i) - (i ? end_us(i - 1) : 0)) * 1e-6; }
  double cycles(std::size_t i) const { return at_end(i, cycle_) - (i ? at_end(i - 1, cycle_) : 0); }
  double at_end(std::size_t i, std::size_t column) const { return table_.number(ends_[i] - 1, column); }
  double sum(std::size_t i, std::size_t column) const {
    double total = 0;
    for (std::size_t row = i ? ends_[i - 1] : 0; row < ends_[i]; ++row) total += table_.number(row, column);
    return total;
  }

 private:
  std::size_t begin() const { return ends_.empty() ? 0 : ends_.back(); }

  const CsvTable& table_;
  std::size_t time_ = 0, cycle_ = 0, step_ = 1;
  std::vector<std::size_t> ends_;  // rows before these
};

class OverTime {
 public:
  explicit OverTime(const RunView& run)
      : table_(*run.intervals),
        intervals_(table_),
        flit_bytes_(run.number("config.platform.crossbar.flit_bytes")) {
    for (std::size_t c = 0; c < table_.columns.size(); ++c)
      if (table_.columns[c] != "time_us" && table_.columns[c] != "cycle") left_.push_back(c);
  }

  Section section() {
    issue();
    levels();
    stalls();
    hits();
    bandwidth();
    others();
    Section out;
    out.id = "over-time";
    out.title = "Over time";
    out.text.push_back(
        fmt::format("{} intervals of intervals.csv{}. Drag over a chart, or use its buttons, to look at a "
                    "part; all charts over time "
                    "follow.",
                    table_.rows.size(),
                    intervals_.step() > 1 ? fmt::format(", {} put together in each point", intervals_.step())
                                          : std::string()));
    out.charts = std::move(charts_);
    return out;
  }

 private:
  using Measure = std::optional<double> (OverTime::*)(std::size_t interval, std::size_t column) const;

  std::optional<double> level(std::size_t i, std::size_t column) const {
    return intervals_.at_end(i, column);
  }
  std::optional<double> per_cycle(std::size_t i, std::size_t column) const {
    const double cycles = intervals_.cycles(i);
    return cycles > 0 ? std::optional<double>(intervals_.sum(i, column) / cycles) : std::nullopt;
  }
  std::optional<double> gigabytes_per_second(std::size_t i, std::size_t column) const {
    const double seconds = intervals_.seconds(i);
    return seconds > 0 ? std::optional<double>(intervals_.sum(i, column) / seconds / 1e9) : std::nullopt;
  }
  std::optional<double> flit_gigabytes_per_second(std::size_t i, std::size_t column) const {
    const auto flits = gigabytes_per_second(i, column);
    return flits ? std::optional<double>(*flits * *flit_bytes_) : std::nullopt;
  }

  Chart& add_chart(const std::string& id, const std::string& title, Axis y,
                   ChartKind kind = ChartKind::kLines) {
    Chart chart;
    chart.id = "time-" + id;
    chart.kind = kind;
    chart.title = title;
    chart.x = {"simulated time", "us", false};
    chart.y = std::move(y);
    chart.over_time = true;
    charts_.push_back(std::move(chart));
    return charts_.back();
  }

  template <class Value_>
  void add_series(Chart& chart, const std::string& name, Value_ value) {
    Series series;
    series.name = name;
    if (chart.kind == ChartKind::kArea) series.colour = stall_colour(name);
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      series.x.push_back(intervals_.end_us(i));
      series.y.push_back({value(i), {}, {}});
    }
    chart.series.push_back(std::move(series));
  }

  /// Says of each series how high it goes.
  void summarise(Chart& chart) {
    for (const Series& series : chart.series) {
      double most = 0, sum = 0;
      std::size_t known = 0;
      for (const Value& v : series.y) {
        if (!v.number) continue;
        most = std::max(most, *v.number);
        sum += *v.number;
        ++known;
      }
      if (known > 0)
        chart.summary += fmt::format("{}{}: mean {}, at most {}{}.", chart.summary.empty() ? "" : " ",
                                     series.name, readable(sum / static_cast<double>(known)), readable(most),
                                     chart.y.unit.empty() ? "" : " " + chart.y.unit);
    }
  }

  /// Takes the columns for which `fits` holds out of those that are left.
  template <class Fits>
  std::vector<std::size_t> take(Fits fits) {
    std::vector<std::size_t> taken;
    const auto fit = [&](std::size_t c) { return fits(table_.columns[c]); };
    std::copy_if(left_.begin(), left_.end(), std::back_inserter(taken), fit);
    left_.erase(std::remove_if(left_.begin(), left_.end(), fit), left_.end());
    return taken;
  }

  void chart_of(const std::vector<std::size_t>& columns, const std::string& id, const std::string& title,
                Axis y, Measure measure) {
    if (columns.empty()) return;
    Chart& chart = add_chart(id, title, std::move(y));
    for (const std::size_t c : columns)
      add_series(chart, table_.columns[c], [&](std::size_t i) { return (this->*measure)(i, c); });
    summarise(chart);
  }

  // Threads are 32 times as many as warps, and SMs hold more than the rest of the device does: what shares an
  // axis should be of one size.
  void issue() {
    chart_of(
        take([](const std::string& key) { return is_issue(key) && last_part(key) != "thread_instructions"; }),
        "issue", "Instructions per cycle", {"instructions", "per SM cycle", false}, &OverTime::per_cycle);
    chart_of(take(is_issue), "threads", "Threads that executed",
             {"thread instructions", "per SM cycle", false}, &OverTime::per_cycle);
  }
  void levels() {
    chart_of(take([](const std::string& key) { return is_level(key) && !is_control(key); }), "occupancy",
             "Occupancy", {"resident at the end of the interval", "", false}, &OverTime::level);
    chart_of(take(is_level), "under-way", "Kernels and copies", {"at the end of the interval", "", false},
             &OverTime::level);
  }

  /// Shares of all stalled warp-cycles of the interval.
  void stalls() {
    const std::vector<std::size_t> columns = take(is_stall);
    if (columns.empty()) return;
    Chart& chart =
        add_chart("stalls", "Stalls", {"share of stalled warp-cycles", "%", false}, ChartKind::kArea);
    std::vector<double> all(intervals_.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const std::size_t c : columns) all[i] += intervals_.sum(i, c);
    for (const std::size_t c : columns) {
      bool any = false;
      for (std::size_t i = 0; i < all.size(); ++i) any = any || intervals_.sum(i, c) > 0;
      if (!any) continue;
      add_series(chart, stall_words(last_part(table_.columns[c])), [&](std::size_t i) {
        return std::optional<double>(all[i] > 0 ? 100 * intervals_.sum(i, c) / all[i] : 0);
      });
    }
    summarise(chart);
  }

  /// Pairs of columns of which one is the hits and the other all accesses, or the misses.
  void hits() {
    struct Pair {
      std::string name;
      std::size_t hits, others;
      bool others_are_all;
    };
    static constexpr const char* kPairs[][3] = {{"hits", "accesses", "all"},
                                                {"hits", "misses", ""},
                                                {"hit_sectors", "miss_sectors", ""},
                                                {"hits", "conflicts", ""}};
    std::vector<Pair> pairs;
    for (const auto& [hit, other, all] : kPairs) {
      for (const std::size_t c : left_) {
        const std::string& key = table_.columns[c];
        if (!ends_with(key, hit)) continue;
        const std::string stem = key.substr(0, key.size() - std::string(hit).size());
        const auto partner = table_.find(stem + other);
        const bool known =
            std::any_of(pairs.begin(), pairs.end(), [&](const Pair& p) { return p.hits == c; });
        if (!partner || known) continue;
        std::string name = stem;
        while (!name.empty() && (name.back() == '.' || name.back() == '_')) name.pop_back();
        pairs.push_back({name, c, *partner, *all != '\0'});
      }
    }
    if (pairs.empty()) return;
    Chart& chart = add_chart("hits", "Hits of caches and rows", {"hits", "%", false});
    for (const Pair& pair : pairs)
      add_series(chart, pair.name, [&](std::size_t i) -> std::optional<double> {
        const double found = intervals_.sum(i, pair.hits), other = intervals_.sum(i, pair.others);
        const double all = pair.others_are_all ? other : found + other;
        return all > 0 ? std::optional<double>(100 * found / all) : std::nullopt;
      });
    summarise(chart);
    for (const Pair& pair : pairs)
      left_.erase(std::remove_if(left_.begin(), left_.end(),
                                 [&](std::size_t c) { return c == pair.hits || c == pair.others; }),
                  left_.end());
  }

  void bandwidth() {
    const auto bytes = [](const std::string& key) { return ends_with(key, "bytes"); };
    const Axis axis{"bandwidth", "GB/s", false};
    chart_of(take([&](const std::string& key) { return bytes(key) && !is_control(key); }), "bandwidth",
             "Bandwidth of caches and DRAM", axis, &OverTime::gigabytes_per_second);
    if (flit_bytes_)
      chart_of(take([](const std::string& key) { return ends_with(key, "flits"); }), "crossbar",
               "Bandwidth of the crossbar", axis, &OverTime::flit_gigabytes_per_second);
    chart_of(take(bytes), "copies", "Bandwidth of copies and PCIe", axis, &OverTime::gigabytes_per_second);
  }

  /// What is left, a chart for each block that it belongs to.
  void others() {
    std::vector<std::string> blocks;
    for (const std::size_t c : left_) {
      const std::string block = before_last(table_.columns[c]);
      if (std::find(blocks.begin(), blocks.end(), block) == blocks.end()) blocks.push_back(block);
    }
    for (const std::string& block : blocks) {
      std::string id = "of-" + block;
      std::replace_if(
          id.begin(), id.end(), [](unsigned char c) { return !std::isalnum(c); }, '-');
      chart_of(take([&](const std::string& key) { return before_last(key) == block; }), id,
               block.empty() ? "Other counters" : "Counters of " + block, {"increase", "per SM cycle", false},
               &OverTime::per_cycle);
    }
  }

  const CsvTable& table_;
  Intervals intervals_;
  const std::optional<double> flit_bytes_;
  std::vector<std::size_t> left_;  // columns not drawn yet
  std::vector<Chart> charts_;
};

}  // namespace

Section over_time_section(const RunView& run) {
  if (!run.intervals) return {};
  for (const char* column : {"time_us", "cycle"})
    if (!run.intervals->find(column))
      throw InputError(
          fmt::format("intervals.csv: no column '{}'; allowed: what `warpvp run` wrote", column));
  if (run.intervals->rows.empty()) return {};
  return OverTime(run).section();
}

}  // namespace warpvp::report
