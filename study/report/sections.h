#pragma once
// The sections of a run's report, each made from what the run has; without it they are empty, and left out.

#include "study/report/page_model.h"
#include "study/report/run_view.h"

namespace warpvp::report {

/// Groups of kernels that a chart or table has, and of them those that words speak of.
constexpr std::size_t kMostGroups = 24, kMostInWords = 4;

/// When each kernel waited and ran.
Section timeline_section(const RunView& run);
/// A line a launch.
Section kernels_section(const RunView& run);
/// Where warp-cycles went, by kernel and by scheduler.
Section stalls_section(const RunView& run);
/// Hits and bytes, level by level, and whose they were.
Section memory_section(const RunView& run);
/// How evenly the SMs worked.
Section sms_section(const RunView& run);
/// Peaks of the platform, and each kernel below them (Williams et al., CACM 2009).
Section roofline_section(const RunView& run);
/// What intervals.csv says of rates, shares and levels.
Section over_time_section(const RunView& run);
/// What run and kernels cost, by component (docs/energy.md).
Section energy_section(const RunView& run);
/// Lines of PTX that issue, stall and diverge most, from instructions.csv.
Section hot_lines_section(const RunView& run);
/// The command processor's profile, as its file has it.
Section firmware_section(const RunView& run);

/// "operand from memory" of "raw_long"; names that it does not know stay as they are.
std::string stall_words(const std::string& name);
/// Series::colour of those words, the same in all charts; `issued` has one too.
std::optional<unsigned> stall_colour(const std::string& words);

}  // namespace warpvp::report
