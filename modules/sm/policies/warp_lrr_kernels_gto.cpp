// Round robin between kernels, greedy then oldest inside a kernel: the warp scheduling that Maestro puts
// under its sharing of an SM (Park, Park and Mahlke, ASPLOS 2017). Every issue slot belongs to the next
// kernel in order of launch that has a ready warp; within it the warp the kernel issued last goes on while it
// is ready, else the kernel's oldest ready warp. Greedy is thus per kernel: turns of other kernels in between
// do not end it.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

class LrrKernelsGtoScheduler : public WarpPolicy<LrrKernelsGtoScheduler> {
 public:
  void warp_started(unsigned warp, const WarpInfo& info) override {
    order_.start(warp, info.age);
    unsigned i = 0;
    while (i < kernels_ && kernel_[i].launch_id < info.launch_id) ++i;
    if (i == kernels_ || kernel_[i].launch_id != info.launch_id) {
      for (unsigned k = kernels_; k > i; --k) kernel_[k] = kernel_[k - 1];
      kernel_[i] = Kernel{info.launch_id, 0, 0};
      ++kernels_;
    }
    kernel_[i].warps |= only_warp(warp);
  }
  void warp_finished(unsigned warp) override {
    order_.finish(warp);
    for (unsigned i = 0; i < kernels_; ++i) {
      if (!(kernel_[i].warps & only_warp(warp))) continue;
      kernel_[i].warps &= ~only_warp(warp);
      kernel_[i].greedy &= ~only_warp(warp);
      if (kernel_[i].warps == 0) {
        --kernels_;
        for (unsigned k = i; k < kernels_; ++k) kernel_[k] = kernel_[k + 1];
      }
      return;
    }
  }
  unsigned pick(const IssueView& view) override {
    unsigned i = 0;
    while (i < kernels_ && kernel_[i].launch_id < next_launch_) ++i;
    for (unsigned tried = 0; tried < kernels_; ++tried, ++i) {
      if (i >= kernels_) i = 0;
      Kernel& kernel = kernel_[i];
      const WarpMask ready = view.ready & kernel.warps;
      if (ready == 0) continue;
      if (!(ready & kernel.greedy)) kernel.greedy = only_warp(order_.oldest(ready));
      next_launch_ = std::uint64_t{kernel.launch_id} + 1;
      return lowest_warp(kernel.greedy);
    }
    return kNoWarp;
  }

 private:
  struct Kernel {
    std::uint32_t launch_id = 0;
    WarpMask warps = 0;
    WarpMask greedy = 0;  // the warp this kernel issued last, unless it has finished
  };
  WarpAgeOrder order_;
  Kernel kernel_[64];  // kernels with warps here, in order of launch
  unsigned kernels_ = 0;
  std::uint64_t next_launch_ = 0;  // the turn is with the first kernel launched at or after this one
};

WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, LrrKernelsGtoScheduler, "lrr_kernels_gto",
                       "Round robin between kernels, greedy then oldest inside a kernel (Maestro).");

}  // namespace
}  // namespace warpvp
