// Front ends that leave instructions out: the plugin every_second_nop, worked out by hand, and what is
// excluded.

#include "base/registry.h"
#include "modules/sm/frontend/separate_front_end.h"
#include "tests/sm/sm_bench.h"
#include "tests/support/set_fields.h"

namespace warpvp::test {
namespace {

// `mov` of a register to itself is the nop of every_second_nop: 2 and 5 are left out.
const char* const kNops = R"(
  .reg .u32 %r<4>;
  mov.u32 %r1, 5;
  mov.u32 %r1, %r1;
  mov.u32 %r1, %r1;
  add.u32 %r2, %r1, 1;
  mov.u32 %r2, %r2;
  mov.u32 %r2, %r2;
  add.u32 %r3, %r2, 1;
  ret;
)";

SmConfig with_mode(const char* name, std::map<std::string, double> parameters = {}) {
  SmConfig config = plain_sm();
  config.frontend.mode = part_with(name, std::move(parameters));
  config.memory.instruction.ideal = true;
  return config;
}

/// The value of instruction `pc`'s destination in lane 0 when the warps issue their last instruction.
std::vector<std::uint32_t> results(SmBench& bench, const std::string& body, unsigned threads, unsigned pc) {
  std::vector<std::uint32_t> values;
  bench.on_issue = [&](const SmBench::Issue& issue, const ptx::Warp& warp) {
    const ptx::Program& program = warp.cta().program();
    if (static_cast<std::size_t>(issue.pc) + 1 != program.code.size()) return;
    values.push_back(warp.registers()[ptx::kWarpSize * program.code[pc].dst[0].index]);
  };
  bench.run(body, threads);
  return values;
}

/// What the SM and its front ends count under `key`; -1: nothing is shown.
double counted(SmBench& bench, const std::string& key) {
  StatMap stats;
  bench.sm.policy_stats(stats);
  bench.sm.counters().stats(stats);
  const auto found = stats.values.find(key);
  return found == stats.values.end() ? -1 : found->second;
}

TEST(Skip, NothingIsLeftOutByTheOthers) {
  SmBench bench(plain_sm());
  EXPECT_EQ(results(bench, kNops, 32, 6), std::vector<std::uint32_t>{7});
  EXPECT_EQ(bench.text(), "0:0.0 1:0.1 2:0.2 3:0.3 4:0.4 5:0.5 6:0.6 7:0.7");
  EXPECT_EQ(counted(bench, "skipped"), -1) << "shown only where there are any";
}

// One fetch an edge, without those of 2 and 5: so six instructions issue at six edges.
TEST(Skip, WithoutFetching) {
  SmBench bench(with_mode("every_second_nop"));
  EXPECT_EQ(results(bench, kNops, 32, 6), std::vector<std::uint32_t>{7});
  EXPECT_EQ(bench.text(), "0:0.0 1:0.1 2:0.3 3:0.4 4:0.6 5:0.7");
  EXPECT_EQ(bench.sm.counters().fetch.fetches, 6u);
  EXPECT_EQ(bench.sm.counters().issued, 6u);
  EXPECT_EQ(bench.sm.launch_counters(0)->warp_instructions, 6u);
  EXPECT_EQ(counted(bench, "skipped"), 2);
  EXPECT_EQ(bench.sm.launch_counters(0)->fetch.skipped, 2u);
  EXPECT_EQ(counted(bench, "front_end.not_fetched"), 2);
  EXPECT_EQ(counted(bench, "front_end.dropped"), 0);
}

// All eight are fetched; at the edges at which 2 and 5 arrive nothing has come that could issue.
TEST(Skip, WithFetching) {
  SmBench bench(with_mode("every_second_nop", {{"fetch", 1}}));
  EXPECT_EQ(results(bench, kNops, 32, 6), std::vector<std::uint32_t>{7});
  EXPECT_EQ(bench.text(), "0:0.0 1:0.1 3:0.3 4:0.4 6:0.6 7:0.7");
  EXPECT_EQ(bench.sm.counters().fetch.fetches, 8u);
  EXPECT_EQ(bench.sm.counters().issued, 6u);
  EXPECT_EQ(counted(bench, "skipped"), 2);
  EXPECT_EQ(counted(bench, "front_end.dropped"), 2);
  const auto& stalls = bench.sm.launch_counters(0)->stalls[0];
  EXPECT_EQ(stalls[static_cast<unsigned>(Stall::kFetch)], 4u + 2u) << "4 before the first has arrived";
}

TEST(Skip, WiderFetchesBeginBehindIt) {
  SmConfig config = with_mode("every_second_nop");
  config.frontend.fetch_width = 2;
  SmBench bench(config);
  EXPECT_EQ(results(bench, kNops, 32, 6), std::vector<std::uint32_t>{7});
  // Fetches of 0-1, 3-4 and 6-7: 2 and 5 are the next to be fetched when they are left out.
  EXPECT_EQ(counted(bench, "front_end.not_fetched"), 2);
  EXPECT_EQ(bench.sm.counters().fetch.fetches, 3u);
}

// One instruction more at the beginning: fetches of 0-1, 2-3, 4-5, then, behind 6, of 7 and of 8, which
// lies in another line. 3 comes with 2.
TEST(Skip, WhatComesWithAWiderFetchIsDropped) {
  SmConfig config = with_mode("every_second_nop");
  config.frontend.fetch_width = 2;
  SmBench bench(config);
  EXPECT_EQ(results(bench, std::string(".reg .u32 %r9;\n mov.u32 %r9, 1;\n") + kNops, 32, 7),
            std::vector<std::uint32_t>{7});
  EXPECT_EQ(counted(bench, "front_end.dropped"), 1);
  EXPECT_EQ(counted(bench, "front_end.not_fetched"), 1);
  EXPECT_EQ(counted(bench, "skipped"), 2);
  EXPECT_EQ(bench.sm.counters().fetch.fetches, 5u);
}

// Of the nops 1, 2 and 3 two are left out. Where only one may be in a cycle, the other is fetched at the edge
// at which the first is passed over, and dropped.
const char* const kThreeNops = R"(
  .reg .u32 %r<4>;
  mov.u32 %r1, 5;
  mov.u32 %r1, %r1;
  mov.u32 %r1, %r1;
  mov.u32 %r1, %r1;
  add.u32 %r2, %r1, 1;
  ret;
)";

