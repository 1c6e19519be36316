#include "platform/build/bandwidth_peaks.h"

#include <fmt/format.h>

#include "base/registry.h"
#include "interconnect/crossbar.h"
#include "modules/dram/memory_channel.h"

namespace warpvp {

BandwidthPeak network_peak(const PlatformConfig& platform) {
  const CrossbarChoice& crossbar = platform.crossbar;
  const ReplyPeak peak = Registry<CrossbarType>::instance()
                             .make(crossbar.type)
                             ->reply_peak(platform.address_map.banks, platform.sms);
  if (peak.bytes_per_cycle() <= 0) return {0, "no limit", peak.flit_bytes};
  return {peak.bytes_per_cycle() * crossbar.clock_mhz * 1e6,
          fmt::format("{} {} x {}{} B x {} MHz", peak.ports, peak.place,
                      peak.flits == 1 ? "" : fmt::format("{} flits x ", peak.flits), peak.flit_bytes,
                      crossbar.clock_mhz),
          peak.flit_bytes};
}

BandwidthPeak dram_peak(const PlatformConfig& platform) {
  const double channel = Registry<MemoryChannelType>::instance().make(platform.dram)->peak_bytes_per_second();
  if (!(channel > 0)) return {0, "no limit"};
  const unsigned channels = platform.address_map.channels;
  return {channel * channels, fmt::format("{} channels x {:.3f} GB/s", channels, channel * 1e-9)};
}

}  // namespace warpvp
