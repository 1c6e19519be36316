// Metrics of programs that share a machine, against figures worked by hand.
#include "base/multiprogram_metrics.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace warpvp {
namespace {

// Alone 10, 20 and 40; shared 20, 80 and 50: NTT 2, 4 and 1.25, progress 0.5, 0.25 and 0.8.
const std::vector<ProgramTimes> kThree = {{10, 20}, {20, 80}, {40, 50}};

TEST(MultiprogramMetrics, ThreeProgramsByHand) {
  EXPECT_DOUBLE_EQ(normalised_turnaround_time(kThree[1]), 4);
  EXPECT_DOUBLE_EQ(average_normalised_turnaround_time(kThree), 7.25 / 3);
  EXPECT_DOUBLE_EQ(system_throughput(kThree), 1.55);
  EXPECT_DOUBLE_EQ(weighted_speedup(kThree), 1.55);
  EXPECT_DOUBLE_EQ(harmonic_speedup(kThree), 3 / 7.25);
  EXPECT_DOUBLE_EQ(fairness(kThree), 0.25 / 0.8);
  const MultiprogramMetrics all = MultiprogramMetrics::of(kThree);
  EXPECT_DOUBLE_EQ(all.antt, 7.25 / 3);
  EXPECT_DOUBLE_EQ(all.stp, 1.55);
  EXPECT_DOUBLE_EQ(all.fairness, 0.3125);
  EXPECT_DOUBLE_EQ(all.weighted_speedup, 1.55);
  EXPECT_DOUBLE_EQ(all.harmonic_speedup, 3 / 7.25);
}

TEST(MultiprogramMetrics, NobodyInTheWay) {
  const std::vector<ProgramTimes> two = {{3, 3}, {700, 700}};
  EXPECT_DOUBLE_EQ(average_normalised_turnaround_time(two), 1);
  EXPECT_DOUBLE_EQ(system_throughput(two), 2);
  EXPECT_DOUBLE_EQ(fairness(two), 1);
}

TEST(MultiprogramMetrics, TimeSharingAmongEqualsIsFairAndGainsNothing) {
  const std::vector<ProgramTimes> four = {{5, 20}, {1, 4}, {2, 8}, {9, 36}};
  EXPECT_DOUBLE_EQ(system_throughput(four), 1);
  EXPECT_DOUBLE_EQ(average_normalised_turnaround_time(four), 4);
  EXPECT_DOUBLE_EQ(fairness(four), 1);
}

TEST(MultiprogramMetrics, OneProgramIsAlwaysFairToItself) { EXPECT_DOUBLE_EQ(fairness({{2, 5}}), 1); }

TEST(MultiprogramMetrics, WhatHasNoMeaningIsRefused) {
  EXPECT_THROW(average_normalised_turnaround_time({}), std::invalid_argument);
  EXPECT_THROW(system_throughput({}), std::invalid_argument);
  EXPECT_THROW(fairness({}), std::invalid_argument);
  EXPECT_THROW(normalised_turnaround_time({0, 1}), std::invalid_argument);
  EXPECT_THROW(normalised_turnaround_time({1, -1}), std::invalid_argument);
}

}  // namespace
}  // namespace warpvp
