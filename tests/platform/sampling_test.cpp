// Kernels of which some CTAs are simulated in cycle detail (`platform.sampling`): values as ever, cycles
// within their own bars, the same in any order and by any number of threads; what cannot be sampled is not,
// and says so.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

/// Few CTAs are a wave on `small`.
std::vector<std::string> sampled(std::vector<std::string> settings, unsigned skip = 4) {
  settings.push_back(fmt::format("platform.sampling.skip={}", skip));
  settings.push_back("platform.sampling.warm_up=2");
  return settings;
}

struct SampledCase {
  const char* app;
  std::vector<std::string> settings;
};
const std::vector<SampledCase> kSampledCases = {
    {"vector_add", {"workload.params.count=131072"}},
    {"matmul", {"workload.params.m=256", "workload.params.n=512", "workload.params.k=16"}},
    {"conv2d", {"workload.params.rows=256", "workload.params.columns=512"}},
    {"histogram", {"workload.params.words=131072"}},
    {"walsh", {"workload.params.vectors=1024", "workload.params.log_size=8"}},
    {"divergence", {"workload.params.ctas=800", "workload.params.rounds=2"}},
};

class Sampled : public testing::TestWithParam<SampledCase> {};

TEST_P(Sampled, ComputesTheSameAndHoldsTheTruth) {
  std::vector<std::string> settings = GetParam().settings;
  settings.push_back("platform.sms=1");
  const nlohmann::json full = result_of_app("small", GetParam().app, settings),
                       some = result_of_app("small", GetParam().app, sampled(settings));
  ASSERT_TRUE(full.is_object() && some.is_object());
  EXPECT_EQ(some["verified"], true);
  const nlohmann::json &truth = full["kernels"][0], &kernel = some["kernels"][0];
  EXPECT_FALSE(truth.contains("sampled"));
  const nlohmann::json& how = kernel["sampled"];
  ASSERT_FALSE(how.contains("why_not")) << how << kernel["ctas_per_sm"];
  EXPECT_GT(how["ctas_functional"], 0);
  EXPECT_EQ(how["ctas_functional"].get<int>() + how["ctas_detailed"].get<int>(), kernel["ctas"].get<int>());
  EXPECT_LT(how["detail_share"], 0.9);
  for (const char* exact : {"warp_instructions", "thread_instructions", "fp32_operations", "fp64_operations",
                            "ptx_instructions", "ctas_done"})
    EXPECT_EQ(kernel[exact], truth[exact]) << exact;
  // The bar is of the rate alone; small kernels have begin and end besides.
  const double off = kernel["execution_cycles"].get<double>() - truth["execution_cycles"].get<double>();
  EXPECT_LE(std::abs(off),
            how["half_width_95"].get<double>() + 0.03 * truth["execution_cycles"].get<double>());
  // What was charged has passed: the clock is where the kernel's end says.
  EXPECT_GE(some["simulation"]["cycles"], kernel["end_cycle"]);
}
INSTANTIATE_TEST_SUITE_P(Apps, Sampled, testing::ValuesIn(kSampledCases),
                         [](const auto& info) { return std::string(info.param.app); });

// Uniform CTAs: the error is less than a hundredth.
TEST(Sampling, OfUniformCtasIsClose) {
  const std::vector<std::string> settings = {"workload.params.threads=204800",
                                             "workload.params.iterations=20"};
  const nlohmann::json full = result_of_app("small", "pure_compute", settings),
                       some = result_of_app("small", "pure_compute", sampled(settings));
  ASSERT_TRUE(full.is_object() && some.is_object());
  const double truth = full["kernels"][0]["execution_cycles"];
  EXPECT_NEAR(some["kernels"][0]["execution_cycles"].get<double>(), truth, 0.01 * truth);
}

TEST(Sampling, IsRepeatableInAnyOrderOfEvaluation) {
  for (const unsigned window : {1u, 64u}) {
    std::vector<std::string> settings =
        sampled({"workload.params.m=256", "workload.params.n=512", "workload.params.k=16", "platform.sms=3",
                 fmt::format("platform.evaluation.window={}", window)});
    const nlohmann::json once = result_of_app("titan_v", "matmul", settings);
    ASSERT_TRUE(once.is_object());
    EXPECT_EQ(once["verified"], true);
    EXPECT_GT(once["kernels"][0]["sampled"]["ctas_functional"], 0) << once["kernels"][0]["sampled"];
    for (const char* way : {"order=reverse", "threads=2", "threads=4"}) {
      std::vector<std::string> other = settings;
      other.push_back(std::string("platform.evaluation.") + way);
      nlohmann::json again = result_of_app("titan_v", "matmul", other);
      again["config"] = once["config"];
      EXPECT_EQ(again.dump(), once.dump()) << way << ", window " << window;
    }
  }
}

