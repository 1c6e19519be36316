// Per-bank refresh: a command every tREFI / banks that takes one bank for a shorter time, while the others
// work (REFpb of LPDDR, REFSB of HBM2 and DDR5). In order, the banks take turns. With `idle_first` a bank for
// which no access waits goes first, every bank once in a round: the out-of-order refresh of DARP (Chang et
// al., HPCA 2014, section 4.2), without its postponing.

#include "base/error.h"
#include "base/registry.h"
#include "modules/dram/refresh_policy.h"

namespace warpvp {
namespace {

struct PerBankParams {
  std::uint32_t bank_cycles = 0;
  bool idle_first = false;

  void fields(FieldVisitor& v) {
    v.field(
        "bank_cycles", bank_cycles, "CK",
        "How long one bank is busy (tRFCpb, tRFCSB); 0: tRFC / 2.3, the ratio of Chang et al., HPCA 2014.",
        Constraint::range(0, 1 << 20));
    v.field("idle_first", idle_first, "Prefer banks for which no access waits.");
  }
};

class PerBankRefresh : public DramRefreshPolicy {
 public:
  explicit PerBankRefresh(const PerBankParams& params) : params_(params) {}

  void configure(const DramTiming& timing) override {
    interval_ = timing.t_refi;
    banks_ = timing.banks();
    cycles_ = params_.bank_cycles ? params_.bank_cycles : (timing.t_rfc * std::uint64_t{10} + 22) / 23;
    if (interval_ && interval_ <= cycles_ + timing.t_rp + timing.t_rcd)
      throw InputError("'bank_cycles' must leave a bank time between its refreshes, which are tREFI apart");
    if (interval_ && interval_ < banks_) throw InputError("tREFI must be at least one cycle for each bank");
    next_ = interval_ ? due_of(0) : kNever;
  }
  Cycle next() const override { return next_; }
  Refresh take(Cycle now, std::uint64_t waiting) override {
    // Of each bank only the last turn can matter.
    const std::uint64_t owed = ((now + 1) * banks_ - 1) / interval_ - sent_;
    const std::uint64_t skipped = owed > banks_ ? (owed - banks_) / banks_ * banks_ : 0;
    sent_ += skipped;
    const Cycle due = due_of(sent_++);
    next_ = due_of(sent_);
    if (left_ == 0) left_ = ~std::uint64_t{0} >> (64 - banks_);
    const std::uint64_t idle = left_ & ~waiting;
    const std::uint64_t from = params_.idle_first && idle ? idle : left_;
    const std::uint64_t bank = from & -from;
    left_ &= ~bank;
    return {due, bank, static_cast<std::uint32_t>(cycles_), skipped + 1};
  }

 private:
  // Without drift where the banks do not divide tREFI.
  Cycle due_of(std::uint64_t number) const { return (number + 1) * interval_ / banks_; }

  const PerBankParams params_;
  std::uint64_t interval_ = 0, banks_ = 1, cycles_ = 0;
  std::uint64_t sent_ = 0;
  Cycle next_ = kNever;
  std::uint64_t left_ = 0;  // banks that this round has not refreshed yet
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(DramRefreshPolicy, PerBankRefresh, PerBankParams, "per_bank",
                                   "One bank every tREFI / banks, while the others work.");

}  // namespace
}  // namespace warpvp
