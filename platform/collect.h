#pragma once
// Gathers the statistics of a run into result.json.

#include <nlohmann/json.hpp>

#include "platform/platform.h"

namespace warpvp {

/// The run as seen from outside.
struct RunTotals {
  std::uint64_t cycles = 0;         ///< SM clock, from time zero to the end
  std::uint64_t kernel_cycles = 0;  ///< of these, with at least one kernel resident
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  double simulated_us = 0;
};
RunTotals totals_of(Platform& platform);

/// `simulation`, `kernels`, `streams`, `sms`, `memory`, `control`: everything but the header and host times.
/// Closes open stall intervals.
void collect(Platform& platform, nlohmann::ordered_json& result);

}  // namespace warpvp
