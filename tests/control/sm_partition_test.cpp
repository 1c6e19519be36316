// The partition of SMs beneath the policies: what happens to an SM that is set up, drained or left.
#include <gtest/gtest.h>

#include "tests/control/partition_machine.h"

namespace warpvp {
namespace {

using test::four_ctas;
using test::Machine;

TEST(SmPartition, AnSmTakesNoCtaWhileItIsSetUp) {
  Machine m("fcfs_m", 1, 10);
  m.arrive(0, 1, 2);
  m.cycles(30);
  ASSERT_EQ(m.issued.size(), 2u);
  EXPECT_EQ(m.issued[0].at, 10u);  // set up at 0
  EXPECT_EQ(m.issued[1].at, 11u);
  EXPECT_EQ(m.counters().setups, 1u);
}

TEST(SmPartition, CountsTheTimeOfDraining) {
  Machine m("fcfs_ppq", 1);
  m.arrive(0, 1, 40, 0);
  m.cycles(5);
  m.arrive(1, 2, 4, 1);
  m.cycle();  // 5: reserved
  m.cycles(6);
  m.drain(0);
  m.cycle();  // 12: empty
  EXPECT_EQ(m.counters().drain_cycles, 7u);
  EXPECT_EQ(m.counters().setups, 2u);
  EXPECT_EQ(m.sms(), "1");
}

TEST(SmPartition, AReservedSmWhoseNextKernelHasNoCtaLeftBecomesIdle) {
  Machine m("fcfs_ppq", 2);
  m.arrive(0, 1, 40, 0);
  m.cycles(5);
  m.arrive(1, 2, 8, 1);
  m.cycle();
  EXPECT_EQ(m.sms(), "0>1 0>1");
  m.drain(0);
  m.cycles(4);
  m.drain(0);  // 4 of 8 ended
  m.cycles(4);
  m.drain(0);
  m.cycle();
  EXPECT_EQ(m.sms(), "0 0>1");  // kernel 1 is gone; SM 0 went back to kernel 0
  m.drain(1);
  m.cycle();
  EXPECT_EQ(m.sms(), "0 0");
}

// Priority 1 takes both SMs from priority 0. What left goes on first when an SM comes back, from its states
// and in the order in which it left, and only then do new CTAs begin.
TEST(SmPartition, CtasThatLeftGoOnBeforeNewOnes) {
  Machine m("fcfs_ppq", 2, 0, Preemption::kSwitch);
  m.arrive(0, 1, 40, 0);
  m.cycles(4);
  ASSERT_EQ(m.issued.size(), 8u);
  m.arrive(1, 2, 8, 1);
  m.cycle();
  EXPECT_EQ(m.sms(), "0>1 0>1");
  EXPECT_EQ(m.told_to_leave(), (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(m.state.sm(0).preemption, Preemption::kSwitch);
  m.leave(0);  // CTAs 0, 2, 4, 6 become states 1 to 4
  EXPECT_EQ(m.state.find(0)->in_flight(), 4u);
  m.leave(1);
  m.cycles(4);
  EXPECT_EQ(m.sms(), "1 1");
  EXPECT_EQ(m.state.sm(0).preemption, Preemption::kDrain);
  EXPECT_EQ(m.counters().preemptions, 2u);
  EXPECT_EQ(m.counters().preemption_cycles, 2u);  // reserved at 4, empty at 5
  EXPECT_EQ(m.counters().drain_cycles, 0u);
  m.drain(0);
  m.drain(1);
  m.issued.clear();
  m.cycles(4);
  ASSERT_EQ(m.issued.size(), 8u);
  const std::uint64_t order[] = {0, 2, 4, 6, 1, 3, 5, 7};
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_EQ(m.issued[i].cta, order[i]);
    EXPECT_EQ(m.issued[i].state, i + 1);
  }
  m.drain(0);
  m.issued.clear();
  m.cycle();
  ASSERT_EQ(m.issued.size(), 1u);
  EXPECT_EQ(m.issued[0].cta, 8u);
  EXPECT_EQ(m.issued[0].state, 0u);
}

// An SM whose CTAs are leaving can be promised to another kernel meanwhile, even to the one that it had.
TEST(SmPartition, WhoComesNextMayChangeWhileCtasLeave) {
  Machine m("fcfs_ppq", 1, 0, Preemption::kSwitch);
  m.arrive(0, 1, 40, 0);
  m.cycles(4);
  m.arrive(1, 2, 4, 1);
  m.cycle();
  m.arrive(2, 3, 4, 2);
  m.cycle();
  EXPECT_EQ(m.sms(), "0>2");
  EXPECT_EQ(m.told_to_leave(), std::vector<unsigned>{0});
  m.leave(0);
  m.cycle();
  EXPECT_EQ(m.sms(), "2");
  EXPECT_EQ(m.counters().preemptions, 1u);
}

/// A policy whose every call is the test's.
class Scripted : public PartitionPolicy {
 public:
  explicit Scripted(std::function<void(SmVerbs&)> act) : act_(std::move(act)) {}
  void partition(const DispatchState&, SmVerbs& sms) override { act_(sms); }

 private:
  std::function<void(SmVerbs&)> act_;
};

// A policy may make a draining SM's CTAs leave; one without CTAs has nothing to be told.
TEST(SmPartition, ADrainingSmCanBeMadeToLeave) {
  DispatchState state(four_ctas(), 1, 0, true);
  for (unsigned slot = 0; slot < 2; ++slot) {
    ResidentKernel k;
    k.slot = slot;
    k.ctas = 4;
    k.needs = cta_needs(four_ctas(), 64, 16, 0, 0);
    state.add(k);
  }
  std::function<void(SmVerbs&)> act = [](SmVerbs& v) { v.set_up(0, 0); };
  Scripted policy([&](SmVerbs& v) { act(v); });
  SmPartition partition(state, policy, Preemption::kDrain,
                        [](const std::string& rule) { throw std::runtime_error(rule); });
  const auto decide = [&](Cycle now, std::function<void(SmVerbs&)> what) {
    act = std::move(what);
    partition.kernels_changed();
    partition.update(now);
  };
  decide(0, act);
  state.issue(0, 0);
  decide(1, [](SmVerbs& v) { v.reserve(1, 0); });
  EXPECT_TRUE(partition.take_preempted().empty());
  decide(5, [](SmVerbs& v) { v.preempt(1, 0, Preemption::kFlush); });
  EXPECT_EQ(partition.take_preempted(), std::vector<unsigned>{0});
  EXPECT_THROW(decide(6, [](SmVerbs& v) { v.release(0); }), std::runtime_error) << "its CTAs are leaving";
  state.set_aside(0, 0, {0, 0});
  partition.emptied();
  decide(7, [](SmVerbs&) {});
  EXPECT_EQ(partition.counters().drain_cycles, 4u);
  EXPECT_EQ(partition.counters().preemption_cycles, 2u);
  EXPECT_EQ(partition.counters().reservations, 1u);
  decide(8, [](SmVerbs& v) { v.preempt(0, 0, Preemption::kSwitch); });  // no CTA has come
  EXPECT_TRUE(partition.take_preempted().empty());
  EXPECT_EQ(state.sm(0).owner, 0u);
}

TEST(SmPartition, VerbsAreCheckedAgainstTheirContracts) {
  struct Case {
    std::function<void(SmVerbs&)> act;
    const char* rule;
  };
  const Case cases[] = {
      {[](SmVerbs& v) { v.set_up(0, 2); }, "set_up of SM 2, but the number of SMs is 2"},
      {[](SmVerbs& v) { v.set_up(2, 0); }, "set_up of kernel 2, but the number of resident kernels is 2"},
      {[](SmVerbs& v) { v.set_up(0, 0), v.set_up(1, 0); },
       "set_up of SM 0, which is running; it must be idle"},
      {[](SmVerbs& v) { v.reserve(0, 0); }, "reserve of SM 0, which is idle; it must be running"},
      {[](SmVerbs& v) { v.set_up(0, 0), v.reserve(0, 0); }, "reserve of SM 0 for kernel 0, which has it"},
      {[](SmVerbs& v) { v.set_up(0, 0), v.release(0); },
       "release of SM 0, which is running; it must be reserved"},
      {[](SmVerbs& v) { v.preempt(0, 0, Preemption::kSwitch); },
       "preempt of SM 0, which is idle; it must be running"},
      {[](SmVerbs& v) { v.set_up(0, 0), v.preempt(0, 0, Preemption::kFlush); },
       "preempt of SM 0 for kernel 0, which has it"},
  };
  for (const Case& c : cases) {
    DispatchState state(four_ctas(), 2, 0, true);
    for (unsigned slot = 0; slot < 2; ++slot) {
      ResidentKernel k;
      k.slot = slot;
      k.ctas = 4;
      k.needs = cta_needs(four_ctas(), 64, 16, 0, 0);
      state.add(k);
    }
    Scripted policy(c.act);
    SmPartition partition(state, policy, Preemption::kDrain,
                          [](const std::string& rule) { throw std::runtime_error(rule); });
    partition.kernels_changed();
    try {
      partition.update(0);
      ADD_FAILURE() << "not noticed: " << c.rule;
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), c.rule);
    }
  }
}

}  // namespace
}  // namespace warpvp
