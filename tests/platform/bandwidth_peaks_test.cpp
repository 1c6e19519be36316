// Peaks of network and DRAM, worked out by hand from the settings.

#include "platform/build/bandwidth_peaks.h"

#include <gtest/gtest.h>

#include "platform/config/run_config.h"

namespace warpvp {
namespace {

PlatformConfig platform(const std::vector<std::string>& settings) {
  RunFile file = RunFile::from_tree(Setting::mapping(), ConfigSearch());
  file.apply(settings);
  PlatformConfig config;
  file.read_platform([&](FieldVisitor& v) { config.fields(v); });
  return config;
}

std::vector<std::string> machine(const std::vector<std::string>& more) {
  std::vector<std::string> settings = {"platform.sms=16", "platform.crossbar.clock_mhz=1200",
                                       "platform.crossbar.flit_bytes=32", "platform.address_map.banks=16",
                                       "platform.address_map.channels=16"};
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

TEST(NetworkPeak, IsThatOfTheNarrowestPlace) {
  // CCBP table 1: 16 x 32 B x 1.2 GHz = 614.4 GB/s.
  const BandwidthPeak ccbp = network_peak(platform(machine({})));
  EXPECT_DOUBLE_EQ(ccbp.bytes_per_second, 614.4e9);
  EXPECT_EQ(ccbp.factors, "16 L2 bank ports x 32 B x 1200 MHz");
  EXPECT_EQ(ccbp.flit_bytes, 32u);
  // Four SMs to a port, 4 ports for all: 4 x 32 B x 1.2 GHz; with two flits a cycle 8.
  const std::string shared = "platform.crossbar.ports_per_input=4";
  EXPECT_DOUBLE_EQ(
      network_peak(platform(machine({shared, "platform.crossbar.shared_replies=true"}))).bytes_per_second,
      153.6e9);
  EXPECT_DOUBLE_EQ(network_peak(platform(machine({shared, "platform.crossbar.shared_replies=true",
                                                  "platform.crossbar.requester_flits=2"})))
                       .bytes_per_second,
                   307.2e9);
  // With replies of their own there are 16 again.
  EXPECT_DOUBLE_EQ(
      network_peak(platform(machine({shared, "platform.crossbar.shared_replies=false"}))).bytes_per_second,
      614.4e9);
  // Two groups of three flits: 6 x 32 B x 1.2 GHz.
  const BandwidthPeak groups =
      network_peak(platform(machine({"platform.crossbar.groups=2", "platform.crossbar.group_flits=3"})));
  EXPECT_DOUBLE_EQ(groups.bytes_per_second, 230.4e9);
  EXPECT_EQ(groups.factors, "2 links of groups x 3 flits x 32 B x 1200 MHz");
}

TEST(NetworkPeak, OfADirectCrossbarThereIsNone) {
  const BandwidthPeak peak = network_peak(platform({"platform.crossbar=ideal"}));
  EXPECT_FALSE(peak.limited());
  EXPECT_EQ(peak.share(1e9, 1), 0);
  EXPECT_NE(peak.flit_bytes, 0u);
}

TEST(DramPeak, IsChannelsTimesBusTimesRate) {
  // CCBP: 16 channels x 4 B x 4 transfers x 1246 MHz = 318.976 GB/s.
  const BandwidthPeak peak = dram_peak(
      platform(machine({"platform.dram.preset=gddr5", "platform.dram.timing.clock_mhz=1246",
                        "platform.dram.timing.bus_bits=32", "platform.dram.timing.beats_per_cycle=4"})));
  EXPECT_DOUBLE_EQ(peak.bytes_per_second, 318.976e9);
  EXPECT_EQ(peak.factors, "16 channels x 19.936 GB/s");
  // 8 B in a cycle of 1000 MHz, of each of 16.
  EXPECT_DOUBLE_EQ(
      dram_peak(
          platform(machine({"platform.dram={name: fixed_latency, clock_mhz: 1000, bytes_per_cycle: 8}"})))
          .bytes_per_second,
      128e9);
  EXPECT_FALSE(dram_peak(platform({"platform.dram={name: fixed_latency, bytes_per_cycle: 0}"})).limited());
}

TEST(BandwidthPeak, SharesAreBytesByTimeByPeak) {
  const BandwidthPeak peak{100e9, "", 32};
  EXPECT_DOUBLE_EQ(peak.share(3000, 50e-9), 0.6);  // 60 GB/s
  EXPECT_EQ(peak.share(3000, 0), 0);
}

}  // namespace
}  // namespace warpvp
