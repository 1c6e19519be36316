// The SM on the register bus: its registers, when what is written there acts, and what it does with answers.

#include "modules/sm/sm_registers.h"
#include "tests/control/access_rules.h"
#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

namespace smr = regmap::sm;

/// 32 KiB of L1 beside up to 96 KiB of shared memory, as on titan_v.
SmConfig dividing_sm() {
  SmConfig c = plain_sm();
  c.memory.l1.size_kib = 32;
  c.memory.l1.associativity = 64;
  c.memory.l1.unified_kib = 128;
  c.resources.shared_options_kib = {0, 8, 16, 32, 64, 96};
  return c;
}

TEST(SmControl, ForbiddenAccessesGetTheRightAnswers) {
  SmBench bench(plain_sm());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  expect_access_rules(bench.control, bench.sm.register_block(), 0);
  CtaLaunch launch;
  EXPECT_EQ(access(bench.control, tlm::TLM_READ_COMMAND, smr::kLaunch, &launch, sizeof launch),
            tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(bench.read(smr::kWaitingCtas), 0u);
}

TEST(SmControl, StatusRegistersShowWhatIsThere) {
  SmBench bench(plain_sm());
  std::vector<std::array<std::uint32_t, 3>> seen;
  bench.on_issue = [&](const SmBench::Issue&, const ptx::Warp&) {
    seen.push_back(
        {bench.read(smr::kResidentCtas), bench.read(smr::kResidentWarps), bench.read(smr::kWaitingCtas)});
  };
  bench.run(kTwoMoves, 64);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front(), (std::array<std::uint32_t, 3>{1, 2, 0}));
  EXPECT_EQ(bench.read(smr::kResidentCtas), 0u);
  EXPECT_EQ(bench.read(smr::kL1Bytes), 32u * 1024);
}

TEST(SmControl, ACtaOfAnotherContextIsAFault) {
  SmBench bench(plain_sm());
  bench.before_launch = [&] { bench.write(smr::kContext, 7u); };
  bench.expect_fault = true;
  bench.run(kTwoMoves, 64);
  EXPECT_EQ(bench.read(smr::kContext), 7u);
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_EQ(bench.faults.fault()->what, "a CTA of context 0 came to an SM that is set up for context 7");
}

TEST(SmControl, AKernelOfAnotherContextIsAFault) {
  SmBench bench(plain_sm());
  bench.before_launch = [&] { bench.write(smr::kContext, 7u); };
  bench.context = 7;
  bench.expect_fault = true;
  bench.run(kTwoMoves, 64);
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_EQ(bench.faults.fault()->what, "context 7 launched a kernel of context 0");
}

// The delay that comes with a launch is spent before the CTA starts.
TEST(SmControl, ALaunchStartsLaterByItsDelay) {
  SmBench prompt(plain_sm(), 10, "prompt"), late(plain_sm(), 10, "late");
  late.launch_delay = sc_core::sc_time(37, sc_core::SC_NS);
  const auto first_issue = [](SmBench& bench) {
    Cycle launched = 0, first = 0;
    bench.before_launch = [&] { launched = bench.clock.now(); };
    bench.on_issue = [&](const SmBench::Issue& i, const ptx::Warp&) {
      if (i.cycle == 0) first = bench.clock.now();
    };
    bench.run(kTwoMoves, 32);
    return first - launched;
  };
  const Cycle at_once = first_issue(prompt);
  EXPECT_EQ(first_issue(late), at_once + 37);  // 1 GHz
}

TEST(SmControl, ARefusedCompletionIsAFaultThatNamesTheSmAndTheAddress) {
  SmBench bench(plain_sm());
  bench.completion_answer = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  bench.expect_fault = true;
  bench.run(kTwoMoves, 32);
  ASSERT_TRUE(bench.faults.fault().has_value());
  const DeviceFault& fault = *bench.faults.fault();
  EXPECT_NE(fault.what.find("bench.sm"), std::string::npos) << fault.what;
  EXPECT_NE(fault.what.find("TLM_ADDRESS_ERROR_RESPONSE"), std::string::npos) << fault.what;
  EXPECT_EQ(fault.address, SmBench::kCompletion);
  EXPECT_EQ(fault.sm, 0);
}

