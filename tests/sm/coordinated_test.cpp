// The coordinated front end edge by edge (SWaS paper, section IV-B): schedules of small kernels worked out by
// hand.
//
// Edges count from the first issue. A miss of the instruction cache at edge c is over at edge c + F: the
// request leaves at the end of edge c, and the memory of these tests answers after ten. The first fetch
// always misses.

#include <gtest/gtest.h>

#include <deque>
#include <ostream>
#include <tuple>

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

SmConfig coordinated_sm() {
  SmConfig c = plain_sm();
  c.frontend.mode = "coordinated";
  return c;
}

/// "N" or ".3" of a warp at an edge, as SmBench::text writes it.
std::string at(Cycle cycle, unsigned warp, const std::string& what) {
  return std::to_string(cycle) + ":" + std::to_string(warp) + what;
}
std::string row(const std::vector<std::string>& issues) {
  std::string all;
  for (const std::string& i : issues) all += (all.empty() ? "" : " ") + i;
  return all;
}

constexpr const char* kFive = R"(
  .reg .u32 %r<9>;
  mov.u32 %r1, 1;
  mov.u32 %r2, 2;
  mov.u32 %r3, 3;
  mov.u32 %r4, 4;
  ret;
)";

TEST(Coordinated, StartsWithAsManyNopsAsTheBufferIsLong) {
  // Loose round robin: the two warps alternate. Four NOPs from the start, one for the miss at edges 0 and 1.
  SmBench bench(coordinated_sm());
  bench.run(kStraight, 64);
  EXPECT_EQ(bench.text(), row({at(0, 0, "N"), at(1, 1, "N"),              // both miss the line of the program
                               at(F, 0, "N"), at(F + 1, 1, "N"),          // fetch instruction 0
                               at(F + 2, 0, "N"), at(F + 3, 1, "N"),      // 1
                               at(F + 4, 0, "N"), at(F + 5, 1, "N"),      // 2, the last
                               at(F + 6, 0, "N"), at(F + 7, 1, "N"),      //
                               at(F + 8, 0, ".0"), at(F + 9, 1, ".0"),    // fetched four selections ago
                               at(F + 10, 0, ".1"), at(F + 11, 1, ".1"),  //
                               at(F + 12, 0, ".2"), at(F + 13, 1, ".2")}));
  EXPECT_EQ(bench.sm.counters().fetch.nops, 10u);
  EXPECT_EQ(bench.sm.counters().fetch.fetches, 8u);
  EXPECT_EQ(bench.sm.counters().fetch.fetch_misses, 2u);
  EXPECT_EQ(bench.sm.counters().issued, 6u);  // NOPs are not instructions
}

TEST(Coordinated, AGreedySchedulerKeepsItsWarpThroughNops) {
  SmConfig config = coordinated_sm();
  config.warp_scheduler.name = "gto";
  SmBench bench(config);
  bench.run(kStraight, 64);
  EXPECT_EQ(bench.text(), row({at(0, 0, "N"), at(1, 1, "N"),  // warp 0 is suspended, so warp 1 has its turn
                               at(F, 0, "N"), at(F + 1, 0, "N"), at(F + 2, 0, "N"), at(F + 3, 0, "N"),
                               at(F + 4, 0, ".0"), at(F + 5, 0, ".1"), at(F + 6, 0, ".2"), at(F + 7, 1, "N"),
                               at(F + 8, 1, "N"), at(F + 9, 1, "N"), at(F + 10, 1, "N"), at(F + 11, 1, ".0"),
                               at(F + 12, 1, ".1"), at(F + 13, 1, ".2")}));
}

TEST(Coordinated, ATakenBranchCostsABufferOfNops) {
  // Section VI-B2: four NOPs with a hit latency of three.
  SmBench bench(coordinated_sm());
  bench.run(R"(
    .reg .u32 %r<4>;
    .reg .pred %p<2>;
    mov.u32 %r1, 0;
  L:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra L;
    ret;
  )",
            32);
  EXPECT_EQ(bench.text(),
            row({at(0, 0, "N"), at(F, 0, "N"), at(F + 1, 0, "N"), at(F + 2, 0, "N"), at(F + 3, 0, "N"),  //
                 at(F + 4, 0, ".0"), at(F + 5, 0, ".1"), at(F + 6, 0, ".2"), at(F + 7, 0, ".3"),  // taken
                 at(F + 8, 0, "N"), at(F + 9, 0, "N"), at(F + 10, 0, "N"), at(F + 11, 0, "N"),
                 at(F + 12, 0, ".1"), at(F + 13, 0, ".2"), at(F + 14, 0, ".3"),  // not taken
                 at(F + 15, 0, ".4")}));
  EXPECT_EQ(bench.sm.counters().fetch.redirects, 1u);
  // Fetched behind the taken branch: instruction 4, and then the program's end.
  EXPECT_EQ(bench.sm.counters().fetch.flushed, 1u);
}

