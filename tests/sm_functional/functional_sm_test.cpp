// `sm.type: functional`: results as on any SM, time by the number of instructions, and all that a CTA can
// meet.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

const std::string kFunctional = "platform.sm.type=functional";

nlohmann::json result_of(const std::string& app, std::vector<std::string> settings) {
  settings.push_back(kFunctional);
  return result_of_app("small", app, settings);
}

std::string exchange(const std::string& when) { return "platform.sm.exchange=" + when; }
const char* const kExchanges[] = {"at_once", "slice", "auto"};

/// Barriers, shared memory, atomics, divergence, calls, textures, double precision, matrices, device heap.
class FunctionalSmRuns : public testing::TestWithParam<std::tuple<const char*, const char*>> {};
TEST_P(FunctionalSmRuns, AndTheCpuAgrees) {
  const auto [app, when] = GetParam();
  const auto functional = result_of(app, {exchange(when)});
  ASSERT_FALSE(functional.is_null());
  EXPECT_TRUE(functional["verified"]);
  // As many instructions as with a pipeline: what is executed does not hang on time in any of them.
  const auto cycle = result_of_app("small", app, {});
  ASSERT_EQ(functional["kernels"].size(), cycle["kernels"].size());
  for (std::size_t i = 0; i < cycle["kernels"].size(); ++i)
    for (const char* count : {"warp_instructions", "ptx_instructions", "thread_instructions",
                              "fp32_operations", "fp64_operations"})
      EXPECT_EQ(functional["kernels"][i][count], cycle["kernels"][i][count]) << i << ' ' << count;
}
INSTANTIATE_TEST_SUITE_P(Apps, FunctionalSmRuns,
                         testing::Combine(testing::Values("vector_add", "reduction", "histogram", "scan",
                                                          "walsh", "divergence", "matmul", "matmul_half",
                                                          "texture", "image", "dct8x8", "monte_carlo",
                                                          "merge_sort", "btree"),
                                          testing::ValuesIn(kExchanges)));

// n instructions at r a cycle take n / r, with the launch before and the end of a slice behind. Where CTAs'
// ends are told at edges that SMs have in common, those that follow come somewhat later.
TEST(FunctionalSm, TimeIsInstructionsByRate) {
  for (const char* when : kExchanges)
    for (const double rate : {0.5, 1.0, 4.0}) {
      const auto result = result_of("matmul", {exchange(when), "platform.sms=1",
                                               "platform.sm.instructions_per_cycle=" + std::to_string(rate)});
      ASSERT_FALSE(result.is_null());
      const double instructions = result["simulation"]["warp_instructions"],
                   cycles = result["simulation"]["kernel_cycles"];
      EXPECT_GE(cycles, instructions / rate);
      const double later = std::string(when) != "at_once" ? instructions / rate / 20 : 0;
      EXPECT_LE(cycles, instructions / rate + later + 20 * 2 + 500 + 300) << when << ' ' << rate;
    }
}

TEST(FunctionalSm, ResultsDoNotHangOnSlicesOrThreads) {
  for (const char* when : kExchanges)
    for (const char* setting :
         {"platform.sm.slice_cycles=1", "platform.sm.slice_cycles=100000", "platform.evaluation.threads=2"})
      EXPECT_TRUE(result_of("reduction", {exchange(when), setting})["verified"]) << when << ' ' << setting;
}

// What warps read behind a barrier, one of them writes again a little later, without another barrier: a race
// in which all chips let the others read first.
TEST(FunctionalSm, WarpsGoOnTogetherBehindABarrier) {
  const ScratchFolder scratch;
  std::string rest;
  for (unsigned i = 0; i < 150; ++i) rest += "  mad.lo.u32 %r3, %r3, %r3, %r1;\n";
  scratch.file("race.ptx", R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry race(.param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  .shared .align 4 .b8 word[4];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 st.shared.u32 [word], 7;
  mov.u32 %r3, %r1;
  bar.sync 0;
  ld.shared.u32 %r2, [word];
)" + rest + R"(  or.b32 %r3, %r3, 64;
  @!%p1 st.shared.u32 [word], %r3;
  st.global.u32 [%rd1], %r2;
  ret;
}
)");
  const std::string file = scratch.file(
      "race.yaml",
      "platform: {extends: small, sms: 1, sm: {type: functional}}\n"
      "workload:\n"
      "  buffers: {out: {type: u32, count: 1024, init: zero}}\n"
      "  launches: [{ptx: race.ptx, entry: race, grid: [1], block: [1024], args: [{buffer: out}]}]\n"
      "  dumps: [{buffer: out, file: out}]\n");
  const Finished run = run_program({"run", file, "-q", "-o", (scratch / "race").string()});
  EXPECT_EQ(run.status, 0) << run.err;
  const std::string out = read_text(scratch / "race" / "out");
  ASSERT_EQ(out.size(), 4096u);
  for (std::size_t thread = 0; thread < 1024; ++thread) ASSERT_EQ(out[4 * thread], 7) << thread;
}

