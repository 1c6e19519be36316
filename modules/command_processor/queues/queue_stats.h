#pragma once
// What the command processor's queues count.

#include <cstdint>

#include "base/stats.h"

namespace warpvp {

struct QueueStats {
  std::uint64_t kernels = 0, copies = 0, barriers = 0, errors = 0, doorbells = 0, rejections = 0;
  double queue_wait_us = 0;  ///< doorbell to start, summed over kernels
  void stats(StatVisitor& v) const;
};

}  // namespace warpvp
