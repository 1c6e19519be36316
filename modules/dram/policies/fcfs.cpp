// First come, first served: only the oldest access moves, whatever rows are open.

#include "base/registry.h"
#include "modules/dram/scheduler.h"

namespace warpvp {
namespace {

class Fcfs : public DramScheduler {
 public:
  int pick(const std::vector<Candidate>& candidates, Cycle now) override {
    if (now == last_issue_) return -1;  // a second command bus does not help: one access moves at a time
    int oldest = -1;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (oldest < 0 || candidates[i].age < candidates[oldest].age) oldest = static_cast<int>(i);
    return oldest >= 0 && candidates[oldest].earliest <= now ? oldest : -1;
  }
  void issued(const Candidate&, Cycle now) override { last_issue_ = now; }

 private:
  Cycle last_issue_ = kNever;
};

WARPVP_REGISTER_POLICY(DramScheduler, Fcfs, "fcfs",
                       "First come, first served: strictly in order of arrival.");

}  // namespace
}  // namespace warpvp
