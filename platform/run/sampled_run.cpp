#include "platform/run/sampled_run.h"

#include <fmt/format.h>

#include "base/error.h"

namespace warpvp {

void check_run_can_be_sampled(const PlatformConfig& platform, const RunConfig& run) {
  if (!platform.sampling.on()) return;
  const auto refuse = [&](bool given, const char* key, const char* why) {
    if (!given) return;
    throw InputError(
        fmt::format("platform.sampling.skip is {}, and {} {}; set platform.sampling.skip: 0, or leave {} out",
                    platform.sampling.skip, key, why, key));
  };
  const WorkloadConfig& workload = run.workload;
  refuse(run.energy.given(), "energy.table", "charges what all CTAs do");
  refuse(run.output.redundancy, "output.redundancy", "looks at the instructions of all CTAs");
  refuse(run.output.instructions, "output.instructions", "counts the instructions of all CTAs");
  refuse(run.trace.enabled && !run.trace.warps.of(platform.sms).empty(), "trace.warps",
         "shows the warps of all CTAs");
  refuse(workload.has_processes() && workload.all_processes().size() != 1, "workload.processes",
         "runs kernels at once");
  refuse(!workload.jobs.empty(), "workload.jobs", "runs kernels at once");
  refuse(workload.job_stream.given(), "workload.job_stream", "runs kernels at once");
}

}  // namespace warpvp
