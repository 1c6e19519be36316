#pragma once
// Kernels that begin together, however long the command processor needs from one to the next: the host holds
// all kernel status registers (KSR_HOLD), waits until each kernel has one, and lets them go.

#include <vector>

#include "base/sim_time.h"
#include "sw/runtime/runtime.h"

namespace warpvp::apps {

class StartGate {
 public:
  /// Closes: kernels that start from now on send no CTAs. For `kernels` kernels; InputError if the work
  /// distributor has fewer registers.
  StartGate(rt::Runtime& device, unsigned kernels);
  /// Waits until each of `streams` has a kernel at the gate and lets these go in that order, `gap` apart in
  /// the host's time. Open from then on.
  void open(const std::vector<rt::Stream>& streams, SimTime gap);

 private:
  std::vector<unsigned> waiting(const std::vector<rt::Stream>& streams);
  void hold(unsigned slot, std::uint32_t value);

  HostInterface& host_;
  std::uint32_t slots_ = 0;
};

}  // namespace warpvp::apps
