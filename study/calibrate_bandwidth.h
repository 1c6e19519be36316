#pragma once
// `warpvp calibrate bandwidth`: what of their peaks network and DRAM of a platform sustain (CCBP
// section 5.3).

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.h"
#include "platform/config/run_config.h"

namespace warpvp {

struct CalibrationRequest {
  RunFile file;                 ///< of a platform alone
  std::string platform;         ///< its name or path
  std::string extends;          ///< how the written file names it
  std::filesystem::path write;  ///< a platform file with what was measured; empty: none
  const std::atomic<bool>* interrupted = nullptr;
  std::ostream* output = nullptr;
};

/// What one pattern of traffic reached in the middle of its run: the ends, where warps come and go, do not
/// count.
struct PatternFigures {
  std::string pattern;     ///< "L2 random"
  double seconds = 0;      ///< of simulated time
  double reply_bytes = 0;  ///< flits of the reply crossbar, headers included
  double replies = 0;
  double dram_bytes = 0;
  double network = 0, dram = 0;  ///< of the peaks; 0: there is none
};

struct BandwidthFigures {
  double network_peak = 0, dram_peak = 0;  ///< bytes in a second; 0: no limit
  std::string network_factors, dram_factors;
  std::vector<PatternFigures> patterns;

  /// InputError for a pattern that was not run.
  const PatternFigures& of(const std::string& pattern) const;
};

/// Patterns whose figures are called sustainable.
inline constexpr const char* kNetworkPattern = "L2 random";
inline constexpr const char* kDramPattern = "DRAM stream, ideal network";

/// One simulation after the other, in this process. InputError for a platform without the two, before
/// anything runs. `interrupted`, if it becomes true, ends it with fewer patterns.
BandwidthFigures measure_bandwidth(const RunFile& platform, const std::atomic<bool>* interrupted = nullptr);

/// A platform file that extends the one measured.
std::string calibrated_platform(const CalibrationRequest& request, const BandwidthFigures& figures);

/// Measures, prints a table and writes the file. InputError for what is wrong with the input.
ExitCode calibrate_bandwidth(const CalibrationRequest& request);

}  // namespace warpvp
