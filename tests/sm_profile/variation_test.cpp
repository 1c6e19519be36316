// The times of CTAs vary as their profile says, and the same way each time.
#include "modules/sm_profile/variation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace warpvp {
namespace {

TEST(Variation, NoneIsOne) { EXPECT_EQ(cta_time_factor(0, 1, 2, 3), 1); }

TEST(Variation, DependsOnSeedLaunchAndCtaAlone) {
  const double factor = cta_time_factor(0.3, 5, 2, 77);
  EXPECT_EQ(cta_time_factor(0.3, 5, 2, 77), factor);
  const std::set<double> all = {factor, cta_time_factor(0.3, 6, 2, 77), cta_time_factor(0.3, 5, 3, 77),
                                cta_time_factor(0.3, 5, 2, 78)};
  EXPECT_EQ(all.size(), 4u);
}

TEST(Variation, HasTheMeanAndTheVariationThatWereAskedFor) {
  for (const double wanted : {0.05, 0.5, 1.0}) {
    SCOPED_TRACE(wanted);
    constexpr unsigned kNumber = 200000;
    double sum = 0, squares = 0, least = 1e9;
    for (unsigned i = 0; i < kNumber; ++i) {
      const double f = cta_time_factor(wanted, 1, i / 1000, i % 1000);
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
  for (unsigned i = 0; i < 100000; ++i) below += cta_time_factor(0.8, 9, 0, i) < median;
  EXPECT_NEAR(below, 50000, 5 * 158);  // five standard deviations of the count
}

}  // namespace
}  // namespace warpvp
