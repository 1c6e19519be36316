// CTAs per SM for compute capability 7.0 (64 warps, 32 CTAs, 65,536 registers given to warps in units of 256
// from four partitions, 96 KiB of shared memory in units of 256 bytes), computed by hand from the rules of
// the CUDA occupancy calculator:
//   registers per warp = threads-per-warp x registers, up to the next multiple of 256
//   warps by registers = 4 x floor(16,384 / registers per warp);  CTAs = floor(that / warps per CTA)
//   CTAs by shared memory = floor(98,304 / (bytes up to the next multiple of 256))

#include <gtest/gtest.h>

#include "base/sm_resources.h"

namespace warpvp {
namespace {

struct Case {
  std::uint32_t threads, registers, shared, ctas;
  const char* limited_by;
};

TEST(Occupancy, ComputeCapability70) {
  const Case cases[] = {
      {256, 32, 0, 8, "warps"},      // 1,024 a warp: 64 warps
      {256, 33, 0, 6, "registers"},  // 1,280 a warp: 4 x 12 = 48 warps
      {64, 20, 0, 32, "CTA slots"},
      {32, 16, 0, 32, "CTA slots"},
      {33, 16, 0, 32, "CTA slots"},  // two warps
      {1024, 32, 0, 2, "warps"},
      {1024, 64, 0, 1, "registers"},
      {1024, 65, 0, 0, "registers"},  // 2,304 a warp: 28 warps, 32 needed
      {96, 40, 0, 16, "registers"},   // 48 warps, 3 a CTA
      {96, 32, 0, 21, "warps"},
      {96, 128, 0, 5, "registers"},
      {128, 255, 0, 2, "registers"},  // 8,192 a warp: 8 warps
      {128, 256, 0, 2, "registers"},  // more than a thread may have: counted with 255
      {256, 255, 0, 1, "registers"},  // 2 warps in each partition
      {128, 24, 8192, 12, "shared memory"},
      {128, 24, 8193, 11, "shared memory"},  // 8,448 bytes
      {128, 16, 12288, 8, "shared memory"},
      {128, 16, 12289, 7, "shared memory"},  // 12,544 bytes
      {128, 24, 98304, 1, "shared memory"},
      {128, 24, 98305, 0, "shared memory per CTA"},
      {1025, 16, 0, 0, "threads per CTA"},
      {192, 48, 4000, 6, "registers"},  // 1,536 a warp: 40 warps, 6 a CTA
      {192, 40, 0, 8, "registers"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::to_string(c.threads) + " threads, " + std::to_string(c.registers) + " registers, " +
                 std::to_string(c.shared) + " bytes");
    const CtaNeeds needs = cta_needs(SmResources{}, c.threads, c.registers, c.shared, 1);
    EXPECT_EQ(needs.most_ctas, c.ctas);
    EXPECT_STREQ(needs.limited_by, c.limited_by);
  }
}

TEST(Occupancy, OtherLimitsOfAnSm) {
  SmResources sm;
  sm.barriers = 16;
  EXPECT_EQ(cta_needs(sm, 64, 16, 0, 4).most_ctas, 4u);
  EXPECT_STREQ(cta_needs(sm, 64, 16, 0, 4).limited_by, "barriers");
  sm = SmResources{};
  sm.threads = 1024;
  EXPECT_EQ(cta_needs(sm, 256, 16, 0, 0).most_ctas, 4u);
  EXPECT_STREQ(cta_needs(sm, 256, 16, 0, 0).limited_by, "threads");
  sm = SmResources{};
  EXPECT_EQ(cta_needs(sm, 32, 200, 0, 0).most_ctas, 8u);  // 6,400 a warp: 2 in each partition
  sm.register_banks = 1;
  EXPECT_EQ(cta_needs(sm, 32, 200, 0, 0).most_ctas, 10u);  // 65,536 / 6,400
  EXPECT_EQ(cta_needs(sm, 256, 33, 0, 0).most_ctas, 6u);   // 51 warps
}

TEST(Occupancy, ACtaTakesWholeUnits) {
  const CtaNeeds needs = cta_needs(SmResources{}, 33, 33, 257, 3);
  EXPECT_EQ(needs.warps, 2u);
  EXPECT_EQ(needs.threads, 64u);
  EXPECT_EQ(needs.registers, 2u * 1280);
  EXPECT_EQ(needs.shared_bytes, 512u);
  EXPECT_EQ(needs.barriers, 3u);
}

}  // namespace
}  // namespace warpvp
