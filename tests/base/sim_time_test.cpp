// Simulated time without SystemC: units, rounding, limits.

#include "base/sim_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace warpvp {
namespace {

using ::testing::HasSubstr;

TEST(SimTime, CountsFemtoseconds) {
  EXPECT_EQ(SimTime().fs(), 0u);
  EXPECT_EQ(SimTime::from_ns(1.5).fs(), 1500000u);
  EXPECT_EQ(SimTime::from_us(0.25).fs(), 250000000u);
  EXPECT_EQ(SimTime::from_fs(687285).fs(), 687285u);
  EXPECT_EQ(SimTime::from_us(2), SimTime::from_ns(2000));
  EXPECT_DOUBLE_EQ(SimTime::from_us(2).to_seconds(), 2e-6);
}

TEST(SimTime, RoundsToTheNearestFemtosecond) {
  EXPECT_EQ(SimTime::from_ns(0.4e-6).fs(), 0u);
  EXPECT_EQ(SimTime::from_ns(0.5e-6).fs(), 1u);
  EXPECT_EQ(SimTime::from_ns(1.4e-6).fs(), 1u);
  EXPECT_EQ(SimTime::from_us(1.6e-9).fs(), 2u);
}

TEST(SimTime, AddsSubtractsAndCompares) {
  const SimTime a = SimTime::from_fs(3), b = SimTime::from_fs(10);
  EXPECT_EQ((a + b).fs(), 13u);
  EXPECT_EQ((b - a).fs(), 7u);
  EXPECT_TRUE(a < b && a <= b && b > a && b >= a && a != b && a <= a && a >= a);
  EXPECT_FALSE(b < a || b <= a || a > b || a >= b || a == b || a < a || a > a);
}

std::string refusal(double us) {
  try {
    SimTime::from_us(us);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SimTime, WhatIsNoTimeIsRefused) {
  EXPECT_EQ(refusal(0), "accepted");
  EXPECT_EQ(refusal(9.223e9), "accepted");
  EXPECT_EQ(refusal(-1), "-1 us is no simulated time: it must be at least 0 and less than 9,223 s");
  EXPECT_THAT(refusal(9.3e9), HasSubstr("less than 9,223 s"));
  EXPECT_THAT(refusal(1e300), HasSubstr("1e+300 us is no simulated time"));
  EXPECT_THAT(refusal(std::nan("")), HasSubstr("is no simulated time"));
  EXPECT_THROW(SimTime::from_ns(-0.1), InputError);
}

}  // namespace
}  // namespace warpvp
