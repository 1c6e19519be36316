// Instruction caches under an SM: what a fetch, a loop, both front ends and the oracles make of an L0 with a
// stream buffer before the shared L1.

#include <gtest/gtest.h>

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

constexpr Cycle kMemory = 11;              // from a lookup that misses the L1 to the line in it
constexpr Cycle kRequest = 5, kReply = 3;  // before and behind the L1
constexpr unsigned kPerLine = 8;           // instructions

/// An L0 of 8 lines and an L1 of 32, each of one set.
SmConfig with_l0(unsigned stream_lines = 0) {
  SmConfig c = plain_sm();
  InstructionCacheConfig& caches = c.memory.instruction;
  caches.size_bytes = 32 * 128;
  caches.associativity = 32;
  caches.mshrs = 16;
  caches.l0.size_bytes = 8 * 128;
  caches.l0.associativity = 8;
  caches.l0.request_latency = kRequest;
  caches.l0.reply_latency = kReply;
  caches.l0.stream_lines = stream_lines;
  return c;
}

/// A line of instructions, then a loop of `lines` lines.
std::string loop_of(unsigned lines, unsigned rounds) {
  std::string text = ".reg .u32 %r<4>;\n.reg .pred %p<2>;\nmov.u32 %r1, 0;\n";
  for (unsigned i = 1; i < kPerLine; ++i) text += "mov.u32 %r2, 1;\n";
  text += "L:\n";
  for (unsigned i = 3; i < lines * kPerLine; ++i) text += "mov.u32 %r2, 2;\n";
  return text + "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, " + std::to_string(rounds) +
         ";\n@%p1 bra L;\nret;\n";
}

// ---- the capacity curve

struct Point {
  SmConfig config;
  std::string name;
  unsigned lines;
  Cycle line_cycles;   // of a line in the middle of the loop
  Cycle round_cycles;  // of the whole loop
};
std::ostream& operator<<(std::ostream& out, const Point& p) { return out << p.name; }

class CapacityCurve : public testing::TestWithParam<Point> {};

// One warp issues an instruction an edge as long as there are instructions; so the cycles of a line are those
// of its instructions and those that the fetch of its first one waits. The front end runs no more than a line
// ahead.
TEST_P(CapacityCurve, StepsWhereACacheIsFull) {
  const Point& p = GetParam();
  SmBench bench(p.config, kMemory - 1);
  constexpr unsigned kRounds = 5;
  bench.run(loop_of(p.lines, kRounds), 32);
  std::vector<Cycle> top, middle, next;
  for (const auto& issue : bench.issues) {
    if (issue.pc == static_cast<int>(kPerLine)) top.push_back(issue.cycle);
    if (issue.pc == static_cast<int>(p.lines / 2 * kPerLine)) middle.push_back(issue.cycle);
    if (issue.pc == static_cast<int>((p.lines / 2 + 1) * kPerLine)) next.push_back(issue.cycle);
  }
  ASSERT_EQ(top.size(), kRounds);
  for (unsigned round = 2; round < kRounds; ++round) {
    EXPECT_EQ(next[round] - middle[round], p.line_cycles);
    EXPECT_EQ(top[round] - top[round - 1], p.round_cycles);
  }
}

constexpr Cycle kHit = kPerLine, kL1 = kPerLine + kRequest + kReply,
                kL2 = kPerLine + kRequest + kMemory + kReply;
// A taken branch empties the I-buffer: the target is fetched at once and issues hit and decode latency later,
// instead of at the next edge.
constexpr Cycle kBranch = 3;
std::vector<Point> points() {
  std::vector<Point> all;
  for (unsigned lines : {4u, 7u}) all.push_back({with_l0(), "", lines, kHit, lines * kHit + kBranch});
  for (unsigned lines : {10u, 16u, 30u}) all.push_back({with_l0(), "", lines, kL1, lines * kL1 + kBranch});
  for (unsigned lines : {40u, 60u}) all.push_back({with_l0(), "", lines, kL2, lines * kL2 + kBranch});
  for (Point& p : all) p.name = "plain_" + std::to_string(p.lines);
  // A stream of four lines is well ahead of one warp; the top of the loop alone is waited for.
  for (unsigned lines : {10u, 30u, 40u, 60u}) {
    const Cycle top = lines < 32 ? kRequest + kReply : kRequest + kMemory + kReply;
    all.push_back({with_l0(4), "stream_" + std::to_string(lines), lines, kHit, lines * kHit + kBranch + top});
  }
  // The L1's own prefetch hides the memory, not the way to the L1.
  Point ahead{with_l0(), "l1_prefetch_60", 60, kL1, 60 * kL1 + kBranch + kMemory};
  ahead.config.memory.instruction.prefetch_lines = 4;
  all.push_back(ahead);
  Point ideal{with_l0(), "ideal_60", 60, kHit, 60 * kHit + kBranch};
  ideal.config.memory.instruction.ideal = true;
  all.push_back(ideal);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Of, CapacityCurve, testing::ValuesIn(points()),
                         [](const auto& info) { return info.param.name; });

// ---- front ends