TEST(Coordinated, AMissPutsANopInPlaceAndSuspendsTheWarp) {
  // Lines of four instructions. The fetch of instruction 4 misses as 0 issues; instruction 1 could issue and
  // waits.
  SmConfig config = coordinated_sm();
  config.memory.instruction.line_bytes = 4 * ptx::Program::kInstBytes;
  SmBench bench(config);
  bench.run(kFive, 32);
  EXPECT_EQ(bench.text(), row({at(0, 0, "N"), at(F, 0, "N"), at(F + 1, 0, "N"), at(F + 2, 0, "N"),
                               at(F + 3, 0, "N"), at(F + 4, 0, ".0"),  // misses
                               at(2 * F + 4, 0, ".1"), at(2 * F + 5, 0, ".2"), at(2 * F + 6, 0, ".3"),
                               at(2 * F + 7, 0, "N"), at(2 * F + 8, 0, ".4")}));
  const auto& stalls = bench.sm.launch_counters(0)->stalls[0];
  // Suspended from 1 to F - 1 and from F + 5 to 2 F + 3.
  EXPECT_EQ(stalls[static_cast<unsigned>(Stall::kFetch)], 2 * (F - 1));
}

TEST(Coordinated, AMissBehindATakenBranchDoesNotSuspend) {
  // Lines of four instructions: behind the branch at 3 the fetch of 4 misses, and the branch goes elsewhere.
  SmConfig config = coordinated_sm();
  config.memory.instruction.line_bytes = 4 * ptx::Program::kInstBytes;
  SmBench bench(config);
  bench.run(R"(
    .reg .u32 %r<4>;
    bra M;
  L:
    ret;
    mov.u32 %r1, 1;
  M:
    bra L;
    mov.u32 %r1, 2;
    ret;
  )",
            32);
  EXPECT_EQ(bench.text(), row({at(0, 0, "N"), at(F, 0, "N"), at(F + 1, 0, "N"), at(F + 2, 0, "N"),
                               at(F + 3, 0, "N"), at(F + 4, 0, ".0"),  // fetches 4, which misses, and leaves
                               at(F + 5, 0, "N"),                      // not suspended: fetches 3
                               at(F + 6, 0, "N"),                      // 4 again: the line is on its way
                               at(2 * F + 4, 0, "N"), at(2 * F + 5, 0, "N"),  // it was asked for at F + 4
                               at(2 * F + 6, 0, ".3"), at(2 * F + 7, 0, "N"), at(2 * F + 8, 0, "N"),
                               at(2 * F + 9, 0, "N"), at(2 * F + 10, 0, "N"), at(2 * F + 11, 0, ".1")}));
}

TEST(Coordinated, ABarrierHoldsNopsBack) {
  // Lines of two instructions: the fetch of 2 misses, so that a NOP follows the barrier.
  SmConfig config = coordinated_sm();
  config.memory.instruction.line_bytes = 2 * ptx::Program::kInstBytes;
  SmBench bench(config);
  bench.run(R"(
    .reg .u32 %r<4>;
    mov.u32 %r1, 1;
    bar.sync 0;
    ret;
  )",
            64);
  EXPECT_EQ(bench.text(),
            row({at(0, 0, "N"), at(1, 1, "N"), at(F, 0, "N"), at(F + 1, 1, "N"), at(F + 2, 0, "N"),
                 at(F + 3, 1, "N"), at(F + 4, 0, "N"), at(F + 5, 1, "N"),  // the fetches of 2 miss
                 at(2 * F + 4, 0, "N"), at(2 * F + 5, 1, "N"),             // again, with success
                 at(2 * F + 6, 0, ".0"), at(2 * F + 7, 1, ".0"),           //
                 at(2 * F + 8, 0, ".1"), at(2 * F + 9, 1, ".1"),           // the last to come goes on
                 at(2 * F + 10, 1, "N"), at(2 * F + 11, 0, "N"),           // the other two edges later
                 at(2 * F + 12, 1, ".2"), at(2 * F + 13, 0, ".2")}));
}

