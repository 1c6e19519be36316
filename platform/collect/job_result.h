#pragma once
// What result.json says of jobs (sw/runtime/job.h), one by one and together.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/results/result_visitor.h"
#include "sw/runtime/job_directory.h"
#include "sw/runtime/launch_directory.h"

namespace warpvp {

struct KernelRecord;

struct JobResult {
  rt::JobInfo info;
  rt::JobStatus status;
  std::uint64_t kernels_run = 0;  ///< that the work distributor got
  std::uint64_t ctas = 0;         ///< CTAs of these that had completed

  std::optional<double> latency_us() const;
  /// Complete, and not after its deadline if it has one.
  bool successful() const;
  /// Over without success: complete too late, or rejected.
  bool failed() const;
  std::uint64_t wasted_ctas() const { return failed() ? ctas : 0; }
  void stats(ResultVisitor& v) const;
};

/// Latencies of complete jobs: the least one that so many percent of them do not exceed (nearest rank).
struct LatencyResult {
  double p50_us = 0, p95_us = 0, p99_us = 0, mean_us = 0, most_us = 0;
  static LatencyResult of(std::vector<double> latencies);
  void stats(ResultVisitor& v) const;
};

struct JobSummary {
  std::uint64_t jobs = 0, complete = 0, met = 0, missed = 0, rejected = 0, unfinished = 0;
  std::uint64_t ctas = 0, wasted_ctas = 0;
  double span_us = 0;  ///< from the first arrival to the last end
  double due_us =
      0;  ///< from the first arrival to the last deadline or arrival: the same under every scheduler
  std::uint64_t successful = 0;
  LatencyResult latency;
  static JobSummary of(const std::vector<JobResult>& jobs);
  void stats(ResultVisitor& v) const;
};

/// `records`: all kernels of the run. CTAs of a batch count in equal parts for its jobs, those left over for
/// its first ones.
std::vector<JobResult> job_results(const rt::JobDirectory& jobs, const std::vector<rt::LaunchInfo>& launches,
                                   const std::vector<KernelRecord>& records);

}  // namespace warpvp
