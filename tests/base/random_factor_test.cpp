// Numbers drawn at random have their distributions, and are the same each time.
#include "base/random_factor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace warpvp {
namespace {

TEST(Variation, NoneIsOne) { EXPECT_EQ(log_normal_factor(0, 1, 2, 3), 1); }

TEST(Variation, DependsOnSeedLaunchAndCtaAlone) {
  const double factor = log_normal_factor(0.3, 5, 2, 77);
  EXPECT_EQ(log_normal_factor(0.3, 5, 2, 77), factor);
  const std::set<double> all = {factor, log_normal_factor(0.3, 6, 2, 77), log_normal_factor(0.3, 5, 3, 77),
                                log_normal_factor(0.3, 5, 2, 78)};
  EXPECT_EQ(all.size(), 4u);
}

TEST(Variation, HasTheMeanAndTheVariationThatWereAskedFor) {
  for (const double wanted : {0.05, 0.5, 1.0}) {
    SCOPED_TRACE(wanted);
    constexpr unsigned kNumber = 200000;
    double sum = 0, squares = 0, least = 1e9;
    for (unsigned i = 0; i < kNumber; ++i) {
      const double f = log_normal_factor(wanted, 1, i / 1000, i % 1000);
      sum += f;
      squares += f * f;
      least = std::min(least, f);
    }
    const double mean = sum / kNumber;
    EXPECT_NEAR(mean, 1, 5 * wanted / std::sqrt(kNumber));  // five standard errors
    EXPECT_NEAR(std::sqrt(squares / kNumber - mean * mean) / mean, wanted, 0.03 * wanted);
    EXPECT_GT(least, 0);
  }
}

TEST(Variation, HalfOfTheFactorsLieBelowTheMedianOfALogNormal) {
  const double median = 1 / std::sqrt(1 + 0.8 * 0.8);
  unsigned below = 0;
  for (unsigned i = 0; i < 100000; ++i) below += log_normal_factor(0.8, 9, 0, i) < median;
  EXPECT_NEAR(below, 50000, 5 * 158);  // five standard deviations of the count
}

TEST(Exponential, HasMeanAndMedian) {
  constexpr unsigned kNumber = 200000;
  double sum = 0;
  unsigned below = 0;
  for (unsigned i = 0; i < kNumber; ++i) {
    const double f = exponential_factor(4, 7, i);
    EXPECT_EQ(exponential_factor(4, 7, i), f);
    sum += f;
    below += f < std::log(2.0);
  }
  EXPECT_NEAR(sum / kNumber, 1, 5 / std::sqrt(kNumber));  // five standard errors
  EXPECT_NEAR(below, kNumber / 2, 5 * std::sqrt(kNumber) / 2);
  EXPECT_NE(exponential_factor(5, 7, 1), exponential_factor(4, 7, 1));
  EXPECT_NE(exponential_factor(4, 8, 1), exponential_factor(4, 7, 1));
}

TEST(Uniform, LiesBetweenZeroAndOne) {
  double sum = 0;
  for (unsigned i = 0; i < 10000; ++i) {
    const double u = uniform_number(1, 2, i);
    EXPECT_GT(u, 0);
    EXPECT_LT(u, 1);
    sum += u;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

}  // namespace
}  // namespace warpvp
