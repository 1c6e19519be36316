// Adaptive timeout: each bank has an idle timer of its own, which learns from what accesses find. An access
// that opens the row that was closed last shows that it was closed too early: the time doubles. One that has
// another row in its way shows that it was open too long: the time halves. After US patent 6,976,122 (a
// dynamic idle counter threshold; raised on a miss to the page that was open last, lowered on a conflict).

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/registry.h"
#include "modules/dram/page_policy.h"

namespace warpvp {
namespace {

struct AdaptiveParams {
  std::uint32_t start = 128;
  std::uint32_t least = 16;
  std::uint32_t most = 2048;

  void fields(FieldVisitor& v) {
    const Constraint cycles = Constraint::range(1, 1 << 30);
    v.field("start", start, "CK", "First time from the last access to a row to its precharge.", cycles);
    v.field("least", least, "CK", "Shortest time.", cycles);
    v.field("most", most, "CK", "Longest time.", cycles);
    v.require(least <= start && start <= most, "start", "must lie between least and most");
  }
};

class AdaptivePage : public DramPagePolicy {
 public:
  explicit AdaptivePage(const AdaptiveParams& params) : params_(params) {}

  void configure(const DramTiming& timing) override {
    banks_.assign(timing.banks(), {params_.start, kNoRow});
  }
  Cycle close_at(const Access& access, Cycle now) override {
    Bank& bank = banks_[access.bank];
    if (access.found == Found::kConflict) {
      bank.cycles = std::max(bank.cycles / 2, params_.least);
    } else if (access.found == Found::kClosed && bank.row == access.row) {
      bank.cycles = std::min(bank.cycles * 2, params_.most);
    }
    bank.row = access.row;
    return now + bank.cycles;
  }

 private:
  static constexpr std::uint32_t kNoRow = 0xffffffffu;
  struct Bank {
    std::uint32_t cycles;
    std::uint32_t row;  // of the last access
  };
  const AdaptiveParams params_;
  std::vector<Bank> banks_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(DramPagePolicy, AdaptivePage, AdaptiveParams, "adaptive",
                                   "As timeout, with a time for each bank that follows hits and conflicts.");

}  // namespace
}  // namespace warpvp
