// SimTime and SystemC's sc_time are the same instants: whatever is written as nanoseconds or microseconds
// becomes the same number of femtoseconds in both, and converting changes nothing.

#include "interconnect/sim_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace warpvp {
namespace {

TEST(SimTimeConversion, ANumberOfNanosecondsIsTheSameTimeInBoth) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    // From below a femtosecond to thousands of seconds, with all bits of the fraction in use.
    const double value =
        std::ldexp(static_cast<double>(random() >> 11), -60 - static_cast<int>(random() % 20)) *
        std::pow(10.0, static_cast<int>(random() % 13));
    ASSERT_EQ(SimTime::from_ns(value).fs(), sc_core::sc_time(value, sc_core::SC_NS).value()) << value;
    ASSERT_EQ(SimTime::from_us(value).fs(), sc_core::sc_time(value, sc_core::SC_US).value()) << value;
  }
}

TEST(SimTimeConversion, GoesBothWaysWithoutALoss) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t fs = random() >> (random() % 64);
    const sc_core::sc_time time = to_sc_time(SimTime::from_fs(fs));
    ASSERT_EQ(time.value(), fs);
    ASSERT_EQ(to_sim_time(time).fs(), fs);
    // Results are written in seconds: the same double, not a near one.
    ASSERT_EQ(to_sim_time(time).to_seconds(), time.to_seconds());
  }
}

TEST(SimTimeConversion, TheUnitIsAFemtosecond) {
  EXPECT_EQ(to_sc_time(SimTime::from_ns(2.5)), sc_core::sc_time(2500000, sc_core::SC_FS));
  EXPECT_EQ(to_sim_time(sc_core::sc_time(3, sc_core::SC_US)), SimTime::from_us(3));
}

}  // namespace
}  // namespace warpvp