TEST(Skip, OneACycle) {
  SmBench bench(with_mode("every_second_nop", {{"one_of", 3}}));
  EXPECT_EQ(results(bench, kThreeNops, 32, 4), std::vector<std::uint32_t>{6});
  EXPECT_EQ(bench.text(), "0:0.0 1:0.1 3:0.4 4:0.5");
  EXPECT_EQ(counted(bench, "front_end.not_fetched"), 1);
  EXPECT_EQ(counted(bench, "front_end.dropped"), 1);
}

TEST(Skip, TwoACycle) {
  SmBench bench(with_mode("every_second_nop", {{"one_of", 3}, {"per_cycle", 2}}));
  EXPECT_EQ(results(bench, kThreeNops, 32, 4), std::vector<std::uint32_t>{6});
  EXPECT_EQ(bench.text(), "0:0.0 1:0.1 2:0.4 3:0.5");
  EXPECT_EQ(counted(bench, "front_end.not_fetched"), 2);
  EXPECT_EQ(counted(bench, "front_end.dropped"), 0);
}

// Two warps share the issue slot: twelve issues instead of 16.
TEST(Skip, LeavesTheIssueSlotToOthers) {
  SmBench bench(with_mode("every_second_nop"));
  EXPECT_EQ(results(bench, kNops, 64, 6), (std::vector<std::uint32_t>{7, 7}));
  EXPECT_EQ(bench.text(), "0:0.0 1:1.0 2:0.1 3:1.1 4:0.3 5:1.3 6:0.4 7:1.4 8:0.6 9:1.6 10:0.7 11:1.7");
  EXPECT_EQ(counted(bench, "skipped"), 4);
}

// The loop's branch is taken from behind nops and to one: what was left out on the way that was not taken is
// forgotten.
TEST(Skip, AcrossBranches) {
  const char* const loop = R"(
  .reg .u32 %r<4>;
  .reg .pred %p;
  mov.u32 %r1, 0;
  mov.u32 %r1, %r1;
AGAIN:
  mov.u32 %r1, %r1;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 3;
  @%p bra AGAIN;
  mov.u32 %r2, %r2;
  mov.u32 %r1, %r1;
  ret;
)";
  SmBench bench(with_mode("every_second_nop"));
  EXPECT_EQ(results(bench, loop, 32, 3), std::vector<std::uint32_t>{3});
  std::vector<int> pcs;
  for (const SmBench::Issue& issue : bench.issues) pcs.push_back(issue.pc);
  EXPECT_EQ(pcs, (std::vector<int>{0, 1, 3, 4, 5, 3, 4, 5, 3, 4, 5, 6, 8}));
  EXPECT_EQ(counted(bench, "skipped"), 4);
}

