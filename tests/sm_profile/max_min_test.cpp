// Max-min fair division, worked by hand.
#include "modules/sm_profile/max_min.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace warpvp {
namespace {

double level(std::vector<Claim> claims, double capacity) { return max_min_level(claims, capacity); }

TEST(MaxMin, NobodyIsCutWhenThereIsEnough) {
  EXPECT_EQ(level({}, 10), kNoLevel);
  EXPECT_EQ(level({{4, 1}, {6, 1}}, 10), kNoLevel);
  EXPECT_EQ(level({{2, 5}}, 10), kNoLevel);
}

TEST(MaxMin, EqualClaimsGetEqualParts) { EXPECT_DOUBLE_EQ(level({{9, 1}, {9, 1}, {9, 1}}, 12), 4); }

TEST(MaxMin, WhatSmallClaimsLeaveGoesToTheOthers) {
  // 2 and 3 are met; 10 is left for 10 and 10.
  EXPECT_DOUBLE_EQ(level({{10, 1}, {2, 1}, {10, 1}, {3, 1}}, 15), 5);
  // 2 is met; of the 8 that are left the others get a third each, which is less than 3.
  EXPECT_DOUBLE_EQ(level({{10, 1}, {2, 1}, {10, 1}, {3, 1}}, 10), 8.0 / 3);
}

TEST(MaxMin, CountsStandForSoManyClaimants) {
  EXPECT_DOUBLE_EQ(level({{1, 4}, {10, 2}}, 10), 3);
  EXPECT_DOUBLE_EQ(level({{1, 1}, {1, 1}, {1, 1}, {1, 1}, {10, 1}, {10, 1}}, 10), 3);
}

TEST(MaxMin, RandomClaimsUseAllThatThereIsAndOnlyTheGreatestAreCut) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> amount(0.01, 100);
  for (unsigned round = 0; round < 500; ++round) {
    std::vector<Claim> claims(1 + round % 17);
    double sum = 0;
    for (Claim& c : claims) {
      c = {amount(random), 1.0 + static_cast<double>(random() % 5)};
      sum += c.each * c.count;
    }
    const double capacity = sum * std::uniform_real_distribution<double>(0.05, 0.99)(random);
    const double found = level(claims, capacity);
    double given = 0;
    for (const Claim& c : claims) given += std::min(c.each, found) * c.count;
    EXPECT_NEAR(given, capacity, 1e-9 * capacity);
  }
}

}  // namespace
}  // namespace warpvp
