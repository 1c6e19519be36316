#pragma once
// What LAX computes, for its two forms that run on the CPU: the time that jobs still need at the rate at
// which kernels complete now, whether a new job can be in time behind those that were taken (algorithm 3 of
// the thesis), and how urgent each job is (algorithm 4).
//
// Algorithm 3 adds up the remaining times of all jobs: by Little's law the time until the device has done
// with what it has, if the rates that it divides by are those of the device as a whole. Two estimates of
// that:
//
//   device   one rate, the device's: how much of kernels' time alone it gets through in a microsecond, more
//            than 1 where kernels run side by side. A job's own kernels run one after the other; for them it
//            takes the times that kernels of their kind took lately.
//   kernels  a rate for each kernel, as in section 6.2 and in the firmware (sw/firmware/jobs): the time in
//            which some of its kind ran, over their CTAs. It has the times of jobs and of the queue in front
//            of them; before anything ran, the time alone over the CTAs.

#include <cstdint>
#include <string>
#include <vector>

#include "sw/schedulers/knowledge.h"

namespace warpvp::sched {

enum class Estimate { kDevice, kKernels };
/// Names of a setting.
inline const std::vector<std::string> kEstimates = {"device", "kernels"};
inline Estimate estimate_of(const std::string& name) {
  return name == kEstimates[1] ? Estimate::kKernels : Estimate::kDevice;
}

/// Completions of kernels, taken together at intervals.
class CompletionRates {
 public:
  CompletionRates() = default;
  CompletionRates(const JobHost& host, const Knowledge& known, Estimate estimate = Estimate::kDevice);

  /// A kernel ran from `start` to `end`, in microseconds of any clock.
  void completed(unsigned kernel, double start_us, double end_us);
  /// An interval of so long is over. `full`: jobs wanted all of the device; otherwise what completed says
  /// nothing of what it can do.
  void refresh(double interval_us, bool full);

  /// What a kernel of this kind takes its job, as it was in the last interval that had some; before: alone.
  double kernel_us(unsigned kernel) const { return kernel_us_[kernel]; }
  /// Its part of the work before a job that comes, and how much of that the device does in a microsecond.
  double work_us(unsigned kernel) const {
    return estimate_ == Estimate::kKernels ? kernel_us_[kernel] : alone_us_[kernel];
  }
  double rate() const { return estimate_ == Estimate::kKernels ? 1 : device_rate_; }
  /// Microseconds alone that the device does in one.
  double device_rate() const { return device_rate_; }

 private:
  struct Interval {
    double start_us = 0, end_us = 0;
  };
  struct Seen {
    double sum_us = 0;
    unsigned count = 0;
    std::vector<Interval> active;  ///< apart from each other, by time: when some of the kind ran
    double counted_us = 0;         ///< up to here it was counted in an interval before
  };
  static void add(std::vector<Interval>& active, Interval more);

  Estimate estimate_ = Estimate::kDevice;
  std::vector<double> alone_us_, kernel_us_;
  std::vector<Seen> seen_;
  double alone_done_us_ = 0, full_us_ = 0;  ///< since the device's rate was taken
  double device_rate_ = 1;
};

/// Time left of the job by itself: of its kernels that are not complete.
double remaining_us(const JobHost& host, const CompletionRates& rates, unsigned job);
/// Until the device has done these jobs, by Little's law.
double drain_us(const JobHost& host, const CompletionRates& rates, const std::vector<unsigned>& jobs);
/// Algorithm 3: whether a job that has come can be in time behind those that were taken.
bool in_time(const JobHost& host, const CompletionRates& rates, const std::vector<unsigned>& taken,
             unsigned job);

/// Least urgent of all: its deadline has passed.
inline constexpr double kHopeless = 1e12;
/// Algorithm 4: laxity while the job will be in time; its completion time, which is later than any deadline,
/// when it is expected not to; kHopeless when it is late. Less is more urgent.
double priority_of(double deadline_us, double remaining_us, double age_us);
double priority_of(const JobHost& host, const CompletionRates& rates, unsigned job);

}  // namespace warpvp::sched
