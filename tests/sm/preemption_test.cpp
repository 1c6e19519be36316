// CTAs leave the SM before their ends and go on: whatever the moment, results are those of a CTA that was
// left alone; and what moves through memory is what the CTA has.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/sm/sm_bench.h"
#include "tests/support/set_fields.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

constexpr unsigned kThreads = 128, kRounds = 12;
constexpr auto kSwitch = static_cast<std::uint32_t>(Preemption::kSwitch);
constexpr auto kFlush = static_cast<std::uint32_t>(Preemption::kFlush);
constexpr auto kKill = static_cast<std::uint32_t>(Preemption::kKill);

// Three warps pass values round through shared memory, with barriers, on diverging paths, and with a call;
// the fourth exits at once. `first` stands before everything else.
std::string rounds(std::uint64_t out, const std::string& first = "") {
  return fmt::format(R"(
    .reg .u32 %r<12>; .reg .u64 %rd<4>; .reg .pred %p<4>;
    .shared .align 4 .b8 s[512];
    .local .align 4 .b8 l[16];
    mov.u32 %r0, %tid.x;
    mov.u64 %rd1, {};
    mul.wide.u32 %rd2, %r0, 4;
    add.u64 %rd1, %rd1, %rd2;
    {}
    setp.ge.u32 %p0, %r0, 96;
    @%p0 exit;
    mov.u32 %r6, s;
    mad.lo.u32 %r7, %r0, 4, %r6;
    add.u32 %r3, %r0, 1;
    setp.eq.u32 %p1, %r3, 96;
    selp.u32 %r3, 0, %r3, %p1;
    mad.lo.u32 %r8, %r3, 4, %r6;
    and.b32 %r9, %r0, 1;
    setp.eq.u32 %p2, %r9, 1;
    mov.u32 %r1, 0;
    mov.u32 %r2, %r0;
    st.local.u32 [l], %r0;
LOOP:
    st.shared.u32 [%r7], %r2;
    bar.sync 0;
    ld.shared.u32 %r4, [%r8];
    bar.sync 0;
    @%p2 bra ODD;
    mad.lo.u32 %r2, %r2, 3, %r4;
    bra NEXT;
ODD:
    ld.local.u32 %r5, [l];
    xor.b32 %r2, %r2, %r4;
    add.u32 %r2, %r2, %r5;
NEXT:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p3, %r1, {};
    @%p3 bra LOOP;
    st.global.u32 [%rd1], %r2;
    ret;
)",
                     out, first, kRounds);
}

std::vector<std::uint32_t> expected() {
  std::vector<std::uint32_t> v(96);
  for (unsigned i = 0; i < 96; ++i) v[i] = i;
  for (unsigned round = 0; round < kRounds; ++round) {
    const std::vector<std::uint32_t> old = v;
    for (unsigned i = 0; i < 96; ++i) {
      const std::uint32_t next = old[(i + 1) % 96];
      v[i] = i % 2 ? (old[i] ^ next) + i : old[i] * 3 + next;
    }
  }
  return v;
}

class Preempted : public ::testing::Test {
 protected:
  explicit Preempted(const SmConfig& config = plain_sm(), Cycle latency = 40)
      : bench(config, latency), out(*bench.memory.allocate(4 * kThreads)) {
    bench.launch_id = 1;
  }
  void wait(Cycle cycles) { sc_core::sc_start(static_cast<double>(cycles) * bench.clock.period()); }
  std::vector<std::uint32_t> results() {
    std::vector<std::uint32_t> v(96);
    std::memcpy(v.data(), bench.memory.at(out), 4 * v.size());
    return v;
  }
  /// Launches the CTA, from a state unless it is 0.
  void launch(std::uint32_t state) {
    if (state != 0) {
      ASSERT_EQ(bench.write(regmap::sm::kResume, state), tlm::TLM_OK_RESPONSE);
    }
    bench.launch();
  }

  SmBench bench;
  std::uint64_t out;
};

/// As `separate`, and front ends that keep more of a CTA: what they keep goes with it, or is made anew.
class PreemptedUnder : public Preempted, public ::testing::WithParamInterface<const char*> {
 protected:
  PreemptedUnder() : Preempted(front_end(GetParam())) {}
  static SmConfig front_end(const std::string& name) {
    SmConfig config = plain_sm();
    config.frontend.mode = name == "separate"    ? PolicyChoice(GetParam())
                           : name == "dac_ideal" ? PolicyChoice(GetParam())
                                                 : part_with(GetParam(), {{"check", 1}});
    return config;
  }
};

