#include "platform/run/gpu_guard.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/build/platform.h"

namespace warpvp {

namespace {
constexpr double kLookMicroseconds = 2;  // as a Simulation looks
}  // namespace

GpuGuard::GpuGuard(sc_core::sc_module_name name, Platform& platform, const LimitsConfig& limits)
    : sc_module(name), platform_(platform), limits_(limits) {
  if (limits_.progress_us > 0) watchdog_.emplace(platform, limits_);
  SC_HAS_PROCESS(GpuGuard);
  SC_METHOD(look);
  sensitive << due_;
  dont_initialize();
}

void GpuGuard::kernel_begins() {
  if (looking_ || (!watchdog_ && limits_.cycles == 0)) return;
  looking_ = true;
  look_later();
}

void GpuGuard::look_later() {
  sc_core::sc_time pause(kLookMicroseconds, sc_core::SC_US);
  const ClockDomain& clock = platform_.sm_clock();
  if (limits_.cycles > clock.now())
    pause = std::min(pause, clock.time_of(limits_.cycles) - sc_core::sc_time_stamp());
  due_.notify(pause);
}

// An edge of this very instant may be half done: it is over one delta later.
void GpuGuard::look() {
  if (platform_.faults().faulted()) return;
  edge_is_over_ = !edge_is_over_;
  if (edge_is_over_) return due_.notify(sc_core::SC_ZERO_TIME);
  looking_ = a_kernel_runs();
  if (!looking_) return;
  DeviceFault fault;
  fault.what = reason();
  if (fault.what.empty()) return look_later();
  fault.detail = watchdog_ && !watchdog_->proof().empty() ? watchdog_->proof() : platform_.describe_waiting();
  platform_.faults().raise(std::move(fault));
}

std::string GpuGuard::reason() {
  if (limits_.cycles != 0 && platform_.sm_clock().now() >= limits_.cycles)
    return fmt::format("the limit of {} SM cycles (limits.cycles) is reached", limits_.cycles);
  return watchdog_ ? watchdog_->look() : std::string();
}

bool GpuGuard::a_kernel_runs() {
  const auto& kernels = platform_.distributor().records();
  while (ended_ < kernels.size() && kernels[ended_].finished()) ++ended_;
  return ended_ < kernels.size();
}

}  // namespace warpvp
