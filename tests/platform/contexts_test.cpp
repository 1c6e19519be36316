// Contexts: one cannot read or write the memory of another, nor launch its kernels; and kernels of several
// run side by side under every dispatch policy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

constexpr char kTwoPointersPtx[] = R"(
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

/// Both ways of finding out whose memory something is.
const char* const kModes[] = {"none", "page_tables"};
std::string with(const char* mode) { return std::string("platform.mmu=") + mode; }
std::string name_of_mode(const testing::TestParamInfo<const char*>& info) { return info.param; }

class Isolation : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Isolation, AContextDoesNotReachMemoryOfAnother) {
  const auto [way, mode] = GetParam();
  const ScratchFolder scratch;
  scratch.file("k.ptx", kTwoPointersPtx);
  const std::string own = scratch.file("own.yaml", two_contexts(way, "b2"));
  const Finished right = run_program({"run", own, "--out", (scratch / "own").string(), "--set", with(mode)});
  EXPECT_EQ(right.status, 0) << right.err;
  const std::string foreign = scratch.file("foreign.yaml", two_contexts(way, "a2"));
  const Finished run =
      run_program({"run", foreign, "--out", (scratch / "foreign").string(), "--set", with(mode)});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("by context 2 in memory of context 1"));
  EXPECT_THAT(run.err, HasSubstr("address 0x1"));
  EXPECT_THAT(run.err, HasSubstr(std::string("kernel ") + way));
}

INSTANTIATE_TEST_SUITE_P(
    Ways, Isolation, testing::Combine(testing::Values("reads", "writes", "adds"), testing::ValuesIn(kModes)),
    [](const auto& info) { return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param); });

// Buffer `a` belongs to context 1, `b` to context 2, whose stream then copies.
struct ForeignCopy {
  const char* name;
  const char* step;
  const char* text;
};
void PrintTo(const ForeignCopy& copy, std::ostream* out) { *out << copy.name; }
class ForeignCopies : public testing::TestWithParam<std::tuple<ForeignCopy, const char*, const char*>> {};

TEST_P(ForeignCopies, AreFaults) {
  const auto [copy, mode, engine] = GetParam();
  const ScratchFolder scratch;
  scratch.file("k.ptx", kTwoPointersPtx);
  const auto launch = [](const char* context, const char* buffer) {
    return std::string("    - {ptx: k.ptx, entry: reads, block: [1], stream: ") + context +
           ", context: " + context + ", args: [{buffer: " + buffer + "}, {buffer: " + buffer + "}]}\n";
  };
  const std::string file = scratch.file(
      "run.yaml",
      "platform: small\nworkload:\n  buffers:\n    a: {type: u32, count: 64, init: iota}\n"
      "    b: {type: u32, count: 64, init: iota}\n    b2: {type: u32, count: 64, init: iota}\n  steps:\n" +
          launch("1", "a") + launch("2", "b") + launch("2", "b2") +
          "    - {copy: b, to: b2, stream: 2, context: 2}\n"
          "    - {memset: b2, value: 3, stream: 2, context: 2}\n    - " +
          copy.step + "\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string(), "--set", with(mode),
                                    "--set", std::string("platform.dma=") + engine});
  EXPECT_EQ(run.status, copy.text ? 3 : 0) << run.err;
  if (!copy.text) return;
  EXPECT_THAT(run.err, HasSubstr(std::string(copy.text) + " at address 0x1"));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

INSTANTIATE_TEST_SUITE_P(
    Ways, ForeignCopies,
    testing::Combine(
        testing::Values(ForeignCopy{"from", "{copy: a, to: b, stream: 2, context: 2, bytes: 8}",
                                    "read of 8 bytes by a copy of context 2 in memory of context 1"},
                        ForeignCopy{"to", "{copy: b, to: a, stream: 2, context: 2, bytes: 8}",
                                    "write of 8 bytes by a copy of context 2 in memory of context 1"},
                        ForeignCopy{"fill", "{memset: a, value: 1, stream: 2, context: 2}",
                                    "write of 256 bytes by a copy of context 2 in memory of context 1"},
                        ForeignCopy{"own", "{copy: b2, to: b, stream: 2, context: 2}", nullptr},
                        ForeignCopy{"of_the_program", "{copy: a, to: b}", nullptr}),
        testing::ValuesIn(kModes), testing::Values("chunked", "burst")),
    [](const auto& info) {
      return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param) + "_" +
             std::get<2>(info.param);
    });

// Two contexts with an image each. The kernel of the second one is given the handles of the first one's.
class ForeignTextures : public testing::TestWithParam<const char*> {};

