#include "platform/run/sampled_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace warpvp {

namespace {
constexpr std::size_t kMostLines = 8;
}

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

std::string describe_sampled(const nlohmann::ordered_json& result) {
  std::string text;
  std::size_t lines = 0;
  for (const auto& kernel : result["kernels"]) {
    if (!kernel.contains("sampled")) continue;
    if (++lines > kMostLines) continue;
    const auto& sampled = kernel["sampled"];
    const std::string name = kernel["name"];
    if (sampled.contains("why_not")) {
      text += fmt::format("{}: not sampled: {}\n", name, sampled["why_not"].get<std::string>());
      continue;
    }
    text +=
        fmt::format("{}: sampled: {} of {} CTAs in cycle detail, {} cycles +- {:.0f} (95 %, {} samples)\n",
                    name, sampled["ctas_detailed"].get<std::uint64_t>(), kernel["ctas"].get<std::uint64_t>(),
                    kernel["execution_cycles"].is_null()
                        ? std::string("-")
                        : std::to_string(kernel["execution_cycles"].get<std::uint64_t>()),
                    sampled["half_width_95"].get<double>(), sampled["samples"].get<std::uint64_t>());
  }
  if (lines > kMostLines) text += fmt::format("... and {} further kernels\n", lines - kMostLines);
  return text;
}

}  // namespace warpvp
