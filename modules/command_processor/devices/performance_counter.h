#pragma once
// Counts of the platform that firmware may look at, by number.

namespace warpvp {

/// Index of a counter in VALUE. New ones go to the end: firmware knows them by number.
enum class PerformanceCounter : unsigned {
  kSmCycles,
  kWarpInstructions,
  kCtasIssued,
  kCtasDone,
  kL2Accesses,
  kL2Misses,
  kDramBytes,
  kRegisterAccesses,
  kCount
};
/// "SM_CYCLES", and what it counts.
const char* name_of(PerformanceCounter counter);
const char* doc_of(PerformanceCounter counter);

}  // namespace warpvp
