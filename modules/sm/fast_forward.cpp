#include "modules/sm/fast_forward.h"

#include <algorithm>
#include <utility>

namespace warpvp {

namespace {
/// Instructions of a slice, and of a warp's turn.
constexpr std::uint64_t kSlice = 16384, kTurn = 512;
/// Slices at successive edges in which no CTA has to end. After them a slice takes as many cycles as
/// instructions: what waits for something in the pipeline does not keep the host from getting there.
constexpr unsigned kFruitless = 64;
}  // namespace

FastForward::FastForward(std::unique_ptr<InstructionSource> source, unsigned sm, const SmResources& resources,
                         const SmServices& services)
    : sm_(sm),
      services_(services),
      ctas_(std::move(source), resources, FunctionalCtas::Exchange::kAtOnce, *this) {}

bool FastForward::start(const CtaLaunch& record) {
  const unsigned warps =
      (record.block[0] * record.block[1] * record.block[2] + ptx::kWarpSize - 1) / ptx::kWarpSize;
  if (!ctas_.has_room(warps)) return false;
  const KernelImages::Found kernel = services_.kernels.find(record.kernel_object, record.launch_id);
  if (!kernel.program) {
    fault_.emplace().what = kernel.problem;
    fault_->sm = static_cast<int>(sm_);
    return false;
  }
  ctas_.start(record, kernel.program, warps, counters_[record.launch_id]);
  ++running_;
  return true;
}

void FastForward::run(Cycle now, std::vector<CtaDone>& done) {
  done_ = &done;
  const std::size_t before = done.size();
  std::uint64_t executed = 0;
  for (bool more = true; more && !fault_;) {
    while (!waiting_.empty() && start(waiting_.front())) waiting_.pop_front();
    const std::uint64_t now_executed = fault_ ? 0 : ctas_.run(now, kSlice - executed, kTurn);
    executed += now_executed;
    more = now_executed != 0 && executed < kSlice;
  }
  fruitless_ = done.size() > before ? 0 : fruitless_ + 1;
  next_ = fault_ || executed == 0 ? kNever : now + (fruitless_ < kFruitless ? 1 : kSlice);
  if (!busy()) next_ = kNever;
}

std::uint64_t FastForward::cta_ended(unsigned slot, std::uint64_t) {
  const CtaLaunch& record = ctas_.ctas()[slot].record;
  done_->push_back({record.launch_id,
                    record.kernel_slot,
                    static_cast<std::uint16_t>(sm_),
                    {record.cta[0], record.cta[1], record.cta[2]}});
  ++counters_[record.launch_id].ctas;
  --running_;
  return kSlice;
}

void FastForward::cta_failed(unsigned, DeviceFault fault) {
  if (fault_) return;
  fault.sm = static_cast<int>(sm_);
  fault_ = std::move(fault);
}

void FastForward::drop(std::vector<CtaPreempted>& gone) {
  for (unsigned slot = 0; slot < ctas_.ctas().size(); ++slot) {
    if (!ctas_.ctas()[slot].program) continue;
    gone.push_back(preempted(ctas_.ctas()[slot].record, sm_));
    ctas_.take(slot);
  }
  for (const CtaLaunch& record : waiting_) gone.push_back(preempted(record, sm_));
  waiting_.clear();
  running_ = 0;
  next_ = kNever;
}

const SmLaunchCounters* FastForward::counters(std::uint32_t launch) const {
  const auto found = counters_.find(launch);
  return found != counters_.end() && found->second.ctas != 0 ? &found->second : nullptr;
}

}  // namespace warpvp