TEST(FunctionalSm, RunsRepeatBitForBit) {
  EXPECT_EQ(result_of("bfs", {}), result_of("bfs", {}));
  for (const char* when : kExchanges)
    EXPECT_EQ(result_of("bfs", {exchange(when)})["kernels"],
              result_of("bfs", {exchange(when), "platform.evaluation.threads=2"})["kernels"]);
}

// A CTA goes on behind its barriers before another has its turn, but where its warps look for others.
TEST(FunctionalSm, ACtaGoesOnBehindItsBarriers) {
  const auto order_with = [](const std::string& next) {
    const ScratchFolder scratch;
    std::string phases;
    for (unsigned phase = 0; phase < 60; ++phase)
      phases += fmt::format(
          "  bar.sync 0;\n  @%p1 bra next{0};\n  {1}\n  st.global.u32 [%rd2+{2}], %r2;\nnext{0}:\n", phase,
          next, 4 * phase);
    scratch.file("order.ptx", R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry order(.param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd2, %r1, 240;
  add.u64 %rd2, %rd2, %rd1;
  add.u64 %rd2, %rd2, 4;
  mov.u32 %r3, %tid.x;
  setp.ne.u32 %p1, %r3, 0;
)" + phases + "  ret;\n}\n");
    const std::string file = scratch.file(
        "order.yaml",
        "platform: {extends: small, sms: 1, sm: {type: functional}}\n"
        "workload:\n"
        "  buffers: {out: {type: u32, count: 121, init: zero}}\n"
        "  launches: [{ptx: order.ptx, entry: order, grid: [2], block: [128], args: [{buffer: out}]}]\n"
        "  dumps: [{buffer: out, file: out}]\n");
    const Finished run = run_program({"run", file, "-q", "-o", (scratch / "order").string()});
    EXPECT_EQ(run.status, 0) << run.err;
    const std::string out = read_text(scratch / "order" / "out");
    std::vector<unsigned> order;
    for (std::size_t at = 4; at < out.size(); at += 4) order.push_back(static_cast<unsigned char>(out[at]));
    return order;
  };
  std::vector<unsigned> alone(120);
  std::iota(alone.begin(), alone.end(), 0u);
  EXPECT_EQ(order_with("ld.global.u32 %r2, [%rd1]; add.u32 %r4, %r2, 1; st.global.u32 [%rd1], %r4;"), alone);
  const std::vector<unsigned> looking = order_with("atom.global.add.u32 %r2, [%rd1], 1;");
  EXPECT_NE(looking, alone);
  EXPECT_THAT(looking, testing::UnorderedElementsAreArray(alone));
}

/// Whenever SMs exchange what they store.
class FunctionalSmAlways : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Exchanges, FunctionalSmAlways, testing::ValuesIn(kExchanges));

TEST_P(FunctionalSmAlways, FaultsAreNamedAndEndTheRun) {
  const ScratchFolder scratch;
  const Finished run = run_program({"run", "fault_out_of_bounds", "--set", kFunctional, "--set",
                                    exchange(GetParam()), "-q", "-o", (scratch / "run").string()});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("out-of-bounds global store of 4 bytes"));
  EXPECT_THAT(run.err, HasSubstr("CTA (1,0,0), warp 1, lane 5"));
}

