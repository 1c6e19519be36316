#pragma once
// What result.json says of processes, and of how they shared the device.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/multiprogram_metrics.h"
#include "platform/results/result_visitor.h"
#include "sw/runtime/request_runtime.h"

namespace warpvp {

/// The launches of one kernel in a process's first execution.
struct ProcessKernelResult {
  std::string name;
  std::uint64_t launches = 0, ctas = 0;
  double execution_us = 0;
  void stats(ResultVisitor& v) const;
};

struct ProcessResult {
  std::string name, application;
  std::string state = "running";  ///< "running", "finished" or "faulted"
  std::string fault;              ///< that has ended it
  bool verified = false;
  std::uint32_t context = 0;
  std::int32_t priority = 0;
  double arrival_us = 0;
  std::optional<double> alone_us, response_us, turnaround_us;
  std::optional<rt::RequestCounts> requests;  ///< of its first execution; without a deadline it has none
  std::uint64_t executions = 0;
  std::uint64_t launches = 0;
  double kernel_us = 0;
  std::vector<double> launch_us;  ///< of each launch, from the call to the end of its last CTA
  std::uint64_t copies_to_device = 0, copies_to_host = 0, bytes_to_device = 0, bytes_to_host = 0;
  std::vector<ProcessKernelResult> kernels;

  std::optional<double> ntt() const;
  /// Of launch_us, by nearest rank: the least that `share` of them do not exceed; nullopt: no launches.
  std::optional<double> launch_percentile(double share) const;
  void stats(ResultVisitor& v) const;
};

struct MultiprogramResult {
  double time_us = 0;  ///< from the common start to the end
  double sm_occupancy = 0, to_device_occupancy = 0, to_host_occupancy = 0;
  double turnaround_us = 0;                    ///< mean; 0: not all have ended
  std::optional<MultiprogramMetrics> metrics;  ///< when all times are known
  void stats(ResultVisitor& v) const;
};

}  // namespace warpvp