TEST(Coordinated, DivergenceRedirects) {
  SmBench bench(coordinated_sm());
  bench.run(R"(
    .reg .u32 %r<4>;
    .reg .pred %p<2>;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra A;
    add.u32 %r2, %r1, 1;
    bra B;
  A:
    add.u32 %r2, %r1, 2;
  B:
    ret;
  )",
            32);
  // The taken side first; then the other; then both together: three redirects.
  EXPECT_EQ(bench.text(),
            row({at(0, 0, "N"),       at(F, 0, "N"),       at(F + 1, 0, "N"),   at(F + 2, 0, "N"),
                 at(F + 3, 0, "N"),   at(F + 4, 0, ".0"),  at(F + 5, 0, ".1"),  at(F + 6, 0, ".2"),
                 at(F + 7, 0, "N"),   at(F + 8, 0, "N"),   at(F + 9, 0, "N"),   at(F + 10, 0, "N"),
                 at(F + 11, 0, ".5"), at(F + 12, 0, "N"),  at(F + 13, 0, "N"),  at(F + 14, 0, "N"),
                 at(F + 15, 0, "N"),  at(F + 16, 0, ".3"), at(F + 17, 0, ".4"), at(F + 18, 0, "N"),
                 at(F + 19, 0, "N"),  at(F + 20, 0, "N"),  at(F + 21, 0, "N"),  at(F + 22, 0, ".6")}));
  EXPECT_EQ(bench.sm.counters().fetch.redirects, 3u);
}

TEST(Coordinated, OperandsHoldAnInstructionBackButNotANop) {
  // int_add takes 6 edges: instruction 1 waits for 0.
  SmConfig config = coordinated_sm();
  config.latency.int_add = 6;
  SmBench bench(config);
  bench.run(R"(
    .reg .u32 %r<4>;
    add.u32 %r1, 1, 2;
    add.u32 %r2, %r1, 1;
    ret;
  )",
            32);
  EXPECT_EQ(bench.text(),
            row({at(0, 0, "N"), at(F, 0, "N"), at(F + 1, 0, "N"), at(F + 2, 0, "N"), at(F + 3, 0, "N"),
                 at(F + 4, 0, ".0"), at(F + 10, 0, ".1"), at(F + 11, 0, ".2")}));
}

TEST(Coordinated, EachSchedulerHasItsOwnBuffers) {
  SmConfig config = coordinated_sm();
  config.schedulers = 2;
  SmBench bench(config);
  bench.run(kStraight, 64);
  std::vector<std::string> expected;
  const auto both = [&](Cycle cycle, const char* what) {
    // At odd edges of the SM's clock the second sub-core is first; the first issue is at an even one.
    const unsigned first = cycle % 2;
    expected.push_back(at(cycle, first, what));
    expected.push_back(at(cycle, 1 - first, what));
  };
  both(0, "N");
  for (Cycle c = F; c < F + 4; ++c) both(c, "N");
  both(F + 4, ".0");
  both(F + 5, ".1");
  both(F + 6, ".2");
  EXPECT_EQ(bench.text(), row(expected));
}

TEST(Coordinated, EveryWarpCycleIsAccountedFor) {
  // Residence of the warps = instructions + NOPs + stalls.
  SmBench bench(coordinated_sm());
  bench.run(kStraight, 64);
  const SmLaunchCounters& c = *bench.sm.launch_counters(0);
  std::uint64_t stalls = 0;
  for (const std::uint64_t s : c.stalls[0]) stalls += s;
  // Warp 0 leaves at edge F + 12, warp 1 at F + 13.
  EXPECT_EQ(c.warp_instructions + c.fetch.nops + stalls, (F + 13) + (F + 14));
}

// ---- Every I-buffer is always full, whatever happens

/// Follows what issues with FIFOs of its own, which hold instructions by number, and compares each head.
class Fifos {
 public:
  explicit Fifos(SmBench& bench, unsigned warps, unsigned depth)
      : bench_(bench), queues_(warps, std::deque<int>(depth, -1)), next_(warps, 0) {
    bench.on_issue = [this](const SmBench::Issue& issue, const ptx::Warp& warp) { issued(issue, warp); };
  }
  unsigned heads = 0, differing = 0;

 private:
  void issued(const SmBench::Issue& issue, const ptx::Warp& warp) {
    std::deque<int>& queue = queues_[issue.warp];
    int& next = next_[issue.warp];
    ++heads;
    differing += queue.front() != issue.pc;
    queue.pop_front();
    const std::uint64_t misses = bench_.sm.counters().fetch.fetch_misses;
    const bool fetched = misses == misses_ && next < static_cast<int>(bench_.program->code.size());
    misses_ = misses;
    queue.push_back(fetched ? next++ : -1);
    if (issue.pc >= 0 && static_cast<int>(warp.pc()) != issue.pc + 1) {
      queue.assign(queue.size(), -1);
      next = static_cast<int>(warp.pc());
    }
  }

  SmBench& bench_;
  std::vector<std::deque<int>> queues_;
  std::vector<int> next_;
  std::uint64_t misses_ = 0;
};