// Its warps wait for each other for ever, and the write takes a while to arrive: the edge at which the SM is to have the
// CTA leave may not be lost to an earlier one at which something else is due, the last that ever is.
TEST_F(Preempted, LeavesWheneverItIsTold) {
  bench.load(".reg .u32 %r<4>; .reg .pred %p; mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 32; @%p bra OTHER;"
             "bar.sync 1, 64; ret; OTHER: add.u32 %r1, %r0, %r0; add.u32 %r1, %r1, %r0; bar.sync 2, 64; ret;",
             64);
  for (Cycle at = 1; at < 200; ++at) {
    SCOPED_TRACE(at);
    launch(0);
    wait(at);
    ASSERT_EQ(bench.write(regmap::sm::kPreempt, kKill, 25.0 * bench.clock.period()), tlm::TLM_OK_RESPONSE);
    wait(2000);
    ASSERT_FALSE(bench.sm.busy());
  }
}

TEST_P(PreemptedUnder, GoesOnFromAnyMoment) {
  bench.load(rounds(out), kThreads);
  unsigned saved = 0, whole = 0, begun_anew = 0;
  for (Cycle at = 1; at < 1500; at += 7) {
    SCOPED_TRACE(at);
    std::memset(bench.memory.at(out), 0, 4 * kThreads);
    bench.ctas_done = 0;
    bench.preempted.clear();
    launch(0);
    // Twice, the second time soon after the CTA has come back.
    for (const Cycle then : {at, Cycle{150} + at % 150}) {
      wait(then);
      ASSERT_EQ(bench.write(regmap::sm::kPreempt, kSwitch), tlm::TLM_OK_RESPONSE);
      wait(5000);
      EXPECT_FALSE(bench.sm.busy());
      if (bench.ctas_done == 1) break;
      ASSERT_FALSE(bench.preempted.empty());
      ++(bench.preempted.back().state != 0 ? saved : begun_anew);
      launch(bench.preempted.back().state);
    }
    whole += bench.preempted.empty();
    wait(5000);
    ASSERT_EQ(bench.ctas_done, 1u);
    EXPECT_EQ(results(), expected());
    EXPECT_EQ(bench.sm.resident_warps(), 0u);
  }
  EXPECT_GT(saved, 100u);
  EXPECT_GT(whole, 0u);
  EXPECT_GT(begun_anew, 0u);
  EXPECT_EQ(bench.sm.counters().switches.saved, saved);
  EXPECT_EQ(bench.sm.counters().switches.restored, saved);
}
INSTANTIATE_TEST_SUITE_P(FrontEnds, PreemptedUnder,
                         ::testing::Values("separate", "darsie", "darsie_no_cf_sync", "uv", "dac_ideal"),
                         [](const auto& info) { return std::string(info.param); });

class PreemptedLeader : public Preempted {
 protected:
  static constexpr unsigned kProduct = 9;  // cycles
  PreemptedLeader() : Preempted(config(), 200) {}
  static SmConfig config() {
    SmConfig c = plain_sm();
    c.frontend.mode = part_with("darsie", {{"check", 1}});
    c.latency.int_mul = kProduct;
    return c;
  }
};

