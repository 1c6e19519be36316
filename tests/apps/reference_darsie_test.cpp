// The CPU references of the kernels of the DARSIE study, against closed forms.

#include "sw/apps/reference_darsie.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

/// Payer swaptions of one bond on two rates, the first of which is fixed after a step.
reference::SwaptionMarket two_rates() {
  reference::SwaptionMarket market;
  market.rates = 2;
  market.steps = 1;
  market.volatility = {0.0f, 0.0f};
  market.maturity = {1};
  market.swap_rate = {0.03f};
  return market;
}

TEST(Reference, SwaptionOfCertainRates) {
  // Nothing moves: a bond is worth 1 / (1 + 0.25 * 0.05), and the swap (1 + 0.25 * 0.03) of it less 1.
  const double bond = 1 / (1 + 0.25 * 0.05);
  const double swap = (1 + 0.25 * 0.03) * bond - 1;
  EXPECT_NEAR(reference::swaption_paths(two_rates(), {0.3f}, 1)[0], -100 * swap * bond, 1e-6);
}

TEST(Reference, SwaptionOfOneMovingRate) {
  reference::SwaptionMarket market = two_rates();
  market.volatility = {0.2f, 0.0f};
  const std::vector<float> normals = {-1.0f, 2.0f};  // two paths of one step
  const std::vector<float> values = reference::swaption_paths(market, normals, 2);
  for (unsigned path = 0; path < 2; ++path) {
    // The drift has the rate alone in it: 0.25 s F / (1 + 0.25 F), with s = 0.2 and F = 0.05.
    const double drift = 0.2 * 0.25 * 0.05 / (1 + 0.25 * 0.05);
    const double rate = 0.05 * std::exp(0.2 * (0.25 * drift + 0.5 * normals[path]) - 0.5 * 0.04 * 0.25);
    const double swap = (1 + 0.25 * 0.03) / (1 + 0.25 * rate) - 1;
    EXPECT_NEAR(values[path], std::max(0.0, -100 * swap) / (1 + 0.25 * 0.05), 1e-5) << path;
  }
  EXPECT_GT(values[1], values[0]);
}

TEST(Reference, SwaptionPathsOfTheSameNormalsAreEqual) {
  reference::SwaptionMarket market;
  market.volatility.assign(market.rates, 0.2f);
  market.maturity = {4, 40};
  market.swap_rate = {0.045f, 0.05f};
  const std::vector<float> values =
      reference::swaption_paths(market, std::vector<float>(market.steps, 0.3f), 3);
  EXPECT_GT(values[0], 0);
  EXPECT_EQ(values[0], values[1]);
  EXPECT_EQ(values[0], values[2]);
}

TEST(Reference, NonlocalMeansOfOneColourIsThatColour) {
  const std::vector<float> out =
      reference::nonlocal_means(std::vector<std::uint32_t>(35, 0x302010), 7, 5, 0.5f, 0.2f);
  ASSERT_EQ(out.size(), 3 * 35u);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], 16.0 * (1 + i % 3), 1e-4) << i;
}

TEST(Reference, NonlocalMeansKeepAPixelThatNoOtherIsLike) {
  // With so sharp a filter only the pixel itself counts; where few are alike, all of it stays.
  const std::vector<std::uint32_t> pixels = Inputs(2, 1).words(64);
  const std::vector<float> out = reference::nonlocal_means(pixels, 8, 8, 1e4f, 0.0f);
  for (std::size_t i = 0; i < 64; ++i)
    for (unsigned c = 0; c < 3; ++c) EXPECT_NEAR(out[3 * i + c], pixels[i] >> (8 * c) & 0xff, 1e-4);
}

TEST(Reference, NonlocalMeansTakeNoiseFromAPlainImage) {
  std::vector<std::uint32_t> pixels;
  Inputs numbers(3, 1);
  for (unsigned i = 0; i < 256; ++i) pixels.push_back(100 + numbers.below(40));
  const std::vector<float> out = reference::nonlocal_means(pixels, 16, 16, 0.2f, 0.2f);
  double before = 0, after = 0;
  for (unsigned i = 0; i < 256; ++i) {
    before += std::pow((pixels[i] & 0xff) - 119.5, 2);
    after += std::pow(out[3 * i] - 119.5, 2);
  }
  EXPECT_LT(after, 0.25 * before);
}

TEST(Reference, ShortestPathsByHand) {
  constexpr std::int32_t kNone = reference::kNoPath;
  // 0 -> 1 -> 2 is shorter than 0 -> 2; nothing leads to 0, or away from 3.
  const std::vector<std::int32_t> edge = {0,     2, 9, kNone, kNone, 0,     3,     kNone,
                                          kNone, 4, 0, 1,     kNone, kNone, kNone, 0};
  EXPECT_EQ(reference::shortest_paths(edge, 4),
            (std::vector<std::int32_t>{0, 2, 5, 6, kNone, 0, 3, 4, kNone, 4, 0, 1, kNone, kNone, kNone, 0}));
}

TEST(Reference, CoulombOfTwoCharges) {
  // Four above the origin, and 3 to its right in the plane's height.
  const std::vector<float> out = reference::coulomb({{0, 0, 16, 2}, {3, 0, 0, -1}}, 2, 2, 4.0f);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_FLOAT_EQ(out[0], 2 / 4.0f - 1 / 3.0f);
  EXPECT_FLOAT_EQ(out[1], 2 / std::sqrt(32.0f) - 1);
  EXPECT_FLOAT_EQ(out[2], 2 / std::sqrt(32.0f) - 1 / 5.0f);
}

TEST(Reference, ConvolutionOfAnEdgeByHand) {
  std::vector<float> taps(17, 0.0f);
  taps[8] = 1;   // the pixel
  taps[7] = 10;  // and its right, or lower, neighbour
  EXPECT_EQ(reference::convolve_rows({1, 2, 3, 4}, 2, 2, taps), (std::vector<float>{21, 22, 43, 44}));
  EXPECT_EQ(reference::convolve_columns({1, 2, 3, 4}, 2, 2, taps), (std::vector<float>{31, 42, 33, 44}));
}

}  // namespace
}  // namespace warpvp::apps
