// The CPU references against closed forms, so that a wrong reference cannot bless a wrong kernel.

#include "sw/apps/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "sw/apps/compare.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

TEST(Reference, PureComputeWithoutIterationsIsInputPlusConstantsOfTheThread) {
  const std::vector<float> out = reference::pure_compute({0.25f, 0.5f}, 0);
  EXPECT_EQ(out, (std::vector<float>{0.75f, 1.0f}));
}

TEST(Reference, PureComputeOneIterationByHand) {
  // h = 1013904223, x = 0.5 for an input of 0, then x = 0.5 * 0.75 + 0.125 = 0.5; y = 0.5 * -0.5 + 0.25 +
  // 0.0625.
  const std::uint32_t h = 1013904223u;
  const float expected = 0.5f + 0.0625f + static_cast<float>((h ^ h >> 13) >> 16);
  EXPECT_EQ(reference::pure_compute({0.0f}, 1)[0], expected);
}

TEST(Reference, PathfinderOnConstantCostsAddsRows) {
  const std::vector<std::int32_t> wall(5 * 7, 3);
  EXPECT_EQ(reference::pathfinder(wall, 5, 7), std::vector<std::int32_t>(7, 15));
}

TEST(Reference, PathfinderFollowsTheDiagonalValley) {
  // Costs are 9 except on the diagonal from the top left, where they are 0: the end of the valley is free,
  // columns 2 and 3 leave it for the last step, columns 0 and 1 for the last two.
  std::vector<std::int32_t> wall(5 * 5, 9);
  for (int i = 0; i < 5; ++i) wall[i * 6] = 0;
  EXPECT_EQ(reference::pathfinder(wall, 5, 5), (std::vector<std::int32_t>{18, 18, 9, 9, 0}));
}

TEST(Reference, ConvolutionOfAConstantIsTheSumOfWeightsInside) {
  const std::vector<float> out = reference::conv2d(std::vector<float>(4 * 5, 2.0f), 4, 5);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 5; ++x) {
      const bool inside = y > 0 && y < 3 && x > 0 && x < 4;
      EXPECT_NEAR(out[y * 5 + x], inside ? 2.0f * 0.5f : 0.0f, 1e-6);
    }
  }
}

TEST(Reference, ConvolutionOfAPointGivesTheMirroredWeights) {
  std::vector<float> in(5 * 5, 0.0f);
  in[2 * 5 + 2] = 1.0f;
  const std::vector<float> out = reference::conv2d(in, 5, 5);
  EXPECT_EQ(out[1 * 5 + 1], 0.1f);  // the pixel is below and to the right
  EXPECT_EQ(out[3 * 5 + 3], 0.2f);
  EXPECT_EQ(out[1 * 5 + 3], -0.8f);
  EXPECT_EQ(out[2 * 5 + 2], 0.6f);
}

TEST(Reference, MatmulByTheIdentityAndByHand) {
  const std::vector<float> a{1, 2, 3, 4, 5, 6};  // 2 x 3
  const std::vector<float> identity{1, 0, 0, 0, 1, 0, 0, 0, 1};
  EXPECT_EQ(reference::matmul(a, identity, 2, 3, 3), a);
  EXPECT_EQ(reference::matmul(a, {1, 10, 2, 20, 3, 30}, 2, 2, 3), (std::vector<float>{14, 140, 32, 320}));
}

TEST(Reference, HistogramCountsEveryByte) {
  const std::vector<std::uint32_t> bins = reference::histogram({0x00010203, 0xff010100});
  EXPECT_EQ(bins[0], 2u);
  EXPECT_EQ(bins[1], 3u);
  EXPECT_EQ(bins[255], 1u);
  EXPECT_EQ(std::accumulate(bins.begin(), bins.end(), 0u), 8u);
}

TEST(Reference, AtaxByHand) {
  // A = [1 2; 3 4; 5 6], x = (1, 1): A x = (3, 7, 11), y = (1*3+3*7+5*11, 2*3+4*7+6*11).
  EXPECT_EQ(reference::atax({1, 2, 3, 4, 5, 6}, {1, 1}, 3, 2), (std::vector<float>{79, 100}));
}