// The last of a CTA's 32 warps computes for a while, and all others read a flag until it has set it: more of
// them than have their turns in a slice.
TEST_P(FunctionalSmAlways, NoWarpWaitsForEverBehindThoseThatWaitForIt) {
  const ScratchFolder scratch;
  scratch.file("last.ptx", R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry last_warp_first(.param .u64 out) {
  .reg .pred %p<4>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<3>;
  .shared .b32 flag;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  setp.eq.u32 %p0, %r1, 0;
  @%p0 st.volatile.shared.u32 [flag], %r2;
  bar.sync 0;
  setp.lt.u32 %p1, %r1, 992;
  @%p1 bra WAIT;
WORK:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, 1000;
  @%p2 bra WORK;
  st.volatile.shared.u32 [flag], %r2;
WAIT:
  ld.volatile.shared.u32 %r3, [flag];
  setp.eq.u32 %p3, %r3, 0;
  @%p3 bra WAIT;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  sub.u32 %r3, %r3, 1000;
  st.global.u32 [%rd1], %r3;
  ret;
}
)");
  const std::string file = scratch.file("last.yaml",
                                        "platform: {extends: small, sms: 1, sm: {type: functional}}\n"
                                        "workload:\n"
                                        "  buffers: {out: {type: u32, count: 1024, init: iota}}\n"
                                        "  launches: [{ptx: last.ptx, entry: last_warp_first, grid: [1], "
                                        "block: [1024], args: [{buffer: out}]}]\n"
                                        "  checks: [{buffer: out, equals: zero}]\n");
  const Finished run = run_program({"run", file, "--wall-limit", "60", "--set", "limits.cycles=10000000",
                                    "--set", exchange(GetParam()), "-q", "-o", (scratch / "run").string()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(read_result(scratch / "run")["verified"]);
}

TEST_P(FunctionalSmAlways, ADeadlockIsNamed) {
  const ScratchFolder scratch;
  const Finished run = run_program({"run", "fault_deadlock", "--set", kFunctional, "--set",
                                    exchange(GetParam()), "-q", "-o", (scratch / "run").string()});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("waits at a barrier"));
}

/// Two kernels of a CTA each, beside each other on one SM: `first` and `second` say how many turns of a loop
/// of three instructions they take.
nlohmann::json kernels_of_two(unsigned first, unsigned second, std::vector<std::string> settings) {
  const ScratchFolder scratch;
  scratch.file("two.ptx", R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry loops(.param .u32 times) {
  .reg .b32 %r<3>;
  .reg .pred %p<1>;
  ld.param.u32 %r2, [times];
  mov.u32 %r1, 0;
LOOP:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, %r2;
  @%p0 bra LOOP;
  ret;
}
)");
  const std::string file = scratch.file(
      "two.yaml",
      fmt::format(
          "platform: {{extends: small, sms: 1, ptx: {{code: ptx}}, sm: {{type: functional}}}}\n"
          "workload:\n  launches:\n"
          "    - {{ptx: two.ptx, entry: loops, grid: [1], block: [32], args: [{{u32: {}}}]}}\n"
          "    - {{ptx: two.ptx, entry: loops, stream: 1, grid: [1], block: [32], args: [{{u32: {}}}]}}\n",
          first, second));
  std::vector<std::string> args = {"run", file, "-q", "-o", (scratch / "run").string()};
  for (const std::string& setting : settings) args.insert(args.end(), {"--set", setting});
  const Finished run = run_program(args);
  EXPECT_EQ(run.status, 0) << run.err;
  return run.status == 0 ? read_result(scratch / "run")["kernels"] : nlohmann::json();
}
std::int64_t time_of(const nlohmann::json& kernel) {
  return kernel["end_cycle"].get<std::int64_t>() - kernel["start_cycle"].get<std::int64_t>();
}

// The end of a short CTA is told however long another one on the SM goes on.
TEST_P(FunctionalSmAlways, AShortKernelEndsBesideALongOne) {
  const auto kernels = kernels_of_two(10000, 1, {exchange(GetParam())});
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_GT(kernels[0]["end_cycle"], kernels[1]["end_cycle"]);
  EXPECT_LE(time_of(kernels[1]), 2 * 500 + 200);
}

// A warp alone goes on for longer and longer; one that looks for others does not. Neither takes another time
// for it.
TEST_P(FunctionalSmAlways, SlicesGrowWhileNothingHappens) {
  const ScratchFolder scratch;
  for (const std::string load : {"ld.global", "ld.volatile.global"}) {
    scratch.file("loop.ptx",
                 ".version 7.0\n.target sm_70\n.address_size 64\n"
                 ".visible .entry loops(.param .u64 at) {\n"
                 "  .reg .b32 %r<3>;\n  .reg .b64 %rd<2>;\n  .reg .pred %p<1>;\n"
                 "  ld.param.u64 %rd1, [at];\n  mov.u32 %r1, 0;\nLOOP:\n  " +
                     load +
                     ".u32 %r2, [%rd1];\n  add.u32 %r1, %r1, 1;\n"
                     "  setp.lt.u32 %p0, %r1, 25000;\n  @%p0 bra LOOP;\n  ret;\n}\n");
    const std::string file = scratch.file(
        "loop.yaml",
        "platform: {extends: small, sms: 1, ptx: {code: ptx}, sm: {type: functional}}\n"
        "profile: true\nworkload:\n  buffers: {out: {type: u32, count: 1, init: zero}}\n"
        "  launches: [{ptx: loop.ptx, entry: loops, grid: [1], block: [32], args: [{buffer: out}]}]\n");
    std::vector<std::int64_t> edges, cycles;
    for (const char* longest : {"500", "4000", "16000"}) {
      const Finished run =
          run_program({"run", file, "--set", std::string("platform.sm.longest_slice_cycles=") + longest,
                       "--set", exchange(GetParam()), "-q", "-o", (scratch / "run").string()});
      ASSERT_EQ(run.status, 0) << run.err;
      const auto result = read_json(scratch / "run" / "result.json");
      cycles.push_back(result["simulation"]["kernel_cycles"]);
      for (const auto& block : result["host"]["edges"])
        if (block["block"] == "sm") edges.push_back(block["edges"]);
    }
    ASSERT_EQ(edges.size(), 3u);
    EXPECT_GE(edges[0], 100'000 / 500);
    EXPECT_EQ(cycles, std::vector<std::int64_t>(3, cycles[0]));
    if (load == "ld.global") {
      EXPECT_LE(edges[1], edges[0] / 4);
      EXPECT_LE(edges[2], edges[0] / 8);
    } else {
      EXPECT_EQ(edges, std::vector<std::int64_t>(3, edges[0]));
    }
  }
}

// Nor do CTAs that follow others of their kernel make slices short again.
TEST_P(FunctionalSmAlways, SlicesStayLongFromCtaToCta) {
  const ScratchFolder scratch;
  scratch.file("ctas.ptx",
               ".version 7.0\n.target sm_70\n.address_size 64\n"
               ".visible .entry loops() {\n  .reg .b32 %r<2>;\n  .reg .pred %p<1>;\n  mov.u32 %r1, 0;\n"
               "LOOP:\n  add.u32 %r1, %r1, 1;\n  setp.lt.u32 %p0, %r1, 1000;\n  @%p0 bra LOOP;\n  ret;\n}\n");
  const std::string file =
      scratch.file("ctas.yaml",
                   "platform: {extends: small, sms: 1, ptx: {code: ptx}, sm: {type: functional}}\n"
                   "profile: true\nworkload:\n  launches: [{ptx: ctas.ptx, entry: loops, grid: [100], block: "
                   "[32], args: []}]\n");
  const Finished run =
      run_program({"run", file, "--set", exchange(GetParam()), "-q", "-o", (scratch / "run").string()});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "run" / "result.json");
  EXPECT_EQ(result["simulation"]["warp_instructions"], 100 * 3002);
  // A CTA of 3,000 instructions is a slice, and the next one's coming an edge; slices of 500, 1,000 and 2,000
  // would be three. CTAs that follow others need no edge.
  std::int64_t edges = 0;
  for (const auto& block : result["host"]["edges"])
    if (block["block"] == "sm") edges = block["edges"];
  EXPECT_GE(edges, 30);
  EXPECT_LE(edges, 100 * 2 + 20);
}

/// A run of a kernel of one parameter, the address of a zeroed array with a word for each CTA of a grid of 20
/// x 10 x 5, and that array.
struct OfCtas {
  nlohmann::json result;
  std::string words;
  /// At which a block was evaluated.
  std::int64_t edges(const std::string& block) const {
    for (const auto& row : result["host"]["edges"])
      if (row["block"] == block) return row["edges"];
    return -1;
  }
};
OfCtas of_ctas(const std::string& body, const std::vector<std::string>& settings) {
  const ScratchFolder scratch;
  scratch.file("ctas.ptx", R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry ctas(.param .u64 out) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  mov.u32 %r3, %ctaid.z;
  mad.lo.u32 %r2, %r3, 10, %r2;
  mad.lo.u32 %r1, %r2, 20, %r1;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd2, %rd1, %rd2;
)" + body + "  ret;\n}\n");
  const std::string file = scratch.file(
      "ctas.yaml",
      "platform: {extends: small, sms: 2, sm: {type: functional}}\nprofile: true\nworkload:\n"
      "  buffers: {out: {type: u32, count: 1001, init: zero}}\n"
      "  launches: [{ptx: ctas.ptx, entry: ctas, grid: [20, 10, 5], block: [32], args: [{buffer: out}]}]\n"
      "  dumps: [{buffer: out, file: out}]\n");
  std::vector<std::string> arguments = {"run", file, "-q", "-o", (scratch / "run").string()};
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  const Finished run = run_program(arguments);
  EXPECT_EQ(run.status, 0) << run.err;
  return {read_json(scratch / "run" / "result.json"), read_text(scratch / "run" / "out")};
}

