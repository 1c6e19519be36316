// SMs that are evaluated for many edges at a time (`platform.evaluation.window`): results are right, the same
// in whatever order and by however many threads they are evaluated, and where nothing competes for the way to
// memory the cycles are those of a run that goes edge by edge.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/platform/program.h"
#include "tests/platform/random_kernel.h"

namespace warpvp::test {
namespace {

std::string window(unsigned edges) { return fmt::format("platform.evaluation.window={}", edges); }

const std::string kFunctional = "platform.sm.type=functional";

nlohmann::json without_settings(nlohmann::json result) {
  result.erase("config");
  return result;
}

struct WindowCase {
  std::string platform, app;
  unsigned edges;
  std::vector<std::string> settings;
};

class AnyWindow : public testing::TestWithParam<WindowCase> {};

TEST_P(AnyWindow, GivesRightResultsInAnyOrderOfEvaluation) {
  const WindowCase& c = GetParam();
  std::vector<std::string> settings = c.settings;
  settings.push_back(window(c.edges));
  const nlohmann::json result = result_of_app(c.platform, c.app, settings);
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["verified"], true);
  for (const char* way : {"order=reverse", "threads=2"}) {
    std::vector<std::string> other = settings;
    other.push_back(std::string("platform.evaluation.") + way);
    EXPECT_EQ(without_settings(result_of_app(c.platform, c.app, other)).dump(),
              without_settings(result).dump())
        << way;
  }
}

const std::vector<WindowCase> kWindowCases = {
    {"titan_v", "vector_add", 64, {}},
    {"titan_v", "matmul", 140, {}},
    {"titan_v", "histogram", 17, {}},
    {"small", "bfs", 100, {"platform.sms=6", "workload.params.vertices=400"}},
    {"small",
     "many_streams",
     30,
     {"platform.sms=5", "platform.check_protocol=true", "workload.params.streams=5"}},
    {"ccbp_gpu", "reduction", 40, {"workload.params.count=9000"}},
    {"vortex_sm", "reduction", 2, {"platform.sms=6", "workload.params.count=3000"}},
    {"small", "floyd_warshall", 50, {"platform.sms=4", "platform.sm.frontend.mode=darsie"}},
    {"small", "spmv", 50, {"platform.sms=4", "platform.mmu=page_tables"}},
    {"small", "scan", 50, {"platform.sms=4", "platform.l2=perfect", "platform.l2.latency_cycles=60"}},
    {"small", "reduction", 50, {"platform.sms=4", "platform.sm.memory.model=isolated"}},  // edge by edge
};
INSTANTIATE_TEST_SUITE_P(Apps, AnyWindow, testing::ValuesIn(kWindowCases), [](const auto& info) {
  return fmt::format("{}_{}_{}", info.param.platform, info.param.app, info.index);
});

// One warp that waits for each of its loads: an answer that is seen later has left earlier, so that the way
// to each memory and back takes as long.
TEST(Window, DoesNotChangeLatencies) {
  const ScratchFolder scratch;
  for (const char* workload : {"chase_l1", "chase_l2", "chase_dram"}) {
    nlohmann::json once;
    for (const unsigned edges : {1u, 2u, 7u, 64u, 140u}) {
      const std::string out = (scratch / fmt::format("{}{}", workload, edges)).string();
      const Finished run = run_program({"run", fmt::format("configs/workloads/{}.yaml", workload), "-q",
                                        "--platform", "titan_v", "--out", out, "--set", window(edges)});
      ASSERT_EQ(run.status, 0) << run.err;
      const nlohmann::json kernels = read_result(out)["kernels"];
      if (edges == 1) once = kernels;
      EXPECT_EQ(kernels, once) << workload << ", " << edges;
    }
  }
}

// Barriers, branches, shared memory, stores and reductions without any race.
class RandomWindow : public testing::TestWithParam<unsigned> {};

TEST_P(RandomWindow, LeavesTheSameInMemory) {
  const ScratchFolder scratch;
  scratch.file("kernel.ptx", RandomKernel(GetParam()).text());
  std::mt19937 random(GetParam());
  std::string launches;
  for (unsigned n = 1 + random() % 3; n; --n)
    launches += fmt::format(
        "    - {{ptx: kernel.ptx, entry: k, grid: [{}], block: [{}], args: [{{buffer: in}}, {{buffer: "
        "out}}]}}\n",
        1 + random() % 9, 1 + random() % 256);
  const std::string file = scratch.file(
      "run.yaml",
      fmt::format("platform: {{extends: small, sms: {}, ptx: {{code: {}}}}}\n"
                  "workload:\n  buffers:\n    in: {{type: f32, count: 4096, init: random, seed: 7}}\n"
                  "    out: {{type: u32, count: 32768, init: zero}}\n  launches:\n{}"
                  "  dumps: [{{buffer: out, file: out}}, {{buffer: in, file: in}}]\n",
                  1 + random() % 5, random() % 2 ? "machine" : "ptx", launches));
  std::string expected;
  for (const unsigned edges : {1u, 5u, 1 + static_cast<unsigned>(random() % 140)}) {
    const std::string out = (scratch / fmt::format("out{}", edges)).string();
    const Finished run = run_program({"run", file, "-q", "--out", out, "--set", window(edges)});
    ASSERT_EQ(run.status, 0) << run.err;
    const std::string left = read_text(out + "/out") + read_text(out + "/in");
    if (expected.empty()) expected = left;
    EXPECT_TRUE(left == expected) << edges;
  }
  for (const std::string exchange : {"at_once", "slice", "auto"}) {
    const std::string out = (scratch / exchange).string();
    const Finished run = run_program({"run", file, "-q", "--out", out, "--set", kFunctional, "--set",
                                      "platform.sm.exchange=" + exchange, "--set",
                                      fmt::format("platform.sm.slice_cycles={}", 1 + random() % 600)});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(read_text(out + "/out") + read_text(out + "/in") == expected) << exchange;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomWindow, testing::Range(1u, 13u));

// CTAs on different SMs that wait for each other: a flag behind data, a turn that goes round, tickets; and
// races for a word, which any of its values may win.
const char* const kTogether = R"(.version 7.5
.target sm_70
.address_size 64
.global .u32 flag[64];
.global .u32 data[64];
.global .u32 ticket;
.global .u32 serving;
.global .u32 sum;
.global .u32 word;
.global .u32 total;
.global .u32 changed[64];
.visible .entry k(.param .u64 out)
{
	.reg .u32 %r<16>; .reg .u64 %rd<12>; .reg .pred %p;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	mov.u64 %rd3, flag;
	add.u64 %rd3, %rd3, %rd2;
	mov.u64 %rd4, data;
	add.u64 %rd4, %rd4, %rd2;
	st.global.u32 [word], %r1;
	setp.eq.u32 %p, %r1, 0;
	mov.u32 %r3, 100;
	@%p bra FIRST;
WAIT:
	ld.volatile.global.u32 %r2, [%rd3+-4];
	setp.eq.u32 %p, %r2, 0;
	@%p bra WAIT;
	ld.volatile.global.u32 %r3, [%rd4+-4];
FIRST:
	add.u32 %r3, %r3, 3;
	st.volatile.global.u32 [%rd4], %r3;
	membar.gl;
	st.volatile.global.u32 [%rd3], 1;
	mov.u64 %rd5, changed;
	add.u64 %rd5, %rd5, %rd2;
	mov.u32 %r8, %r3;
	red.global.add.u32 [total], %r8;
	xor.b32 %r8, %r8, 0x5555;
	st.global.u32 [%rd5], %r8;
	membar.gl;
	atom.global.add.u32 %r4, [ticket], 1;
TURN:
	ld.volatile.global.u32 %r5, [serving];
	setp.ne.u32 %p, %r5, %r4;
	@%p bra TURN;
	ld.volatile.global.u32 %r6, [sum];
	add.u32 %r6, %r6, %r3;
	st.volatile.global.u32 [sum], %r6;
	membar.gl;
	add.u32 %r5, %r5, 1;
	st.volatile.global.u32 [serving], %r5;
	st.global.u32 [%rd1], %r3;
	setp.ne.u32 %p, %r5, 12;
	@%p bra END;
	st.global.u32 [%rd1+64], %r6;
	ld.volatile.global.u32 %r7, [word];
	st.global.u32 [%rd1+128], %r7;
	ld.volatile.global.u32 %r7, [total];
	st.global.u32 [%rd1+192], %r7;
END:
	ret;
}
)";

TEST(Window, CtasThatWaitForEachOtherGoOn) {
  const ScratchFolder scratch;
  scratch.file("together.ptx", kTogether);
  const std::string file = scratch.file(
      "together.yaml",
      "platform: {extends: small, sms: 12, ptx: {code: ptx}}\nworkload:\n  buffers: {out: {type: u32, count: "
      "64, init: zero}}\n"
      "  launches:\n    - {ptx: together.ptx, entry: k, grid: [12], block: [1], args: [{buffer: out}]}\n"
      "  dumps: [{buffer: out, file: out}]\n");
  const std::vector<std::vector<std::string>> machines = {
      {window(1)},
      {window(8)},
      {window(64)},
      {window(140)},
      {kFunctional},
      {kFunctional, "platform.sm.exchange=slice"},
      {kFunctional, "platform.sm.exchange=auto"},
      {kFunctional, "platform.sm.exchange=slice", "platform.sm.slice_cycles=7"}};
  for (const std::vector<std::string>& machine : machines) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(machine, " ")));
    std::string first;
    for (const char* way : {"order=forward", "order=reverse", "threads=2"}) {
      const std::string out = (scratch / way).string();
      std::vector<std::string> args = {
          "run", file, "-q", "--out", out, "--set", std::string("platform.evaluation.") + way};
      for (const std::string& setting : machine) args.insert(args.end(), {"--set", setting});
      const Finished run = run_program(args);
      ASSERT_EQ(run.status, 0) << run.err;
      const std::string left = read_text(out + "/out");
      std::uint32_t value[64];
      ASSERT_EQ(left.size(), sizeof value);
      std::memcpy(value, left.data(), sizeof value);
      std::uint32_t sum = 0, found = 0, total = 0;
      for (unsigned cta = 0; cta < 12; ++cta) {
        EXPECT_EQ(value[cta], 103 + 3 * cta);
        sum += 103 + 3 * cta;
        found += value[cta + 16];
        total += value[cta + 48];
      }
      EXPECT_EQ(found, sum);
      EXPECT_EQ(total, sum) << "a reduction took what its register held later";
      if (first.empty()) first = left;
      EXPECT_TRUE(left == first) << "who won the race depends on " << way;
    }
  }
}

