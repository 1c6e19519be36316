#pragma once
// Accesses of kernels beside what is allocated, where they are let pass as chips let them.

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "base/fault.h"

namespace warpvp {

/// Keeps the first one, by time and then by SM: the same for SMs that are evaluated in any order or at once.
class StrayAccesses {
 public:
  /// Once an SM. `access` says which SM.
  void note(std::uint64_t cycle, DeviceFault access) {
    const std::lock_guard lock(mutex_);
    if (first_ && std::pair(cycle_, first_->sm) <= std::pair(cycle, access.sm)) return;
    cycle_ = cycle;
    first_ = std::move(access);
  }
  const std::optional<DeviceFault>& first() const { return first_; }

 private:
  std::mutex mutex_;
  std::uint64_t cycle_ = 0;
  std::optional<DeviceFault> first_;
};

}  // namespace warpvp