// The work distributor hands over some with each CTA, which begin in its place.
TEST_P(FunctionalSmAlways, CtasFollowOneAnother) {
  const auto run = [&](unsigned most) {
    return of_ctas(R"(  mov.u32 %r5, %ctaid.x;
  mov.u32 %r6, %ctaid.y;
  mov.u32 %r7, %ctaid.z;
  mad.lo.u32 %r6, %r7, 100, %r6;
  mad.lo.u32 %r5, %r6, 100, %r5;
  st.global.u32 [%rd2], %r5;
)",
                   {exchange(GetParam()), fmt::format("platform.sm.most_followers={}", most)});
  };
  const OfCtas alone = run(0), following = run(15);
  ASSERT_EQ(following.words.size(), 1001 * sizeof(std::uint32_t));
  for (std::uint32_t cta = 0; cta <= 1000; ++cta) {
    std::uint32_t word;
    std::memcpy(&word, following.words.data() + cta * sizeof word, sizeof word);
    ASSERT_EQ(word, cta < 1000 ? cta % 20 + cta / 20 % 10 * 100 + cta / 200 * 10000 : 0) << cta;
  }
  for (const char* count : {"ctas", "ctas_done", "warp_instructions", "thread_instructions"})
    EXPECT_EQ(following.result["kernels"][0][count], alone.result["kernels"][0][count]) << count;
  std::int64_t on_sms = 0;
  for (const auto& sm : following.result["sms"]) on_sms += sm["ctas"].get<std::int64_t>();
  EXPECT_EQ(on_sms, 1000);
  EXPECT_LT(following.edges("work distributor"), alone.edges("work distributor") / 2);
}

