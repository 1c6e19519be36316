// Warp instructions dealt out to kernels by the epoch, the warp scheduling of simultaneous multikernel (SMK:
// Wang et al., "Simultaneous multikernel GPU: Multi-tasking throughput processors via fine-grained sharing",
// HPCA 2016; CCBP paper, section 4): in each epoch a kernel may issue its quota and then waits, until all
// kernels here have used theirs, or the epoch is over. Quotas in proportion to what the kernels issue alone
// in the time of an epoch slow all down alike; who sets them has measured that. Among warps of kernels that
// may issue, `selection` and `mode` decide (selection.h), greedy then oldest by default.
//
// A kernel here is one that has a warp in the sub-core. One without a quota may always issue, and nobody
// waits for it. The end of an epoch by its length is ours: warps that wait at barriers or for memory would
// hold up the others for long.

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
  std::uint64_t epoch = 10000;
  SelectParams select;

  KernelQuotaParams() {
    select.selection = "oldest";
    select.mode = "greedy";
  }
  void fields(FieldVisitor& v) {
    v.field("quotas", quotas, "warp instructions",
            "What a scheduler may issue in an epoch of kernel slots 0, 1, ... in this order; 0, and slots "
            "behind the list: as much as there is.",
            Constraint::range(0, 1 << 30));
    v.field("epoch", epoch, "cycles", "The longest that a kernel waits for the others to use their quotas.",
            Constraint::at_least(1));
    v.require(quotas.size() <= kSlots, "quotas", "has more than 64 numbers");
    select.fields(v);
  }
};

class KernelQuotaScheduler : public WarpPolicy<KernelQuotaScheduler> {
 public:
  explicit KernelQuotaScheduler(const KernelQuotaParams& params)
      : epoch_(params.epoch), selector_(params.select) {
    for (std::size_t slot = 0; slot < params.quotas.size(); ++slot)
      kernels_.at(slot).quota = params.quotas[slot];
  }

  void warp_started(unsigned warp, const WarpInfo& info) override {
    selector_.start(warp, info);
    slot_[warp] = static_cast<std::uint8_t>(std::min(info.kernel_slot, kNoQuota));
    if (slot_[warp] == kNoQuota || kernels_[slot_[warp]].quota == 0) return;
    Kernel& kernel = kernels_[slot_[warp]];
    // It has its whole quota, however much of the epoch is over.
    if (kernel.warps == 0) kernel.left = kernel.quota;
    kernel.warps |= only_warp(warp);
    if (kernel.left == 0) waiting_ |= only_warp(warp);
  }
  void warp_finished(unsigned warp) override {
    selector_.finish(warp);
    waiting_ &= ~only_warp(warp);
    if (slot_[warp] != kNoQuota) kernels_[slot_[warp]].warps &= ~only_warp(warp);
  }
  unsigned pick(const IssueView& view) override {
    if (view.cycle - epoch_began_ >= epoch_) {
      begin_epoch(view.cycle);
      ++ended_by_time_;
    } else if (waiting_ != 0 && all_used()) {
      begin_epoch(view.cycle);
    }
    const WarpMask ready = view.ready & ~waiting_;
    if (ready == 0) {
      ++held_edges_;
      return kNoWarp;
    }
    const unsigned warp =
        selector_.pick(view.cycle, view.resident & ~view.held & ~waiting_, ready, view.buffered);
    if (warp == kNoWarp || slot_[warp] == kNoQuota) return warp;
    Kernel& kernel = kernels_[slot_[warp]];
    if (kernel.quota != 0 && --kernel.left == 0) waiting_ |= kernel.warps;
    return warp;
  }
  void stats(StatVisitor& v) const override {
    v.value("epochs", epochs_, "epochs", "Epochs that began, each scheduler's counted.");
    v.value("ended_by_time", ended_by_time_, "epochs",
            "Those that began because the time of the one before was over.");
    v.value("held_edges", held_edges_, "cycles",
            "Nobody issued, as those that were ready had no quota left.");
  }

 private:
  static constexpr std::uint32_t kNoQuota = kSlots;
  struct Kernel {
    std::uint32_t quota = 0, left = 0;
    WarpMask warps = 0;  // those here, of a kernel that has a quota
  };

  bool all_used() const {
    for (const Kernel& kernel : kernels_)
      if (kernel.warps != 0 && kernel.left != 0) return false;
    return true;
  }
  void begin_epoch(Cycle now) {
    epoch_began_ = now;
    ++epochs_;
    waiting_ = 0;
    for (Kernel& kernel : kernels_) kernel.left = kernel.quota;
  }

  const std::uint64_t epoch_;
  WarpSelector selector_;
  std::array<Kernel, kSlots> kernels_{};
  std::array<std::uint8_t, 64> slot_{};  // of each warp's kernel
  WarpMask waiting_ = 0;                 // warps of kernels that have used their quotas
  Cycle epoch_began_ = 0;
  std::uint64_t epochs_ = 0, ended_by_time_ = 0, held_edges_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(WarpSchedulerPolicy, KernelQuotaScheduler, KernelQuotaParams,
                                   "kernel_quota",
                                   "Kernels may issue so many warp instructions an epoch and then wait for "
                                   "the others (SMK); inside, any selection.");

}  // namespace
}  // namespace warpvp
