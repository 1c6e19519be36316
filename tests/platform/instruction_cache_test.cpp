// Instruction caches in whole runs: what an L0 and its stream make of a cold kernel, with each front end, and
// that the caches change nothing but times.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

const std::string kCaches = "platform.sm.memory.instruction_cache.";
/// A small L0 with a stream, on any platform.
const std::vector<std::string> kL0 = {kCaches + "mshrs=16", kCaches + "l0.line_bytes=64",
                                      kCaches + "l0.size_bytes=512", kCaches + "l0.associativity=4",
                                      kCaches + "l0.stream_lines=4"};

nlohmann::json result(const std::string& platform, const std::string& app, std::vector<std::string> settings,
                      const std::vector<std::string>& more = {}) {
  settings.insert(settings.end(), more.begin(), more.end());
  return result_of_app(platform, app, settings);
}

// Times of a kernel whose code nobody has fetched before, on the chip: waiting for line after line is most of
// it, with a stream of eight lines it is close to a cache that always hits (Huerta et al., MICRO 2025, table
// 5).
TEST(InstructionCachesOfAChip, AStreamMakesAColdKernelNearlyWarm) {
  const std::vector<std::string> settings{"platform.sms=2", "workload.params.m=32", "workload.params.n=32",
                                          "workload.params.k=32"};
  const auto cycles = [&](const std::vector<std::string>& more) {
    return result("titan_v", "matmul", settings, more)["kernels"][0]["execution_cycles"].get<double>();
  };
  const double stream = cycles({}), none = cycles({kCaches + "l0.stream_lines=0"}),
               ideal = cycles({kCaches + "ideal=true"});
  EXPECT_GT(none, 3 * ideal);
  EXPECT_LT(stream, 1.5 * ideal);
  EXPECT_GE(stream, ideal);
}

// As when a profiler has run the kernel before: no instruction of it comes from the L2. With an L0 that is
// too small, what it lost comes from the cache that the sub-cores share.
TEST(InstructionCachesOfAChip, WarmCachesHoldTheWholeProgram) {
  const auto kernel = [](std::vector<std::string> settings) {
    settings.push_back("platform.sms=2");
    return result("titan_v", "matmul", settings)["kernels"][0];
  };
  const auto cold = kernel({}), warm = kernel({kCaches + "warm=true"}),
             small = kernel(
                 {kCaches + "warm=true", kCaches + "l0.size_bytes=512", kCaches + "l0.associativity=4"}),
             ideal = kernel({kCaches + "ideal=true"});
  const auto misses = [](const nlohmann::json& k, const char* level) {
    const nlohmann::json& cache = k["l1"]["instruction_cache"][level];
    return cache["lookups"].get<std::uint64_t>() - cache["hits"].get<std::uint64_t>();
  };
  EXPECT_GT(misses(cold, "l1"), 0u);
  EXPECT_EQ(misses(warm, "l0"), 0u);
  EXPECT_EQ(warm["execution_cycles"], ideal["execution_cycles"]);
  EXPECT_GT(misses(small, "l0"), 0u);
  EXPECT_EQ(misses(small, "l1"), 0u);
  EXPECT_LT(warm["execution_cycles"], cold["execution_cycles"]);
}

class WithAnL0 : public testing::TestWithParam<std::string> {};

// The whole of a run but its times: the data (checked against the CPU), the instructions, the accesses to
// shared memory. And every run twice the same.
TEST_P(WithAnL0, AnAppDoesTheSame) {
  const std::string app = GetParam();
  for (const std::string mode : {"separate", "coordinated"}) {
    SCOPED_TRACE(mode);
    const std::vector<std::string> front_end{"platform.sm.frontend.mode=" + mode,
                                             "platform.check_protocol=true"};
    const auto plain = result("vortex_sm", app, front_end), l0 = result("vortex_sm", app, front_end, kL0);
    EXPECT_EQ(l0["verified"], true);
    EXPECT_EQ(l0["simulation"]["warp_instructions"], plain["simulation"]["warp_instructions"]);
    EXPECT_EQ(l0["simulation"]["thread_instructions"], plain["simulation"]["thread_instructions"]);
    EXPECT_NE(l0["simulation"]["kernel_cycles"], plain["simulation"]["kernel_cycles"]);
    for (std::size_t k = 0; k < l0["kernels"].size(); ++k) {
      const auto& counters = l0["kernels"][k]["l1"]["instruction_cache"];
      EXPECT_EQ(counters["l0"]["lookups"], l0["kernels"][k]["frontend"]["fetches"]);
      EXPECT_GT(counters["l0"]["prefetches_used"], 0);
    }
    EXPECT_EQ(result("vortex_sm", app, front_end, kL0), l0);
  }
}
INSTANTIATE_TEST_SUITE_P(Apps, WithAnL0, testing::Values("reduction", "divergence", "matmul"));

TEST(InstructionCacheSettings, ThatDoNotFitAreRefused) {
  const ScratchFolder scratch;
  const struct {
    std::string setting, message;
  } kCases[] = {
      {"l0.size_bytes=1000", "l0.size_bytes': must be a multiple of line_bytes * associativity"},
      {"l0.stream_lines=257", "a whole number from 0 to 256"},
      {"invalidate=sometimes", "kernel_start"},
  };
  for (const auto& c : kCases) {
    const Finished run = run_app("vortex_sm", "vector_add", scratch / "run", {kCaches + c.setting});
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.err.find(c.message), std::string::npos) << run.err;
  }
  const Finished longer =
      run_app("vortex_sm", "vector_add", scratch / "run", {kCaches + "l0.size_bytes=1024"});
  EXPECT_EQ(longer.status, 2);
  EXPECT_NE(longer.err.find("l0.line_bytes must be at most line_bytes"), std::string::npos) << longer.err;
}

}  // namespace
}  // namespace warpvp::test
