#pragma once
// Where host time goes: samples the part at work a thousand times a second of processor time.

#include <string>
#include <utility>
#include <vector>

namespace warpvp {

class TimeBreakdown {
 public:
  /// Starts sampling. One at a time in a process.
  TimeBreakdown();
  ~TimeBreakdown();
  TimeBreakdown(const TimeBreakdown&) = delete;

  /// Stops sampling; part and share of the samples, greatest first. "kernel and host" is what no part claims.
  std::vector<std::pair<std::string, double>> stop();
};

}  // namespace warpvp
