#pragma once
// Stops a Gpu whose kernels go on for too long, where its settings say how long that is (limits.cycles,
// limits.progress_us): a fault of its device. It looks while a kernel runs, at times of the device's own, so
// that a design in which nothing else happens comes to its end.

#include <functional>
#include <optional>
#include <string>
#include <systemc>

#include "platform/config/run_config.h"
#include "platform/guard/watchdog.h"

namespace warpvp {

class Platform;

class GpuGuard : public sc_core::sc_module {
 public:
  /// `limits`: those that are 0 bound nothing. `platform` outlives it.
  GpuGuard(sc_core::sc_module_name name, Platform& platform, const LimitsConfig& limits);

  /// A kernel has begun.
  void kernel_begins();

 private:
  void look();
  std::string reason();
  bool a_kernel_runs();
  void look_later();

  Platform& platform_;
  const LimitsConfig limits_;
  std::optional<Watchdog> watchdog_;
  std::size_t ended_ = 0;  // kernels before the first that may run
  sc_core::sc_event due_;
  bool looking_ = false, edge_is_over_ = false;
};

}  // namespace warpvp
