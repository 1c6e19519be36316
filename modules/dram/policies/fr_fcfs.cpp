// First ready, first come, first served (Rixner et al., ISCA 2000): accesses to open rows go first, the
// oldest of them before the others; failing those, the oldest access whose next command is legal. A row stays
// open while accesses to it wait.

#include "base/registry.h"
#include "modules/dram/scheduler.h"

namespace warpvp {
namespace {

struct FrFcfsParams {
  std::uint64_t max_wait_cycles = 0;

  void fields(FieldVisitor& v) {
    v.field(
        "max_wait_cycles", max_wait_cycles, "CK",
        "An access that waited longer goes before row hits and may close a row that others want; 0: never.");
  }
};

class FrFcfs : public DramScheduler {
 public:
  explicit FrFcfs(const FrFcfsParams& params) : params_(params) {}

  int pick(const std::vector<Candidate>& candidates, Cycle now) override {
    const Candidate* best = nullptr;
    int best_rank = 0;
    for (const Candidate& c : candidates) {
      if (c.earliest > now) continue;
      const bool starved = params_.max_wait_cycles != 0 && now - c.arrival > params_.max_wait_cycles;
      if (c.command == Command::kPrecharge && c.bank_has_hits && !starved) continue;
      const int rank = starved ? 3 : c.command == Command::kColumn ? 2 : 1;
      if (rank > best_rank || (rank == best_rank && c.age < best->age)) {
        best = &c;
        best_rank = rank;
      }
    }
    return best ? static_cast<int>(best - candidates.data()) : -1;
  }

 private:
  FrFcfsParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(DramScheduler, FrFcfs, FrFcfsParams, "fr_fcfs",
                                   "First ready, first come, first served: row hits before older misses.");

}  // namespace
}  // namespace warpvp
