#pragma once
// Turns the `workload:` of a run file into a host program.

#include <memory>
#include <string>

#include "platform/config/run_config.h"
#include "sw/apps/app.h"

namespace warpvp {

/// The app named in YAML, or the launch list or job stream as an app. `folder` is the run's, for dumps; what
/// profiles have in cycles is at that clock. InputError for unknown names and parameters.
std::unique_ptr<apps::App> make_workload(const RunConfig& run, const std::string& folder,
                                         double sm_clock_mhz);
/// What a launch list launches in all; zeros where there is none.
struct ExpectedWork {
  std::uint64_t kernels = 0, ctas = 0;
};
ExpectedWork expected_work(const WorkloadConfig& workload);
apps::AppContext app_context(const RunConfig& run);

}  // namespace warpvp
