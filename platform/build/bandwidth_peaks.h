#pragma once
// What network and DRAM of a platform move at most, by its configuration.

#include <string>

#include "platform/platform_config.h"

namespace warpvp {

struct BandwidthPeak {
  double bytes_per_second = 0;  ///< 0: no limit
  std::string factors;          ///< "16 L2 bank ports x 32 B x 1200 MHz"
  unsigned flit_bytes = 0;      ///< of the network; 0: its type does not say

  bool limited() const { return bytes_per_second > 0; }
  /// What of it so many bytes in so many seconds are; 0 without a limit.
  double share(double bytes, double seconds) const {
    return limited() && seconds > 0 ? bytes / seconds / bytes_per_second : 0;
  }
};

/// Of replies from the L2 banks to the SMs, headers included: the narrowest place of the crossbar.
BandwidthPeak network_peak(const PlatformConfig& platform);
/// Of all channels.
BandwidthPeak dram_peak(const PlatformConfig& platform);

}  // namespace warpvp
