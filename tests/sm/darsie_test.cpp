// DARSIE in an SM: who leads, who skips, who waits, and that values and tables stay right.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "modules/sm/darsie/params.h"
#include "ptx/exec/functional_runner.h"
#include "ptx/module.h"
#include "tests/ptx_redundancy/random_kernels.h"
#include "tests/sm/sm_bench.h"
#include "tests/support/set_fields.h"
#include "tests/support/stat_map.h"

namespace warpvp::test {
namespace {

PolicyChoice darsie(const char* name, std::map<std::string, double> values = {},
                    std::map<std::string, std::string> words = {}) {
  values["check"] = 1;
  return part_with(name, std::move(values), std::move(words));
}

SmConfig sm_with(PolicyChoice mode) {
  SmConfig config = plain_sm();
  config.schedulers = 2;
  config.frontend.mode = std::move(mode);
  return config;
}

/// Instructions that issued, by warp: "0: 0 1 3 | 1: 1 3".
std::string issued_by_warp(const SmBench& bench, unsigned warps) {
  std::string text;
  for (unsigned warp = 0; warp < warps; ++warp) {
    text += (warp ? " | " : "") + std::to_string(warp) + ":";
    for (const SmBench::Issue& i : bench.issues)
      if (i.warp == warp) text += " " + std::to_string(i.pc);
  }
  return text;
}
Cycle issue_of(const SmBench& bench, unsigned warp, int pc) {
  for (const SmBench::Issue& i : bench.issues)
    if (i.warp == warp && i.pc == pc) return i.cycle;
  return kNever;
}

/// How often each of the first `instructions` issued, all warps together.
std::vector<unsigned> times_issued(const SmBench& bench, unsigned instructions) {
  std::vector<unsigned> times(instructions);
  for (const SmBench::Issue& i : bench.issues) ++times.at(static_cast<unsigned>(i.pc));
  return times;
}

std::map<std::string, double> counts(SmBench& bench) {
  StatMap stats;
  bench.sm.policy_stats(stats);
  return stats.values;
}

const char* const kModule = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n";

// Four warps of 16 by 8 threads. tid.x and what comes of it is executed once; tid.y by each.
TEST(Darsie, OneWarpLeadsAndTheOthersSkip) {
  SmConfig config = sm_with(darsie("darsie"));
  config.latency.int_mul = 9;
  SmBench bench(config);
  bench.load_module(std::string(kModule) + R"(
  .reg .u32 %r<6>;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %tid.y;
  mul.lo.u32 %r2, %r0, 5;
  add.u32 %r3, %r2, %r1;
  ret;
})",
                    {16, 8, 1});
  bench.run_again();
  unsigned leaders_of_0 = 0, leaders_of_2 = 0;
  for (unsigned warp = 0; warp < 4; ++warp) {
    leaders_of_0 += issue_of(bench, warp, 0) != kNever;
    leaders_of_2 += issue_of(bench, warp, 2) != kNever;
    for (const int pc : {1, 3, 4}) EXPECT_NE(issue_of(bench, warp, pc), kNever) << warp << " " << pc;
  }
  EXPECT_EQ(leaders_of_0, 1u) << issued_by_warp(bench, 4);
  EXPECT_EQ(leaders_of_2, 1u) << issued_by_warp(bench, 4);
  // Nobody reads the product before it is there.
  Cycle product = 0, first_sum = kNever;
  for (const SmBench::Issue& i : bench.issues) {
    if (i.pc == 2) product = i.cycle;
    if (i.pc == 3) first_sum = std::min(first_sum, i.cycle);
  }
  EXPECT_GE(first_sum, product + 9);
  EXPECT_EQ(bench.sm.counters().fetch.skipped, 6u);
  const auto stats = counts(bench);
  EXPECT_EQ(stats.at("front_end.leaders"), 2);
  EXPECT_EQ(stats.at("front_end.skipped"), 6);
  EXPECT_EQ(stats.at("front_end.renamed_writes"), 2);
}

