// Warp instructions dealt out to kernels by the epoch, the warp scheduling of simultaneous multikernel (SMK:
// Wang et al., "Simultaneous multikernel GPU: Multi-tasking throughput processors via fine-grained sharing",
// HPCA 2016; CCBP paper, section 4): in each epoch a kernel may issue its quota and then waits, until all
// kernels here have used theirs, or the epoch is over. Quotas in proportion to what the kernels issue alone
// in the time of an epoch slow all down alike; who sets them has measured that. Among warps of kernels that
// may issue, `selection` and `mode` decide (selection.h), greedy then oldest by default.
//
// Quotas are of the SM, and all its schedulers take from them, or of each scheduler apart (`scope`). With
// the latter, warps at a barrier can wait for others of their CTA on a scheduler where their kernel has used
// its quota, and two kernels for each other so, until the epoch is over.
//
// A kernel here is one that has a warp on the SM, or in the sub-core. One without a quota may always issue,
// and nobody waits for it. The end of an epoch by its length is ours: warps that wait for memory or for a
// lock would hold up the others for long.

#include <algorithm>
#include <array>
#include <vector>

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/selection.h"

namespace warpvp {
namespace {

constexpr unsigned kSlots = 64;

struct KernelQuotaParams {
  std::vector<std::uint32_t> quotas;
  std::string scope = "sm";
  std::uint64_t epoch = 10000;
  SelectParams select;

  KernelQuotaParams() {
    select.selection = "oldest";
    select.mode = "greedy";
  }
  void fields(FieldVisitor& v) {
    v.field(
        "quotas", quotas, "warp instructions",
        "What may issue in an epoch of kernel slots 0, 1, ... in this order; 0, and slots behind the list: "
        "as much as there is.",
        Constraint::range(0, 1 << 30));
    v.field("scope", scope, "A quota is of the SM, or of each of its schedulers.",
            Constraint::words({"sm", "scheduler"}));
    v.field("epoch", epoch, "cycles", "The longest that a kernel waits for the others to use their quotas.",
            Constraint::at_least(1));
    v.require(quotas.size() <= kSlots, "quotas", "has more than 64 numbers");
    select.fields(v);
  }
};

/// Who has how much left of its quota. Sets of kernels are masks of slots, of those that have a quota.
struct QuotasLeft {
  std::uint64_t here = 0, used = 0;           ///< have warps; have nothing left
  std::array<std::uint32_t, kSlots> left{};   ///< warp instructions
  std::array<std::uint32_t, kSlots> warps{};  ///< here
  Cycle epoch_began = kNever;                 ///< kNever: it does at the next pick

  bool all_used() const { return here != 0 && (here & ~used) == 0; }
};

class KernelQuotaScheduler : public WarpPolicy<KernelQuotaScheduler> {
 public:
  KernelQuotaScheduler(const KernelQuotaParams& params, const SmContext& context)
      : epoch_(params.epoch),
        selector_(params.select),
        state_(params.scope == "sm" ? SharedState<QuotasLeft>(context) : SharedState<QuotasLeft>()) {
    std::copy(params.quotas.begin(), params.quotas.end(), quotas_.begin());
  }

  void warp_started(unsigned warp, const WarpInfo& info) override {
    selector_.start(warp, info);
    const std::uint32_t slot = std::min(info.kernel_slot, kNoQuota);
    slot_[warp] = static_cast<std::uint8_t>(slot == kNoQuota || quotas_[slot] == 0 ? kNoQuota : slot);
    if (slot_[warp] == kNoQuota) return;
    warps_[slot] |= only_warp(warp);
    // A kernel that comes has its whole quota, however much of the epoch is over.
    if (state_->warps[slot]++ != 0) return;
    if (state_->here == 0) state_->epoch_began = kNever;
    state_->here |= bit(slot);
    refill(bit(slot));
  }
  void warp_finished(unsigned warp) override {
    selector_.finish(warp);
    const unsigned slot = slot_[warp];
    if (slot == kNoQuota) return;
    warps_[slot] &= ~only_warp(warp);
    if (--state_->warps[slot] == 0) state_->here &= ~bit(slot);
  }
  unsigned pick(const IssueView& view) override {
    if (state_->epoch_began == kNever) {
      state_->epoch_began = view.cycle;
    } else if (view.cycle - state_->epoch_began >= epoch_) {
      begin_epoch(view.cycle);
      ++ended_by_time_;
    } else if (state_->all_used()) {
      begin_epoch(view.cycle);
    }
    WarpMask waiting = 0;
    for (std::uint64_t rest = state_->used & state_->here; rest != 0; rest &= rest - 1)
      waiting |= warps_[static_cast<unsigned>(__builtin_ctzll(rest))];
    const WarpMask ready = view.ready & ~waiting;
    if (ready == 0) {
      ++held_edges_;
      return kNoWarp;
    }
    const unsigned warp =
        selector_.pick(view.cycle, view.resident & ~view.held & ~waiting, ready, view.buffered);
    if (warp == kNoWarp || slot_[warp] == kNoQuota) return warp;
    if (--state_->left[slot_[warp]] == 0) state_->used |= bit(slot_[warp]);
    return warp;
  }
  void stats(StatVisitor& v) const override {
    v.value("epochs", epochs_, "epochs", "Epochs that began; with quotas of schedulers, each one's counted.");
    v.value("ended_by_time", ended_by_time_, "epochs",
            "Those that began because the time of the one before was over.");
    v.value("held_edges", held_edges_, "cycles",
            "Nobody issued, as those that were ready had no quota left.");
  }

 private:
  static constexpr std::uint32_t kNoQuota = kSlots;

  static constexpr std::uint64_t bit(unsigned slot) { return std::uint64_t{1} << slot; }
  void begin_epoch(Cycle now) {
    state_->epoch_began = now;
    ++epochs_;
    refill(state_->here);
  }
  void refill(std::uint64_t slots) {
    state_->used &= ~slots;
    for (; slots != 0; slots &= slots - 1) {
      const auto slot = static_cast<unsigned>(__builtin_ctzll(slots));
      state_->left[slot] = quotas_[slot];
    }
  }

  const std::uint64_t epoch_;
  WarpSelector selector_;
  SharedState<QuotasLeft> state_;
  std::array<std::uint32_t, kSlots> quotas_{};  // 0: none
  std::array<WarpMask, kSlots> warps_{};        // of this scheduler, by their kernels that have quotas
  std::array<std::uint8_t, 64> slot_{};         // of each warp's kernel; kNoQuota: it has none
  std::uint64_t epochs_ = 0, ended_by_time_ = 0, held_edges_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(WarpSchedulerPolicy, KernelQuotaScheduler, KernelQuotaParams,
                                   "kernel_quota",
                                   "Kernels may issue so many warp instructions an epoch and then wait for "
                                   "the others (SMK); inside, any selection.");

}  // namespace
}  // namespace warpvp