// The leader of the product waits for the load when the CTA leaves. What its rows were called then is of no
// matter when it comes back: each warp computes the product for itself, and waits for its own.
TEST_F(PreemptedLeader, ComesBackToItsOwnRegisters) {
  bench.load(fmt::format(R"(
    .reg .u32 %r<6>; .reg .u64 %rd<2>;
    mov.u32 %r0, %tid.x;
    mov.u64 %rd0, {};
    ld.global.u32 %r1, [%rd0];
    mul.lo.u32 %r2, %r1, 5;
    add.u32 %r3, %r2, %r0;
    ret;
)",
                         out),
             64);
  // From when the first instruction has been fetched to when the load has come back.
  launch(0);
  for (Cycle i = 0; i < 1000 && bench.issues.size() < 3; ++i) wait(1);
  ASSERT_EQ(bench.issues.size(), 3u);
  wait(50);
  ASSERT_EQ(bench.issues.back().pc, 2u) << "the load is on its way";
  ASSERT_EQ(bench.write(regmap::sm::kPreempt, kSwitch), tlm::TLM_OK_RESPONSE);
  wait(5000);
  ASSERT_EQ(bench.preempted.size(), 1u);
  bench.issues.clear();
  launch(bench.preempted[0].state);
  wait(5000);
  ASSERT_EQ(bench.ctas_done, 1u);
  unsigned products = 0;
  for (const SmBench::Issue& product : bench.issues)
    for (const SmBench::Issue& sum : bench.issues)
      if (product.warp == sum.warp && product.pc == 3 && sum.pc == 4) {
        ++products;
        EXPECT_GE(sum.cycle, product.cycle + kProduct) << "warp " << product.warp;
      }
  EXPECT_EQ(products, 2u);
}

// Whatever the CTA is doing, and whatever it has done: it is gone, and the SM takes others.
TEST_F(Preempted, AKilledCtaLeavesAtAnyMomentForGood) {
  bench.load(rounds(out, fmt::format("st.global.u32 [%rd1+{}], %r0;", 0)), kThreads);
  unsigned killed = 0;
  for (Cycle at = 1; at < 900; at += 23) {
    SCOPED_TRACE(at);
    bench.ctas_done = 0;
    bench.preempted.clear();
    launch(0);
    wait(at);
    ASSERT_EQ(bench.write(regmap::sm::kPreempt, kKill), tlm::TLM_OK_RESPONSE);
    wait(3000);
    EXPECT_FALSE(bench.sm.busy());
    EXPECT_EQ(bench.sm.resident_warps(), 0u);
    EXPECT_EQ(bench.preempted.size() + bench.ctas_done, 1u);
    if (!bench.preempted.empty()) {
      EXPECT_EQ(bench.preempted[0].state, 0u);
    }
    killed += !bench.preempted.empty();
    bench.ctas_done = 0;
    std::memset(bench.memory.at(out), 0, 4 * kThreads);
    launch(0);
    wait(5000);
    ASSERT_EQ(bench.ctas_done, 1u);
    EXPECT_EQ(results(), expected());
  }
  EXPECT_GT(killed, 30u);
}

// Where the fault is contained, the SM stands still with what it has, until it is told to drop it; then it
// goes on.
TEST_F(Preempted, AnSmWithAContainedFaultWaitsAndGoesOn) {
  std::vector<DeviceFault> contained;
  bench.faults.contain = [&](const DeviceFault& fault) {
    contained.push_back(fault);
    return true;
  };
  bench.context = 7;
  bench.before_launch = [&] { bench.write(regmap::sm::kContext, bench.context); };
  const auto stores = [](std::uint64_t to) {
    return fmt::format(
        ".reg .u64 %rd<2>;\n.reg .u32 %r<2>;\nmov.u64 %rd1, {};\nmov.u32 %r1, 7;\nst.global.u32 [%rd1], "
        "%r1;\nret;\n",
        to);
  };
  bench.load(stores(out), kThreads);
  launch(0);
  wait(2000);
  EXPECT_FALSE(bench.faults.faulted());
  // All memory here is of context 0: it is the kernel itself that is foreign.
  ASSERT_EQ(contained.size(), 1u);
  EXPECT_EQ(contained[0].context, 7u);
  EXPECT_TRUE(bench.sm.busy());
  EXPECT_EQ(bench.ctas_done, 0u);
  bench.write(regmap::sm::kPreempt, kKill);
  wait(2000);
  EXPECT_FALSE(bench.sm.busy());
  ASSERT_EQ(bench.preempted.size(), 1u);
  bench.context = 0;
  bench.load(stores(out + (64 << 20)), kThreads);
  launch(0);  // and one that goes wrong as it runs
  wait(2000);
  ASSERT_EQ(contained.size(), 2u);
  EXPECT_EQ(contained[1].context, 0u);
  EXPECT_EQ(bench.sm.resident_ctas(), 1u);
  bench.write(regmap::sm::kPreempt, kKill);
  wait(2000);
  EXPECT_EQ(bench.preempted.size(), 2u);
  bench.load(rounds(out), kThreads);
  launch(0);
  wait(5000);
  EXPECT_EQ(bench.ctas_done, 1u);
  EXPECT_EQ(results(), expected());
}