// In one dimension tid.x does not repeat: only what is the same for the whole CTA is skipped.
TEST(Darsie, TheShapeOfTheCtaDecides) {
  SmBench bench(sm_with(darsie("darsie")));
  bench.load_module(std::string(kModule) + R"(
  .reg .u32 %r<6>;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ntid.x;
  mul.lo.u32 %r2, %r0, 5;
  add.u32 %r3, %r1, 5;
  ret;
})",
                    {128, 1, 1});
  bench.run_again();
  EXPECT_EQ(times_issued(bench, 5), (std::vector<unsigned>{4, 1, 4, 1, 4}));
}

// The last warp has eight threads: it neither leads nor follows, and nobody waits for it.
TEST(Darsie, AWarpThatLacksThreadsSkipsNothing) {
  SmBench bench(sm_with(darsie("darsie")));
  bench.load_module(std::string(kModule) + R"(
  .reg .u32 %r<6>; .reg .pred %p;
  mov.u32 %r0, %ntid.x;
  setp.eq.u32 %p, %r0, 104;
  @%p bra L;
L:
  bar.sync 0;
  add.u32 %r1, %r0, 1;
  ret;
})",
                    {104, 1, 1});
  bench.run_again();
  unsigned of[6] = {};
  for (const SmBench::Issue& i : bench.issues) ++of[i.pc];
  EXPECT_EQ(of[0], 2u);
  EXPECT_EQ(of[4], 2u);
  EXPECT_NE(issue_of(bench, 3, 0), kNever);
  EXPECT_NE(issue_of(bench, 3, 4), kNever);
}

// Warps 0 to 2 go one way, warp 3 the other: it is off the path until the barrier.
TEST(Darsie, TheMajoritysWaySkips) {
  SmBench bench(sm_with(darsie("darsie")));
  bench.load_module(std::string(kModule) + R"(
  .reg .u32 %r<9>; .reg .pred %p;
  mov.u32 %r0, %tid.y;
  setp.ge.u32 %p, %r0, 3;
  @%p bra OTHER;
  mov.u32 %r1, 1;
  bra MET;
OTHER:
  mov.u32 %r1, 2;
MET:
  mov.u32 %r2, 3;
  bar.sync 0;
  mov.u32 %r3, 4;
  ret;
})",
                    {32, 4, 1});
  bench.run_again();
  unsigned of[10] = {};
  for (const SmBench::Issue& i : bench.issues) ++of[i.pc];
  EXPECT_EQ(of[3], 1u) << "one of the three";
  EXPECT_EQ(of[5], 1u) << "warp 3 alone";
  EXPECT_EQ(of[6], 2u) << "a leader, and warp 3 off the path";
  EXPECT_EQ(of[8], 1u) << "behind the barrier all are on it again";
  const auto stats = counts(bench);
  EXPECT_EQ(stats.at("front_end.left_path"), 1);
  EXPECT_EQ(stats.at("front_end.gathered"), 1);
  EXPECT_EQ(stats.at("front_end.branch_syncs"), 1);
}

// Two and two: the way of the first warp is the majority's.
TEST(Darsie, OfTwoWaysWithAsManyWarpsTheFirstWarpsIsTaken) {
  SmBench bench(sm_with(darsie("darsie")));
  bench.load_module(std::string(kModule) + R"(
  .reg .u32 %r<9>; .reg .pred %p;
  mov.u32 %r0, %tid.y;
  setp.ge.u32 %p, %r0, 2;
  @%p bra OTHER;
  mov.u32 %r1, 1;
  ret;
OTHER:
  mov.u32 %r1, 2;
  ret;
})",
                    {32, 4, 1});
  bench.run_again();
  unsigned of[10] = {};
  for (const SmBench::Issue& i : bench.issues) ++of[i.pc];
  EXPECT_EQ(of[3], 1u);
  EXPECT_EQ(of[5], 2u);
}

