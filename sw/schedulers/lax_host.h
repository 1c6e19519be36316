#pragma once
// What the two forms of LAX on the CPU have in common: the table of rates with its period, and admission.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sw/schedulers/laxity.h"

namespace warpvp::sched {

/// The setting `estimate` of both.
inline void estimate_field(FieldVisitor& v, std::string& estimate) {
  v.field("estimate", estimate,
          "What admission divides work by: the rate of the device as a whole, or one of each kernel as the "
          "command processor's LAX.",
          Constraint::words(kEstimates));
}

class LaxOnHost : public HostScheduler {
 public:
  LaxOnHost(double period_us, const std::string& estimate)
      : period_(SimTime::from_us(period_us)), estimate_(estimate_of(estimate)) {}

  void begin(JobHost& host) override {
    known_ = Knowledge(host);
    rates_ = CompletionRates(host, known_, estimate_);
    refreshed_ = host.now();
  }
  void arrived(JobHost& host, unsigned job) override {
    if (!in_time(host, rates_, taken_, job)) return host.reject(job, kTooLate);
    taken_.push_back(job);
    settled_ = false;
    admitted(host, job);
  }
  void kernel_done(JobHost& host, unsigned job, unsigned index, SimTime start, SimTime end) override {
    if (end > start) rates_.completed(host.kernel(job, index), us(start), us(end));
  }
  void job_over(JobHost&, unsigned job) override {
    taken_.erase(std::remove(taken_.begin(), taken_.end(), job), taken_.end());
  }
  void schedule(JobHost& host) override {
    if (host.now() < refreshed_ + period_) return;
    rates_.refresh(us(host.now() - refreshed_), wanted(host) >= 1);
    refreshed_ = host.now();
    settled_ = std::none_of(taken_.begin(), taken_.end(),
                            [&](unsigned job) { return host.deadline(job) && left_us(host, job) >= 0; });
    refresh(host);
  }
  /// Not when time alone changes nothing: without jobs, and when all are late (algorithm 4 has one priority
  /// for these) or have no deadline. A completion calls anyway; and if none comes, because the device has
  /// lost a job, a host that kept looking would keep the run alive for ever.
  std::optional<SimTime> next_call() const override {
    if (taken_.empty() || settled_) return {};
    return refreshed_ + period_;
  }

 protected:
  virtual void admitted(JobHost& host, unsigned job) = 0;
  /// Each period, with new rates.
  virtual void refresh(JobHost&) {}

  /// Of the device, by the kernels that are next.
  double wanted(const JobHost& host) const {
    double sum = 0;
    for (const unsigned job : taken_)
      if (const unsigned done = host.progress(job).done; done < host.kernels_of(job))
        sum += known_.share(host.kernel(job, done));
    return sum;
  }

  Knowledge known_;
  CompletionRates rates_;
  std::vector<unsigned> taken_;  // in order of arrival

 private:
  const SimTime period_;
  const Estimate estimate_;
  SimTime refreshed_;
  bool settled_ = false;  ///< since it was refreshed
};

}  // namespace warpvp::sched
