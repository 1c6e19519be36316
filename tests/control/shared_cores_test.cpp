// CPU cores shared by host programs (modules/host/shared_cores.h), times by hand.
#include "modules/host/shared_cores.h"

#include <gtest/gtest.h>

namespace warpvp {
namespace {

SimTime us(double microseconds) { return SimTime::from_us(microseconds); }

TEST(SharedCores, AreOnesOwnWhileThereAreEnough) {
  SharedCores cores(2);
  const auto first = cores.begin(us(0), us(10));
  EXPECT_EQ(cores.done_at(first, us(0)), us(10));
  const auto second = cores.begin(us(4), SimTime::from_fs(7));
  EXPECT_EQ(cores.done_at(first, us(4)), us(10));
  EXPECT_EQ(cores.done_at(second, us(4)), us(4) + SimTime::from_fs(7));
}

// One core: alone for 4 us, with another for 6 us in which each gets 3, then alone again.
TEST(SharedCores, AreSharedEquallyWhereThereAreFewer) {
  SharedCores cores(1);
  const auto first = cores.begin(us(0), us(10));
  const auto second = cores.begin(us(4), us(3));
  EXPECT_EQ(cores.done_at(first, us(4)), us(16));
  EXPECT_EQ(cores.done_at(second, us(4)), us(10));
  cores.end(second, us(10));
  EXPECT_EQ(cores.done_at(first, us(10)), us(13));
}

// Three on two cores for 3 us get 2 us each.
TEST(SharedCores, GiveEachTwoThirdsOfACore) {
  SharedCores cores(2);
  const auto first = cores.begin(us(0), us(4));
  cores.begin(us(0), us(4));
  const auto third = cores.begin(us(0), us(2));
  EXPECT_EQ(cores.done_at(third, us(0)), us(3));
  cores.end(third, us(3));
  EXPECT_EQ(cores.done_at(first, us(3)), us(5));
}

// Shares that are no whole number of femtoseconds: all end when they are to, at most one femtosecond later
// for each time that the shares changed.
TEST(SharedCores, LoseNothingByRounding) {
  SharedCores cores(3);
  SimTime now;
  std::vector<SharedCores::Computation> all;
  for (unsigned i = 0; i < 7; ++i) all.push_back(cores.begin(now, SimTime::from_fs(1000 + 111 * i)));
  for (const auto computation : all) {
    now = cores.done_at(computation, now);
    cores.end(computation, now);
  }
  const std::uint64_t work = 7 * 1000 + 111 * 21;
  EXPECT_GE(now.fs(), work / 3);
  EXPECT_LE(now.fs(), work / 3 + 300);  // the last two have a core for each, and the third is idle
}

TEST(SharedCores, AreDoneAtOnceWithoutWork) {
  SharedCores cores(1);
  const auto nothing = cores.begin(us(5), SimTime{});
  EXPECT_EQ(cores.done_at(nothing, us(5)), us(5));
}

}  // namespace
}  // namespace warpvp