// Warps wait for each other at a branch; the fastest goes on with the slowest.
TEST(Darsie, BranchesSynchronise) {
  const std::string text = std::string(kModule) + R"(
  .reg .u32 %r<9>; .reg .pred %p;
  mov.u32 %r0, %tid.y;
  mov.u32 %r1, %tid.z;
  setp.lt.u32 %p, %r0, 100;
  @%p bra L;
L:
  add.u32 %r3, %r0, 4;
  ret;
})";
  SmBench bench(sm_with(darsie("silicon_sync")));
  bench.load_module(text, {32, 8, 1});
  bench.run_again();
  Cycle last_branch = 0, first_behind = kNever;
  for (const SmBench::Issue& i : bench.issues) {
    if (i.pc == 3) last_branch = std::max(last_branch, i.cycle);
    if (i.pc == 4) first_behind = std::min(first_behind, i.cycle);
  }
  EXPECT_GT(first_behind, last_branch);
  EXPECT_EQ(bench.sm.counters().fetch.skipped, 0u);
}

// A load from a redundant address is one access to memory for the CTA.
TEST(Darsie, ALoadIsSharedToo) {
  SmBench bench(sm_with(darsie("darsie")));
  bench.load_module(std::string(kModule) + R"(
  .shared .align 4 .b8 s[64];
  .reg .u32 %r<9>;
  mov.u32 %r0, s;
  ld.shared.u32 %r1, [%r0];
  add.u32 %r2, %r1, 1;
  ret;
})",
                    {32, 4, 1});
  bench.run_again();
  unsigned of[6] = {};
  for (const SmBench::Issue& i : bench.issues) ++of[i.pc];
  EXPECT_EQ(of[1], 1u) << "one load of shared memory for four warps";
  EXPECT_EQ(counts(bench).at("front_end.loads_dropped"), 0);
}

// A store behind the leader's load: the entry goes before anybody has followed, and others load by
// themselves.
TEST(Darsie, AStoreDropsTheLoadBeforeIt) {
  SmBench bench(sm_with(darsie("darsie")));
  bench.load_module(std::string(kModule) + R"(
  .shared .align 4 .b8 s[64];
  .reg .u32 %r<9>;
  mov.u32 %r0, s;
  mov.u32 %r4, %tid.y;
  ld.shared.u32 %r1, [%r0];
  st.shared.u32 [%r0+32], %r4;
  add.u32 %r2, %r1, 1;
  ret;
})",
                    {32, 4, 1});
  bench.run_again();
  EXPECT_GT(times_issued(bench, 6)[2], 1u);
  EXPECT_GT(counts(bench).at("front_end.loads_dropped"), 0);
}

// Four warps come one after the other, by their own sleep (nobody skips past a branch that has not issued).
// While one has led and others sleep, a fence of another kernel's CTA sends the global load out of the table,
// and leaves that of shared memory.
TEST(Darsie, AFenceOfAnotherCtaDropsGlobalLoads) {
  SmBench bench(sm_with(darsie("darsie")), 40);
  bench.load_module(fmt::format("{}{}{}{}", kModule, R"(
  .shared .align 4 .b8 s[64];
  .reg .u32 %r<9>; .reg .u64 %rd<2>;
  mov.u32 %r0, s;
  mov.u64 %rd0, )",
                                *bench.memory.allocate(64), R"(;
  mov.u32 %r3, %tid.y;
  mul.lo.u32 %r4, %r3, 1000;
  nanosleep.u32 %r4;
  bra AWAKE;
AWAKE:
  ld.shared.u32 %r1, [%r0];
  ld.global.u32 %r2, [%rd0];
  add.u32 %r5, %r1, %r2;
  ret;
})"),
                    {32, 4, 1});
  bench.launch();
  const auto run = [&](Cycle cycles) {
    sc_core::sc_start(static_cast<double>(cycles) * bench.clock.period());
  };
  const auto count = [&](unsigned pc) { return times_issued(bench, 10)[pc]; };
  for (Cycle i = 0; i < 2000 && count(7) == 0; i += 10) run(10);
  run(200);
  ASSERT_EQ(count(7), 1u) << issued_by_warp(bench, 4);
  ASSERT_LT(count(8), 4u) << "some still sleep";
  bench.launch_id = 1;
  bench.load_module(std::string(kModule) + "membar.gl;\nret;\n}\n", {32, 1, 1});
  bench.launch();
  run(5000);
  EXPECT_EQ(bench.ctas_done, 2u);
  EXPECT_EQ(counts(bench).at("front_end.loads_dropped"), 1);
  EXPECT_EQ(count(6), 1u) << issued_by_warp(bench, 4);
  EXPECT_GE(count(7), 2u) << issued_by_warp(bench, 4);
}

