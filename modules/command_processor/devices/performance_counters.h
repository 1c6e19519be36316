#pragma once
// Counts of the platform that firmware may look at.

#include <array>
#include <functional>

#include "modules/command_processor/devices/device.h"
#include "modules/command_processor/devices/performance_counter.h"

namespace warpvp {

class PerformanceCounters : public Device {
 public:
  explicit PerformanceCounters(sc_core::sc_module_name name);

  /// Where a counter comes from; one that nobody gives reads 0. `read` is called at each access and changes
  /// nothing.
  void connect(PerformanceCounter counter, std::function<std::uint64_t()> read) {
    sources_[static_cast<unsigned>(counter)] = std::move(read);
  }

 private:
  std::array<std::function<std::uint64_t()>, static_cast<unsigned>(PerformanceCounter::kCount)> sources_;
};

}  // namespace warpvp