// A CTA waits for the one behind it, which therefore does not follow it.
TEST_P(FunctionalSmAlways, NoCtaWaitsForOneThatWouldFollowIt) {
  for (const char* load : {"ld.volatile.global.u32", "ld.global.cv.u32", "membar.gl;\n  ld.global.u32",
                           "ld.acquire.gpu.global.u32"}) {
    const OfCtas run = of_ctas(fmt::format(R"(  and.b32 %r5, %r1, 1;
  setp.eq.u32 %p0, %r5, 0;
  @%p0 bra waits;
  st.global.u32 [%rd2], 9;
  ret;
waits:
  {} %r6, [%rd2+4];
  setp.eq.u32 %p1, %r6, 0;
  @%p1 bra waits;
  st.global.u32 [%rd2], %r6;
)",
                                           load),
                               {exchange(GetParam())});
    ASSERT_EQ(run.words.size(), 1001 * sizeof(std::uint32_t));
    for (std::uint32_t cta = 0; cta < 1000; ++cta)
      ASSERT_EQ(run.words[cta * sizeof(std::uint32_t)], 9) << load << cta;
    EXPECT_EQ(run.result["kernels"][0]["ctas_done"], 1000);
  }
}

// Of a kernel that is killed the CTAs that have ended count, and those that would have followed are gone.
TEST_P(FunctionalSmAlways, AKilledKernelsFollowersAreAccountedFor) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("killed.yaml",
                   "platform: {extends: small, sm: {type: functional}}\nworkload:\n  processes:\n"
                   "    - {app: fault, params: {kind: trapped_midway, ctas: 5000}}\n"
                   "    - {app: vector_add, arrival_us: 5000}\n");
  const Finished run =
      run_program({"run", file, "--set", exchange(GetParam()), "-q", "-o", (scratch / "run").string()});
  EXPECT_EQ(run.status, 3) << run.err;
  const auto result = read_result(scratch / "run");
  EXPECT_EQ(result["processes"][1]["verified"], true);
  const auto& killed = result["kernels"][0];
  EXPECT_TRUE(killed["killed"]);
  std::uint64_t on_sms = 0;
  for (const auto& sm : result["sms"]) on_sms += sm["ctas"].get<std::uint64_t>();
  EXPECT_EQ(on_sms,
            killed["ctas_done"].get<std::uint64_t>() + result["kernels"][1]["ctas"].get<std::uint64_t>());
  EXPECT_GT(killed["ctas_done"], 2000);
  const auto& distributor = result["control"]["work_distributor"];
  const auto count = [&](const char* key) { return distributor[key].get<std::uint64_t>(); };
  EXPECT_GT(count("ctas_killed"), 0u);
  EXPECT_EQ(count("ctas_issued"), count("ctas_done") + count("ctas_killed"));
}

