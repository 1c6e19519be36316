// LAX-CPU: the CPU computes, the device has the jobs. A job that is admitted goes to its queue whole; each
// period the host writes the queues' priorities into their registers. To be used with firmware that goes by
// them (`priority`).
#include <cmath>
#include <map>

#include "sw/schedulers/lax_host.h"

namespace warpvp::sched {
namespace {

struct LaxCpuParams {
  double period_us = 100;
  double job_us = 4;
  std::string estimate = kEstimates.front();

  void fields(FieldVisitor& v) {
    v.field("period_us", period_us, "us",
            "How often rates, laxities and priorities are computed (thesis, section 6.2).",
            Constraint::range(0.1, 1e6));
    v.field("job_us", job_us, "us",
            "Time that the communication of host and device adds to each job: its kernels go together.",
            Constraint::range(0, 1e6));
    estimate_field(v, estimate);
  }
};

/// As the register has it: greater is more urgent.
int register_value(double priority) { return -static_cast<int>(std::lround(std::min(priority, 1e9))); }

class LaxCpu : public LaxOnHost {
 public:
  explicit LaxCpu(const LaxCpuParams& params)
      : LaxOnHost(params.period_us, params.estimate), params_(params) {}

 protected:
  void admitted(JobHost& host, unsigned job) override {
    write(host, job);
    host.launch(job, host.kernels_of(job), params_.job_us);
  }
  void refresh(JobHost& host) override {
    for (const unsigned job : taken_) write(host, job);
  }

 private:
  void write(JobHost& host, unsigned job) {
    const int value = register_value(priority_of(host, rates_, job));
    const auto written = written_.find(job);
    if (written != written_.end() && written->second == value) return;
    written_[job] = value;
    host.set_priority(job, value);
  }

  const LaxCpuParams params_;
  std::map<unsigned, int> written_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(HostScheduler, LaxCpu, LaxCpuParams, "lax_cpu",
                                   "LAX on the CPU, which writes priorities of queues (LAX-CPU)");

}  // namespace
}  // namespace warpvp::sched
