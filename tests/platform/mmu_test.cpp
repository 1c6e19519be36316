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

TEST(Translation, RefusesAPageThatIsNoPowerOfTwo) {
  const ScratchFolder scratch;
  const Finished run = run_app("small", "matmul", scratch / "run", paged({"platform.mmu.page_kib=5"}));
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("platform.mmu.page_kib"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("power of two"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace warpvp::test
