// Caches, traffic and balance, of the run as a whole.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/results/json_stats.h"
#include "study/report/sections.h"

namespace warpvp::report {

namespace {

void add_bar(Chart& chart, std::size_t series, std::optional<double> value) {
  chart.series[series].y.push_back({value, {}, {}});
}

Chart bars(const char* id, const char* title, Axis x, Axis y, std::initializer_list<const char*> series) {
  Chart chart;
  chart.id = id;
  chart.title = title;
  chart.x = std::move(x);
  chart.y = std::move(y);
  for (const char* name : series) {
    chart.series.push_back({});
    chart.series.back().name = name;
  }
  return chart;
}

std::optional<double> share(double part, double whole) {
  return whole > 0 ? std::optional<double>(100 * part / whole) : std::nullopt;
}

}  // namespace

Section memory_section(const RunView& run) {
  Section section;
  section.id = "memory";
  section.title = "Memory";
  Chart hits = bars("cache-hits", "Cache hits by kernel", {"kernel", "", false},
                    {"hits of accesses", "%", false}, {"L1", "L2"});
  Chart bytes = bars("kernel-bytes", "Bytes moved by kernel", {"kernel", "", false}, {"bytes", "KiB", true},
                     {"asked of the L2 (reads)", "sent to the L2 (writes)", "DRAM read", "DRAM written"});
  std::string words;
  for (std::size_t g = 0; g < std::min(run.groups.size(), kMostGroups); ++g) {
    const KernelView& k = run.groups[g].sum;
    hits.categories.push_back(run.groups[g].label());
    add_bar(hits, 0, share(k.l1_hits, k.l1_accesses));
    add_bar(hits, 1, share(k.l2_hits, k.l2_accesses));
    if (g < kMostInWords)
      words += fmt::format(" {}: L1 {}, L2 {}.", k.name, percent(k.l1_hits, k.l1_accesses),
                           percent(k.l2_hits, k.l2_accesses));
    bytes.categories.push_back(run.groups[g].label());
    const double figures[] = {k.l2_read_bytes, k.l2_write_bytes, k.dram_read_bytes, k.dram_written_bytes};
    for (std::size_t i = 0; i < 4; ++i)
      add_bar(bytes, i, figures[i] > 0 ? std::optional<double>(figures[i] / 1024) : std::nullopt);
  }
  hits.summary = "Loads that the L1 had, and requests that the L2 had." + words;
  bytes.summary = "How many KiB each kernel asked of the L2 and caused in DRAM, on a logarithmic scale.";
  if (!hits.categories.empty()) {
    section.charts.push_back(std::move(hits));
    section.charts.push_back(std::move(bytes));
  }

  Table whose;
  whose.caption = "Whose traffic it was";
  whose.columns = {{"of", "", false},
                   {"request flits", "", true, 0u},
                   {"reply flits", "", true, 0u},
                   {"L2 accesses", "", true, 0u},
                   {"L2 hits", "%", true, 1u},
                   {"DRAM read", "KiB", true, 1u},
                   {"DRAM written", "KiB", true, 1u}};
  for (const char* name : {"kernels", "copies", "commands"}) {
    const std::string at = std::string("traffic.") + name + ".";
    if (!run.number(at + "l2.accesses")) continue;
    const auto kib = [&](const char* key) {
      const auto found = run.number(at + key);
      return found ? std::optional<double>(*found / 1024) : std::nullopt;
    };
    whose.rows.push_back({name, run.number(at + "noc.request.flits"), run.number(at + "noc.reply.flits"),
                          run.number(at + "l2.accesses"),
                          share(run.number(at + "l2.hits").value_or(0), *run.number(at + "l2.accesses")),
                          kib("dram.read_bytes"), kib("dram.written_bytes")});
  }
  if (!whose.rows.empty() && run.number("l2.accesses")) {
    const auto kib = [&](const char* key) {
      const auto found = run.number(key);
      return found ? std::optional<double>(*found / 1024) : std::nullopt;
    };
    whose.foot.push_back({"all", run.number("noc.request.flits"), run.number("noc.reply.flits"),
                          run.number("l2.accesses"),
                          share(run.number("l2.hits").value_or(0), *run.number("l2.accesses")),
                          kib("dram.read_bytes"), kib("dram.written_bytes")});
  }
  if (!whose.rows.empty()) section.tables.push_back(std::move(whose));

  Table dram;
  dram.caption = "DRAM, all traffic";
  dram.columns = {{"row hits", "", true, 0u},
                  {"row misses", "", true, 0u},
                  {"row conflicts", "", true, 0u},
                  {"share of the peak bandwidth while kernels ran", "%", true, 1u}};
  const auto bandwidth = run.number("dram.bandwidth_share");
  if (run.number("dram.row_hits")) {
    dram.rows.push_back({run.number("dram.row_hits"), run.number("dram.row_misses"),
                         run.number("dram.row_conflicts"),
                         bandwidth ? std::optional<double>(100 * *bandwidth) : std::nullopt});
    section.tables.push_back(std::move(dram));
  }
  return section;
}

Section sms_section(const RunView& run) {
  Section section;
  section.id = "sms";
  section.title = "Balance of the SMs";
  const auto* sms = find_value(run.result, "sms");
  if (sms == nullptr || !sms->is_array() || sms->size() < 2) return section;
  Chart chart = bars("sm-issued", "Warp instructions by SM", {"SM", "", false},
                     {"warp instructions", "", false}, {"issued"});
  double least = INFINITY, most = 0, sum = 0;
  for (std::size_t i = 0; i < sms->size(); ++i) {
    const auto issued = run.number(fmt::format("sms.{}.issued", i));
    if (!issued) return section;
    chart.categories.push_back(std::to_string(i));
    add_bar(chart, 0, issued);
    least = std::min(least, *issued);
    most = std::max(most, *issued);
    sum += *issued;
  }
  chart.summary =
      fmt::format("{} SMs issued between {} and {} warp instructions each, {} in the mean.", sms->size(),
                  readable(least), readable(most), readable(sum / static_cast<double>(sms->size())));
  section.charts.push_back(std::move(chart));
  return section;
}

}  // namespace warpvp::report
