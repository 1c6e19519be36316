// All-bank refresh: a command every tREFI that takes all banks for tRFC (JEDEC's REF, HBM's REF of a
// channel).

#include "base/registry.h"
#include "modules/dram/refresh_policy.h"

namespace warpvp {
namespace {

class AllBankRefresh : public DramRefreshPolicy {
 public:
  void configure(const DramTiming& timing) override {
    interval_ = timing.t_refi;
    next_ = interval_ ? interval_ : kNever;
    banks_ = ~std::uint64_t{0} >> (64 - timing.banks());
    cycles_ = timing.t_rfc;
  }
  Cycle next() const override { return next_; }
  Refresh take(Cycle now, std::uint64_t) override {
    const Cycle missed = (now - next_) / interval_;
    const Cycle due = next_ + missed * interval_;
    next_ = due + interval_;
    return {due, banks_, cycles_, missed + 1};
  }

 private:
  Cycle interval_ = 0, next_ = kNever;
  std::uint64_t banks_ = 0;
  std::uint32_t cycles_ = 0;
};

WARPVP_REGISTER_POLICY(DramRefreshPolicy, AllBankRefresh, "all_bank",
                       "Every tREFI, all banks at once for tRFC.");

}  // namespace
}  // namespace warpvp
