// Admission "mil", memory instruction limiting (Dai et al., "Accelerate GPU Concurrent Kernel Execution by
// Mitigating Memory Pipeline Stalls", HPCA 2018), as the CCBP paper describes it (sections 7.1 and 7.5):
// a kernel's memory instructions are throttled while its rate of reservation failures in the L1 is high, and
// the limit is released while that is low.
//
// Time is cut into windows. At the end of one, each kernel's failures are divided by its requests. Above
// `threshold`, its limit of instructions in flight goes `step` below the most that it had in flight in the
// window; else it rises by `step`. A failure is a cycle in which a transaction at the head of the load/store
// unit was refused for want of a way, an MSHR, a place to merge or room in a queue; it counts for the kernel
// whose transaction that was. Windows of cycles and these steps are ours. `limit` has the same limits set
// from outside.

#include <algorithm>
#include <utility>
#include <vector>

#include "base/registry.h"
#include "modules/sm/memory/memory_admission.h"
#include "modules/sm/sm_context.h"

namespace warpvp {
namespace {

constexpr std::uint32_t kMost = 65535;

struct MilParams {
  std::uint32_t window = 1024;
  double threshold = 1;
  std::uint32_t step = 1;
  std::uint32_t least = 1;
  std::uint32_t most = kMost;
  void fields(FieldVisitor& v) {
    v.field("window", window, "cycles", "Failures and requests are counted for so long.",
            Constraint::range(1, 1 << 30));
    v.field("threshold", threshold, "failures for each request",
            "Above this a kernel's limit goes down, else up.", Constraint::at_least(0));
    v.field("step", step, "warp instructions", "How far a limit moves at the end of a window.",
            Constraint::range(1, kMost));
    v.field("least", least, "warp instructions", "No limit is lower.", Constraint::range(1, kMost));
    v.field("most", most, "warp instructions", "No limit is higher. A kernel begins with this one.",
            Constraint::range(1, kMost));
    v.require(least <= most, "least", "must not be above 'most'");
  }
};

class LimitingAdmission : public MemoryAdmission, private SmListener {
 public:
  LimitingAdmission(const MilParams& params, const SmContext& context)
      : params_(params), context_(context), kernels_(context.kernel_slots), lowest_(params.most) {
    for (Kernel& kernel : kernels_) kernel.limit = params_.most;
    context.listen(*this, {SmEvent::kL1Refusals, SmEvent::kKernels});
    RegisterSpec limit{
        "LIMIT",     0,
        4,           context.kernel_slots,
        4,           RegisterAccess::kReadOnly,
        params.most, "Memory instructions that the kernel in this slot can have in flight at present."};
    limit.read = [this](unsigned slot) { return std::uint64_t{kernels_[slot].limit}; };
    context.registers.add(std::move(limit));
    RegisterSpec now{"IN_FLIGHT",         0x200, 4, context.kernel_slots, 4, RegisterAccess::kReadOnly, 0,
                     "Those that it has."};
    now.read = [this](unsigned slot) { return std::uint64_t{kernels_[slot].in_flight}; };
    context.registers.add(std::move(now));
  }

  bool admits(unsigned slot) const override {
    catch_up(context_.now());
    return kernels_[slot].in_flight < kernels_[slot].limit;
  }
  void taken(const AdmittedAccess& access, Cycle now) override {
    catch_up(now);
    Kernel& kernel = kernels_[access.owner.kernel_slot];
    kernel.peak = std::max(kernel.peak, ++kernel.in_flight);
    kernel.requests += access.transactions;
  }
  void done(const AdmittedAccess& access, Cycle now) override {
    catch_up(now);
    --kernels_[access.owner.kernel_slot].in_flight;
  }
  void stats(StatVisitor& v) const override {
    v.value("lowered", lowered_, "windows", "Ends of a window at which a kernel's limit went down.");
    v.value("raised", raised_, "windows", "Ends of a window at which one went up.");
    v.value("lowest_limit", std::uint64_t{lowest_}, "warp instructions",
            "The lowest limit that a kernel ever had.");
  }

 private:
  struct Kernel {
    std::uint32_t launch = 0;
    std::uint32_t limit = 0, in_flight = 0;
    std::uint32_t peak = 0;  // most in flight in this window
    std::uint64_t requests = 0, failures = 0;
  };

  void l1_refused(const L1Refusal& refusal, Cycle now) override {
    catch_up(now);
    kernels_[refusal.owner.kernel_slot].failures += refusal.cycles;
  }
  // Another kernel than before is not held to what its predecessor had earned.
  void kernel_started(const KernelHere& here, Cycle now) override {
    catch_up(now);
    Kernel& kernel = kernels_[here.kernel_slot];
    if (kernel.launch == here.launch) return;
    kernel.launch = here.launch;
    kernel.limit = params_.most;
    kernel.requests = kernel.failures = 0;
  }

  // Ends the windows that are over. Nothing happened in any but the first of them.
  void catch_up(Cycle now) const {
    if (now < window_end_) return;
    std::uint64_t over = (now - window_end_) / params_.window + 1;
    window_end_ += over * params_.window;
    for (Kernel& kernel : kernels_) end_window(kernel);
    if (--over == 0) return;
    for (Kernel& kernel : kernels_) raise(kernel, over);
  }
  void end_window(Kernel& kernel) const {
    const bool high =
        static_cast<double>(kernel.failures) > params_.threshold * static_cast<double>(kernel.requests);
    if (high) {
      const std::uint32_t had = std::min(kernel.limit, kernel.peak);
      const std::uint32_t lower = std::max(params_.least, had > params_.step ? had - params_.step : 0);
      if (lower < kernel.limit) {
        ++lowered_;
        kernel.limit = lower;
        lowest_ = std::min(lowest_, lower);
      }
    } else {
      raise(kernel, 1);
    }
    kernel.requests = kernel.failures = 0;
    kernel.peak = kernel.in_flight;
  }
  void raise(Kernel& kernel, std::uint64_t windows) const {
    const std::uint64_t room = params_.most - kernel.limit;
    if (room == 0) return;
    raised_ += std::min(windows, (room + params_.step - 1) / params_.step);
    kernel.limit += static_cast<std::uint32_t>(std::min(room, windows * params_.step));
  }

  const MilParams params_;
  const SmContext context_;
  // Windows end by themselves, whoever notices it first.
  mutable std::vector<Kernel> kernels_;  // by slot
  mutable Cycle window_end_ = params_.window;
  mutable std::uint64_t lowered_ = 0, raised_ = 0;
  mutable std::uint32_t lowest_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(MemoryAdmission, LimitingAdmission, MilParams, "mil",
                                   "A kernel's memory instructions in flight are limited while the L1 "
                                   "refuses many of its requests (MIL).");

}  // namespace
}  // namespace warpvp