TEST(Reference, ReduceSumOfSmallIntegersIsExact) {
  std::vector<float> in(1000);
  std::iota(in.begin(), in.end(), 1.0f);
  const std::vector<float> partial = reference::reduce_sum(in, 3, 64);
  EXPECT_EQ(std::accumulate(partial.begin(), partial.end(), 0.0f), 500500.0f);
  EXPECT_EQ(reference::reduce_sum({1.0f, 2.0f}, 1, 32), std::vector<float>{3.0f});
}

TEST(Reference, ScanWraps) {
  EXPECT_EQ(reference::inclusive_scan({5, 0xffffffffu, 2}), (std::vector<std::uint32_t>{5, 4, 6}));
}

TEST(Reference, StencilKeepsALinearField) {
  // The average of the four neighbours of a linear field is the field itself, and 4 * 0.125 + 0.5 = 1.
  std::vector<double> grid(6 * 7);
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 7; ++x) grid[y * 7 + x] = 2.0 * x + 8.0 * y;
  }
  EXPECT_EQ(reference::stencil5(grid, 6, 7, 4), grid);
}

TEST(Reference, StencilSpreadsAPoint) {
  std::vector<double> grid(5 * 5, 0.0);
  grid[12] = 8.0;
  const std::vector<double> out = reference::stencil5(grid, 5, 5, 1);
  EXPECT_EQ(out[12], 4.0);
  EXPECT_EQ(out[11], 1.0);
  EXPECT_EQ(out[7], 1.0);
  EXPECT_EQ(out[6], 0.0);
}

TEST(Reference, SparseFormsAgreeWithADenseProductOfIntegers) {
  Inputs inputs(3);
  reference::SparseRows a;
  a.row_start.push_back(0);
  std::vector<float> x(50);
  for (float& v : x) v = static_cast<float>(inputs.below(9));
  std::vector<float> expected;
  for (int row = 0; row < 20; ++row) {
    float sum = 0;
    for (std::uint32_t k = inputs.below(80); k > 0; --k) {
      a.column.push_back(inputs.below(50));
      a.value.push_back(static_cast<float>(inputs.below(9)));
      sum += a.value.back() * x[a.column.back()];
    }
    a.row_start.push_back(static_cast<std::uint32_t>(a.column.size()));
    expected.push_back(sum);
  }
  EXPECT_EQ(reference::spmv_rows(a, x), expected);
  EXPECT_EQ(reference::spmv_warps(a, x), expected);
}

TEST(Reference, BfsOnARingAndAnIsland) {
  // 0 -> 1 -> 2 -> 3 -> 0, and 4 which nothing reaches.
  EXPECT_EQ(reference::bfs_levels({0, 1, 2, 3, 4, 4}, {1, 2, 3, 0}),
            (std::vector<std::int32_t>{0, 1, 2, 3, -1}));
}

TEST(Reference, MonteCarloComesNearPi) {
  const std::uint64_t hits = reference::monte_carlo(7, 4000, 100);
  EXPECT_NEAR(4.0 * static_cast<double>(hits) / 400000, std::acos(-1.0), 0.02);
}

