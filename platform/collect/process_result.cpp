#include "platform/collect/process_result.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warpvp {

void ProcessKernelResult::stats(ResultVisitor& v) const {
  v.text("name", name, "The kernel.");
  v.value("launches", launches, "kernels", "Launches of it.");
  v.value("ctas", ctas, "CTAs", "CTAs of all these launches.");
  v.value("execution_us", execution_us, "us", "Time from first CTA to last, summed over launches.");
  v.value("mean_us", launches > 0 ? execution_us / static_cast<double>(launches) : 0, "us",
          "Mean execution_us of a launch.");
}

std::optional<double> ProcessResult::ntt() const {
  if (!alone_us || !turnaround_us || !(*alone_us > 0)) return {};
  return normalised_turnaround_time({*alone_us, *turnaround_us});
}

std::optional<double> ProcessResult::launch_percentile(double share) const {
  if (launch_us.empty()) return {};
  std::vector<double> sorted = launch_us;
  std::sort(sorted.begin(), sorted.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

void ProcessResult::stats(ResultVisitor& v) const {
  v.text("name", name, "Its name.");
  v.text("application", application, "The application or app that it runs.");
  v.text("state", state,
         "How it is: finished, it has ended once; faulted, a fault of its context has ended it; running: "
         "neither when "
         "the run "
         "ended.");
  v.text("fault", fault, "The fault that has ended it, in one line; empty: none.");
  v.flag("verified", verified,
         "It has finished, and its results were compared with a reference and are right.");
  v.number("context", context, "Number of its context.");
  v.number("priority", priority, "What is added to the priority of its streams.");
  v.value("arrival_us", arrival_us, "us", "When it started, counted from the common start.");
  v.value("alone_us", alone_us, "us",
          "Its turnaround time with the device to itself; null: `workload.alone` is none.");
  v.value("response_us", response_us, "us", "From its arrival to its first CTA on an SM; null: none.");
  v.value("turnaround_us", turnaround_us, "us",
          "From its arrival to the end of its first execution; null: not ended.");
  v.value("ntt", ntt(), "ratio", "Normalised turnaround time: turnaround_us by alone_us.");
  const std::optional<double> normalised = ntt();
  v.value("progress", normalised ? std::optional<double>(1 / *normalised) : std::nullopt, "ratio",
          "Normalised progress: 1 / ntt.");
  v.when(requests.has_value(), "when it has a deadline and has ended", [&] {
    const rt::RequestCounts counts = requests.value_or(rt::RequestCounts());
    v.value("requests_met", counts.met, "jobs", "Requests that ended by their deadline, first execution.");
    v.value("requests_missed", counts.missed, "jobs", "Requests that ended later.");
    v.value("requests_rejected", counts.rejected, "jobs",
            "Requests that a scheduler on the device turned down.");
  });
  v.value("executions", executions, "executions", "Executions that ended, replays included.");
  v.value("launches", launches, "kernels", "Kernel launches of its first execution.");
  v.value("kernel_us", kernel_us, "us",
          "Time from first CTA to last, summed over the launches of its first execution.");
  const double launched = static_cast<double>(launch_us.size());
  v.value("launch_mean_us",
          launch_us.empty() ? std::optional<double>()
                            : std::accumulate(launch_us.begin(), launch_us.end(), 0.0) / launched,
          "us",
          "From the call of a launch to its last CTA's end, mean over its first execution; null: none.");
  v.value("launch_p95_us", launch_percentile(0.95), "us", "What 95 % of these do not exceed.");
  v.value("launch_p99_us", launch_percentile(0.99), "us", "What 99 % of these do not exceed.");
  v.value("copies_to_device", copies_to_device, "copies", "Copies to the device, first execution.");
  v.value("copies_to_host", copies_to_host, "copies", "Copies to the host, first execution.");
  v.value("bytes_to_device", bytes_to_device, "bytes", "Bytes of the copies to the device.");
  v.value("bytes_to_host", bytes_to_host, "bytes", "Bytes of the copies to the host.");
  v.list("kernels", kernels, "Its kernels by name, first execution.");
}

void MultiprogramResult::stats(ResultVisitor& v) const {
  v.value("time_us", time_us, "us", "From the common start of the processes to the end.");
  v.value("sm_occupancy", sm_occupancy, "share",
          "Share of that time in which an SM has CTAs, mean over SMs.");
  v.value("to_device_occupancy", to_device_occupancy, "share",
          "Share of that time in which a burst to the device was under way; 0 unless dma.type is burst.");
  v.value("to_host_occupancy", to_host_occupancy, "share",
          "Share of that time in which a burst to the host was under way; 0 unless dma.type is burst.");
  v.value("turnaround_us", turnaround_us, "us", "Mean turnaround time of processes; 0: not all have ended.");
  v.when(metrics.has_value(), "when the times of all processes alone are known and all have ended",
         [&] { metrics.value_or(MultiprogramMetrics()).stats(v); });
}

}  // namespace warpvp
