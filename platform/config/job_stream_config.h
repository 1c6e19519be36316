#pragma once
// `workload.job_stream`: jobs drawn from benchmarks, and who schedules them on the host (docs/jobs.md).
// Benchmarks are files: configs/jobs/NAME.yaml.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/config/config_visitor.h"
#include "sw/apps/job_stream.h"

namespace warpvp {

/// A benchmark's file, with what the profiles say of its kernels.
struct JobBenchmarkFile {
  std::string path, profiles;                     ///< files; profiles may be empty
  apps::JobBenchmark benchmark;                   ///< without a rate
  std::map<std::string, double> jobs_per_second;  ///< by "high", "medium", ..
  /// Of each launch of its kinds, as told by describe_launch(); times in microseconds or, where the profile
  /// has them so, in cycles.
  struct Known {
    double cta_us = 0, cta_cycles = 0, instructions = 0, memory_bytes = 0;
  };
  std::map<std::string, Known> kernels;
};

/// What tells launches apart: kernel, CTAs and threads.
std::string describe_launch(const apps::TraceLaunch& launch);
/// InputError, "file:line:column: what; allowed: ...", for whatever is wrong with it.
JobBenchmarkFile load_job_benchmark(const std::string& path);

/// `benchmarks: NAME` or a list of names, read at once.
struct JobBenchmarkList : CustomValue {
  std::vector<PathValue> files;
  std::vector<JobBenchmarkFile> benchmarks;

  void load(const Setting& setting, const std::string& path) override;
  Setting print(const PrintStyle& style) const override;
  std::string syntax() const override {
    return "the name of a file in configs/jobs, the path of one, or a list of these";
  }
};

struct JobStreamConfig {
  JobBenchmarkList benchmarks;  ///< empty: no stream
  std::string rate = "high";
  std::uint32_t jobs = 128;
  std::string arrivals = "exponential";
  std::uint32_t burst = 1;
  double told_deadline = 1, told_deadline_spread = 0, told_time = 1, told_time_spread = 0;
  std::uint32_t queues = 128;
  PolicyChoice kernels;    ///< registry "job_kernels"; empty: none
  PolicyChoice scheduler;  ///< registry "host_scheduler"; empty: "device"
  std::string place;       ///< "file:line:column"
  std::string rate_place;

  void fields(ConfigVisitor& v);
  bool given() const { return !benchmarks.files.empty(); }
  /// InputError for a rate that a benchmark does not have.
  apps::JobStreamPlan plan() const;
};

/// InputError where the device has fewer queues than the stream is to use.
void check_job_stream_fits(const JobStreamConfig& stream, unsigned queues);

}  // namespace warpvp
