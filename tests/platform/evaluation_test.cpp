// A block's evaluate changes nothing but the block: evaluated backwards or on several threads, a run gives
// the same result to the bit, races of the program included.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

const std::vector<std::string> kWays = {"order=reverse", "threads=2", "threads=0"};

nlohmann::json result_of(const std::filesystem::path& folder) {
  nlohmann::json result = read_result(folder);
  result.erase("config");
  return result;
}

struct EvaluationCase {
  std::string platform, app;
  std::vector<std::string> settings;
};

class AnyEvaluation : public testing::TestWithParam<EvaluationCase> {};

TEST_P(AnyEvaluation, GivesTheSameResult) {
  const ScratchFolder scratch;
  const EvaluationCase& c = GetParam();
  const Finished forward = run_app(c.platform, c.app, scratch / "forward", c.settings);
  ASSERT_EQ(forward.status, 0) << forward.err;
  for (const std::string& way : kWays) {
    SCOPED_TRACE(way);
    std::vector<std::string> settings = c.settings;
    settings.push_back("platform.evaluation." + way);
    const Finished run = run_app(c.platform, c.app, scratch / way, settings);
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(result_of(scratch / way).dump(), result_of(scratch / "forward").dump());
  }
}

const std::vector<EvaluationCase> kEvaluationCases = {
    {"titan_v", "vector_add", {}},
    {"titan_v", "histogram", {}},
    {"small", "bfs", {"platform.sms=6", "workload.params.vertices=400"}},
    {"ccbp_gpu", "reduction", {"workload.params.count=9000"}},
    {"vortex_sm",
     "reduction",
     {"platform.sms=6", "platform.sm.frontend.mode=coordinated", "workload.params.count=3000"}},
    {"small",
     "many_streams",
     {"platform.sms=5", "platform.check_protocol=true", "workload.params.streams=5"}},
    {"titan_v", "matmul", {"platform.sm.type=functional", "platform.sm.exchange=slice"}},
    {"titan_v", "histogram", {"platform.sm.type=functional", "platform.sm.exchange=auto"}},
    {"small",
     "bfs",
     {"platform.sms=6", "platform.sm.type=functional", "platform.sm.exchange=slice",
      "workload.params.vertices=400"}},
    {"small",
     "histogram",
     {"platform.sms=5", "platform.sm.type=functional", "platform.sm.exchange=slice",
      "platform.mmu=page_tables"}},
    {"titan_v", "matmul", {"platform.crossbar=ideal", "platform.l2=perfect", "platform.dram=fixed_latency"}},
};
INSTANTIATE_TEST_SUITE_P(Apps, AnyEvaluation, testing::ValuesIn(kEvaluationCases), [](const auto& info) {
  return info.param.platform + "_" + info.param.app + "_" + std::to_string(info.index);
});

// Threads of all SMs race for one word, print, and take blocks of the heap: the outcome depends on the order
// of SMs within an edge, which is their number, not the order in which the host evaluates them.
const char* const kRaces = R"(.version 7.5
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc (.param .b64 n);
.global .align 1 .b8 text[4] = {37, 117, 10, 0};
.global .u32 word;
.global .u32 turn;
.visible .entry races (.param .u64 out)
{
	.local .align 4 .b8 args[4];
	.reg .u32 %r<12>; .reg .u64 %rd<12>; .reg .pred %p;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r4, %r1, %r3, %r2;
	mad.wide.u32 %rd2, %r4, 24, %rd1;
	st.global.u32 [word], %r4;
	ld.global.u32 %r5, [word];
	atom.global.add.u32 %r6, [turn], 1;
	st.global.u32 [%rd2], %r5;
	st.global.u32 [%rd2+4], %r6;
	{ .param .b64 n; .param .b64 r; st.param.b64 [n], 24; call (r), malloc, (n); ld.param.b64 %rd3, [r]; }
	st.global.u64 [%rd2+8], %rd3;
	setp.ne.u32 %p, %r2, 0;
	@%p bra END;
	st.local.u32 [args], %r6;
	mov.u64 %rd4, args;
	cvta.local.u64 %rd4, %rd4;
	mov.u64 %rd5, text;
	cvta.global.u64 %rd5, %rd5;
	{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd5; st.param.b64 [a], %rd4;
	  call (r), vprintf, (f, a); }
END:
	ret;
}
.visible .entry faults (.param .u64 out)
{
	.reg .u32 %r<4>; .reg .u64 %rd<4>;
	mov.u32 %r1, %ctaid.x;
	mul.wide.u32 %rd1, %r1, 4;
	st.global.u32 [%rd1], %r1;
	ret;
}
)";

std::string run_file(const ScratchFolder& scratch, const std::string& entry) {
  scratch.file("races.ptx", kRaces);
  return scratch.file(entry + ".yaml",
                      "platform: {extends: small, sms: 12}\n"
                      "workload:\n"
                      "  buffers: {out: {type: u64, count: 4608, init: zero}}\n"
                      "  launches:\n"
                      "    - {ptx: races.ptx, entry: " +
                          entry +
                          ", grid: [24], block: [64], args: [{buffer: out}]}\n"
                          "  dumps: [{buffer: out, file: out.bin}]\n");
}

/// Of SMs with a pipeline, and of those without one that exchange values later.
class AnyEvaluationOf : public testing::TestWithParam<std::vector<std::string>> {
 protected:
  Finished run(const std::string& entry, const std::string& name, std::vector<std::string> settings) const {
    std::vector<std::string> args = {"run", run_file(scratch_, entry), "-q", "--out",
                                     (scratch_ / name).string()};
    settings.insert(settings.end(), GetParam().begin(), GetParam().end());
    for (const std::string& setting : settings) args.insert(args.end(), {"--set", setting});
    return run_program(args);
  }
  const ScratchFolder scratch_;
};

TEST_P(AnyEvaluationOf, SettlesRacesAlike) {
  const Finished forward = run("races", "forward", {});
  ASSERT_EQ(forward.status, 0) << forward.err;
  EXPECT_EQ(std::count(forward.out.begin(), forward.out.end(), '\n'), 24) << "a line of each CTA";
  for (const std::string& way : kWays) {
    SCOPED_TRACE(way);
    const Finished other = run("races", way, {"platform.evaluation." + way});
    ASSERT_EQ(other.status, 0) << other.err;
    EXPECT_EQ(other.out, forward.out);
    EXPECT_EQ(read_text(scratch_ / way / "out.bin"), read_text(scratch_ / "forward/out.bin"));
    EXPECT_EQ(result_of(scratch_ / way).dump(), result_of(scratch_ / "forward").dump());
  }
}

TEST_P(AnyEvaluationOf, ReportsTheSameFault) {
  const Finished forward = run("faults", "forward", {});
  ASSERT_EQ(forward.status, 3) << forward.err;
  EXPECT_NE(forward.err.find("global store through a null pointer"), std::string::npos) << forward.err;
  for (const std::string& way : kWays) {
    const Finished other = run("faults", "forward", {"platform.evaluation." + way});
    EXPECT_EQ(other.status, 3);
    EXPECT_EQ(other.err, forward.err) << way;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Machines, AnyEvaluationOf,
    testing::Values(std::vector<std::string>{},
                    std::vector<std::string>{"platform.sm.type=functional", "platform.sm.exchange=slice"},
                    std::vector<std::string>{"platform.sm.type=functional", "platform.sm.exchange=auto"}),
    [](const auto& info) {
      return info.param.empty() ? std::string("pipeline")
                                : "functional_" + info.param[1].substr(info.param[1].find('=') + 1);
    });

}  // namespace
}  // namespace warpvp::test