// Its launch has arrived, but it has not begun: it keeps the state that it would have gone on from.
TEST_F(Preempted, TakenOffAgainBeforeItHasBegunItKeepsItsState) {
  bench.load(rounds(out), kThreads);
  launch(0);
  wait(400);
  bench.write(regmap::sm::kPreempt, kSwitch);
  wait(2000);
  ASSERT_EQ(bench.preempted.size(), 1u);
  const std::uint32_t state = bench.preempted[0].state;
  ASSERT_NE(state, 0u);
  launch(state);
  bench.write(regmap::sm::kPreempt, kSwitch);
  wait(2000);
  ASSERT_EQ(bench.preempted.size(), 2u);
  EXPECT_EQ(bench.preempted[1].state, state);
  EXPECT_EQ(bench.sm.counters().switches.saved, 1u);
  launch(state);
  wait(5000);
  EXPECT_EQ(bench.ctas_done, 1u);
  EXPECT_EQ(results(), expected());
}

// Each context has local memory of its own, and so has what is saved of its CTAs.
TEST_F(Preempted, StatesAndLocalMemoryLieWhereTheRegisterSays) {
  const std::uint64_t local = *bench.memory.allocate(1 << 20, 4096);
  for (const std::uint64_t base : {std::uint64_t{0}, local}) {
    bench.before_launch = [&] { bench.write_table(regmap::sm::kLocalMemory, base); };
    bench.load(rounds(out), kThreads);
    bench.preempted.clear();
    launch(0);
    wait(400);
    bench.write(regmap::sm::kPreempt, kSwitch);
    wait(2000);
    unsigned states = 0, spills = 0;
    for (const auto& r : bench.target.requests) {
      const bool in_local = r.address - local < (1u << 20);
      if (r.kind == AccessKind::kState) {
        ++states;
        EXPECT_EQ(in_local, base != 0);
      } else if (r.kind != AccessKind::kInstruction && r.address - out >= 4 * kThreads) {
        ++spills;
        EXPECT_EQ(in_local, base != 0) << std::hex << r.address;
      }
    }
    EXPECT_GT(states, 0u);
    EXPECT_GT(spills, 0u);
    bench.target.requests.clear();
    launch(bench.preempted.at(0).state);
    wait(3000);
    bench.target.requests.clear();
  }
}

// One behind the other in lines of 128 bytes, and from the region's beginning again behind its end.
TEST(SavedStates, LieInTheirRegion) {
  SavedCtas saved(1024);
  std::vector<std::uint64_t> addresses;
  for (const std::uint64_t bytes : {200, 128, 500, 300, 100}) {
    SavedCta state;
    state.bytes = bytes;
    saved.place(state, 0x1000);
    addresses.push_back(state.address);
  }
  EXPECT_EQ(addresses, (std::vector<std::uint64_t>{0x1000, 0x1100, 0x1180, 0x1000, 0x1180}));
}

TEST_F(Preempted, WhatMovesIsWhatTheCtaHas) {
  bench.load(rounds(out), kThreads);
  launch(0);
  wait(400);
  bench.target.requests.clear();
  bench.write(regmap::sm::kPreempt, kSwitch);
  wait(2000);
  ASSERT_EQ(bench.preempted.size(), 1u);
  // The kernel's descriptor is empty here: 256 registers a warp, the least there is. Three warps have not
  // exited.
  const std::uint64_t bytes = 3 * (256 * 4 + 128) + 512;
  std::vector<ScriptedTarget::Request> moved;
  const auto take = [&] {
    moved.clear();
    for (const auto& r : bench.target.requests)
      if (r.kind == AccessKind::kState) moved.push_back(r);
  };
  take();
  ASSERT_EQ(moved.size(), (bytes + 127) / 128);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    EXPECT_TRUE(moved[i].write);
    EXPECT_EQ(moved[i].address, moved[0].address + 128 * i);
    EXPECT_EQ(moved[i].ext.launch, 1u);
    sum += moved[i].bytes;
  }
  EXPECT_EQ(sum, bytes);
  const std::uint64_t first = moved[0].address;
  bench.target.requests.clear();
  launch(bench.preempted[0].state);
  wait(2000);
  take();
  ASSERT_EQ(moved.size(), (bytes + 127) / 128);
  EXPECT_FALSE(moved[0].write);
  EXPECT_EQ(moved[0].address, first);
  const ContextSwitchCounters& counters = bench.sm.counters().switches;
  EXPECT_EQ(counters.saved_bytes, bytes);
  EXPECT_EQ(counters.restored_bytes, bytes);
}