// The carry lies in no register that could be shared: who skipped what sets it would not have it.
TEST(Darsie, WhatSetsACarryIsExecutedByEach) {
  SmBench bench(sm_with(darsie("darsie")));
  bench.load_module(std::string(kModule) + R"(
  .reg .u32 %r<6>;
  mov.u32 %r0, %ntid.x;
  add.cc.u32 %r1, %r0, 0xffffffff;
  addc.u32 %r2, %r0, 0;
  ret;
})",
                    {32, 4, 1});
  bench.run_again();
  EXPECT_EQ(times_issued(bench, 4), (std::vector<unsigned>{1, 4, 1, 4}));
}

// What stands behind an instruction that is skipped comes after its result (LeaderWB), whether it needs it or
// not.
TEST(Darsie, FollowersComeAfterTheResult) {
  SmConfig config = sm_with(darsie("darsie"));
  config.latency.int_mul = 40;
  SmBench bench(config);
  bench.load_module(std::string(kModule) + R"(
  .reg .u32 %r<6>;
  mov.u32 %r0, %tid.x;
  mul.lo.u32 %r2, %r0, 5;
  mov.u32 %r1, %tid.y;
  add.u32 %r3, %r2, %r1;
  ret;
})",
                    {16, 8, 1});
  bench.run_again();
  unsigned leader = 4;
  for (unsigned warp = 0; warp < 4; ++warp)
    if (issue_of(bench, warp, 1) != kNever) leader = warp;
  ASSERT_LT(leader, 4u);
  for (unsigned warp = 0; warp < 4; ++warp) {
    if (warp == leader) continue;
    EXPECT_EQ(issue_of(bench, warp, 1), kNever) << warp;
    EXPECT_GE(issue_of(bench, warp, 2), issue_of(bench, leader, 1) + 40) << warp;
  }
}

// Two results are there at different times: who goes past the first waits for the second.
TEST(Darsie, EachResultIsWaitedFor) {
  SmConfig config = sm_with(darsie("darsie"));
  config.latency.int_mul = 40;
  SmBench bench(config);
  bench.load_module(std::string(kModule) + R"(
  .reg .u32 %r<6>;
  mov.u32 %r0, %ntid.x;
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r0, 5;
  mov.u32 %r3, %tid.y;
  ret;
})",
                    {16, 8, 1});
  bench.run_again();
  Cycle product = kNever;
  for (const SmBench::Issue& i : bench.issues)
    if (i.pc == 2) product = i.cycle;
  ASSERT_NE(product, kNever);
  for (unsigned warp = 0; warp < 4; ++warp) {
    if (issue_of(bench, warp, 2) != kNever) continue;  // the leader
    EXPECT_GE(issue_of(bench, warp, 3), product + 40) << warp;
  }
}

// Warp 3 leaves the path and copies eight renamed registers, so many in a cycle.
class DarsieCopies : public ::testing::TestWithParam<unsigned> {};
TEST_P(DarsieCopies, TakeTheirTime) {
  SmBench bench(sm_with(darsie("darsie", {{"copies_per_cycle", GetParam()}}, {{"registers_from", "own"}})));
  std::string text = std::string(kModule) + ".reg .u32 %r<12>; .reg .pred %p;\n";
  for (unsigned i = 0; i < 8; ++i) text += fmt::format("mov.u32 %r{}, %ntid.x;\n", i);
  bench.load_module(text + R"(
  mov.u32 %r9, %tid.y;
  setp.ge.u32 %p, %r9, 3;
  @%p bra OTHER;
  mov.u32 %r10, 1;
  ret;
OTHER:
  mov.u32 %r10, 2;
  mad.lo.u32 %r10, %r0, %r1, %r2;
  mad.lo.u32 %r10, %r3, %r4, %r10;
  mad.lo.u32 %r10, %r5, %r6, %r10;
  add.u32 %r10, %r7, %r10;
  ret;
})",
                    {32, 4, 1});
  bench.run_again();
  EXPECT_EQ(counts(bench).at("front_end.copies"), 8);
  EXPECT_EQ(issue_of(bench, 3, 13) - issue_of(bench, 3, 10), 4 + (8 + GetParam() - 1) / GetParam());
}
INSTANTIATE_TEST_SUITE_P(ACycle, DarsieCopies, ::testing::Values(1, 4, 64));

