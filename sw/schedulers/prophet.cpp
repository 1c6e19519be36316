// Prophet (Chen, Yang, Guo, Mars, Tang, ASPLOS 2017) as the thesis takes it: kernels are profiled offline,
// with what each takes of the compute units and of memory bandwidth. Few jobs run together: the next one is
// that which complements those under way best, if all are predicted to meet their deadlines. The prediction
// takes the kernels of jobs under way for always overlapping.
#include <algorithm>

#include "sw/schedulers/knowledge.h"

namespace warpvp::sched {
namespace {

struct ProphetParams {
  double kernel_us = 4;
  std::uint32_t at_once = 2;
  double memory_gb_s = 450;
  std::string late = "reject";

  void fields(FieldVisitor& v) {
    v.field("kernel_us", kernel_us, "us",
            "Time that the communication of host and device adds to each kernel (thesis, section 6.5.1).",
            Constraint::range(0, 1e6));
    v.field("at_once", at_once, "jobs", "Jobs that run together at most: the original pairs them.",
            Constraint::range(1, 1024));
    v.field("memory_gb_s", memory_gb_s, "GB/s", "Memory bandwidth that its model supposes.",
            Constraint::range(0.001, 1e6));
    v.field("late", late,
            "What happens to jobs that cannot be in time any more: run, they go as if they had no deadline.",
            Constraint::words({"reject", "run"}));
  }
};

class Prophet : public HostScheduler {
 public:
  explicit Prophet(const ProphetParams& params) : params_(params) {}

  void begin(JobHost& host) override { known_ = Knowledge(host); }
  void arrived(JobHost&, unsigned job) override { waiting_.push_back(job); }
  void kernel_done(JobHost& host, unsigned job, unsigned index, SimTime, SimTime) override {
    if (index + 1 < host.kernels_of(job)) host.launch(job, 1, params_.kernel_us);
  }
  void job_over(JobHost&, unsigned job) override {
    under_way_.erase(std::remove(under_way_.begin(), under_way_.end(), job), under_way_.end());
  }

  void schedule(JobHost& host) override {
    for (const unsigned job : std::vector<unsigned>(waiting_)) {
      if (!rejects() || !late(host, job)) continue;
      drop(job);
      host.reject(job, kTooLate);
    }
    while (under_way_.size() < params_.at_once) {
      std::optional<unsigned> best;
      double least = 0;
      for (const unsigned job : waiting_) {
        const double slowdown = slowdown_with(host, job);
        if ((best && slowdown >= least) || !all_in_time(host, job, slowdown)) continue;
        best = job;
        least = slowdown;
      }
      if (!best) return;
      drop(*best);
      under_way_.push_back(*best);
      host.launch(*best, 1, params_.kernel_us);
    }
  }

 private:
  struct Demand {
    double compute = 0, memory = 0;
  };
  static double slowdown(const Demand& all) { return std::max({1.0, all.compute, all.memory}); }
  bool rejects() const { return params_.late == "reject"; }
  void drop(unsigned job) { waiting_.erase(std::find(waiting_.begin(), waiting_.end(), job)); }
  double remaining(const JobHost& host, unsigned job) const {
    return known_.remaining_us(host, job, host.progress(job).done, params_.kernel_us);
  }
  /// Even with the device to itself. So with nothing under way every job is either late or started: none
  /// waits for an event that will not come.
  bool late(const JobHost& host, unsigned job) const {
    return slowdown(demand(host, job)) * remaining(host, job) > left_us(host, job);
  }
  /// The most that a kernel to come takes: conservative.
  Demand demand(const JobHost& host, unsigned job) const {
    Demand most;
    for (unsigned i = host.progress(job).done; i < host.kernels_of(job); ++i) {
      const unsigned k = host.kernel(job, i);
      const apps::StreamKernel& kernel = host.stream().kernels[k];
      const double bytes_us = kernel.knowledge.memory_bytes * static_cast<double>(kernel.ctas()) /
                              std::max(known_.alone_us(k), 1e-3);
      most.compute = std::max(most.compute, known_.share(k));
      most.memory = std::max(most.memory, bytes_us / (params_.memory_gb_s * 1e3));
    }
    return most;
  }
  double slowdown_with(const JobHost& host, unsigned job) const {
    Demand sum = demand(host, job);
    for (const unsigned other : under_way_) {
      const Demand d = demand(host, other);
      sum.compute += d.compute;
      sum.memory += d.memory;
    }
    return slowdown(sum);
  }
  bool all_in_time(const JobHost& host, unsigned job, double slowdown) const {
    const auto in_time = [&](unsigned j) { return slowdown * remaining(host, j) <= left_us(host, j); };
    return (in_time(job) || late(host, job)) &&
           std::all_of(under_way_.begin(), under_way_.end(),
                       [&](unsigned j) { return in_time(j) || late(host, j); });
  }

  const ProphetParams params_;
  Knowledge known_;
  std::vector<unsigned> waiting_, under_way_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(HostScheduler, Prophet, ProphetParams, "prophet",
                                   "Few jobs together that complement each other, by profiles (Prophet)");

}  // namespace
}  // namespace warpvp::sched
