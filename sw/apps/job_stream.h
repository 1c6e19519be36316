#pragma once
// A stream of jobs (sw/runtime/job.h), as users send them to a service: what kinds of jobs there are, and
// when they come. Drawn from a seed; who runs them is a matter of sw/schedulers.

#include <cstdint>
#include <string>
#include <vector>

#include "base/sim_time.h"
#include "sw/apps/application_trace.h"

namespace warpvp::apps {

/// How long jobs are: how often their steps of `repeat: length` are done. Log-normal, rounded, at least
/// `least` and at most `most`.
struct LengthLaw {
  double mean = 1, variation = 0;
  std::uint32_t least = 1, most = 1;
};

struct JobKind {
  std::string name;
  double share = 1;              ///< of its benchmark's jobs, beside the shares of the other kinds
  std::vector<TraceStep> steps;  ///< kLaunch and kRepeat; `times` 0 of a repeat: the job's length
};

/// What the hosts' schedulers know of a kernel beforehand: its profile.
struct KernelKnowledge {
  double cta_us = 0;        ///< of a CTA that nothing slows down
  double instructions = 0;  ///< warp instructions of a CTA
  double memory_bytes = 0;  ///< of a CTA
};

struct JobBenchmark {
  std::string name;
  double deadline_us = 0;      ///< from arrival; 0: none
  double jobs_per_second = 0;  ///< > 0
  LengthLaw length;
  std::vector<JobKind> kinds;  ///< at least one
};

struct JobStreamPlan {
  std::vector<JobBenchmark> benchmarks;  ///< several: each comes at its rate divided by their number
  std::uint32_t jobs = 128;
  bool even = false;        ///< equal times between arrivals instead of exponential ones
  std::uint32_t burst = 1;  ///< jobs that arrive at once, so many times as rarely
  double told_deadline = 1, told_deadline_spread = 0;  ///< factor and its coefficient of variation
  double told_time = 1, told_time_spread = 0;  ///< the same of the kernels' times that schedulers are told
};

/// A kernel as jobs launch it.
struct StreamKernel {
  TraceLaunch launch;
  KernelKnowledge knowledge;
  std::uint64_t ctas() const { return std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]; }
  unsigned threads() const { return launch.block[0] * launch.block[1] * launch.block[2]; }
};

struct StreamJob {
  std::string name;
  SimTime arrival;                ///< from the begin of the stream
  double deadline_us = 0;         ///< from its arrival; 0: none
  double told_deadline_us = 0;    ///< as schedulers are told
  std::vector<unsigned> kernels;  ///< indices in JobStream::kernels, in order; at least one
};

struct JobStream {
  std::vector<StreamKernel> kernels;  ///< each shape of a kernel once
  std::vector<StreamJob> jobs;        ///< in order of arrival
};

/// The same for the same plan and seed. Lengths and kinds of jobs do not depend on rates, so streams of
/// several rates have the same jobs; arrivals of several rates differ by their scale alone. `knowledge` of
/// kernels is not filled in. InputError where a kind launches nothing.
JobStream draw_jobs(const JobStreamPlan& plan, std::uint64_t seed);
/// How many kernels its jobs have together, without making them; stops counting beyond `enough`.
std::uint64_t count_kernels(const JobStreamPlan& plan, std::uint64_t seed, std::uint64_t enough);

}  // namespace warpvp::apps
