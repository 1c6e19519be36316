#pragma once
// Notices that a kernel starts, as a block of the memory system can: by the first request that carries a
// launch id greater than all before it.

#include <cstdint>

#include "interconnect/launch_counters.h"

namespace warpvp {

class NewKernel {
 public:
  /// Whether `launch` is that of a kernel newer than all that were shown before.
  bool shown(std::uint32_t launch) {
    if (launch < next_ || launch >= kCommandLaunch) return false;
    next_ = launch + 1;
    return true;
  }

 private:
  std::uint32_t next_ = 0;
};

}  // namespace warpvp