TEST(Reference, DivergenceWithoutRoundsIsTheThread) {
  EXPECT_EQ(reference::divergence(4, 2, 2, 0), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(reference::divergence(3, 32, 2, 1),
            (std::vector<std::uint32_t>{1, 2891336453u + 2, 2u * 2891336453u + 1}));
}

TEST(Reference, CollatzKnownLengths) {
  const std::vector<std::uint32_t> steps = reference::collatz(27, 1000);
  EXPECT_EQ(steps[0], 0u);
  EXPECT_EQ(steps[5], 8u);
  EXPECT_EQ(steps[26], 111u);
  EXPECT_EQ(reference::collatz(27, 50)[26], 50u);
}

TEST(Reference, BlurKeepsConstantsAndRepeatsEdges) {
  for (float v : reference::blur_rows(std::vector<float>(12, 3.0f), 3, 4)) EXPECT_NEAR(v, 3.0f, 1e-6);
  const std::vector<float> out = reference::blur_rows({5, 0, 0, 0, 0, 0, 10}, 1, 7);
  EXPECT_NEAR(out[0], 3.0f, 1e-6);  // 5 three times, 0 twice
  EXPECT_NEAR(out[3], 0.0f, 1e-6);
  EXPECT_NEAR(out[5], 4.0f, 1e-6);  // 10 twice
}

TEST(Reference, BinomialApproachesBlackScholes) {
  const std::vector<reference::Option> options{{20, 18, 1, 0}, {20, 25, 2, 0}, {10, 30, 0.5f, 0}};
  const std::vector<float> tree = reference::binomial(options, 1000, 0.05f, 0.3f);
  for (std::size_t i = 0; i < options.size(); ++i) {
    EXPECT_NEAR(tree[i], reference::black_scholes_call(options[i], 0.05, 0.3), 5e-3) << i;
  }
  // One step: value is the discounted expectation of the two outcomes.
  const double up = std::exp(0.3), down = 1 / up, growth = std::exp(0.05);
  const double p = (growth - down) / (up - down);
  const float one = reference::binomial({{20, 18, 1, 0}}, 1, 0.05f, 0.3f)[0];
  EXPECT_NEAR(one, p * (20 * up - 18) / growth, 1e-5);
}

int worst_difference(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  int worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int shift = 0; shift < 24; shift += 8) {
      worst = std::max(
          worst, std::abs(static_cast<int>(a[i] >> shift & 255) - static_cast<int>(b[i] >> shift & 255)));
    }
  }
  return worst;
}

TEST(Reference, DxtcKeepsAPlainTileToTheRoundingOfItsBits) {
  const std::vector<std::uint32_t> image(16, 200 | 100 << 8 | 50 << 16);
  const std::vector<std::uint32_t> blocks = reference::dxtc(image, 4, 4);
  EXPECT_EQ(blocks[1], 0u);
  EXPECT_EQ(blocks[0] & 0xffff, blocks[0] >> 16);
  EXPECT_LE(worst_difference(reference::dxt1_decode(blocks, 4, 4), image), 4);
}

TEST(Reference, DxtcReproducesFourStepsOfOneLineOfColours) {
  // Four greys evenly spaced, the ends exactly representable: the palette holds them all.
  std::vector<std::uint32_t> image(16);
  for (unsigned p = 0; p < 16; ++p) image[p] = 0x010101u * (p % 4 * 85);
  const std::vector<std::uint32_t> blocks = reference::dxtc(image, 4, 4);
  EXPECT_GT(blocks[0] & 0xffff, blocks[0] >> 16);
  EXPECT_EQ(reference::dxt1_decode(blocks, 4, 4), image);
}

TEST(Reference, DxtcBeatsTheBoundingBoxOnRandomTiles) {
  // Any encoder that searches should do no worse in squared error than a palette between the extremes.
  Inputs inputs(11);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<std::uint32_t> image(16);
    int low[3] = {255, 255, 255}, high[3] = {0, 0, 0};
    for (std::uint32_t& pixel : image) {
      const std::uint32_t level = inputs.below(200);
      pixel =
          (level + inputs.below(20)) | (level + inputs.below(40)) << 8 | (level / 2 + inputs.below(30)) << 16;
      for (int c = 0; c < 3; ++c) {
        const int v = static_cast<int>(pixel >> 8 * c & 255);
        low[c] = std::min(low[c], v);
        high[c] = std::max(high[c], v);
      }
    }
    const std::vector<std::uint32_t> decoded = reference::dxt1_decode(reference::dxtc(image, 4, 4), 4, 4);
    double ours = 0, box = 0;
    for (unsigned p = 0; p < 16; ++p) {
      double best = 1e9;
      for (int step = 0; step < 4; ++step) {
        double error = 0;
        for (int c = 0; c < 3; ++c) {
          const double at = low[c] + (high[c] - low[c]) * step / 3.0;
          const double d = at - static_cast<int>(image[p] >> 8 * c & 255);
          error += d * d;
        }
        best = std::min(best, error);
      }
      box += best;
      for (int c = 0; c < 3; ++c) {
        const int d = static_cast<int>(image[p] >> 8 * c & 255) - static_cast<int>(decoded[p] >> 8 * c & 255);
        ours += d * d;
      }
    }
    EXPECT_LE(ours, box * 1.1) << trial;
  }
}

