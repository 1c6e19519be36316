// A DRAM command scheduler: banks take turns. Within the bank whose turn it is the oldest access goes; a row
// that is open is not preferred, so this shows what first ready, first come is worth.
#include <algorithm>

#include "base/registry.h"
#include "modules/dram/scheduler.h"

namespace {

struct BankRotationParams {
  std::uint32_t stay = 1;

  void fields(warpvp::FieldVisitor& v) {
    v.field("stay", stay, "commands", "Commands after which a bank's turn ends at the latest.",
            warpvp::Constraint::range(1, 1000));
  }
};

class BankRotation : public warpvp::DramScheduler {
 public:
  explicit BankRotation(const BankRotationParams& params) : params_(params) {}

  int pick(const std::vector<Candidate>& candidates, warpvp::Cycle now) override {
    int best = -1;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].earliest > now) continue;
      if (best < 0 || before(candidates[i], candidates[static_cast<std::size_t>(best)]))
        best = static_cast<int>(i);
    }
    return best;
  }
  void issued(const Candidate& candidate, warpvp::Cycle) override {
    sent_ = candidate.bank == bank_ ? sent_ + 1 : 1;
    bank_ = candidate.bank;
  }

 private:
  /// Banks from the one whose turn it is on, upwards and around.
  unsigned turn(const Candidate& c) const {
    const unsigned first = bank_ + (sent_ >= params_.stay ? 1 : 0);
    return (c.bank + 0x10000u - first) % 0x10000u;
  }
  bool before(const Candidate& a, const Candidate& b) const {
    return turn(a) != turn(b) ? turn(a) < turn(b) : a.age < b.age;
  }

  BankRotationParams params_;
  unsigned bank_ = 0;
  std::uint32_t sent_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(warpvp::DramScheduler, BankRotation, BankRotationParams, "bank_rotation",
                                   "Banks take turns; within a bank the oldest access goes.");

}  // namespace
