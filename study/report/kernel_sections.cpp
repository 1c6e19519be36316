// Timeline, table and stalls of kernels.

#include <fmt/format.h>

#include <algorithm>

#include "platform/results/sampled_kernels.h"
#include "study/report/sections.h"

namespace warpvp::report {

namespace {

struct StallStyle {
  const char* key;
  const char* words;
  unsigned colour;
};
constexpr StallStyle kStallStyles[] = {{"issued", "issued", 2},
                                       {"not_selected", "ready, another warp issued", 6},
                                       {"fetch", "no instruction", 1},
                                       {"raw_short", "operand from a unit or the L1", 0},
                                       {"raw_long", "operand from beyond the L1", 3},
                                       {"lsu_full", "load/store unit full", 4},
                                       {"unit_busy", "unit busy", 7},
                                       {"barrier", "barrier", 5},
                                       {"fence", "fence", 8},
                                       {"drain", "exited, drains", 9}};

constexpr std::size_t kMostSpans = 4000;
constexpr std::size_t kMostSchedulers = 24;
constexpr std::size_t kMostRows = 2000;

/// The groups with the most warp-cycles, in the order of their first launches.
std::vector<const KernelGroup*> greatest_groups(const RunView& run) {
  std::vector<const KernelGroup*> groups;
  for (const KernelGroup& group : run.groups) groups.push_back(&group);
  if (groups.size() <= kMostGroups) return groups;
  std::stable_sort(groups.begin(), groups.end(), [](const KernelGroup* a, const KernelGroup* b) {
    return a->sum.warp_cycles() > b->sum.warp_cycles();
  });
  groups.resize(kMostGroups);
  std::sort(groups.begin(), groups.end());
  return groups;
}

/// Cycles of each reason by share of all; the first part is what issued.
void stack(Chart& chart, const std::string& category, double issued, const StallList& stalls) {
  chart.categories.push_back(category);
  double all = issued;
  for (const auto& [reason, cycles] : stalls) all += cycles;
  const auto part = [&](const std::string& name, double cycles) {
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const Series& s) { return s.name == name; });
    if (series == chart.series.end()) {
      chart.series.push_back({});
      series = chart.series.end() - 1;
      series->name = name;
      series->colour = stall_colour(name);
    }
    series->y.resize(chart.categories.size());
    if (all > 0) series->y.back().number = 100 * cycles / all;
  };
  if (issued > 0) part("issued", issued);
  for (const auto& [reason, cycles] : stalls) part(stall_words(reason), cycles);
}

/// Series that are zero everywhere only fill the legend.
void drop_zeros(Chart& chart) {
  const auto zero = [](const Series& s) {
    return std::all_of(s.y.begin(), s.y.end(), [](const Value& v) { return v.number.value_or(0) == 0; });
  };
  chart.series.erase(std::remove_if(chart.series.begin(), chart.series.end(), zero), chart.series.end());
  for (Series& s : chart.series) s.y.resize(chart.categories.size());
}

}  // namespace

std::string stall_words(const std::string& name) {
  for (const StallStyle& style : kStallStyles)
    if (name == style.key) return style.words;
  return name;
}

std::optional<unsigned> stall_colour(const std::string& words) {
  for (const StallStyle& style : kStallStyles)
    if (words == style.words) return style.colour;
  return std::nullopt;
}