// Where no CTA is skipped, all else is as without.
TEST(Sampling, LeavesShortKernelsAsTheyAre) {
  nlohmann::json full = result_of_app("small", "reduction", {}),
                 some = result_of_app("small", "reduction", {"platform.sampling.skip=4"});
  for (nlohmann::json& kernel : some["kernels"]) {
    EXPECT_THAT(kernel["sampled"]["why_not"].get<std::string>(), HasSubstr("too short"));
    kernel.erase("sampled");
  }
  some.erase("config");
  full.erase("config");
  full["dram"].erase("bandwidth_share");
  some["dram"].erase("bandwidth_share");
  EXPECT_EQ(some, full);
}

/// A launch list of one kernel with 400 CTAs of 32 threads, whose body is `body`; `p` points to zeros.
Finished run_kernel(const ScratchFolder& scratch, const std::string& body, const std::string& more = "",
                    const std::string& launches = "") {
  scratch.file("k.ptx",
               ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
               ".reg .u32 %r<9>; .reg .u64 %rd<9>; .reg .pred %p<4>;\nld.param.u64 %rd0, [p];\n" +
                   body + "\nret;\n}\n");
  const std::string file = scratch.file(
      "run.yaml",
      "platform: {extends: small, sampling: {skip: 4, warm_up: 1}}\n" + more +
          "workload:\n  buffers: {p: {type: u32, count: 65536, init: zero}}\n  launches:\n" +
          (launches.empty() ? "    - {ptx: k.ptx, entry: k, grid: [4000], block: [32], args: [{buffer: p}]}\n"
                            : launches));
  return run_program({"run", file, "-o", (scratch / "run").string()});
}

struct SamplingObstacle {
  const char *name, *body, *why;
};
class NotSampled : public testing::TestWithParam<SamplingObstacle> {};
TEST_P(NotSampled, SaysWhy) {
  const ScratchFolder scratch;
  const Finished run = run_kernel(scratch, GetParam().body);
  ASSERT_EQ(run.status, 0) << run.err;
  const nlohmann::json how = read_result(scratch / "run")["kernels"][0]["sampled"];
  if (GetParam().why == nullptr) {
    EXPECT_FALSE(how.contains("why_not")) << how;
    EXPECT_THAT(run.out, HasSubstr("k: sampled: "));
    return;
  }
  ASSERT_TRUE(how.contains("why_not")) << how;
  EXPECT_THAT(how["why_not"].get<std::string>(), HasSubstr(GetParam().why));
  EXPECT_EQ(how["ctas_functional"], 0);
  EXPECT_THAT(run.out, HasSubstr("k: not sampled: "));
}
INSTANTIATE_TEST_SUITE_P(
    Kernels, NotSampled,
    testing::Values(
        SamplingObstacle{"plain", "st.global.u32 [%rd0], %r0;", nullptr},
        SamplingObstacle{"clock", "mov.u32 %r0, %clock; st.global.u32 [%rd0], %r0;", "it reads the time ("},
        SamplingObstacle{"sleep", "nanosleep.u32 20;", "it sleeps ("},
        // A ticket that each CTA takes once is no obstacle; work taken in a loop is.
        SamplingObstacle{"ticket", "atom.global.add.u32 %r0, [%rd0], 1;", nullptr},
        SamplingObstacle{"work",
                         "A: atom.global.add.u32 %r0, [%rd0], 1; setp.lt.u32 %p0, %r0, 6000; @%p0 bra A;",
                         "it may wait for other CTAs, or take work from them ("},
        SamplingObstacle{
            "flag",
            "st.global.u32 [%rd0+4], 1; A: ld.volatile.global.u32 %r0, [%rd0+4]; add.u32 %r1, %r0, 0; "
            "setp.eq.u32 %p0, %r1, 0; @%p0 bra A;",
            "it may wait for other CTAs"},
        // What decides is a counter, whatever the loop adds up.
        SamplingObstacle{"sum",
                         "mov.u32 %r1, 0; A: atom.global.add.u32 %r0, [%rd0], 1; add.u32 %r1, %r1, 1; "
                         "setp.lt.u32 %p0, %r1, 3; @%p0 bra A;",
                         nullptr}),
    [](const auto& info) { return std::string(info.param.name); });

// All CTAs wait for all, which they can only where all of them are there at once: such a grid is one wave.
TEST(Sampling, AGridThatWaitsForItselfRuns) {
  const ScratchFolder scratch;
  const Finished run = run_kernel(
      scratch,
      "mov.u32 %r2, %nctaid.x; mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0; @%p1 bra B; "
      "atom.global.add.u32 %r0, [%rd0], 1; A: ld.volatile.global.u32 %r1, [%rd0]; setp.lt.u32 %p0, %r1, %r2; "
      "@%p0 bra A; B: bar.sync 0;",
      "", "    - {ptx: k.ptx, entry: k, grid: [16], block: [32], args: [{buffer: p}]}\n");
  EXPECT_EQ(run.status, 0) << run.err;
}