// A program is looked at anew for each shape of CTA.
TEST(Darsie, MarksAreThoseOfTheShape) {
  const auto program = ptx::Module::parse(std::string(kModule) + R"(
  .reg .u32 %r<2>;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ntid.x;
  ret;
})",
                                          "test.ptx")
                           ->entry("k");
  const auto skips = [&](std::array<std::uint32_t, 3> block, const darsie::Params& params) {
    const darsie::AllFlags& flags = darsie::flags_of(*program, block, params);
    return std::array<bool, 2>{flags[0].skip, flags[1].skip};
  };
  EXPECT_EQ(skips({16, 16, 1}, {}), (std::array<bool, 2>{true, true}));
  EXPECT_EQ(skips({256, 1, 1}, {}), (std::array<bool, 2>{false, true}));
  EXPECT_EQ(&darsie::flags_of(*program, {16, 16, 1}, {}), &darsie::flags_of(*program, {16, 16, 1}, {}));
  darsie::Params none;
  none.skip = false;
  EXPECT_EQ(skips({16, 16, 1}, none), (std::array<bool, 2>{false, false}));
  EXPECT_FALSE(darsie::affine_flags(*program, {256, 1, 1}, false)[2].skip);
  EXPECT_TRUE(darsie::affine_flags(*program, {256, 1, 1}, false)[0].skip) << "affine, in whatever shape";
  EXPECT_FALSE(darsie::uniform_flags(*program, {256, 1, 1})[0].skip);
}

// A guard that all warps share does not make an instruction skippable.
TEST(Darsie, GuardedInstructionsAreExecutedByEach) {
  SmBench bench(sm_with(darsie("darsie")));
  bench.load_module(std::string(kModule) + R"(
  .reg .u32 %r<4>;
  .reg .pred %p<2>;
  mov.u32 %r0, %ctaid.x;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 mov.u32 %r0, 7;
  add.u32 %r1, %r0, 1;
  ret;
})",
                    {16, 8, 1});
  bench.run_again();
  for (unsigned warp = 0; warp < 4; ++warp) EXPECT_NE(issue_of(bench, warp, 2), kNever) << warp;
}

struct Way {
  const char* name;
  PolicyChoice mode;
  unsigned schedulers, fetch_width;
  ptx::Code code;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
class DarsieRandom : public ::testing::TestWithParam<Way> {};

// Random kernels with everything that parts warps: values are checked at each skip, results at the end, and
// that nobody waits for ever and no register is lost, by the CTA's end.
TEST_P(DarsieRandom, KernelsEndWithTheirResults) {
  SmConfig config = plain_sm();
  config.schedulers = GetParam().schedulers;
  config.frontend.mode = GetParam().mode;
  config.frontend.fetch_width = GetParam().fetch_width;
  config.frontend.ibuffer_entries = 4;
  SmBench bench(config, 30);
  bench.code_options.code = GetParam().code;
  const std::uint64_t out = *bench.memory.allocate(4 * 1024), table = *bench.memory.allocate(256);
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint32_t word = i * 2654435761u;
    std::memcpy(bench.memory.at(table + 4 * i), &word, 4);
  }
  double skipped = 0;
  for (unsigned seed = 7000; seed != 7060; ++seed) {
    const random_kernels::Kernel kernel(seed);
    const unsigned threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    const std::string text = kernel.text(out, table, seed);
    std::memset(bench.memory.at(out), 0, 4 * threads);
    bench.load_module(text, kernel.block);
    bench.launch_id = seed;
    bench.issues.clear();
    bench.run_again();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    // The same without time.
    ptx::FlatMemory memory(1 << 20);
    memory.allocate((1 << 20) - 4096);
    std::vector<std::byte> words(256);
    std::memcpy(words.data(), bench.memory.at(table), words.size());
    memory.write(table, words.data(), words.size());
    ptx::FunctionalRunner runner(memory);
    const auto result =
        runner.run(*bench.program, {1, 1, 1}, {kernel.block[0], kernel.block[1], kernel.block[2]}, {});
    ASSERT_TRUE(result.ok()) << seed;
    std::vector<std::byte> expected(4 * threads);
    memory.read(out, expected.data(), expected.size());
    ASSERT_EQ(std::memcmp(bench.memory.at(out), expected.data(), expected.size()), 0) << "seed " << seed;
  }
  skipped = static_cast<double>(bench.sm.counters().fetch.skipped);
  EXPECT_GT(skipped, 400);
}