class FullBuffers : public testing::TestWithParam<std::tuple<std::string, unsigned>> {};

TEST_P(FullBuffers, HeadIsWhatWasFetchedABufferOfSelectionsAgo) {
  SmConfig config = coordinated_sm();
  config.warp_scheduler.name = std::get<0>(GetParam());
  config.frontend.hit_latency = std::get<1>(GetParam());
  config.frontend.ibuffer_entries = 16;
  config.latency.int_mul = 7;
  // Four lines of two instructions: loops do not fit, and lines are evicted before they are used.
  config.memory.instruction = {4 * 2 * ptx::Program::kInstBytes, 2 * ptx::Program::kInstBytes, 2, 2};
  SmBench bench(config, 20);
  Fifos fifos(bench, 7, config.frontend.depth());
  bench.run(R"(
    .reg .u32 %r<9>;
    .reg .pred %p<3>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
  L:
    and.b32 %r3, %r1, 3;
    setp.eq.u32 %p1, %r3, %r2;
    @%p1 bra A;
    mul.lo.u32 %r4, %r1, %r2;
    add.u32 %r5, %r4, %r1;
    bra B;
  A:
    mul.lo.u32 %r4, %r1, 3;
    mul.lo.u32 %r5, %r4, %r4;
  B:
    bar.sync 0;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 9;
    @%p2 bra L;
    ret;
  )",
            200);
  EXPECT_GT(fifos.heads, 7u * 9 * 10);
  EXPECT_EQ(fifos.differing, 0u);
  EXPECT_GT(bench.sm.counters().fetch.fetch_misses, 50u);
}

INSTANTIATE_TEST_SUITE_P(PolicyAndLatency, FullBuffers,
                         testing::Combine(testing::Values<std::string>("lrr", "gtlrr", "gtlo"),
                                          testing::Values(1u, 3u, 9u)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param));
                         });

// ---- The other mode, from the same programs

TEST(Separate, TheTargetOfATakenBranchIssuesAFetchLater) {
  SmBench bench(plain_sm());
  bench.run(R"(
    .reg .u32 %r<4>;
    .reg .pred %p<2>;
    mov.u32 %r1, 0;
  L:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra L;
    ret;
  )",
            32);
  // The edge at which the branch issues fetches the target, which arrives hit and decode latency later.
  EXPECT_EQ(bench.text(), row({at(0, 0, ".0"), at(1, 0, ".1"), at(2, 0, ".2"), at(3, 0, ".3"), at(7, 0, ".1"),
                               at(8, 0, ".2"), at(9, 0, ".3"), at(10, 0, ".4")}));
  EXPECT_EQ(bench.sm.counters().fetch.nops, 0u);
  EXPECT_EQ(bench.sm.counters().fetch.flushed, 1u);
}

class Latencies : public testing::TestWithParam<std::pair<unsigned, unsigned>> {};

TEST_P(Latencies, AddUpInSeparateMode) {
  SmConfig config = plain_sm();
  config.frontend.ibuffer_entries = 1;  // one instruction at a time: each waits for its fetch
  config.frontend.hit_latency = GetParam().first;
  config.frontend.decode_latency = GetParam().second;
  SmBench bench(config);
  bench.run(kStraight, 32);
  const Cycle d = GetParam().first + GetParam().second;
  EXPECT_EQ(bench.text(), row({at(0, 0, ".0"), at(d, 0, ".1"), at(2 * d, 0, ".2")}));
}

TEST_P(Latencies, AddUpToTheBufferOfCoordinatedMode) {
  SmConfig config = coordinated_sm();
  config.frontend.hit_latency = GetParam().first;
  config.frontend.decode_latency = GetParam().second;
  config.frontend.ibuffer_entries = 16;
  SmBench bench(config);
  bench.run(kStraight, 32);
  const Cycle d = GetParam().first + GetParam().second;
  std::vector<std::string> expected{at(0, 0, "N")};
  for (Cycle c = F; c < F + d; ++c) expected.push_back(at(c, 0, "N"));
  for (Cycle i = 0; i < 3; ++i) expected.push_back(at(F + d + i, 0, "." + std::to_string(i)));
  EXPECT_EQ(bench.text(), row(expected));
}

INSTANTIATE_TEST_SUITE_P(HitAndDecode, Latencies,
                         testing::Values(std::pair(1u, 1u), std::pair(3u, 1u), std::pair(3u, 3u),
                                         std::pair(5u, 1u)),
                         [](const auto& info) {
                           return std::to_string(info.param.first) + "_" + std::to_string(info.param.second);
                         });

}  // namespace
}  // namespace warpvp::test
