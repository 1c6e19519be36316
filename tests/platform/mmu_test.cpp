// Address translation in whole runs: it changes times and nothing else, and its counters add up.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

const std::vector<std::string> kPaged = {"platform.mmu.type=page_tables", "platform.check_protocol=true"};

std::vector<std::string> paged(const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings = kPaged;
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

class Translated : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Translated, ARunDoesTheSameInAnotherTime) {
  const auto [platform, app] = GetParam();
  const auto plain = result_of_app(platform, app, {}), with = result_of_app(platform, app, paged());
  EXPECT_EQ(with["verified"], true);
  if (app == "matmul") {  // who writes first decides how much bfs does
    EXPECT_EQ(with["simulation"]["warp_instructions"], plain["simulation"]["warp_instructions"]);
  }
  EXPECT_NE(with["simulation"]["kernel_cycles"], plain["simulation"]["kernel_cycles"]);
  EXPECT_FALSE(plain.contains("mmu"));
  nlohmann::json sum = nlohmann::json::object();
  for (const auto& kernel : with["kernels"])
    for (const auto& [key, value] : kernel["mmu"].items())
      sum[key] = sum.value(key, std::uint64_t{0}) + value.get<std::uint64_t>();
  EXPECT_EQ(sum, with["mmu"]);
  EXPECT_GT(with["mmu"]["walks"], 0);
  EXPECT_GE(with["mmu"]["page_misses"], with["mmu"]["shared_hits"]);
  // Every request of the SMs went through a TLB once.
  std::uint64_t requests = 0;
  for (const auto& kernel : with["kernels"])
    requests += kernel["l1"]["read_requests"].get<std::uint64_t>() +
                kernel["l1"]["write_requests"].get<std::uint64_t>();
  EXPECT_EQ(with["mmu"]["hits"].get<std::uint64_t>() + with["mmu"]["misses"].get<std::uint64_t>(), requests);
}
INSTANTIATE_TEST_SUITE_P(Runs, Translated,
                         testing::Combine(testing::Values("small", "ccbp_gpu", "vortex_sm"),
                                          testing::Values("matmul", "bfs")));

TEST(Translation, IsTheSameTwiceAndInAnyOrderOfEvaluation) {
  const auto first = result_of_app("small", "bfs", paged());
  EXPECT_EQ(first, result_of_app("small", "bfs", paged()));
  auto plain = first;
  plain.erase("config");
  for (const std::string other : {"order=reverse", "threads=4"}) {
    auto evaluated = result_of_app("small", "bfs", paged({"platform.evaluation." + other}));
    evaluated.erase("config");
    EXPECT_EQ(plain, evaluated) << other;
  }
}

TEST(Translation, SmallPagesAndTinyTlbsStillGiveTheSameResults) {
  const auto tiny = result_of_app(
      "small", "matmul",
      paged({"platform.mmu.page_kib=4", "platform.mmu.tlb.entries=1", "platform.mmu.tlb.associativity=1",
             "platform.mmu.tlb.misses=1", "platform.mmu.tlb.waiting=2", "platform.mmu.shared.entries=1",
             "platform.mmu.shared.associativity=1", "platform.mmu.walker.walks=1"}));
  EXPECT_EQ(tiny["verified"], true);
  EXPECT_GT(tiny["mmu"]["walks"], result_of_app("small", "matmul", paged())["mmu"]["walks"]);
}

// Two contexts beside each other, on an L1 that keeps stores: the dirty lines of one kernel leave when the
// next one starts, and belong to nobody.
TEST(Translation, WorksInEveryContextAndForLinesThatLeaveBetweenKernels) {
  const ScratchFolder scratch;
  scratch.file(
      "k.ptx",
      ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
      "  .reg .b32 %r<4>;\n  .reg .b64 %rd<4>;\n  ld.param.u64 %rd1, [out];\n"
      "  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %rd2, %r1, 4;\n  add.u64 %rd3, %rd1, %rd2;\n"
      "  ld.global.u32 %r2, [%rd3];\n  add.u32 %r2, %r2, %r1;\n  st.global.u32 [%rd3], %r2;\n  ret;\n}\n");
  const auto launch = [](const char* context, const char* buffer) {
    return std::string("    - {ptx: k.ptx, entry: k, context: ") + context +
           ", block: [32], args: [{buffer: " + buffer + "}]}\n";
  };
  const std::string file =
      scratch.file("run.yaml",
                   "platform:\n  extends: titan_v\n  sms: 1\n  mmu: page_tables\n"
                   "  sm: {memory: {l1: {write_policy: write_back_allocate}}}\nworkload:\n  buffers:\n"
                   "    a: {type: u32, count: 32, init: zero}\n    b: {type: u32, count: 32, init: zero}\n"
                   "  checks:\n    - {buffer: b, equals: iota}\n  launches:\n" +
                       launch("2", "b") + launch("0", "a") + launch("0", "a"));
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "out/result.json");
  EXPECT_EQ(result["verified"], true);
  // The lines of the first two kernels left; what the last one stored is still there.
  const auto& traffic = result["traffic"];
  std::int64_t writes = result["l2"]["writes"];
  for (const char* part : {"kernels", "copies", "commands"})
    writes -= traffic[part]["l2"]["writes"].get<std::int64_t>();
  EXPECT_EQ(writes, 2);
}

TEST(Translation, RefusesAPageThatIsNoPowerOfTwo) {
  const ScratchFolder scratch;
  const Finished run = run_app("small", "matmul", scratch / "run", paged({"platform.mmu.page_kib=5"}));
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("platform.mmu.page_kib"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("power of two"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace warpvp::test