TEST(Window, AFaultIsTheSame) {
  const Finished once = run_program({"run", "configs/workloads/fault_out_of_bounds.yaml", "-q", "--out",
                                     (ScratchFolder() / "once").string()});
  ASSERT_EQ(once.status, 3) << once.err;
  const Finished other = run_program({"run", "configs/workloads/fault_out_of_bounds.yaml", "-q", "--out",
                                      (ScratchFolder() / "other").string(), "--set", window(100)});
  EXPECT_EQ(other.status, 3);
  EXPECT_EQ(other.err, once.err);
}

TEST(Window, ADeadlockIsFound) {
  const Finished run = run_program({"run", "configs/workloads/fault_deadlock.yaml", "-q", "--out",
                                    (ScratchFolder() / "out").string(), "--set", window(100)});
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("barrier"), std::string::npos) << run.err;
}

TEST(Window, ContextsThatArePreemptedComeBack) {
  const nlohmann::json result = result_of_app(
      "small", "many_streams",
      {"platform.sms=2", "platform.mmu=page_tables", "platform.work_distributor.policy=fcfs_ppq",
       "platform.work_distributor.preemption=switch", "workload.params.streams=4", window(60)});
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["verified"], true);
}

TEST(Window, WiderThanTheL2AnswersIsRefused) {
  const Finished run = run_program(
      {"run", "configs/workloads/vector_add.yaml", "-q", "--platform", "titan_v", "--set", window(141)});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("platform.evaluation.window"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("at most 140"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace warpvp::test