TEST(Inputs, AreTheSameEverywhere) {
  // Worked out from the definition of mt19937_64 and the seeding and mapping of inputs.h; a change would
  // change every recorded result.
  EXPECT_EQ(Inputs(1, 2).word(), 1666922250u);
  EXPECT_EQ(Inputs(1, 2).real(0.0f, 1.0f), 6511415 * 0x1p-24f);
  EXPECT_EQ(Inputs(1, 2).below(1000), 388u);
  EXPECT_NE(Inputs(1, 3).word(), 1666922250u);
  EXPECT_NE(Inputs(2, 2).word(), 1666922250u);
  Inputs range(9);
  for (int i = 0; i < 1000; ++i) {
    const float f = range.real(-2.0f, 3.0f);
    EXPECT_GE(f, -2.0f);
    EXPECT_LT(f, 3.0f);
    EXPECT_LT(range.below(7), 7u);
  }
}

TEST(Inputs, GnuRandIsTheKnownSequence) {
  // What programs print that call rand() of the GNU C library three times.
  EXPECT_EQ(gnu_rand(3), (std::vector<std::int32_t>{1804289383, 846930886, 1681692777}));
  // The word of 31 places before, the one of 3 before, and the lowest bit, which is not seen.
  const std::vector<std::int32_t> r = gnu_rand(200);
  for (std::size_t i = 31; i < r.size(); ++i) {
    const std::uint32_t sum = static_cast<std::uint32_t>(r[i - 31]) + static_cast<std::uint32_t>(r[i - 3]);
    EXPECT_LE((static_cast<std::uint32_t>(r[i]) - sum) & 0x7fffffffu, 1u) << i;
  }
}

TEST(Compare, NamesTheFirstDifferenceAndCountsAll) {
  const AppResult r = compare("c", std::vector<int>{1, 2, 3, 9}, {1, 5, 3, 4});
  EXPECT_FALSE(r.verified);
  EXPECT_EQ(r.message, "c[1] = 2, expected 5 (2 of 4 differ)");
  EXPECT_TRUE(compare("c", std::vector<int>{1}, {1}).verified);
  EXPECT_FALSE(compare("c", std::vector<int>{1}, {1, 2}).verified);
}

TEST(Compare, ValuesAreShownInFullWhateverTheirType) {
  EXPECT_EQ(compare("c", std::vector<float>{0.1f}, {-0.0f}).message,
            "c[0] = 0.1, expected -0 (1 of 1 differ)");
  EXPECT_EQ(compare("c", std::vector<double>{0.1}, {1.0 / 3}).message,
            "c[0] = 0.1, expected 0.3333333333333333 (1 of 1 differ)");
  EXPECT_EQ(compare("c", std::vector<std::uint64_t>{~0ull}, {7}).message,
            "c[0] = 18446744073709551615, expected 7 (1 of 1 differ)");
  EXPECT_EQ(compare("c", std::vector<std::int64_t>{-5}, {7}).message,
            "c[0] = -5, expected 7 (1 of 1 differ)");
  EXPECT_EQ(compare("c", std::vector<std::uint8_t>{65}, {200}).message,
            "c[0] = 65, expected 200 (1 of 1 differ)");
  EXPECT_EQ(compare("c", std::vector<int>{1}, {1, 2}).message, "c has 1 elements, expected 2");
}

TEST(Compare, FloatsAreComparedByBitsUnlessATolerance) {
  const float nan = std::nanf("");
  EXPECT_TRUE(compare("c", std::vector<float>{nan}, {nan}).verified);
  EXPECT_FALSE(compare("c", std::vector<float>{0.0f}, {-0.0f}).verified);
  EXPECT_FALSE(compare("c", std::vector<float>{1.0f}, {std::nextafter(1.0f, 2.0f)}).verified);
  EXPECT_TRUE(compare("c", std::vector<float>{1.0f}, {1.001f}, {0, 0.01}).verified);
  EXPECT_FALSE(compare("c", std::vector<float>{nan}, {1.0f}, {0, 0.01}).verified);
}

}  // namespace
}  // namespace warpvp::apps
