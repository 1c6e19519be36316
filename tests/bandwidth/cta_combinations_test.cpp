// All combinations of CTAs that fit: by hand, and by counting those that the sums of what CTAs need allow.

#include "modules/bandwidth/cta_combinations.h"

#include <gmock/gmock.h>

namespace warpvp {
namespace {

using ::testing::ElementsAre;

SmResources small_sm() {
  SmResources sm;
  sm.ctas = 8;
  sm.warps = 16;
  sm.threads = 512;
  sm.registers = 16384;
  sm.shared_bytes = 4096;
  return sm;
}

TEST(CtaCombinations, FitTogetherOrEachByItself) {
  const SmResources sm = small_sm();
  // Four, two by threads.
  const CtaNeeds quarter = cta_needs(sm, 128, 16, 0, 0), half = cta_needs(sm, 256, 16, 0, 0);
  EXPECT_THAT(cta_combinations(sm, {quarter, half}, true, 100),
              ElementsAre(CtaNumbers{1, 1}, CtaNumbers{2, 1}));
  EXPECT_EQ(cta_combinations(sm, {quarter, half}, false, 100).size(), 4u * 2u);
  EXPECT_THAT(cta_combinations(sm, {half}, true, 100), ElementsAre(CtaNumbers{1}, CtaNumbers{2}));
  EXPECT_TRUE(cta_combinations(sm, {half, half, quarter}, true, 100).empty());
  EXPECT_TRUE(cta_combinations(sm, {}, true, 100).empty());
}

TEST(CtaCombinations, EveryResourceCounts) {
  const SmResources sm = small_sm();
  const CtaNeeds few = cta_needs(sm, 32, 16, 0, 0);
  const CtaNeeds kernels[] = {cta_needs(sm, 96, 40, 0, 0), cta_needs(sm, 32, 16, 1000, 0), few};
  for (const CtaNeeds& a : kernels)
    for (const CtaNeeds& b : kernels) {
      std::size_t allowed = 0;
      for (std::uint32_t x = 1; x <= a.most_ctas; ++x)
        for (std::uint32_t y = 1; y <= b.most_ctas; ++y)
          allowed += x + y <= sm.ctas && x * a.warps + y * b.warps <= sm.warps &&
                     x * a.threads + y * b.threads <= sm.threads &&
                     x * a.registers + y * b.registers <= sm.registers &&
                     x * a.shared_bytes + y * b.shared_bytes <= sm.shared_bytes;
      EXPECT_EQ(cta_combinations(sm, {a, b}, true, 1000).size(), allowed);
    }
}

TEST(CtaCombinations, EndWhereThereAreTooMany) {
  const SmResources sm = small_sm();
  const CtaNeeds few = cta_needs(sm, 32, 16, 0, 0);
  EXPECT_EQ(cta_combinations(sm, {few, few}, true, 28).size(), 28u) << "7 + 6 + ... + 1";
  EXPECT_EQ(cta_combinations(sm, {few, few}, true, 27).size(), 28u) << "one more than allowed tells";
  EXPECT_EQ(cta_combinations(sm, {few, few, few}, true, 5).size(), 6u);
}

}  // namespace
}  // namespace warpvp