// With as many requests as the latency covers, a line a cycle; with one at a time, a round trip each.
TEST_F(Preempted, StateMovesAsFastAsItsRequestsAllow) {
  bench.load(rounds(out), kThreads);
  launch(0);
  wait(400);
  bench.write(regmap::sm::kPreempt, kSwitch);
  wait(2000);
  const std::uint64_t lines = bench.preempted.size() == 1 ? (3 * (256 * 4 + 128) + 512 + 127) / 128 : 0;
  // One request a cycle from the next edge on; the last one's answer comes 40 cycles later and is seen at the
  // next edge.
  EXPECT_EQ(bench.sm.counters().switches.save_cycles, lines + 40 + 1);
}

SmConfig one_request() {
  SmConfig config = plain_sm();
  config.context_switch.requests = 1;
  config.context_switch.warp_state_bytes = 0;
  return config;
}
class OneRequest : public Preempted {
 protected:
  OneRequest() : Preempted(one_request()) {}
};
TEST_F(OneRequest, AtATimeTakesARoundTripEach) {
  bench.load(rounds(out), kThreads);
  launch(0);
  wait(400);
  bench.write(regmap::sm::kPreempt, kSwitch);
  wait(5000);
  const std::uint64_t lines = (3 * 256 * 4 + 512 + 127) / 128;
  EXPECT_EQ(bench.sm.counters().switches.saved_bytes, lines * 128);
  EXPECT_EQ(bench.sm.counters().switches.save_cycles, 1 + lines * (40 + 1));
}

// A CTA that has changed nothing outside its SM is dropped; one that has runs on to its end.
TEST_F(Preempted, OnlyWhatCanStartAgainIsDropped) {
  bench.load(rounds(out), kThreads);
  launch(0);
  wait(300);
  bench.write(regmap::sm::kPreempt, kFlush);
  wait(100);
  ASSERT_EQ(bench.preempted.size(), 1u);
  EXPECT_EQ(bench.preempted[0].state, 0u);
  EXPECT_FALSE(bench.sm.busy());
  launch(0);
  wait(5000);
  EXPECT_EQ(bench.ctas_done, 1u);
  EXPECT_EQ(results(), expected());
  EXPECT_EQ(bench.sm.counters().switches.dropped, 1u);
}
TEST_F(Preempted, WhatHasStoredDrains) {
  bench.load(rounds(out, "st.global.u32 [%rd1], %r0;"), kThreads);
  launch(0);
  wait(300);
  bench.write(regmap::sm::kPreempt, kFlush);
  wait(5000);
  EXPECT_TRUE(bench.preempted.empty());
  EXPECT_EQ(bench.ctas_done, 1u);
  EXPECT_EQ(results(), expected());
}

TEST_F(Preempted, NothingToTakeOffChangesNothing) {
  bench.load(rounds(out), kThreads);
  launch(0);
  wait(5000);
  bench.write(regmap::sm::kPreempt, kSwitch);
  wait(100);
  launch(0);
  wait(5000);
  EXPECT_EQ(bench.ctas_done, 2u);
  EXPECT_TRUE(bench.preempted.empty());
}

TEST_F(Preempted, RefusesOtherWays) {
  bench.load(rounds(out), kThreads);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(bench.write(regmap::sm::kPreempt, 0), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(bench.write(regmap::sm::kPreempt, 4), tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_F(Preempted, AStateThatThereIsNotIsAFault) {
  bench.load(rounds(out), kThreads);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  launch(7);
  wait(1000);
  ASSERT_TRUE(bench.faults.fault().has_value());
  EXPECT_THAT(bench.faults.fault()->what, HasSubstr("saved state 7, which there is not"));
}

}  // namespace
}  // namespace warpvp::test
