// Warped-Slicer's water-filling: by hand, and against a search of all combinations.

#include "modules/bandwidth/warped_slicer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "base/sm_room.h"

namespace warpvp {
namespace {

using ::testing::ElementsAre;

SmResources eight_warps() {
  SmResources sm;
  sm.warps = 8;
  sm.threads = 256;
  sm.threads_per_cta = 256;
  return sm;
}
ScalableKernel kernel(unsigned warps, std::vector<double> performance) {
  return {cta_needs(eight_warps(), warps * 32, 16, 0, 0), std::move(performance)};
}

TEST(WarpedSlicer, TheKernelThatIsWorstOffGetsTheNextCta) {
  // Kernel 0 needs 6 CTAs for its best, kernel 1 gains nothing behind 2.
  const auto found = slice_by_water_filling(
      eight_warps(), {kernel(1, {1, 2, 3, 4, 5, 6, 6, 6}), kernel(1, {7, 10, 10, 10, 10, 10, 10, 10})});
  EXPECT_THAT(found.ctas, ElementsAre(6, 2));
  EXPECT_EQ(found.least_performance, 1);
}

// More CTAs than 2 hurt kernel 1 before 5 of them are better: it jumps, or stays.
TEST(WarpedSlicer, PointsThatAreNoBetterAreJumpedOver) {
  const std::vector<double> dip = {4, 6, 5, 5, 10};
  EXPECT_THAT(slice_by_water_filling(eight_warps(), {kernel(1, {8, 9, 10}), kernel(1, dip)}).ctas,
              ElementsAre(3, 5));
  EXPECT_THAT(slice_by_water_filling(eight_warps(), {kernel(2, {3, 9, 10}), kernel(1, dip)}).ctas,
              ElementsAre(3, 2));
}

// What the worst kernel cannot use goes to the next one.
TEST(WarpedSlicer, RoomIsFilledBehindTheWorst) {
  const auto found =
      slice_by_water_filling(eight_warps(), {kernel(4, {1, 10}), kernel(1, {5, 6, 7, 8, 9, 10})});
  EXPECT_THAT(found.ctas, ElementsAre(1, 4));
  EXPECT_EQ(found.least_performance, 0.1);
}

TEST(WarpedSlicer, WithoutRoomForEachThereIsNoCombination) {
  const auto found = slice_by_water_filling(eight_warps(), {kernel(5, {1}), kernel(5, {1})});
  EXPECT_THAT(found.ctas, ElementsAre(0, 0));
  EXPECT_EQ(found.least_performance, 0);
  EXPECT_THAT(slice_by_water_filling(eight_warps(), {}).ctas, ElementsAre());
  EXPECT_THAT(slice_by_water_filling(eight_warps(), {kernel(1, {})}).ctas, ElementsAre(0));
}

bool fits(const SmResources& sm, const std::vector<ScalableKernel>& kernels,
          const std::vector<std::uint32_t>& ctas) {
  SmRoom room(sm);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (ctas[k] > kernels[k].needs.most_ctas) return false;
    for (std::uint32_t i = 0; i < ctas[k]; ++i) {
      if (!room.has(kernels[k].needs)) return false;
      room.take(kernels[k].needs);
    }
  }
  return true;
}
double least_performance(const std::vector<ScalableKernel>& kernels, const std::vector<std::uint32_t>& ctas) {
  double least = 1;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const std::vector<double>& curve = kernels[k].performance;
    const auto most = std::min<std::size_t>(curve.size(), kernels[k].needs.most_ctas);
    const double best = *std::max_element(curve.begin(), curve.begin() + static_cast<std::ptrdiff_t>(most));
    least = std::min(least, curve[ctas[k] - 1] / best);
  }
  return least;
}

// Random kernels with curves that rise, saturate and fall, in threads, registers and shared memory at once:
// no combination of all of them has a greater least performance, and no kernel can be improved alone.
TEST(WarpedSlicer, IsTheBestOfAllCombinations) {
  std::mt19937 random(3);
  const SmResources sm;
  unsigned compared = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<ScalableKernel> kernels;
    for (unsigned k = 0; k < 2 + random() % 2; ++k) {
      ScalableKernel one;
      one.needs =
          cta_needs(sm, 64 + random() % 8 * 64, 16 + random() % 64, random() % 5 * 6144, random() % 2);
      double value = 1 + random() % 100;
      for (std::uint32_t n = 1; n <= one.needs.most_ctas; ++n) {
        one.performance.push_back(value);
        value = std::max(1.0, value + static_cast<double>(random() % 60) - 15);
      }
      kernels.push_back(one);
    }
    const CtaCombination found = slice_by_water_filling(sm, kernels);
    double best = 0;
    std::vector<std::uint32_t> ctas(kernels.size(), 1);
    for (std::size_t k = 0; k < kernels.size();) {
      if (fits(sm, kernels, ctas)) best = std::max(best, least_performance(kernels, ctas));
      for (k = 0; k < kernels.size() && ++ctas[k] > kernels[k].needs.most_ctas; ++k) ctas[k] = 1;
    }
    ASSERT_EQ(found.least_performance, best) << "round " << round;
    if (best == 0) continue;
    ++compared;
    ASSERT_TRUE(fits(sm, kernels, found.ctas)) << "round " << round;
    ASSERT_EQ(least_performance(kernels, found.ctas), best) << "round " << round;
    for (std::size_t k = 0; k < kernels.size(); ++k)
      for (std::uint32_t n = found.ctas[k] + 1; n <= kernels[k].needs.most_ctas; ++n) {
        std::vector<std::uint32_t> more = found.ctas;
        more[k] = n;
        ASSERT_FALSE(fits(sm, kernels, more) &&
                     kernels[k].performance[n - 1] > kernels[k].performance[found.ctas[k] - 1])
            << "round " << round << ": kernel " << k << " with " << n;
      }
  }
  EXPECT_GT(compared, 300u);
}

}  // namespace
}  // namespace warpvp