std::vector<Way> ways() {
  using ptx::Code;
  return {
      {"plain", darsie("darsie"), 2, 1, Code::kPtx},
      {"machine", darsie("darsie"), 4, 2, Code::kMachine},
      {"one_scheduler", darsie("darsie"), 1, 2, Code::kPtx},
      {"one_entry", darsie("darsie", {{"table_entries", 1}}), 2, 2, Code::kPtx},
      {"waits", darsie("darsie", {{"table_entries", 2}}, {{"when_full", "wait"}}), 2, 2, Code::kPtx},
      {"few_registers", darsie("darsie", {{"registers", 3}}, {{"registers_from", "own"}}), 2, 2, Code::kPtx},
      {"many_registers",
       darsie("darsie", {{"registers", 64}, {"rename_entries", 64}}, {{"registers_from", "own"}}), 2, 2,
       Code::kMachine},
      {"no_registers", darsie("darsie", {{"registers", 0}}), 2, 2, Code::kPtx},
      {"one_of_each",
       darsie("darsie", {{"registers", 1}, {"table_entries", 1}},
              {{"registers_from", "own"}, {"when_full", "wait"}}),
       2, 2, Code::kMachine},
      {"one_register",
       darsie("darsie_no_cf_sync", {{"registers", 1}, {"write_ports", 3}}, {{"registers_from", "own"}}), 4, 2,
       Code::kMachine},
      {"many_ports", darsie("darsie", {{"read_ports", 8}, {"write_ports", 4}}), 4, 2, Code::kPtx},
      {"by_xy", darsie("darsie", {{"by_xy", 1}}), 2, 1, Code::kPtx},
      {"no_predicates", darsie("darsie", {{"predicates", 0}}), 2, 1, Code::kPtx},
      {"no_cf_sync", darsie("darsie_no_cf_sync"), 2, 2, Code::kPtx},
      {"no_cf_sync_few",
       darsie("darsie_no_cf_sync", {{"registers", 3}}, {{"registers_from", "own"}, {"when_full", "wait"}}), 2,
       2, Code::kMachine},
      {"uv_2", part_with("uv", {{"entries", 2}, {"check", 1}}), 2, 1, Code::kPtx},
      {"uv_32", part_with("uv", {{"check", 1}}), 4, 2, Code::kMachine},
      {"uv_plain", part_with("uv", {{"check", 1}}), 1, 2, Code::kPtx},
      {"dac_ideal", PolicyChoice("dac_ideal"), 2, 2, Code::kPtx},
      {"dac_ideal_machine", PolicyChoice("dac_ideal"), 4, 1, Code::kMachine},
      {"no_bank_conflicts", darsie("darsie_no_bank_conflicts"), 2, 1, Code::kPtx},
  };
}
INSTANTIATE_TEST_SUITE_P(Darsie, DarsieRandom, ::testing::ValuesIn(ways()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace warpvp::test
