#include "sw/cuda/server/fault_text.h"

#include <gtest/gtest.h>

namespace warpvp::cuda {
namespace {

TEST(FaultText, SaysWhatThePlaceIsAndWhatCallsGive) {
  const FaultText stray = read_fault(
      "global store through a null pointer at address 0x10, kernel _Z5strayv, CTA (0,0,0), warp 0, lane 0, "
      "SM 1, "
      "p: module 2:36: st.global.u32 [%d], %r");
  EXPECT_EQ(stray.error, kIllegalAddress);
  ASSERT_TRUE(stray.place);
  EXPECT_EQ(stray.place->kernel, "_Z5strayv");
  EXPECT_EQ(stray.place->module, 2u);
  EXPECT_EQ(stray.place->line, 36u);
  EXPECT_EQ(read_fault("device assertion failed, kernel k, CTA (0,0,0), p: module 1:3: call").error, kAssert);
  EXPECT_EQ(read_fault("trap instruction, kernel k, CTA (0,0,0), p: module 1:3: trap").error, kLaunchFailure);
  EXPECT_EQ(read_fault("misaligned shared load at address 0x3, kernel k").error, kMisalignedAddress);
  // Names of kernels and instructions are none of its words.
  EXPECT_EQ(read_fault("out-of-bounds global load of 4 bytes, kernel misaligned , CTA (0,0,0)").error,
            kIllegalAddress);
  EXPECT_FALSE(read_fault("write of a register that is not there at address 0x20").place);
}

TEST(FaultText, OnlyFaultsEndTheContext) {
  EXPECT_TRUE(ends_context(kAssert) && ends_context(kLaunchFailure) && ends_context(kMisalignedAddress) &&
              ends_context(kIllegalAddress));
  EXPECT_FALSE(ends_context(kSuccess) || ends_context(kInvalidValue) || ends_context(kNotReady));
}

}  // namespace
}  // namespace warpvp::cuda
