// BatchMaker (Gao, Yu, Wu, Li, EuroSys 2018: cellular batching): jobs that come to the same kernel are
// launched together, and a job joins or leaves a batch at each kernel. Deadlines play no part.
#include <algorithm>
#include <map>

#include "sw/schedulers/knowledge.h"

namespace warpvp::sched {
namespace {

struct BatchMakerParams {
  double kernel_us = 4;
  std::uint32_t batch = 64;
  std::uint32_t at_once = 5;

  void fields(FieldVisitor& v) {
    v.field("kernel_us", kernel_us, "us",
            "Time that the communication of host and device adds to each kernel (thesis, section 6.5.1).",
            Constraint::range(0, 1e6));
    v.field("batch", batch, "jobs", "Most jobs in a batch.", Constraint::range(1, 65536));
    v.field("at_once", at_once, "batches", "Batches under way at most.", Constraint::range(1, 1024));
  }
};

class BatchMaker : public HostScheduler {
 public:
  explicit BatchMaker(const BatchMakerParams& params) : params_(params) {}

  void arrived(JobHost& host, unsigned job) override { ready_[host.kernel(job, 0)].push_back(job); }

  void kernel_done(JobHost& host, unsigned job, unsigned index, SimTime, SimTime) override {
    const auto batch = batch_of_.find(job);
    if (--left_in_[batch->second] == 0) --under_way_;
    batch_of_.erase(batch);
    if (index + 1 < host.kernels_of(job)) ready_[host.kernel(job, index + 1)].push_back(job);
  }

  void schedule(JobHost& host) override {
    while (under_way_ < params_.at_once) {
      // The kernel that most jobs wait for; of several the one whose first job arrived first.
      const auto best = std::max_element(ready_.begin(), ready_.end(), [&](const auto& a, const auto& b) {
        const auto key = [&](const std::vector<unsigned>& jobs) {
          return std::min<std::size_t>(jobs.size(), params_.batch);
        };
        if (key(a.second) != key(b.second)) return key(a.second) < key(b.second);
        return !a.second.empty() && *std::min_element(a.second.begin(), a.second.end()) >
                                        *std::min_element(b.second.begin(), b.second.end());
      });
      if (best == ready_.end() || best->second.empty()) return;
      std::vector<unsigned>& waiting = best->second;
      std::sort(waiting.begin(), waiting.end());
      const auto count = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(waiting.size()), params_.batch);
      const std::vector<unsigned> jobs(waiting.begin(), waiting.begin() + count);
      waiting.erase(waiting.begin(), waiting.begin() + count);
      for (const unsigned job : jobs) batch_of_[job] = batches_;
      left_in_[batches_++] = static_cast<unsigned>(jobs.size());
      ++under_way_;
      host.launch_batch(jobs, params_.kernel_us);
    }
  }

 private:
  const BatchMakerParams params_;
  std::map<unsigned, std::vector<unsigned>> ready_;  // jobs by the kernel that is next
  std::map<unsigned, unsigned> batch_of_, left_in_;
  unsigned batches_ = 0, under_way_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(HostScheduler, BatchMaker, BatchMakerParams, "batchmaker",
                                   "Jobs that come to the same kernel are launched together (BatchMaker)");

}  // namespace
}  // namespace warpvp::sched
