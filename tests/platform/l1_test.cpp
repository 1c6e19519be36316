// What the L1 keeps from kernel to kernel, and how it divides its array with shared memory.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

constexpr const char* kReader =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry read(.param .u64 from)\n{\n.reg .u64 %rd<4>;\n.reg .u32 %r<4>;\n"
    "ld.param.u64 %rd1, [from];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, "
    "%rd2;\n"
    "ld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd3], %r2;\nret;\n}\n";

/// Reads the same 4 KiB twice, one launch after the other, on one SM.
nlohmann::json two_launches(const ScratchFolder& scratch, const std::string& setting) {
  const std::string launch =
      "    - {ptx: reader.ptx, entry: read, grid: [1], block: [1024], args: [{buffer: a}]}\n";
  scratch.file("reader.ptx", kReader);
  const std::string file =
      scratch.file("run.yaml", "platform: {extends: small, sms: 1" + setting + "}\nworkload:\n  buffers:\n" +
                                   "    a: {type: u32, count: 1024, init: {fill: 3}}\n  launches:\n" +
                                   launch + launch + "  checks:\n    - {buffer: a, equals: {fill: 3}}\n");
  const Finished run = run_program({"run", file, "--out", scratch / "out"});
  EXPECT_EQ(run.status, 0) << run.err;
  return read_json(scratch / "out/result.json")["kernels"];
}

TEST(L1, ASecondLaunchMissesInTheL1AndHitsInTheL2) {
  const ScratchFolder scratch;
  const auto kernels = two_launches(scratch, "");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0]["l1"]["l1_hits"], 0);
  EXPECT_EQ(kernels[1]["l1"]["l1_hits"], 0);
  EXPECT_EQ(kernels[1]["l1"]["l1_misses"], 32);
  EXPECT_EQ(kernels[1]["l1"]["dram_accesses"], 0);
}

TEST(L1, KeepsItsLinesWhereAskedTo) {
  const ScratchFolder scratch;
  const auto kernels = two_launches(scratch, ", sm: {memory: {invalidate: never}}");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[1]["l1"]["l1_hits"], 32);
}

TEST(L1, HasWhatSharedMemoryLeaves) {
  const ScratchFolder scratch;
  const struct {
    const char *app, *platform;
    unsigned kib;
  } cases[] = {{"vector_add", "small", 128}, {"matmul", "small", 112}, {"matmul", "ccbp_gpu", 24}};
  for (const auto& c : cases) {
    const Finished run = run_app(c.platform, c.app, scratch / "out", {});
    ASSERT_EQ(run.status, 0) << run.err;
    const auto result = read_json(scratch / "out/result.json");
    for (const auto& kernel : result["kernels"]) {
      EXPECT_EQ(kernel["l1_kib_least"], c.kib) << c.app << " on " << c.platform;
      EXPECT_EQ(kernel["l1_kib_most"], c.kib) << c.app << " on " << c.platform;
    }
  }
}

TEST(L1, SettingsOfTheDivisionMustAgree) {
  const ScratchFolder scratch;
  for (const char* setting :
       {"platform.sm.memory.l1.size_kib=64", "platform.sm.memory.l1.unified_kib=0",
        "platform.sm.resources.shared_options_kib=[]", "platform.sm.resources.shared_options_kib=[96,64]",
        "platform.sm.resources.shared_options_kib=[0,64]", "platform.sm.resources.shared_bytes=65536"}) {
    const Finished run = run_app("small", "vector_add", scratch / "out", {setting});
    EXPECT_EQ(run.status, 2) << setting << run.err;
  }
  const Finished fixed = run_app("small", "vector_add", scratch / "out",
                                 {"platform.sm.memory.l1.unified_kib=0", "platform.sm.memory.l1.size_kib=64",
                                  "platform.sm.resources.shared_options_kib=[]"});
  EXPECT_EQ(fixed.status, 0) << fixed.err;
}

// The bus's latency stands between a kernel's launch and its end: once to the SM and once back.
TEST(RegisterBus, LatencyShowsInAKernelsCycles) {
  const ScratchFolder scratch;
  const auto cycles = [&](const char* latency) {
    const Finished run =
        run_app("small", "vector_add", scratch / "out",
                {std::string("platform.register_bus.latency_ns=") + latency, "platform.sm_clock_mhz=1000",
                 "platform.sm.memory.model=isolated", "platform.sms=1", "workload.params.count=32"});
    EXPECT_EQ(run.status, 0) << run.err;
    return read_json(scratch / "out/result.json")["kernels"][0]["execution_cycles"].get<int>();
  };
  const int none = cycles("0");
  EXPECT_EQ(cycles("20"), none + 2 * 20);
  EXPECT_EQ(cycles("1000"), none + 2 * 1000);
}

}  // namespace
}  // namespace warpvp::test
