#include "study/report/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/report/sections.h"

namespace warpvp::report {

namespace {

constexpr double kLanes = 32;

/// A roof: rises with the bandwidth, then flat. Points of a line over operational intensity.
Series roof(const std::string& name, double peak, const std::optional<double>& bandwidth, double from,
            double to) {
  Series series;
  series.name = name;
  const auto point = [&](double intensity) {
    series.x.push_back(intensity);
    series.y.push_back({std::min(peak, bandwidth ? *bandwidth * intensity : peak) / 1e9, {}, {}});
  };
  point(from);
  if (bandwidth && peak / *bandwidth > from && peak / *bandwidth < to) point(peak / *bandwidth);
  point(to);
  return series;
}

/// The power of ten at or below, or at or above.
double decade(double value, bool above) {
  const double exponent = std::log10(value);
  return std::pow(10.0, above ? std::ceil(exponent) : std::floor(exponent));
}

}  // namespace

Peaks peaks_of(const RunView& run) {
  const auto get = [&](const char* key) { return run.number(std::string("config.platform.") + key); };
  const auto product = [](std::initializer_list<std::optional<double>> factors) {
    std::optional<double> out = 1.0;
    for (const std::optional<double>& factor : factors)
      out = out && factor ? std::optional<double>(*out * *factor) : std::nullopt;
    return out;
  };
  const auto unit = [&](const char* interval) -> std::optional<double> {
    const auto cycles = get(interval);
    if (!cycles || *cycles <= 0) return std::nullopt;
    return product({get("sms"), get("sm.schedulers"), kLanes / *cycles, 2.0, get("sm_clock_mhz"), 1e6});
  };
  Peaks peaks;
  peaks.fp32 = unit("sm.fp32_unit.initiation_interval");
  peaks.fp64 = unit("sm.fp64_unit.initiation_interval");
  if (run.text("config.platform.dram.type") == "controller")
    peaks.dram = product({get("address_map.channels"), get("dram.timing.bus_bits"), 1.0 / 8,
                          get("dram.timing.beats_per_cycle"), get("dram.timing.clock_mhz"), 1e6});
  return peaks;
}

Section roofline_section(const RunView& run) {
  Section section;
  section.id = "roofline";
  section.title = "Roofline";
  const Peaks peaks = peaks_of(run);
  if (!peaks.fp32) return section;

  Table table;
  table.caption = "Operations and DRAM bytes of kernels";
  table.columns = {{"kernel", "", false},
                   {"single precision", "operations", true, 0u},
                   {"double precision", "operations", true, 0u},
                   {"DRAM", "bytes", true, 0u},
                   {"intensity", "operations/byte", true, {}},
                   {"rate", "Gop/s", true, 1u},
                   {"of the roof", "%", true, 1u}};
  Chart chart;
  chart.id = "roofline";
  chart.kind = ChartKind::kScatter;
  chart.title = "Floating-point operations against DRAM traffic";
  chart.x = {"operational intensity", "operations per byte of DRAM", true};
  chart.y = {"rate", "Gop/s", true};
  Series points;
  points.name = "kernels";
  points.line = false;
  double least = 0.1, most = 100;
  std::size_t without_operations = 0, without_bytes = 0;
  bool doubles = false;
  for (const KernelGroup& group : run.groups) {
    double seconds = 0;
    for (const KernelView* k : group.launches) seconds += k->seconds().value_or(0);
    const double operations = group.sum.fp32 + group.sum.fp64;
    doubles = doubles || group.sum.fp64 > 0;
    if (operations <= 0 || seconds <= 0) {
      ++without_operations;
      continue;
    }
    const double rate = operations / seconds;
    const double bytes = group.sum.dram_bytes();
    const auto intensity = bytes > 0 ? std::optional<double>(operations / bytes) : std::nullopt;
    // Double precision lowers the roof in proportion to its part of the operations.
    double ceiling = *peaks.fp32;
    if (group.sum.fp64 > 0 && peaks.fp64)
      ceiling = operations / (group.sum.fp32 / *peaks.fp32 + group.sum.fp64 / *peaks.fp64);
    if (intensity && peaks.dram) ceiling = std::min(ceiling, *intensity * *peaks.dram);
    table.rows.push_back(
        {group.label(), group.sum.fp32, group.sum.fp64, bytes, intensity, rate / 1e9, 100 * rate / ceiling});
    if (!intensity) {
      ++without_bytes;
      continue;
    }
    points.x.push_back(*intensity);
    points.y.push_back({rate / 1e9, {}, {}});
    points.labels.push_back(group.label());
    least = std::min(least, decade(*intensity, false));
    most = std::max(most, decade(*intensity, true));
  }
  if (peaks.dram) most = std::max(most, decade(2 * *peaks.fp32 / *peaks.dram, true));
  chart.series.push_back(roof(fmt::format("single precision, {} Gop/s", readable(*peaks.fp32 / 1e9)),
                              *peaks.fp32, peaks.dram, least, most));
  if (doubles && peaks.fp64) {
    chart.series.push_back(roof(fmt::format("double precision, {} Gop/s", readable(*peaks.fp64 / 1e9)),
                                *peaks.fp64, peaks.dram, least, most));
    chart.series.back().dashed = true;
  }
  chart.summary = fmt::format(
      "The platform's peak is {} Gop/s in single precision{}. {} of {} kernels are placed below it by their "
      "operations and DRAM bytes; the table has the figures.",
      readable(*peaks.fp32 / 1e9),
      peaks.dram ? fmt::format(" and {} GB/s of DRAM bandwidth", readable(*peaks.dram / 1e9)) : std::string(),
      points.x.size(), run.groups.size());
  section.text.push_back(
      fmt::format("Roofs come from the platform's settings: lanes of the fp32 units x 2 x SM clock{}. "
                  "Operations are counted in the "
                  "PTX: additions, multiplications, divisions and roots are one, fused multiply-adds two.",
                  peaks.dram ? ", and the data rate of the DRAM channels" : ""));
  if (without_operations > 0)
    section.text.push_back(fmt::format(
        "{} of {} kernels have no floating-point operations, or have not ended, and are not placed.",
        without_operations, run.groups.size()));
  if (without_bytes > 0)
    section.text.push_back(fmt::format(
        "{} kernels moved no bytes of DRAM: they are in the table, and have no place in the chart.",
        without_bytes));
  if (!points.x.empty()) chart.series.push_back(std::move(points));
  section.charts.push_back(std::move(chart));
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  return section;
}

}  // namespace warpvp::report
