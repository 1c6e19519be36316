// Baymax (Chen, Yang, Mars, Tang, ASPLOS 2016) as the thesis takes it: a model trained beforehand predicts
// how long a job will take; jobs go to the device in the order of their headroom, which is what the deadline
// leaves beyond that, and only as long as every job under way keeps some. What cannot be done any more is
// turned down. The prediction is a call that takes its time.
#include <algorithm>
#include <map>

#include "sw/schedulers/knowledge.h"

namespace warpvp::sched {
namespace {

struct BaymaxParams {
  double kernel_us = 4;
  double prediction_us = 50;
  std::uint32_t predictors = 0;
  std::string late = "reject";

  void fields(FieldVisitor& v) {
    v.field("kernel_us", kernel_us, "us",
            "Time that the communication of host and device adds to each kernel (thesis, section 6.5.1).",
            Constraint::range(0, 1e6));
    v.field("prediction_us", prediction_us, "us",
            "Time of a call of the model that predicts a job's duration (thesis, section 6.5.1).",
            Constraint::range(0, 1e6));
    v.field("predictors", predictors, "", "Predictions that can be made at once; 0: any number.",
            Constraint::range(0, 1024));
    v.field("late", late,
            "What happens to jobs that cannot be in time any more: run, they go as their headroom says, first.",
            Constraint::words({"reject", "run"}));
  }
};

class Baymax : public HostScheduler {
 public:
  explicit Baymax(const BaymaxParams& params) : params_(params) {}

  void begin(JobHost& host) override { known_ = Knowledge(host); }
  void arrived(JobHost& host, unsigned job) override {
    predicted_[job] = predict(host.now());
    waiting_.push_back(job);
  }
  void kernel_done(JobHost& host, unsigned job, unsigned index, SimTime, SimTime) override {
    if (index + 1 < host.kernels_of(job)) host.launch(job, 1, params_.kernel_us);
  }
  void job_over(JobHost&, unsigned job) override {
    under_way_.erase(std::remove(under_way_.begin(), under_way_.end(), job), under_way_.end());
  }

  void schedule(JobHost& host) override {
    next_call_.reset();
    std::vector<unsigned> candidates;
    for (const unsigned job : std::vector<unsigned>(waiting_)) {
      if (predicted_.at(job) > host.now()) {
        next_call_ = next_call_ ? std::min(*next_call_, predicted_.at(job)) : predicted_.at(job);
      } else if (rejects() && headroom(host, job, 1) < 0) {
        drop(job);
        host.reject(job, kTooLate);
      } else {
        candidates.push_back(job);
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](unsigned a, unsigned b) { return headroom(host, a, 1) < headroom(host, b, 1); });
    for (const unsigned job : candidates) {
      if (!all_keep_headroom(host, job)) continue;
      drop(job);
      under_way_.push_back(job);
      host.launch(job, 1, params_.kernel_us);
    }
  }
  std::optional<SimTime> next_call() const override { return next_call_; }

 private:
  /// When a prediction that is asked for now is there: the predictor that is free first makes it.
  SimTime predict(SimTime now) {
    const SimTime takes = SimTime::from_us(params_.prediction_us);
    if (params_.predictors == 0) return now + takes;
    if (free_at_.empty()) free_at_.resize(params_.predictors);
    const auto first = std::min_element(free_at_.begin(), free_at_.end());
    return *first = std::max(*first, now) + takes;
  }
  bool rejects() const { return params_.late == "reject"; }
  void drop(unsigned job) { waiting_.erase(std::find(waiting_.begin(), waiting_.end(), job)); }
  double headroom(const JobHost& host, unsigned job, double slowdown) const {
    return left_us(host, job) -
           slowdown * known_.remaining_us(host, job, host.progress(job).done, params_.kernel_us);
  }
  /// With one more job the kernels of all take longer once they want more than the device has.
  bool all_keep_headroom(const JobHost& host, unsigned job) const {
    std::vector<unsigned> all = under_way_;
    all.push_back(job);
    double wanted = 0;
    for (const unsigned j : all) wanted += known_.remaining_share(host, j, host.progress(j).done);
    const double slowdown = std::max(1.0, wanted);
    return std::all_of(all.begin(), all.end(), [&](unsigned j) {
      // A job that is late already is nobody's reason to wait.
      return headroom(host, j, slowdown) >= 0 ||
             ((j != job || !rejects()) && headroom(host, j, 1) < 0);
    });
  }

  const BaymaxParams params_;
  Knowledge known_;
  std::vector<unsigned> waiting_, under_way_;  // in order of arrival, of their start
  std::map<unsigned, SimTime> predicted_;
  std::vector<SimTime> free_at_;  // of each predictor
  std::optional<SimTime> next_call_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    HostScheduler, Baymax, BaymaxParams, "baymax",
    "Jobs go to the device by predicted headroom, while all keep some (Baymax)");

}  // namespace
}  // namespace warpvp::sched
