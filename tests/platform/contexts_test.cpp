// Contexts: one cannot read or write the memory of another, nor launch its kernels; and kernels of several
// run side by side under every dispatch policy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

constexpr char kPtx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry reads(.param .u64 mine, .param .u64 other)
{
  .reg .u64 %rd<3>;
  .reg .u32 %r<2>;
  ld.param.u64 %rd1, [mine];
  ld.param.u64 %rd2, [other];
  ld.global.u32 %r1, [%rd2+8];
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry writes(.param .u64 mine, .param .u64 other)
{
  .reg .u64 %rd<3>;
  ld.param.u64 %rd2, [other];
  st.global.u32 [%rd2+8], 7;
  ret;
}
.visible .entry adds(.param .u64 mine, .param .u64 other)
{
  .reg .u64 %rd<3>;
  .reg .u32 %r<2>;
  ld.param.u64 %rd2, [other];
  atom.global.add.u32 %r1, [%rd2+8], 7;
  ret;
}
)";

/// Two launches of `entry`: one of context 1 on its own memory, then one of context 2 on memory of `reached`.
std::string two_contexts(const std::string& entry, const std::string& reached) {
  const std::string launch = "    - {ptx: k.ptx, entry: " + entry + ", block: [1], ";
  return "platform: small\n"
         "workload:\n"
         "  buffers:\n"
         "    a: {type: u32, count: 64, init: iota}\n"
         "    a2: {type: u32, count: 64, init: iota}\n"
         "    b: {type: u32, count: 64, init: iota}\n"
         "    b2: {type: u32, count: 64, init: iota}\n"
         "  launches:\n" +
         launch + "stream: 1, context: 1, args: [{buffer: a}, {buffer: a2}]}\n" + launch +
         "stream: 2, context: 2, args: [{buffer: b}, {buffer: " + reached + "}]}\n";
}

class Isolation : public testing::TestWithParam<const char*> {};

TEST_P(Isolation, AContextDoesNotReachMemoryOfAnother) {
  const ScratchFolder scratch;
  scratch.file("k.ptx", kPtx);
  const std::string own = scratch.file("own.yaml", two_contexts(GetParam(), "b2"));
  EXPECT_EQ(run_program({"run", own, "--out", (scratch / "own").string()}).status, 0);
  const std::string foreign = scratch.file("foreign.yaml", two_contexts(GetParam(), "a2"));
  const Finished run = run_program({"run", foreign, "--out", (scratch / "foreign").string()});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("by context 2 in memory of context 1"));
  EXPECT_THAT(run.err, HasSubstr("address 0x1"));
  EXPECT_THAT(run.err, HasSubstr(std::string("kernel ") + GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Ways, Isolation, testing::Values("reads", "writes", "adds"),
                         [](const auto& info) { return std::string(info.param); });

class TwoContexts : public testing::TestWithParam<std::string> {};

// An SM never has CTAs of two contexts (the SM itself checks), and both kernels are right.
TEST_P(TwoContexts, RunUnderEveryDispatchPolicy) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", R"(platform: small
workload:
  buffers:
    a: {type: u32, count: 4096, init: zero}
    b: {type: u32, count: 4096, init: zero}
  launches:
    - {ptx: )" + std::string(WARPVP_SOURCE) + R"(/sw/kernels/divergence.ptx, entry: divergence, grid: [32],
       block: [128], stream: 1, context: 1, args: [{buffer: a}, {u32: 1}, {u32: 0}]}
    - {ptx: )" + std::string(WARPVP_SOURCE) + R"(/sw/kernels/divergence.ptx, entry: divergence, grid: [32],
       block: [128], stream: 2, context: 2, priority: 1, args: [{buffer: b}, {u32: 1}, {u32: 0}]}
  checks:
    - {buffer: a, equals: iota}
    - {buffer: b, equals: iota}
)");
  for (const char* setup : {"0", "700"}) {
    const Finished run = run_program({"run", file, "--out", (scratch / setup).string(), "--set",
                                      "platform.work_distributor.policy=" + GetParam(), "--set",
                                      std::string("platform.work_distributor.setup_cycles=") + setup});
    EXPECT_EQ(run.status, 0) << run.err;
    const auto result = read_json(scratch / setup / "result.json");
    EXPECT_TRUE(result["verified"]);
    EXPECT_EQ(result["control"]["work_distributor"]["ctas_done"], 64);
    EXPECT_GT(result["control"]["work_distributor"]["busy_sm_cycles"], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, TwoContexts,
                         testing::Values("smk", "smk_even", "spatial", "leftover", "exclusive", "fcfs_s",
                                         "fcfs_m", "fcfs_pq", "fcfs_ppq", "token", "round_robin"),
                         [](const auto& info) { return info.param; });

TEST(Contexts, MoreTokensThanSmsAreRefused) {
  const ScratchFolder scratch;
  const std::string file = scratch.file(
      "run.yaml",
      "platform:\n  extends: small\n  work_distributor:\n    policy: {name: token, tokens: [3, 2]}\n"
      "workload: {app: hello}\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("run.yaml:4"));
  EXPECT_THAT(run.err, HasSubstr("tokens: 5 in all; allowed: at most 4, the number of SMs"));
}

}  // namespace
}  // namespace warpvp::test
