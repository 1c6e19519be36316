// The CPU references of the SWaS paper's benchmarks against closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

TEST(Reference, BlackScholesOfATextbookOption) {
  // Hull, "Options, Futures, and Other Derivatives", example 15.6: S = 42, K = 40, r = 10 %, sigma = 20 %,
  // half a year: a call is worth 4.76, a put 0.81.
  const std::vector<float> values = reference::black_scholes({{42.0f, 40.0f, 0.5f, 0.0f}}, 0.1, 0.2);
  EXPECT_NEAR(values[0], 4.76, 0.005);
  EXPECT_NEAR(values[1], 0.81, 0.005);
}

TEST(Reference, HotspotKeepsAnIdleChipAtTheTemperatureAround) {
  const reference::Package p = reference::chip_package(3, 4);
  const std::vector<float> flat(12, p.ambient);
  EXPECT_EQ(reference::hotspot(flat, std::vector<float>(12, 0.0f), p, 3, 4, 5), flat);
}

TEST(Reference, HotspotOneCellByHand) {
  // No neighbours: t + step / capacity * (power + (ambient - t) / rz) = 310 + 2 / 4 * (3 + (300 - 310) / 5).
  const reference::Package p{4.0f, 1.0f, 1.0f, 5.0f, 2.0f, 300.0f};
  EXPECT_FLOAT_EQ(reference::hotspot({310.0f}, {3.0f}, p, 1, 1, 1)[0], 310.5f);
}

TEST(Reference, HotspotHeatSpreadsAlongRowsAndColumnsByTheirOwnResistance) {
  // One degree too warm in the middle of 3 x 3 cells that lose nothing upwards: a step moves 1 / rx to the
  // left and right, 1 / ry up and down.
  const reference::Package p{1.0f, 10.0f, 5.0f, 1e30f, 1.0f, 0.0f};
  std::vector<float> t(9, 0.0f);
  t[4] = 1.0f;
  const std::vector<float> next = reference::hotspot(t, std::vector<float>(9, 0.0f), p, 3, 3, 1);
  EXPECT_FLOAT_EQ(next[3], 0.1f);
  EXPECT_FLOAT_EQ(next[5], 0.1f);
  EXPECT_FLOAT_EQ(next[1], 0.2f);
  EXPECT_FLOAT_EQ(next[7], 0.2f);
  EXPECT_FLOAT_EQ(next[4], 0.4f);
  EXPECT_EQ(next[0], 0.0f);
}

TEST(Reference, HotspotSettlesWherePowerLeavesAsFastAsItComes) {
  const reference::Package p = reference::chip_package(2, 3);
  const float power = 0.5f;
  const std::vector<float> t =
      reference::hotspot(std::vector<float>(6, 350.0f), std::vector<float>(6, power), p, 2, 3, 3000);
  for (float v : t) EXPECT_NEAR(v, p.ambient + power * p.rz, 0.01);
}

TEST(Reference, Hotspot3dHeatGoesToTheSixNeighbours) {
  const reference::Stencil3d w{0.5f, 0.01f, 0.02f, 0.03f, 2.0f, 0.0f};
  std::vector<float> t(27, 0.0f), power(27, 0.0f);
  t[13] = 1.0f;      // the middle of 3 x 3 x 3
  power[26] = 0.5f;  // a corner
  const std::vector<float> next = reference::hotspot3d(t, power, w, 3, 3, 3, 1);
  EXPECT_FLOAT_EQ(next[13], 0.5f);
  EXPECT_FLOAT_EQ(next[12], 0.01f);
  EXPECT_FLOAT_EQ(next[14], 0.01f);
  EXPECT_FLOAT_EQ(next[10], 0.02f);
  EXPECT_FLOAT_EQ(next[16], 0.02f);
  EXPECT_FLOAT_EQ(next[4], 0.03f);
  EXPECT_FLOAT_EQ(next[22], 0.03f);
  EXPECT_FLOAT_EQ(next[26], 1.0f);
  EXPECT_EQ(next[0], 0.0f);
}

TEST(Reference, Hotspot3dKeepsAnIdleStackAtTheTemperatureAround) {
  const reference::Stencil3d w = reference::stack_stencil(4, 3, 2);
  const std::vector<float> next =
      reference::hotspot3d(std::vector<float>(24, w.ambient), std::vector<float>(24, 0.0f), w, 4, 3, 2, 10);
  for (float v : next) EXPECT_NEAR(v, w.ambient, 0.01);
}

TEST(Reference, KmeansByHand) {
  // Points (0, 0), (1, 0), (10, 2), (12, 4), stored feature by feature.
  reference::PointSet set;
  set.count = 4;
  set.features = 2;
  set.coordinate = {0, 1, 10, 12, 0, 0, 2, 4};
  std::vector<float> centres = reference::first_points(set, 2);
  EXPECT_EQ(centres, (std::vector<float>{0, 0, 1, 0}));
  std::vector<std::uint32_t> member = reference::nearest_centres(set, centres);
  EXPECT_EQ(member, (std::vector<std::uint32_t>{0, 1, 1, 1}));
  reference::move_centres(set, member, centres);
  EXPECT_EQ(centres, (std::vector<float>{0, 0, 23.0f / 3, 2}));
  member = reference::nearest_centres(set, centres);
  EXPECT_EQ(member, (std::vector<std::uint32_t>{0, 0, 1, 1}));
}

TEST(Reference, KmeansTakesTheFirstOfEquallyNearCentresAndLeavesAnEmptyOne) {
  reference::PointSet set;
  set.count = 2;
  set.features = 1;
  set.coordinate = {3, 5};
  std::vector<float> centres{4, 4};
  const std::vector<std::uint32_t> member = reference::nearest_centres(set, centres);
  EXPECT_EQ(member, (std::vector<std::uint32_t>{0, 0}));
  centres = {9, 7};
  reference::move_centres(set, member, centres);
  EXPECT_EQ(centres, (std::vector<float>{4, 7}));
}

}  // namespace
}  // namespace warpvp::apps
