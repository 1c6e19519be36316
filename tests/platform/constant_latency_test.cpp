// Latencies of constant memory on whole platforms, measured by a kernel whose loads depend on each other.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

/// One thread walks over `entries` words, `stride` bytes apart, `passes` times: each word holds the distance
/// to the next one, so a step is a load and a 64-bit addition.
std::string walk(unsigned stride, unsigned entries) {
  const unsigned words = entries * stride / 8, unroll = 16;
  std::string table, body;
  for (unsigned i = 0; i < words; ++i) table += (i ? ", " : "") + std::to_string(stride);
  for (unsigned i = 0; i < unroll; ++i) body += "  ld.const.u64 %v, [%a];\n  add.u64 %a, %a, %v;\n";
  return ".version 7.0\n.target sm_70\n.address_size 64\n.const .align 8 .u64 table[" +
         std::to_string(words) + "] = {" + table +
         "};\n"
         ".visible .entry walk(.param .u64 out, .param .u32 passes) {\n"
         "  .reg .u64 %a, %v, %o, %s;\n  .reg .u32 %p, %i;\n  .reg .pred %q;\n"
         "  ld.param.u64 %o, [out];\n  ld.param.u32 %p, [passes];\n  mov.u64 %s, table;\n"
         "PASS:\n  mov.u64 %a, %s;\n  mov.u32 %i, " +
         std::to_string(entries / unroll) + ";\nLOOP:\n" + body +
         "  sub.u32 %i, %i, 1;\n  setp.ne.u32 %q, %i, 0;\n  @%q bra LOOP;\n"
         "  sub.u32 %p, %p, 1;\n  setp.ne.u32 %q, %p, 0;\n  @%q bra PASS;\n"
         "  st.global.u64 [%o], %a;\n  ret;\n}\n";
}

double cycles_of(unsigned stride, unsigned entries, unsigned passes,
                 const std::string& platform = "extends: titan_v") {
  const ScratchFolder scratch;
  const std::string ptx = scratch.file("walk.ptx", walk(stride, entries));
  const std::string run =
      scratch.file("run.yaml", "platform: {" + platform +
                                   ", sms: 1}\n"
                                   "workload:\n"
                                   "  buffers: {o: {type: u64, count: 1, init: zero}}\n"
                                   "  launches:\n    - {ptx: " +
                                   ptx + ", entry: walk, grid: [1], block: [1], args: [{buffer: o}, {u32: " +
                                   std::to_string(passes) + "}]}\n");
  const Finished done = run_program({"run", run, "--out", (scratch / "out").string()});
  EXPECT_EQ(done.status, 0) << done.err;
  if (done.status != 0) return 0;
  return read_json(scratch / "out/result.json")["kernels"][0]["execution_cycles"];
}

// What configs/platforms/titan_v.yaml cites: 27 cycles in the first cache, 89 in the second, about 245 from
// L2. A step has the addition of 64 bits too, two instructions of 4 cycles, and a sixteenth of the loop.
constexpr double kAddition = 8, kLoop = 2;

TEST(TitanVConstants, AHitTakes27Cycles) {
  const double step = (cycles_of(8, 16, 40) - cycles_of(8, 16, 20)) / (16 * 20);
  EXPECT_NEAR(step - kAddition, 27 + kLoop / 2, 1.5);
}
TEST(TitanVConstants, TheSecondCacheTakes89) {
  const double step = (cycles_of(64, 256, 4) - cycles_of(64, 256, 2)) / (256 * 2);
  EXPECT_NEAR(step - kAddition, 89 + kLoop / 2, 1.5);
}
// The addition reaches the load `special_operand` later than it would another addition.
TEST(Qv100Constants, TheAddressIsThere2CyclesLater) {
  const auto step = [](const std::string& latency) {
    const std::string platform = "extends: qv100, sm: {latency: {special_operand: " + latency + "}}";
    return (cycles_of(8, 16, 40, platform) - cycles_of(8, 16, 20, platform)) / (16 * 20);
  };
  EXPECT_NEAR(step("2") - step("0"), 2, 0.1);
}
TEST(TitanVConstants, TheL2TakesAbout245) {
  const double step = (cycles_of(128, 512, 1) - cycles_of(128, 256, 1)) / 256;
  EXPECT_NEAR(step - kAddition, 245 + kLoop / 2, 4);
}

}  // namespace
}  // namespace warpvp::test
