#include "study/report/run_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/results/json_stats.h"
#include "study/report/facts.h"
#include "study/report/sections.h"

namespace warpvp::report {

namespace {

/// The few figures that everybody wants first.
void add_figures(Page& page, const RunView& run) {
  const auto add = [&](const char* name, const std::string& value) {
    page.figures.emplace_back(name, value);
  };
  const auto number = [&](const char* name, const char* key) {
    if (const auto value = run.number(key)) add(name, readable(*value));
  };
  if (const auto us = run.number("simulation.time_us")) add("simulated time", readable(*us) + " us");
  number("SM cycles with kernels", "simulation.kernel_cycles");
  add("kernel launches", readable(static_cast<double>(run.kernels.size())));
  // Kernels' own, as the last line of their table; what copies and commands add is told apart.
  const KernelView& sum = run.all_kernels;
  add("warp instructions of kernels", readable(sum.warp_instructions));
  if (sum.ipc) add("instructions per cycle with kernels", fmt::format("{:.2f}", *sum.ipc));
  if (sum.l1_accesses > 0) add("L1 hits of kernels", percent(sum.l1_hits, sum.l1_accesses));
  if (sum.l2_accesses > 0) add("L2 hits of kernels", percent(sum.l2_hits, sum.l2_accesses));
  const double l2 = run.number("l2.accesses").value_or(0);
  if (l2 > 0) add("L2 hits, copies and commands included", percent(run.number("l2.hits").value_or(0), l2));
  if (const auto share = run.number("dram.bandwidth_share"))
    add("of DRAM bandwidth while kernels ran, all traffic", percent(*share, 1));
}

void add_verdict(Page& page, const RunView& run) {
  const double code = run.number("exit_code").value_or(0);
  const std::string message = run.text("message").value_or("");
  const auto* const verified = find_value(run.result, "verified");
  if (code != 0) {
    page.verdict = Verdict::kBad;
    page.verdict_text = fmt::format("exit status {}: {}", code, message);
  } else if (verified != nullptr && *verified == true) {
    page.verdict = Verdict::kGood;
    page.verdict_text = "results verified";
  } else {
    page.verdict_text = "results not checked";
  }
}

Section measured_section(const RunView& run) {
  Section section;
  section.id = "measured";
  section.title = "What the program says";
  if (const auto remark = run.text("remark")) section.text.push_back(*remark);
  const auto* const measured = find_value(run.result, "measured");
  if (measured == nullptr || !measured->is_object() || measured->empty()) return section;
  Table table;
  table.caption = "Measured by the program";
  table.columns = {{"figure", "", false}, {"value", "", true}};
  for (const auto& [name, value] : measured->items())
    if (value.is_number()) table.rows.push_back({name, value.get<double>()});
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  return section;
}

Section settings_section(const RunView& run) {
  Section section;
  section.id = "settings";
  section.title = "Settings";
  section.listing_title = "The resolved settings, as result.json has them";
  section.listing =
      run.result.at("config").dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return section;
}

/// How to get what the page has no place for.
Section more_section(const RunView& run) {
  Section section;
  section.id = "more";
  section.title = "Not in this run";
  if (!run.intervals)
    section.text.push_back(
        "Charts over time need intervals.csv, the interval statistics that a run writes on request.");
  if (!run.instructions)
    section.text.push_back(
        "Hot lines of PTX need instructions.csv: run with --set output.instructions=true.");
  return section;
}

}  // namespace

Page run_page(const RunView& run) {
  Page page;
  const std::string app =
      run.text("config.workload.app").value_or(run.text("config.workload.app.name").value_or(""));
  page.title = run.name.empty() ? "A run of warpvp" : run.name;
  page.subtitle = app.empty() ? "A run of a launch list" : "A run of " + app;
  add_verdict(page, run);
  page.facts = facts_of(run.result);
  add_figures(page, run);
  for (Section section : {timeline_section(run), kernels_section(run), stalls_section(run),
                          over_time_section(run), memory_section(run), roofline_section(run),
                          energy_section(run), hot_lines_section(run), firmware_section(run),
                          sms_section(run), measured_section(run), more_section(run), settings_section(run)})
    if (!section.empty()) page.sections.push_back(std::move(section));
  return page;
}

}  // namespace warpvp::report