// Lanes 0 to 15 go one way, the others the other; each way ends in a nop that is left out, behind which they
// meet. The entry fetched behind it is not what comes next then: an edge is lost, and nothing else.
TEST(Skip, WherePathsMeet) {
  const char* const diverging = R"(
  .reg .u32 %r<5>;
  .reg .pred %p;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r1, 16;
  mov.u32 %r3, %r3;
  @%p bra LOW;
  mov.u32 %r2, 1;
  mov.u32 %r2, %r2;
  bra MEET;
LOW:
  mov.u32 %r2, 2;
  mov.u32 %r3, %r3;
  mov.u32 %r2, %r2;
MEET:
  add.u32 %r4, %r2, %r1;
  ret;
)";
  std::uint64_t beside[2];  // edges at which the warp was there that are neither an instruction nor a stall
  SmBench plain(with_mode("separate"), 10, "plain"), skipping(with_mode("every_second_nop"), 10, "skipping");
  for (SmBench* const each : {&plain, &skipping}) {
    SmBench& bench = *each;
    const bool skips = each == &skipping;
    std::vector<std::uint32_t> sums;
    bench.on_issue = [&](const SmBench::Issue& issue, const ptx::Warp& warp) {
      const ptx::Program& program = warp.cta().program();
      if (static_cast<std::size_t>(issue.pc) + 1 != program.code.size()) return;
      const std::uint32_t* row =
          warp.registers() + ptx::kWarpSize * program.code[program.code.size() - 2].dst[0].index;
      sums.assign(row, row + ptx::kWarpSize);
    };
    bench.run(diverging, 32);
    ASSERT_EQ(sums.size(), ptx::kWarpSize);
    for (unsigned lane = 0; lane < ptx::kWarpSize; ++lane)
      EXPECT_EQ(sums[lane], lane + (lane < 16 ? 2 : 1)) << skips;
    EXPECT_EQ(counted(bench, "skipped"), skips ? 2 : -1);
    const SmLaunchCounters& launch = *bench.sm.launch_counters(0);
    std::uint64_t stalls = 0;
    for (const std::uint64_t cycles : launch.stalls[0]) stalls += cycles;
    beside[skips] = launch.last_cycle - launch.first_cycle - stalls - launch.warp_instructions;
  }
  EXPECT_EQ(beside[0], beside[1]);
}

// ---- front ends that do it wrongly, each in a run of its own

/// Leaves out what it is told to, with the values computed.
class LeavesOut final : public SeparateFrontEndOf<LeavesOut> {
 public:
  static constexpr bool kDrops = true;
  using SeparateFrontEndOf::SeparateFrontEndOf;
  bool drops(unsigned, ptx::Pc pc) { return pc == which(); }
  std::string skipped(unsigned, ptx::Pc, const ptx::InstructionStream& stream) override {
    return complains() ? "row 1 has " + std::to_string(stream.registers()[0]) + ", the leader's has 5" : "";
  }
  static ptx::Pc& which() {
    static ptx::Pc pc = 0;
    return pc;
  }
  static bool& complains() {
    static bool yes = false;
    return yes;
  }
};
struct LeavesOutType : FrontEndType {
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<LeavesOut>(context);
  }
};
WARPVP_REGISTER_POLICY(FrontEndType, LeavesOutType, "test_leaves_out", "For tests.");

TEST(Skip, ValuesAreComputedAllTheSame) {
  LeavesOut::which() = 3;
  SmBench bench(with_mode("test_leaves_out"));
  EXPECT_EQ(results(bench, kNops, 32, 6), std::vector<std::uint32_t>{7});
  EXPECT_EQ(counted(bench, "skipped"), 1);
}

TEST(Skip, ALoadTooWithoutAnAccess) {
  LeavesOut::which() = 1;
  SmBench bench(with_mode("test_leaves_out"));
  EXPECT_EQ(results(bench, R"(
  .shared .b32 s[32];
  .reg .u32 %r<4>;
  st.shared.u32 [s], 7;
  ld.shared.u32 %r1, [s];
  add.u32 %r2, %r1, 1;
  ret;
)",
                    32, 2),
            std::vector<std::uint32_t>{8});
  EXPECT_EQ(bench.text().substr(0, 11), "0:0.0 2:0.2");
  EXPECT_EQ(bench.sm.memory_counters(0)->shared_accesses, 1u) << "the store's";
}

TEST(Skip, WhatDoesMoreThanYieldValuesMayNotBe) {
  LeavesOut::which() = 0;
  SmBench bench(with_mode("test_leaves_out"));
  const std::string what = bench.complaint(".shared .b32 s[32];\n st.shared.u32 [s], 7;\n ret;\n", 32);
  EXPECT_NE(
      what.find("front_end policy 'test_leaves_out' broke its contract: instruction 1 is at the head of "
                "warp 0, whose next one is 0 and does more than yield values; allowed: to skip what "
                "yields values; SM 0, scheduler 0, SM cycle "),
      std::string::npos)
      << what;
}

// What the front end finds wrong about a value is a fault of the device, with its place.
TEST(Skip, AWrongValueIsAFault) {
  LeavesOut::which() = 3;
  LeavesOut::complains() = true;
  SmBench bench(with_mode("test_leaves_out"));
  bench.expect_fault = true;
  bench.run(kNops, 32);
  const DeviceFault& fault = *bench.faults.fault();
  EXPECT_EQ(fault.what.substr(0, 10), "row 1 has ");
  EXPECT_EQ(fault.kernel, "k");
  EXPECT_EQ(fault.warp, 0);
  EXPECT_NE(fault.ptx_location.find("test.ptx"), std::string::npos);
}

}  // namespace
}  // namespace warpvp::test
