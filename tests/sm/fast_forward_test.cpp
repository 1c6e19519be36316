// CTAs that an SM computes without cycles (register FUNCTIONAL), beside those in its pipeline.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

/// Threads go over a barrier, then thread t stores what its neighbour has put into shared memory.
std::string swapping(std::uint64_t out, const std::string& more = "") {
  return fmt::format(R"(
    .reg .u32 %r<8>; .reg .u64 %rd<4>; .shared .u32 s[64]; .reg .pred %p<4>;
    mov.u32 %r0, %tid.x;
    mul.lo.u32 %r1, %r0, 4;
    mov.u32 %r2, s;
    add.u32 %r2, %r2, %r1;
    mul.lo.u32 %r3, %r0, %r0;
    st.shared.u32 [%r2], %r3;
    bar.sync 0;
    xor.b32 %r1, %r1, 4;
    mov.u32 %r2, s;
    add.u32 %r2, %r2, %r1;
    ld.shared.u32 %r4, [%r2];
    mov.u64 %rd0, {};
    mul.wide.u32 %rd1, %r0, 4;
    add.u64 %rd0, %rd0, %rd1;
    {}
    st.global.u32 [%rd0], %r4;
    ret;
)",
                     out, more);
}

class FastForwarded : public testing::Test {
 protected:
  FastForwarded() : bench(plain_sm()), out(*bench.memory.allocate(4 * 64)) { bench.launch_id = 3; }
  void launch_functional() {
    ASSERT_EQ(bench.write(regmap::sm::kFunctional, 1), tlm::TLM_OK_RESPONSE);
    bench.launch();
  }
  void wait(Cycle cycles) { sc_core::sc_start(static_cast<double>(cycles) * bench.clock.period()); }
  std::uint32_t word(unsigned i) {
    std::uint32_t value;
    std::memcpy(&value, bench.memory.at(out + 4 * i), 4);
    return value;
  }
  void expect_results() {
    for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(word(t), (t ^ 1) * (t ^ 1)) << t;
  }

  SmBench bench;
  std::uint64_t out;
};

TEST_F(FastForwarded, ComputesAndTakesNoCycles) {
  bench.load(swapping(out), 64);
  wait(1);
  launch_functional();
  wait(3);
  expect_results();
  EXPECT_EQ(bench.ctas_done, 1u);
  EXPECT_FALSE(bench.sm.busy());
  EXPECT_EQ(bench.sm.launch_counters(3), nullptr);
  EXPECT_EQ(bench.sm.counters().issued, 0u);
  EXPECT_EQ(bench.sm.counters().active_cycles, 0u);
  EXPECT_TRUE(bench.target.requests.empty());
  const SmLaunchCounters* const counters = bench.sm.functional_counters(3);
  ASSERT_NE(counters, nullptr);
  EXPECT_EQ(counters->ctas, 1u);
  EXPECT_EQ(counters->warp_instructions, 2 * bench.program->code.size());
  EXPECT_EQ(bench.sm.functional_counters(2), nullptr);
}

// It counts the instructions of a CTA as the pipeline does.
TEST_F(FastForwarded, CountsWhatThePipelineCounts) {
  bench.run(swapping(out, ".reg .f32 %f; cvt.rn.f32.u32 %f, %r0; fma.rn.f32 %f, %f, %f, %f;"), 64);
  launch_functional();
  wait(10);
  const SmLaunchCounters &in_cycles = *bench.sm.launch_counters(3),
                         &without = *bench.sm.functional_counters(3);
  EXPECT_EQ(without.warp_instructions, in_cycles.warp_instructions);
  EXPECT_EQ(without.thread_instructions, in_cycles.thread_instructions);
  EXPECT_EQ(without.flops[0], in_cycles.flops[0]);
  EXPECT_GT(without.flops[0], 0u);
}

// The write is for one launch, and what is in the pipeline goes on in the same cycles.
TEST_F(FastForwarded, LeavesThePipelineAlone) {
  const auto issued = [&](bool beside) {
    bench.issues.clear();
    bench.load(swapping(out), 64);
    bench.launch();
    wait(25);
    if (beside)
      for (int i = 0; i < 5; ++i) launch_functional();
    wait(2000);
    expect_results();
    return bench.text();
  };
  issued(false);  // fetches miss
  const std::string alone = issued(false);
  const unsigned before = bench.ctas_done;
  EXPECT_EQ(issued(true), alone);
  EXPECT_EQ(bench.ctas_done, before + 6);
}

// More than there is room for at once: they follow each other.
TEST_F(FastForwarded, TakesAnyNumber) {
  bench.load(swapping(out), 64);
  wait(1);
  for (int i = 0; i < 100; ++i) launch_functional();
  EXPECT_EQ(bench.read(regmap::sm::kWaitingCtas), 100u);
  wait(20);
  EXPECT_EQ(bench.ctas_done, 100u);
  EXPECT_EQ(bench.read(regmap::sm::kWaitingCtas), 0u);
}

TEST_F(FastForwarded, AFaultIsNamed) {
  bench.load(swapping(out, "mov.u64 %rd0, 64;"), 64);
  wait(1);
  launch_functional();
  wait(20);
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_THAT(bench.faults.fault()->what, HasSubstr("global store through a null pointer of 4 bytes"));
  EXPECT_EQ(bench.faults.fault()->sm, 0);
  EXPECT_EQ(bench.faults.fault()->warp, 0);  // both go over the barrier, and the first has its turn then
  EXPECT_THAT(bench.faults.fault()->ptx_location, HasSubstr("st.global.u32"));
  EXPECT_EQ(bench.ctas_done, 0u);
}

// A CTA goes round until a word changes: the SM sleeps in between, so that whoever changes it gets there.
TEST_F(FastForwarded, OneThatWaitsForOthersIsPatient) {
  bench.load(swapping(out, fmt::format("mov.u64 %rd2, {}; AGAIN: ld.volatile.global.u32 %r6, [%rd2]; "
                                       "setp.eq.u32 %p0, %r6, 0; @%p0 bra AGAIN;",
                                       out + 4 * 63)),
             32);
  std::memset(bench.memory.at(out), 0, 4 * 64);
  wait(1);
  launch_functional();
  wait(100000);
  EXPECT_EQ(bench.ctas_done, 0u);
  EXPECT_TRUE(bench.sm.busy());
  EXPECT_THAT(bench.sm.describe_waiting(4), HasSubstr("kernel k CTA (0,0,0) warp 0: is ready"));
  bench.memory.at(out + 4 * 63)[0] = std::byte{1};
  wait(20000);
  EXPECT_EQ(bench.ctas_done, 1u);
}

TEST_F(FastForwarded, LeavesWhenItsContextEnds) {
  bench.load(swapping(out, fmt::format("mov.u64 %rd2, {}; AGAIN: ld.volatile.global.u32 %r6, [%rd2]; "
                                       "setp.eq.u32 %p0, %r6, 0; @%p0 bra AGAIN;",
                                       out + 4 * 63)),
             32);
  std::memset(bench.memory.at(out), 0, 4 * 64);
  wait(1);
  for (int i = 0; i < 20; ++i) launch_functional();
  wait(50);
  ASSERT_EQ(bench.write(regmap::sm::kPreempt, static_cast<std::uint32_t>(Preemption::kKill)),
            tlm::TLM_OK_RESPONSE);
  wait(50);
  EXPECT_EQ(bench.preempted.size(), 20u);
  EXPECT_FALSE(bench.sm.busy());
}

}  // namespace
}  // namespace warpvp::test
