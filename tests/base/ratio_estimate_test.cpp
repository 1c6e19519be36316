// The ratio estimator: by hand, and how often its interval holds the truth.
#include "base/ratio_estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace warpvp {
namespace {

TEST(RatioEstimate, OfEqualRatesIsExact) {
  const RatioEstimate e = ratio_estimate({{10, 20}, {30, 60}, {5, 10}});
  EXPECT_EQ(e.samples, 3u);
  EXPECT_DOUBLE_EQ(e.ratio, 2);
  EXPECT_DOUBLE_EQ(e.mean_size, 15);
  EXPECT_DOUBLE_EQ(e.value(100), 200);
  EXPECT_DOUBLE_EQ(e.half_width(100), 0);
}

// Two samples off by one each way: a spread of sqrt(2). Student's t of one degree of freedom is 12.7062, and
// two further units scatter as sqrt(2 (1 + 2/2)).
TEST(RatioEstimate, HalfWidthByHand) {
  const RatioEstimate e = ratio_estimate({{10, 9}, {10, 11}});
  EXPECT_DOUBLE_EQ(e.ratio, 1);
  EXPECT_DOUBLE_EQ(e.spread, std::sqrt(2.0));
  EXPECT_NEAR(e.half_width(20), 12.706205 * std::sqrt(2.0) * 2, 1e-4);
}

// Big samples count more: (4 + 12) / (1 + 7), not the mean of 4 and 12/7.
TEST(RatioEstimate, SumsBeforeItDivides) { EXPECT_DOUBLE_EQ(ratio_estimate({{1, 4}, {7, 12}}).ratio, 2); }

TEST(RatioEstimate, OfFewSamplesHasNoInterval) {
  EXPECT_EQ(ratio_estimate({}).half_width(5), 0);
  const RatioEstimate one = ratio_estimate({{4, 8}});
  EXPECT_DOUBLE_EQ(one.value(2), 4);
  EXPECT_EQ(one.half_width(2), 0);
}

// Units with sizes and values that scatter about a ratio: 95 % of the intervals from a few of them hold what
// the others have in sum. Within three standard errors of that share.
TEST(RatioEstimate, IntervalHoldsTheTruthAsOftenAsItSays) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 1);
  constexpr int kTrials = 4000;
  for (const int samples : {3, 5, 12}) {
    for (const int others : {1, 10, 60}) {
      int held = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<RatioSample> known;
        double size = 0, value = 0;
        for (int i = 0; i < samples + others; ++i) {
          const double of_unit = 100 + 3 * noise(random), its = 0.5 * of_unit + 4 * noise(random);
          if (i < samples) {
            known.push_back({of_unit, its});
          } else {
            size += of_unit;
            value += its;
          }
        }
        const RatioEstimate e = ratio_estimate(known);
        held += std::abs(e.value(size) - value) <= e.half_width(size);
      }
      EXPECT_NEAR(held, 0.95 * kTrials, 3 * std::sqrt(0.95 * 0.05 * kTrials) + 0.005 * kTrials)
          << samples << " samples, " << others << " others";
    }
  }
}

}  // namespace
}  // namespace warpvp