Section timeline_section(const RunView& run) {
  Section section;
  section.id = "timeline";
  section.title = "Timeline";
  Chart chart;
  chart.id = "kernel-timeline";
  chart.kind = ChartKind::kSpans;
  chart.title = "Kernels by stream";
  chart.x = {"simulated time", "us", false};
  chart.y = {"stream", "", false};
  chart.over_time = true;
  for (const char* name :
       {"called by the host, not yet at the work distributor", "waits for an SM", "runs"}) {
    chart.series.push_back({});
    chart.series.back().name = name;
  }
  chart.series[0].colour = 9;
  chart.series[1].colour = 1;
  chart.series[2].colour = 0;
  std::size_t left_out = 0, shown = 0;
  double first = 0, last = 0;
  for (const KernelView& kernel : run.kernels) {
    if (!kernel.launch_us) continue;
    if (shown == kMostSpans) {
      ++left_out;
      continue;
    }
    const auto found = std::find(chart.categories.begin(), chart.categories.end(), kernel.stream);
    const auto row = static_cast<std::size_t>(found - chart.categories.begin());
    if (found == chart.categories.end()) chart.categories.push_back(kernel.stream);
    const std::string label = kernel.name;
    const auto span = [&](std::optional<double> from, std::optional<double> to, std::size_t series) {
      if (from && to && *to > *from) chart.spans.push_back({row, *from, *to, series, label});
    };
    // A kernel that has not ended lasts until the run does.
    const std::optional<double> end = kernel.end_us ? kernel.end_us : run.number("simulation.time_us");
    span(kernel.enqueued_us, kernel.launch_us, 0);
    span(kernel.launch_us, kernel.start_us ? kernel.start_us : end, 1);
    if (kernel.start_us) span(kernel.start_us, end, 2);
    first = shown == 0 ? *kernel.launch_us : std::min(first, *kernel.launch_us);
    last = std::max(last, end.value_or(0));
    ++shown;
  }
  if (chart.spans.empty()) return section;
  chart.summary = fmt::format("{} kernel launches in {} streams, from {} to {} us of simulated time.", shown,
                              chart.categories.size(), readable(first), readable(last));
  if (left_out > 0)
    section.text.push_back(
        fmt::format("The first {} launches are shown; {} more are in result.json.", shown, left_out));
  section.charts.push_back(std::move(chart));
  return section;
}

Section kernels_section(const RunView& run) {
  Section section;
  section.id = "kernels";
  section.title = "Kernels";
  if (run.kernels.empty()) {
    section.text.push_back("No kernel reached the work distributor.");
    return section;
  }
  Table table;
  table.caption = "Kernel launches";
  table.columns = {{"launch", "", true, 0u},
                   {"kernel", "", false},
                   {"stream", "", false},
                   {"grid", "CTAs", false},
                   {"block", "threads", false},
                   {"start", "us", true},
                   {"execution", "cycles", true, 0u},
                   {"response", "cycles", true, 0u},
                   {"warp instructions", "", true, 0u},
                   {"IPC", "", true, 2u},
                   {"CTAs per SM", "", true, 0u},
                   {"limited by", "", false},
                   {"warps per SM", "", true, 1u},
                   {"L1 hits", "%", true, 1u},
                   {"L2 hits", "%", true, 1u},
                   {"DRAM", "KiB", true, 1u}};
  const double sms = run.number("config.platform.sms").value_or(0);
  const auto share = [](double part, double whole) {
    return whole > 0 ? std::optional<double>(100 * part / whole) : std::nullopt;
  };
  for (const KernelView& k : run.kernels) {
    if (table.rows.size() == kMostRows) break;
    std::optional<double> warps;
    if (k.execution_cycles && *k.execution_cycles > 0 && sms > 0)
      warps = k.warp_cycles() / *k.execution_cycles / sms;
    table.rows.push_back({k.launch, k.name, k.stream, k.grid, k.block, k.start_us, k.execution_cycles,
                          k.response_cycles, k.warp_instructions, k.ipc, k.ctas_per_sm, k.limited_by, warps,
                          share(k.l1_hits, k.l1_accesses), share(k.l2_hits, k.l2_accesses),
                          k.dram_bytes() / 1024});
  }
  section.text.push_back(
      "IPC is warp instructions a cycle over all SMs. CTAs per SM is what fits an empty SM, and what limits "
      "it. Warps "
      "per SM is the mean number of resident warps over all SMs while the kernel ran. IPC of all kernels is "
      "over the "
      "cycles in which any ran.");
  // Times of sampled kernels are estimates.
  for (std::string& line : sampled_kernels(run.result)) section.text.push_back(std::move(line));
  if (table.rows.size() < run.kernels.size())
    section.text.push_back(
        fmt::format("The first {} of {} launches.", table.rows.size(), run.kernels.size()));
  if (table.rows.size() == run.kernels.size() && run.kernels.size() > 1) {
    const KernelView& sum = run.all_kernels;
    std::vector<Cell> all(table.columns.size());
    const auto set = [&](const char* column, const Cell& cell) {
      for (std::size_t c = 0; c < all.size(); ++c)
        if (table.columns[c].title == column) all[c] = cell;
    };
    set("kernel", "all kernels");
    set("warp instructions", sum.warp_instructions);
    set("IPC", sum.ipc);
    set("L1 hits", share(sum.l1_hits, sum.l1_accesses));
    set("L2 hits", share(sum.l2_hits, sum.l2_accesses));
    set("DRAM", sum.dram_bytes() / 1024);
    table.foot.push_back(std::move(all));
  }
  section.text.push_back(
      "Hits and DRAM are of the kernel's own requests. What copies and commands caused stands in the table "
      "of "
      "traffic.");
  section.tables.push_back(std::move(table));

  Chart chart;
  chart.id = "kernel-ipc";
  chart.kind = ChartKind::kBars;
  chart.title = "Instructions per cycle";
  chart.x = {"kernel", "", false};
  chart.y = {"warp instructions", "per cycle", false};
  chart.series.push_back({});
  chart.series[0].name = "IPC";
  for (const KernelGroup* group : greatest_groups(run)) {
    const double cycles = group->sum.execution_cycles.value_or(0);
    if (cycles <= 0) continue;
    chart.categories.push_back(group->label());
    chart.series[0].y.push_back({group->sum.warp_instructions / cycles, {}, {}});
  }
  if (chart.categories.size() > 1) {
    chart.summary = fmt::format("Warp instructions per cycle of {} kernels.", chart.categories.size());
    section.charts.push_back(std::move(chart));
  }
  return section;
}