TEST_P(ForeignTextures, AreFaults) {
  const ScratchFolder scratch;
  const auto launch = [](const char* context, const char* texture, const char* surface) {
    const std::string shape = ", type: u8, channels: 4, size: [64, 36]";
    return "    - ptx: " + std::string(WARPVP_SOURCE) +
           "/sw/kernels/image.ptx\n      entry: image_turn\n      context: " + context +
           "\n      stream: " + context + "\n      grid: [2, 9]\n      block: [32, 4]\n      args:\n" +
           "        - {texture: {buffer: " + texture + shape +
           ", normalized: true, normalized_values: true}}\n        - {surface: {buffer: " + surface + shape +
           "}}\n        - {u32: 64}\n        - {u32: 36}\n        - {f32: 0}\n        - {f32: 1}\n";
  };
  const auto run = [&](const char* name, const std::string& launches) {
    std::string file = "platform: small\nworkload:\n  buffers:\n";
    for (const char* buffer : {"in1", "out1", "in2", "out2"})
      file += std::string("    ") + buffer +
              ": {type: u8, count: 9216, init: random, seed: 5, min: 0, max: 255}\n";
    return run_program({"run", scratch.file(std::string(name) + ".yaml", file + "  launches:\n" + launches),
                        "--out", (scratch / name).string(), "--set", with(GetParam())});
  };
  const std::string first = launch("1", "in1", "out1"), second = launch("2", "in2", "out2");
  const Finished own = run("own", first + second);
  EXPECT_EQ(own.status, 0) << own.err;
  for (const auto& [name, launches, what] :
       {std::tuple{"texture", first + second + launch("2", "in1", "out2"), "handle that names no texture"},
        std::tuple{"surface", first + second + launch("2", "in2", "out1"), "handle that names no surface"}}) {
    const Finished foreign = run(name, launches);
    EXPECT_EQ(foreign.status, 3) << foreign.err;
    EXPECT_THAT(foreign.err, HasSubstr(what));
    if (std::string(GetParam()) == "none") {
      EXPECT_THAT(foreign.err, HasSubstr("by context 2 in memory of context 1"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, ForeignTextures, testing::ValuesIn(kModes), name_of_mode);

// The second kernel runs on SMs that were set up for the first one's context, on its caches and TLBs.
TEST(Contexts, HavePageTablesThatSmsAreSetUpFor) {
  const ScratchFolder scratch;
  scratch.file("k.ptx", kTwoPointersPtx);
  const std::string file = scratch.file("run.yaml", two_contexts("reads", "b2"));
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string(), "--set",
                                    with("page_tables"), "--set", "platform.sms=1"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "out/result.json");
  for (const auto& kernel : result["kernels"]) EXPECT_GT(kernel["mmu"]["walks"], 0) << kernel["name"];
}

// CTAs of context 1 leave their SMs for those of context 2, and go on later: their state, their memory and
// their instructions are found through the tables of their own context again.
TEST(Contexts, ACtaThatWasTakenOffGoesOnUnderItsOwnTables) {
  const ScratchFolder scratch;
  const std::string kernel =
      "{ptx: " + std::string(WARPVP_SOURCE) + "/sw/kernels/divergence.ptx, entry: divergence, block: [128], ";
  const std::string file = scratch.file(
      "run.yaml",
      "platform:\n  extends: small\n  sms: 2\n  mmu: page_tables\n"
      "  work_distributor: {policy: fcfs_ppq, preemption: switch}\nworkload:\n  buffers:\n"
      "    a: {type: u32, count: 65536, init: zero}\n    b: {type: u32, count: 4096, init: zero}\n"
      "  checks:\n    - {buffer: a, equals: iota}\n    - {buffer: b, equals: iota}\n  launches:\n    - " +
          kernel + "grid: [512], stream: 1, context: 1, args: [{buffer: a}, {u32: 1}, {u32: 0}]}\n    - " +
          kernel +
          "grid: [32], stream: 2, context: 2, priority: 5, start_us: 6, args: [{buffer: b}, {u32: 1}, {u32: "
          "0}]}\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "out/result.json");
  EXPECT_TRUE(result["verified"]);
  EXPECT_GT(result["control"]["work_distributor"]["ctas_saved"], 0);
  ASSERT_EQ(result["contexts"].size(), 2u);
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(result["contexts"][i]["context"], i + 1);
    EXPECT_EQ(result["contexts"][i]["mmu"], result["kernels"][i]["mmu"]);
    EXPECT_GT(result["contexts"][i]["mmu"]["walks"], 0);
  }
}

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
  for (const auto& [setup, mode] :
       {std::pair{"0", "none"}, {"700", "none"}, {"0", "page_tables"}, {"700", "page_tables"}}) {
    const auto out = scratch / (std::string(setup) + mode);
    const Finished run = run_program(
        {"run", file, "--out", out.string(), "--set", "platform.work_distributor.policy=" + GetParam(),
         "--set", std::string("platform.work_distributor.setup_cycles=") + setup, "--set", with(mode)});
    EXPECT_EQ(run.status, 0) << run.err;
    const auto result = read_json(out / "result.json");
    EXPECT_TRUE(result["verified"]);
    EXPECT_EQ(result["control"]["work_distributor"]["ctas_done"], 64);
    EXPECT_GT(result["control"]["work_distributor"]["busy_sm_cycles"], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, TwoContexts,
                         testing::Values("smk", "smk_even", "drf", "spatial", "leftover", "exclusive",
                                         "fcfs_s", "fcfs_m", "fcfs_pq", "fcfs_ppq", "token", "round_robin"),
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