TEST(SmControl, AFixedDivisionCannotBeChanged) {
  SmBench bench(plain_sm());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(bench.read(smr::kSharedBytes), 98304u);
  for (std::uint32_t bytes : {0u, 32768u, 98304u})
    EXPECT_EQ(bench.write(smr::kSharedBytes, bytes), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(bench.read(smr::kSharedBytes), 98304u);
}

TEST(SmControl, TheDivisionIsWhatWasWritten) {
  SmBench bench(dividing_sm());
  sc_core::sc_start(10 * bench.clock.period());
  EXPECT_EQ(bench.read(smr::kL1Bytes), 32u * 1024);
  const std::pair<unsigned, unsigned> divisions[] = {{0, 128}, {16, 112}, {96, 32}, {64, 64}};
  for (const auto& [shared, l1] : divisions) {
    EXPECT_EQ(bench.write(smr::kSharedBytes, shared * 1024), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.read(smr::kSharedBytes), shared * 1024);
    sc_core::sc_start(5 * bench.clock.period());
    EXPECT_EQ(bench.read(smr::kL1Bytes), l1 * 1024);
  }
  for (std::uint32_t bytes : {1u, 1024u, 20u * 1024, 128u * 1024})
    EXPECT_EQ(bench.write(smr::kSharedBytes, bytes), tlm::TLM_GENERIC_ERROR_RESPONSE) << bytes;
  EXPECT_EQ(bench.read(smr::kSharedBytes), 65536u);
}

// The delay that comes with a write is spent before the write acts.
TEST(SmControl, ADivisionIsInForceLaterByItsDelay) {
  SmBench bench(dividing_sm());
  sc_core::sc_start(10 * bench.clock.period());
  const auto time_until_in_force = [&](std::uint32_t shared, const sc_core::sc_time& delay) {
    const sc_core::sc_time written = sc_core::sc_time_stamp();
    const std::uint32_t l1 = bench.read(smr::kL1Bytes);
    EXPECT_EQ(bench.write(smr::kSharedBytes, shared, delay), tlm::TLM_OK_RESPONSE);
    for (unsigned edge = 0; edge < 100 && bench.read(smr::kL1Bytes) == l1; ++edge)
      sc_core::sc_start(bench.clock.period());
    EXPECT_EQ(bench.read(smr::kL1Bytes), 128u * 1024 - shared);
    return sc_core::sc_time_stamp() - written;
  };
  const sc_core::sc_time delay(37, sc_core::SC_NS), at_once = time_until_in_force(0, sc_core::SC_ZERO_TIME);
  EXPECT_EQ(time_until_in_force(65536, delay), at_once + delay);  // 1 GHz
}

constexpr const char* kHoldsSharedMemory =
    ".shared .align 4 .b8 tile[12000];\n"
    ".reg .u32 %r<4>;\n"
    "mov.u32 %r0, 1;\n"
    "st.shared.u32 [tile], %r0;\n"
    "add.u32 %r1, %r0, 2;\n"
    "ret;\n";

TEST(SmControl, TheDivisionNeverTakesWhatCtasHave) {
  SmConfig waits = dividing_sm();
  waits.resources.shared_grows = "when_empty";
  SmBench anytime(dividing_sm(), 10, "anytime"), when_empty(waits, 10, "when_empty");
  for (SmBench* bench : {&anytime, &when_empty}) {
    tlm::tlm_response_status less = tlm::TLM_INCOMPLETE_RESPONSE, other = less;
    bench->on_issue = [&](const SmBench::Issue& i, const ptx::Warp&) {
      if (i.pc != 0) return;
      less = bench->write(smr::kSharedBytes, 8 * 1024);
      other = bench->write(smr::kSharedBytes, 16 * 1024);
    };
    bench->run(kHoldsSharedMemory, 32);
    EXPECT_EQ(less, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(other, bench == &anytime ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
}

TEST(SmControl, ACtaWithoutRoomInSharedMemoryIsAFault) {
  SmBench bench(dividing_sm());
  bench.before_launch = [&] { EXPECT_EQ(bench.write(smr::kSharedBytes, 8 * 1024), tlm::TLM_OK_RESPONSE); };
  bench.expect_fault = true;
  bench.run(kHoldsSharedMemory, 32);
  ASSERT_TRUE(bench.faults.fault().has_value());
  EXPECT_NE(bench.faults.fault()->what.find("without room"), std::string::npos);
}

// A kernel's start empties the L1, as the setting says.
TEST(SmControl, AKernelStartEmptiesTheL1) {
  SmConfig keeps = plain_sm();
  keeps.memory.invalidate = "never";
  SmBench empties(plain_sm(), 10, "empties"), never(keeps, 10, "never");
  for (SmBench* bench : {&empties, &never}) {
    const std::string body =
        ".reg .u64 %rd<4>;\n.reg .u32 %r<4>;\n"
        "mov.u64 %rd0, " +
        std::to_string(*bench->memory.allocate(4096)) + ";\nld.global.u32 %r0, [%rd0];\nret;\n";
    bench->before_launch = [&] { bench->write(smr::kKernelStart, bench->launch_id); };
    bench->run(body, 32);
    bench->launch_id = 1;
    bench->run_again();
    const SmMemoryCounters* first = bench->sm.memory().launch_counters(0);
    const SmMemoryCounters* second = bench->sm.memory().launch_counters(1);
    ASSERT_TRUE(first != nullptr && second != nullptr);
    EXPECT_EQ(first->l1_misses, 1u);
    EXPECT_EQ(second->l1_misses, bench == &empties ? 1u : 0u);
    EXPECT_EQ(second->instruction_misses, 0u);  // the instruction cache stays
  }
}

// A fence holds the warp until its store is acknowledged; without a fence the next instruction issues at
// once.
class Fence : public testing::TestWithParam<const char*> {};

TEST_P(Fence, WaitsForTheWarpsStores) {
  constexpr Cycle kLatency = 200;
  SmBench plain(plain_sm(), kLatency, "plain"), fenced(plain_sm(), kLatency, "fenced");
  const auto edges_between = [](SmBench& bench, const std::string& fence) {
    Cycle store = 0, last = 0;
    bench.on_issue = [&](const SmBench::Issue& i, const ptx::Warp&) {
      if (i.pc == 2) store = i.cycle;
      last = i.cycle;
    };
    bench.run(".reg .u64 %rd<4>;\n.reg .u32 %r<4>;\nmov.u64 %rd0, " +
                  std::to_string(*bench.memory.allocate(4096)) +
                  ";\nmov.u32 %r0, 7;\nst.global.u32 [%rd0], %r0;\n" + fence + "add.u32 %r1, %r0, 1;\nret;\n",
              32);
    return last - store;
  };
  EXPECT_LT(edges_between(plain, ""), kLatency / 2);
  EXPECT_GT(edges_between(fenced, GetParam()), kLatency);
}

// The CTA's end is reported when the last warp's store has left, or when it is acknowledged.
TEST(WarpExit, WaitsForStoresAsConfigured) {
  constexpr Cycle kLatency = 200;
  SmConfig config = plain_sm();
  SmBench taken(config, kLatency, "taken");
  config.warp_exit = "stores_acknowledged";
  SmBench acknowledged(config, kLatency, "acknowledged");
  const auto drained = [](SmBench& bench) {
    bench.run(".reg .u64 %rd<4>;\n.reg .u32 %r<4>;\nmov.u64 %rd0, " +
                  std::to_string(*bench.memory.allocate(4096)) +
                  ";\nmov.u32 %r0, 7;\nst.global.u32 [%rd0], %r0;\nret;\n",
              32);
    return bench.sm.launch_counters(0)->stalls[0][static_cast<unsigned>(Stall::kDrain)];
  };
  EXPECT_LT(drained(taken), kLatency / 2);
  EXPECT_GE(drained(acknowledged), kLatency);
}

INSTANTIATE_TEST_SUITE_P(Forms, Fence,
                         testing::Values("membar.gl;\n", "membar.sys;\n", "membar.cta;\n",
                                         "fence.acq_rel.gpu;\n"),
                         [](const auto& info) { return "form" + std::to_string(info.index); });

}  // namespace
}  // namespace warpvp::test