// Two streams.
TEST(Sampling, KernelsAtOnceAreNotSampled) {
  const ScratchFolder scratch;
  const std::string other =
      "    - {ptx: k.ptx, entry: k, grid: [4000], block: [32], args: [{buffer: p}], stream: ";
  const std::string body = "mov.u32 %r1, 0; A: add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 300; @%p0 bra A;";
  const Finished at_once = run_kernel(scratch, body, "", other + "1}\n" + other + "2}\n");
  EXPECT_EQ(at_once.status, 0) << at_once.err;
  const nlohmann::json both = read_result(scratch / "run")["kernels"];
  EXPECT_EQ(both[0]["sampled"]["why_not"], "another kernel was on the device");
  EXPECT_FALSE(both[1]["sampled"].contains("why_not"));  // the first is over when its first sample is due
  const Finished later = run_kernel(scratch, body, "", other + "1}\n" + other + "2, start_us: 40}\n");
  EXPECT_EQ(later.status, 3);
  EXPECT_THAT(later.err, HasSubstr("launch 1 began while CTAs of launch 0 are skipped"));
  EXPECT_THAT(later.err, HasSubstr("set platform.sampling.skip: 0"));
  // One after the other.
  const Finished in_turn = run_kernel(scratch, body, "", other + "1}\n" + other + "1}\n");
  EXPECT_EQ(in_turn.status, 0) << in_turn.err;
  const nlohmann::json result = read_result(scratch / "run");
  for (const auto& kernel : result["kernels"])
    EXPECT_FALSE(kernel["sampled"].contains("why_not"));
}

// The time of skipped CTAs passes without an instruction: for the watchdog it is due.
TEST(Sampling, TimeThatIsAddedIsNoDeadlock) {
  const nlohmann::json result =
      result_of_app("small", "pure_compute",
                    sampled({"workload.params.threads=409600", "workload.params.iterations=20",
                             "limits.progress_us=30", "platform.sampling.least_samples=2"},
                            10));
  ASSERT_TRUE(result.is_object());
  EXPECT_GT(result["kernels"][0]["sampled"]["cycles_added"], 2 * 30 * 1200);
}

// A process of its own has a context of its own.
TEST(Sampling, OfAProcess) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("one.yaml",
                   "platform: {extends: small, sms: 1, mmu: page_tables, sampling: {skip: 4, warm_up: 2}}\n"
                   "workload: {processes: [{app: conv2d, params: {rows: 256, columns: 512}}]}\n");
  const Finished run = run_program({"run", file, "-q", "-o", (scratch / "run").string()});
  ASSERT_EQ(run.status, 0) << run.err;
  const nlohmann::json result = read_result(scratch / "run");
  EXPECT_EQ(result["verified"], true);
  EXPECT_GT(result["kernels"][0]["sampled"]["ctas_functional"], 0);
  EXPECT_GT(result["kernels"][0]["context"], 0);
}

TEST(Sampling, AFaultOfASkippedCtaIsNamed) {
  const ScratchFolder scratch;
  const Finished run = run_kernel(scratch,
                                  "mov.u32 %r0, %ctaid.x; setp.ne.u32 %p0, %r0, 200; @%p0 bra B; "
                                  "st.global.u32 [%rd0+10000000], %r0; B:");
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("out-of-bounds global store"));
  EXPECT_THAT(run.err, HasSubstr("CTA (200,0,0)"));
}

struct SamplingRefusal {
  const char *setting, *what;
};
class SamplingRefuses : public testing::TestWithParam<SamplingRefusal> {};
TEST_P(SamplingRefuses, WithStatus2) {
  const ScratchFolder scratch;
  const Finished run =
      run_program({"run", "vector_add", "--platform", "titan_v", "-q", "-o", (scratch / "run").string(),
                   "--set", "platform.sampling.skip=4", "--set", GetParam().setting});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr(GetParam().what));
}
INSTANTIATE_TEST_SUITE_P(
    Settings, SamplingRefuses,
    testing::Values(
        SamplingRefusal{"platform.sm.type=functional",
                        "sm.type, which has no cycles to sample; allowed: cycle"},
        SamplingRefusal{"platform.sm.type=profile", "sm.type, which has no cycles to sample"},
        SamplingRefusal{"platform.sm.warp_scheduler=qaws", "sm.warp_scheduler"},
        SamplingRefusal{"platform.sm.frontend.mode=darsie", "sm.frontend.mode"},
        SamplingRefusal{"platform.sm.oracle=true", "sm.oracle"},
        SamplingRefusal{"platform.work_distributor.preemption=switch", "work_distributor.preemption"},
        SamplingRefusal{"platform.bandwidth_controller=fixed", "bandwidth_controller: fixed"},
        SamplingRefusal{"output.redundancy=true", "output.redundancy looks at the instructions of all CTAs"},
        SamplingRefusal{"output.instructions=true",
                        "output.instructions counts the instructions of all CTAs"},
        SamplingRefusal{"energy.table=configs/energy/gtx1080ti_gpuwattch.yaml",
                        "energy.table charges what all CTAs do"}));

}  // namespace
}  // namespace warpvp::test
