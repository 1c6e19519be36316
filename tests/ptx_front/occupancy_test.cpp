// CTAs per SM for compute capability 7.0 (64 warps, 32 CTAs, 65,536 registers given to warps in units of 256
// from four partitions, 96 KiB of shared memory in units of 256 bytes), computed by hand from the rules of
// the CUDA occupancy calculator:
//   registers per warp = threads-per-warp x registers, up to the next multiple of 256
//   warps by registers = 4 x floor(16,384 / registers per warp);  CTAs = floor(that / warps per CTA)
//   CTAs by shared memory = floor(98,304 / (bytes up to the next multiple of 256))

#include "ptx/occupancy.h"

#include <gtest/gtest.h>

namespace warpvp::ptx {
namespace {

struct Case {
  CtaNeeds needs;
  std::uint32_t ctas, warps;
  Limiter limiter;
};

TEST(Occupancy, ComputeCapability70) {
  const Case cases[] = {
      {{256, 32, 0, 0}, 8, 64, Limiter::kWarps},      // 1,024 a warp: 64 warps
      {{256, 33, 0, 0}, 6, 48, Limiter::kRegisters},  // 1,280 a warp: 4 x 12 = 48 warps
      {{64, 20, 0, 0}, 32, 64, Limiter::kCtas},
      {{32, 16, 0, 0}, 32, 32, Limiter::kCtas},
      {{33, 16, 0, 0}, 32, 64, Limiter::kCtas},  // two warps
      {{1024, 32, 0, 0}, 2, 64, Limiter::kWarps},
      {{1024, 64, 0, 0}, 1, 32, Limiter::kRegisters},
      {{1024, 65, 0, 0}, 0, 0, Limiter::kRegisters},  // 2,304 a warp: 28 warps, 32 needed
      {{96, 40, 0, 0}, 16, 48, Limiter::kRegisters},  // 48 warps, 3 a CTA
      {{96, 32, 0, 0}, 21, 63, Limiter::kWarps},
      {{128, 255, 0, 0}, 2, 8, Limiter::kRegisters},  // 8,192 a warp: 8 warps
      {{128, 256, 0, 0}, 0, 0, Limiter::kRegisters},  // more than a thread may have
      {{128, 24, 8192, 0}, 12, 48, Limiter::kShared},
      {{128, 24, 8193, 0}, 11, 44, Limiter::kShared},  // 8,448 bytes
      {{128, 24, 98304, 0}, 1, 4, Limiter::kShared},
      {{128, 24, 98305, 0}, 0, 0, Limiter::kShared},
      {{1025, 16, 0, 0}, 0, 0, Limiter::kWarps},         // more than a CTA may have
      {{192, 48, 4000, 0}, 6, 36, Limiter::kRegisters},  // 1,536 a warp: 40 warps, 6 a CTA
  };
  for (const Case& c : cases) {
    const Occupancy o = occupancy(SmLimits{}, c.needs);
    EXPECT_EQ(o.ctas, c.ctas) << c.needs.threads << " threads, " << c.needs.registers_per_thread
                              << " registers, " << c.needs.shared_bytes << " bytes";
    EXPECT_EQ(o.warps, c.warps);
    EXPECT_EQ(o.limiter, c.limiter) << limiter_name(o.limiter);
  }
}

TEST(Occupancy, OtherLimitsOfAnSm) {
  SmLimits sm;
  sm.barriers = 16;
  EXPECT_EQ(occupancy(sm, {64, 16, 0, 4}).ctas, 4u);
  EXPECT_EQ(occupancy(sm, {64, 16, 0, 4}).limiter, Limiter::kBarriers);
  sm = SmLimits{};
  sm.reserved_shared = 1024;  // as from compute capability 8.0 on
  EXPECT_EQ(occupancy(sm, {64, 16, 2048, 0}).ctas, 32u);
  EXPECT_EQ(occupancy(sm, {64, 16, 2304, 0}).ctas, 29u);  // 98,304 / 3,328
  sm = SmLimits{};
  sm.warp_unit = 1;
  EXPECT_EQ(occupancy(sm, {256, 33, 0, 0}).ctas, 6u);   // 51 warps
  EXPECT_EQ(occupancy(sm, {32, 200, 0, 0}).ctas, 10u);  // 65,536 / 6,400: 10 warps; with partitions 8
  sm.warp_unit = 4;
  EXPECT_EQ(occupancy(sm, {32, 200, 0, 0}).ctas, 8u);
}

}  // namespace
}  // namespace warpvp::ptx