// Slices have become long by then, and another kernel goes on.
TEST(FunctionalSm, AnEndIsToldWithinAShortSlice) {
  std::vector<std::int64_t> ends;
  for (const char* when : kExchanges) {
    const auto kernels = kernels_of_two(50000, 1500, {exchange(when)});
    ASSERT_EQ(kernels.size(), 2u);
    ends.push_back(kernels[1]["end_cycle"]);
  }
  EXPECT_GE(ends[1], ends[0]);
  EXPECT_LE(ends[1], ends[0] + 500);
}

// Not at the end of a slice, but when the CTA ends: a warp's turn is longer than it.
TEST(FunctionalSm, ACtaEndsItsSlice) {
  for (const unsigned slice : {100, 500, 20000}) {
    const auto kernels = kernels_of_two(100, 30000, {fmt::format("platform.sm.slice_cycles={}", slice)});
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_GE(time_of(kernels[0]), 303) << slice;
    EXPECT_LE(time_of(kernels[0]), 303 + 100) << slice;
  }
}

// A kernel whose CTAs are taken off for more urgent ones: saved, to go on, or dropped, to begin anew.
TEST_P(FunctionalSmAlways, CtasLeaveAndComeBack) {
  for (const std::string how : {"switch", "flush"}) {
    const ScratchFolder scratch;
    const std::string file = scratch.file(
        "three.yaml",
        "platform: {extends: small, sm: {type: functional, instructions_per_cycle: 0.1, slice_cycles: 100}, "
        "work_distributor: {policy: fcfs_ppq, preemption: " +
            how +
            "}}\nworkload:\n  processes:\n"
            "    - {app: matmul, params: {m: 128, n: 128, k: 64}}\n"
            "    - {app: vector_add, arrival_us: 100, priority: 1}\n"
            "    - {app: reduction, arrival_us: 200, priority: 2}\n");
    const Finished run =
        run_program({"run", file, "--set", exchange(GetParam()), "-q", "-o", (scratch / "run").string()});
    EXPECT_EQ(run.status, 0) << how << run.err;
    const auto result = read_result(scratch / "run");
    EXPECT_TRUE(result["verified"]) << how;
    EXPECT_GT(result["control"]["work_distributor"][how == "switch" ? "ctas_saved" : "ctas_dropped"], 0)
        << how;
  }
}

TEST_P(FunctionalSmAlways, PageTablesAreFollowed) {
  EXPECT_TRUE(result_of("vector_add", {exchange(GetParam()), "platform.mmu=page_tables"})["verified"]);
}

/// CUDA programs, with CTAs that wait for each other, textures, faults of their own.
class FunctionalSmServes : public testing::TestWithParam<std::tuple<const char*, const char*>> {};
TEST_P(FunctionalSmServes, CudaPrograms) {
  const auto [part, when] = GetParam();
  const ScratchFolder scratch;
  const Finished run =
      run_program({"cuda", "--platform", "small", "--set", kFunctional, "--set", exchange(when), "-o",
                   (scratch / "run").string(), "--", CUDA_TEST_PROGRAM, part});
  EXPECT_EQ(run.status, std::string(part) == "fault" ? 3 : 0) << run.out << run.err;
  EXPECT_EQ(run.out, "");
}
INSTANTIATE_TEST_SUITE_P(Cases, FunctionalSmServes,
                         testing::Combine(testing::Values("plain", "streams", "managed", "symbols",
                                                          "textures", "graphs", "cooperative", "fault"),
                                          testing::ValuesIn(kExchanges)));

}  // namespace
}  // namespace warpvp::test
