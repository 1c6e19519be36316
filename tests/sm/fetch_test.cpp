// What one access of the instruction cache gives.

#include <gtest/gtest.h>

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

// Lines of four instructions, three fetched at a time: the second access gets the last of its line alone, and
// what follows waits for the next line's miss.
TEST(Fetch, AnAccessEndsWithItsLine) {
  constexpr Cycle kLatency = 200;
  SmConfig config = plain_sm();
  config.frontend.fetch_width = 3;
  config.frontend.ibuffer_entries = 8;
  config.memory.instruction.line_bytes = 4 * ptx::Program::kInstBytes;
  SmBench bench(config, kLatency);
  bench.run(R"(
    .reg .u32 %r<8>;
    mov.u32 %r0, 0;
    mov.u32 %r1, 1;
    mov.u32 %r2, 2;
    mov.u32 %r3, 3;
    mov.u32 %r4, 4;
    mov.u32 %r5, 5;
    mov.u32 %r6, 6;
    ret;
  )",
            32);
  ASSERT_EQ(bench.issues.size(), 8u);
  const auto wait_before = [&](unsigned pc) { return bench.issues[pc].cycle - bench.issues[pc - 1].cycle; };
  EXPECT_LT(wait_before(3), kLatency / 2);
  EXPECT_GT(wait_before(4), kLatency / 2);
  EXPECT_LT(wait_before(5), kLatency / 2);
}

}  // namespace
}  // namespace warpvp::test
