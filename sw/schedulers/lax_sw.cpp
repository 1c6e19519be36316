// LAX-SW: all of LAX on the CPU. The host launches kernels one by one, the job with the least laxity first,
// and no more than the device has room for; each kernel takes the time of the communication.
#include <algorithm>
#include <map>

#include "sw/schedulers/lax_host.h"

namespace warpvp::sched {
namespace {

struct LaxSwParams {
  double period_us = 100;
  double kernel_us = 4;
  std::string estimate = kEstimates.front();

  void fields(FieldVisitor& v) {
    v.field("period_us", period_us, "us", "How often rates and laxities are computed (thesis, section 6.2).",
            Constraint::range(0.1, 1e6));
    v.field("kernel_us", kernel_us, "us",
            "Time that the communication of host and device adds to each kernel (thesis, section 6.5.1).",
            Constraint::range(0, 1e6));
    estimate_field(v, estimate);
  }
};

class LaxSw : public LaxOnHost {
 public:
  explicit LaxSw(const LaxSwParams& params) : LaxOnHost(params.period_us, params.estimate), params_(params) {}

  void kernel_done(JobHost& host, unsigned job, unsigned index, SimTime start, SimTime end) override {
    LaxOnHost::kernel_done(host, job, index, start, end);
    in_flight_ -= known_.share(host.kernel(job, index));
    --kernels_;
    if (index + 1 < host.kernels_of(job)) ready_.push_back(job);
  }
  void schedule(JobHost& host) override {
    LaxOnHost::schedule(host);
    std::sort(ready_.begin(), ready_.end(), [&](unsigned a, unsigned b) {
      const double pa = priorities_.at(a), pb = priorities_.at(b);
      return pa != pb ? pa < pb : a < b;
    });
    std::size_t next = 0;
    for (; next < ready_.size(); ++next) {
      const unsigned job = ready_[next];
      const double share = known_.share(host.kernel(job, host.progress(job).launched));
      // As long as there is room for some of its CTAs.
      if (kernels_ > 0 && in_flight_ > 1 - 1e-9) break;
      in_flight_ += share;
      ++kernels_;
      host.launch(job, 1, params_.kernel_us);
    }
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(next));
  }

 protected:
  void admitted(JobHost& host, unsigned job) override {
    priorities_[job] = priority_of(host, rates_, job);
    ready_.push_back(job);
  }
  void refresh(JobHost& host) override {
    for (const unsigned job : taken_) priorities_[job] = priority_of(host, rates_, job);
  }

 private:
  const LaxSwParams params_;
  std::vector<unsigned> ready_;  // jobs whose next kernel could start
  std::map<unsigned, double> priorities_;
  double in_flight_ = 0;  // of the device
  unsigned kernels_ = 0;  // in flight
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(HostScheduler, LaxSw, LaxSwParams, "lax_sw",
                                   "LAX on the CPU, which launches kernels one by one by laxity (LAX-SW)");

}  // namespace
}  // namespace warpvp::sched