Section stalls_section(const RunView& run) {
  Section section;
  section.id = "stalls";
  section.title = "Where warp-cycles went";
  Chart by_kernel, by_scheduler;
  by_kernel.id = "stalls-by-kernel";
  by_kernel.title = "By kernel";
  by_kernel.x = {"kernel", "", false};
  by_scheduler.id = "stalls-by-scheduler";
  by_scheduler.title = "By warp scheduler of an SM";
  by_scheduler.x = {"kernel, scheduler", "", false};
  for (Chart* chart : {&by_kernel, &by_scheduler}) {
    chart->kind = ChartKind::kStack;
    chart->y = {"share of resident warp-cycles", "%", false};
  }
  const std::vector<const KernelGroup*> groups = greatest_groups(run);
  for (const KernelGroup* group : groups) {
    if (group->sum.warp_cycles() <= 0) continue;
    stack(by_kernel, group->label(), group->sum.warp_instructions, group->sum.stalls);
    // What a scheduler issued is not counted apart: the stacks of schedulers are of stalls alone.
    if (by_scheduler.categories.size() >= kMostSchedulers) continue;
    for (std::size_t s = 0; s < group->sum.by_scheduler.size(); ++s)
      stack(by_scheduler, fmt::format("{} / {}", group->name, s), 0, group->sum.by_scheduler[s]);
  }
  by_scheduler.y.title = "share of stalled warp-cycles";
  if (by_kernel.categories.empty()) return section;
  drop_zeros(by_kernel);
  drop_zeros(by_scheduler);
  std::string worst;
  for (std::size_t g = 0; g < std::min(groups.size(), kMostInWords); ++g) {
    const KernelGroup* const group = groups[g];
    const auto most = std::max_element(group->sum.stalls.begin(), group->sum.stalls.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == group->sum.stalls.end() || most->second <= 0) continue;
    worst += fmt::format(" {}: {} ({}).", group->name, stall_words(most->first),
                         percent(most->second, group->sum.warp_cycles()));
  }
  by_kernel.summary =
      "Each bar divides the cycles that warps spent on SMs by what they did. Greatest stall:" + worst;
  by_scheduler.summary =
      "The stalls of each kernel, for each scheduler of an SM, summed over SMs. Of many kernels, the first.";
  section.text.push_back(
      "Every cycle of every resident warp is counted once: it issues, or waits for one reason. A reason is "
      "what the "
      "warp's next instruction lacks.");
  if (groups.size() < run.groups.size())
    section.text.push_back(fmt::format("The {} of {} kernels with the most warp-cycles are shown.",
                                       groups.size(), run.groups.size()));
  section.charts.push_back(std::move(by_kernel));
  if (by_scheduler.categories.size() > 1) section.charts.push_back(std::move(by_scheduler));
  return section;
}

}  // namespace warpvp::report
