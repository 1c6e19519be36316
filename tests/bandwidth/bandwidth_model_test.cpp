// CCBP's equations 1 to 7 by hand, for the machine of its table 1: 16 SMs at 1.8 GHz, 16 ports of 32 bytes
// at 1.2 GHz of which 60 % last, DRAM of 319 GB/s of which 70 % last, intervals of 200 SM cycles.

#include "modules/bandwidth/bandwidth_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace warpvp {
namespace {

constexpr double kInterval = 200 / 1.8e9;  // seconds

BandwidthModel paper_machine() {
  BandwidthModel::Device device;
  device.sms = 16;
  device.reply_bytes = 128 + 32;
  device.dram_bytes = 128;
  device.network_per_interval = 0.6 * 16 * 32 * 1.2e9 * kInterval;  // 40,960 B
  device.dram_per_interval = 0.7 * 319e9 * kInterval;               // 24,811 B
  return BandwidthModel(device);
}

TEST(BandwidthModel, FactorsAreRatiosOfTheMonitors) {
  const RequestFactors f = RequestFactors::of(200, 150, 160, 80);
  EXPECT_DOUBLE_EQ(f.rf, 0.75);  // equation 2
  EXPECT_DOUBLE_EQ(f.df, 0.5);   // equation 4
  const RequestFactors none = RequestFactors::of(0, 0, 0, 0);
  EXPECT_EQ(none.rf, 0);
  EXPECT_EQ(none.df, 0);
}

TEST(BandwidthModel, UseGrowsWithTheRateOfRequests) {
  const BandwidthModel model = paper_machine();
  const RequestFactors f{0.75, 0.5};
  EXPECT_DOUBLE_EQ(model.network_use(f, 10), 0.75 * 10 * 16 * 160);  // equation 1: 19,200 B
  EXPECT_DOUBLE_EQ(model.dram_use(f, 10), 0.5 * 10 * 128 * 16);      // equation 3: 10,240 B
}

TEST(BandwidthModel, EvenRateIsTheGreatestThatBothBandwidthsAllow) {
  const BandwidthModel model = paper_machine();
  // Reads that hit the L2: half the network is 20,480 B, which 16 SMs fill with 8 replies of 160 B each.
  EXPECT_NEAR(model.even_rate({1, 0}, 2), 8, 1e-9);
  // Each request a DRAM access: half of DRAM is 12,406 B, 16 SMs fill it with 6.0576 lines each.
  EXPECT_NEAR(model.even_rate({1, 1}, 2), 0.35 * 319e9 * kInterval / (16 * 128), 1e-9);
  // Stores with a dirty victim use DRAM twice, and no replies worth counting.
  EXPECT_NEAR(model.even_rate({0, 2}, 2), 0.35 * 319e9 * kInterval / (16 * 256), 1e-9);
  // Four kernels: a quarter each.
  EXPECT_NEAR(model.even_rate({1, 0}, 4), 4, 1e-9);
  EXPECT_TRUE(std::isinf(model.even_rate({0, 0}, 2))) << "stores that hit the L2 use neither";
}

TEST(BandwidthModel, TheScarcerBandwidthNamesTheType) {
  const BandwidthModel model = paper_machine();
  // Inequality 7: df / rf against 223.3 / 368.64 * 160 / 128 = 0.75716...
  const double limit = 0.7 * 319e9 / (0.6 * 614.4e9) * 160 / 128;
  EXPECT_TRUE(model.network_first({1, limit - 0.001}));
  EXPECT_FALSE(model.network_first({1, limit + 0.001}));
  EXPECT_FALSE(model.network_first({0, 1})) << "a kernel that only writes";
  EXPECT_EQ(model.type_of({1, 0.2}, 8, 2), BandwidthType::kNetworkIntensive)
      << "demand equal to the even rate";
  EXPECT_EQ(model.type_of({1, 0.2}, 7.99, 2), BandwidthType::kLatencySensitive);
  EXPECT_EQ(model.type_of({1, 1}, 6.06, 2), BandwidthType::kDramIntensive);
  EXPECT_EQ(model.type_of({0, 0}, 1e9, 2), BandwidthType::kLatencySensitive) << "uses no bandwidth";
}

TEST(BandwidthModel, WhatIsNeverShortNamesNoType) {
  BandwidthModel::Device device;
  device.network_per_interval = device.dram_per_interval = std::numeric_limits<double>::infinity();
  const BandwidthModel model(device);
  EXPECT_TRUE(std::isinf(model.even_rate({1, 1}, 2)));
  EXPECT_EQ(model.type_of({1, 1}, 1e9, 2), BandwidthType::kLatencySensitive);
}

}  // namespace
}  // namespace warpvp
