#include "cli/describe_intervals.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/observe/interval_counters.h"
#include "platform/run/run.h"

namespace warpvp {

std::string interval_reference() {
  const std::vector<IntervalCounters::Level> levels = IntervalCounters::levels();
  const ResultReference result = result_reference();
  std::string rows;
  for (const std::string& name : default_interval_counters()) {
    const auto level =
        std::find_if(levels.begin(), levels.end(), [&](const auto& l) { return l.name == name; });
    if (level != levels.end()) {
      rows += fmt::format("| `{}` | {} | {} |\n", name, level->unit, level->doc);
      continue;
    }
    for (const ResultKey* key : result.find(name))
      if (key->path == name) {
        rows += fmt::format("| `{}` | {} | {} |\n", name, key->unit, key->doc);
        break;
      }
  }
  std::string level_names;
  for (const auto& level : levels)
    level_names += fmt::format("{}`{}`", level_names.empty() ? "" : ", ", level.name);
  return fmt::format(
      "# Interval statistics\n\n"
      "`warpvp run FILE --intervals CYCLES`, or `output.intervals` in YAML, writes `intervals.csv` into the\n"
      "run's folder: a row after every so many cycles of the SM clock. The column `time_us` is the "
      "simulated\n"
      "time at which the interval ends, `cycle` the SM cycle, and then each counter has a column: what it "
      "grew\n"
      "by in the interval. The sum of a column is the value in result.json. Levels ({}) are those at the\n"
      "interval's end.\n\n"
      "A column has the name of its key in result.json, without list indices. Of the list `sms` that is the\n"
      "sum over SMs, `sms.3.issued` (or `sms[3].issued`) is that of one SM and `sms.*.issued` stands for a\n"
      "column each; `*` stands for any text without a dot, as in `l2.*`. Of `kernels` there are\n"
      "`warp_instructions`, `ptx_instructions`, `thread_instructions`, `frontend` and `stalls` (also\n"
      "`stalls.by_scheduler.0.raw_long`), summed over launches. Of `noc`, `l2`, `dram`, `traffic` and "
      "`control`\n"
      "there is every whole number and every time; ratios and means are left out. `warpvp describe result`\n"
      "says what they are. `default` stands for the columns below:\n\n"
      "```yaml\n"
      "output:\n"
      "  intervals: {{cycles: 1000, counters: [default, dram.row_hits, sms.*.issued]}}\n"
      "```\n\n"
      "| column | unit | meaning |\n|---|---|---|\n{}\n",
      level_names, rows);
}

}  // namespace warpvp
