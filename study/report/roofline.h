#pragma once
// The roofs of a platform, from its settings.

#include <optional>

#include "study/report/run_view.h"

namespace warpvp::report {

/// What the platform can do at most; nullopt: its settings do not say.
struct Peaks {
  std::optional<double> fp32, fp64;  ///< operations a second, a fused multiply-add being two
  std::optional<double> dram;        ///< bytes a second
};

/// fp32: SMs x schedulers x 32 lanes / initiation interval of the unit x 2 x SM clock; fp64 the same with its
/// unit. dram: channels x bus width x transfers a cycle x memory clock, for `dram.type: controller`.
Peaks peaks_of(const RunView& run);

}  // namespace warpvp::report