TEST(InstructionCaches, AColdProgramWaitsOnceWithAStream) {
  // 20 lines: each is waited for without a stream, the first alone with one.
  std::string text = ".reg .u32 %r<4>;\n";
  for (unsigned i = 0; i < 20 * kPerLine - 1; ++i) text += "mov.u32 %r1, 1;\n";
  text += "ret;\n";
  SmBench plain(with_l0(), kMemory - 1, "plain"), stream(with_l0(8), kMemory - 1, "stream");
  for (SmBench* bench : {&plain, &stream}) bench->load(text, 32), bench->launch();
  sc_core::sc_start(100000 * plain.clock.period());
  EXPECT_EQ(plain.issues.back().cycle, 20 * kL2 - (kL2 - kPerLine) - 1);
  EXPECT_EQ(stream.issues.back().cycle, 20 * kPerLine - 1);
  for (SmBench* bench : {&plain, &stream}) {
    bench->sm.settle(bench->clock.now());
    const SmLaunchCounters& counters = *bench->sm.launch_counters(0);
    EXPECT_EQ(counters.fetch.fetch_misses, bench == &plain ? 20u : 1u);
    EXPECT_EQ(counters.warp_instructions, 20 * kPerLine);
  }
}

TEST(InstructionCaches, CoordinatedModeSuspendsForAsLongAsTheLineTakes) {
  SmConfig config = with_l0(2);
  config.frontend.mode = "coordinated";
  SmBench bench(config, kMemory - 1);
  bench.run("  .reg .u32 %r<9>;\n  mov.u32 %r1, 1;\n  mov.u32 %r2, 2;\n  ret;\n", 64);
  // As without an L0 (coordinated_test.cpp), with the way to the L1 and back in addition.
  const Cycle f = kRequest + kMemory + kReply;
  std::string expected = "0:0N 1:1N";
  for (unsigned i = 0; i < 8; ++i)
    expected += " " + std::to_string(f + i) + ":" + std::to_string(i % 2) + "N";
  for (unsigned i = 8; i < 14; ++i)
    expected += " " + std::to_string(f + i) + ":" + std::to_string(i % 2) + "." + std::to_string((i - 8) / 2);
  EXPECT_EQ(bench.text(), expected);
}

// Four sub-cores with two warps each, a loop that fits neither cache, and branches: with each front end, each
// line size and any stream all warps come to their end, and what they execute does not depend on the caches.
class AllCaches : public testing::TestWithParam<std::tuple<std::string, unsigned, unsigned>> {};

TEST_P(AllCaches, BringEachWarpToItsEnd) {
  const auto [mode, stream, line] = GetParam();
  SmConfig config = with_l0(stream);
  config.frontend.mode = mode.c_str();
  config.schedulers = 4;
  config.oracle = true;
  InstructionCacheConfig& caches = config.memory.instruction;
  caches.size_bytes = 4 * 128;
  caches.associativity = 1;
  caches.mshrs = 2;
  caches.prefetch_lines = stream / 2;
  caches.l0.line_bytes = line;
  caches.l0.size_bytes = 2 * line;
  caches.l0.associativity = 1;
  caches.l0.mshrs = 2;
  SmBench bench(config, 40);
  bench.run(loop_of(7, 3), 256);
  EXPECT_EQ(bench.sm.counters().issued, 8u * (kPerLine + 3 * 7 * kPerLine + 1));
  EXPECT_TRUE(bench.sm.memory().idle());
  if (mode == "coordinated") {
    EXPECT_EQ(bench.sm.counters().scheduling.errors, 0u);
  }
  EXPECT_GT(bench.sm.counters().fetch.fetch_misses, 100u);
}
INSTANTIATE_TEST_SUITE_P(Of, AllCaches,
                         testing::Combine(testing::Values("separate", "coordinated"),
                                          testing::Values(0u, 2u, 8u), testing::Values(32u, 128u)));

TEST(InstructionCaches, AWarpThatWaitsSaysForWhichLineAndWhereItIs) {
  SmBench bench(with_l0(), 1000000);
  bench.load("ret;\n", 32);
  bench.launch();
  sc_core::sc_start(1000 * bench.clock.period());
  char line[128];
  std::snprintf(line, sizeof line, "waits for instructions (the line at %#llx is on its way from the L2)",
                static_cast<unsigned long long>(bench.program->code_address));
  const std::string text = bench.sm.describe_waiting(10);
  EXPECT_NE(text.find(line), std::string::npos) << text;
}

class KernelStart : public testing::TestWithParam<std::string> {};

TEST_P(KernelStart, EmptiesTheCachesOnlyWhenAsked) {
  SmConfig config = with_l0(8);
  config.memory.instruction.invalidate = GetParam();
  SmBench bench(config, kMemory - 1);
  bench.before_launch = [&] { bench.write(regmap::sm::kKernelStart, bench.launch_id); };
  bench.run("ret;\n", 32);
  bench.launch_id = 1;
  bench.run_again();
  EXPECT_EQ(bench.sm.launch_counters(1)->fetch.fetch_misses, GetParam() == "never" ? 0u : 1u);
}
INSTANTIATE_TEST_SUITE_P(Of, KernelStart, testing::Values("never", "kernel_start"));

}  // namespace
}  // namespace warpvp::test
