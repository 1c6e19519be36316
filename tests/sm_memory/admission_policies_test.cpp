// Admission policies through their interface, edge by edge: no load/store unit around them.

#include <gtest/gtest.h>

#include "base/registry.h"
#include "modules/sm/memory/memory_admission.h"
#include "tests/support/set_fields.h"
#include "tests/support/stat_map.h"

namespace warpvp::test {
namespace {

/// A policy with four kernel slots.
class Desk {
 public:
  explicit Desk(const char* name, std::map<std::string, double> values = {})
      : policy(Registry<MemoryAdmission>::instance().make(part_with(name, std::move(values)), here())) {}

  bool admits(unsigned slot) const { return policy->admits(slot); }
  void take(unsigned slot, unsigned transactions = 1) { policy->taken(access(slot, transactions), now); }
  void finish(unsigned slot, unsigned transactions = 1) { policy->done(access(slot, transactions), now); }
  void refuse(unsigned slot, Cycle cycles) {
    events.l1_refused({access(slot, 0).owner, Reservation::kMshr, cycles}, now);
  }
  std::uint64_t read(const std::string& name, unsigned slot) const {
    for (const RegisterSpec& spec : registers)
      if (spec.name == name) return spec.read(slot);
    ADD_FAILURE() << "no register " << name;
    return 0;
  }
  StatMap stats() const {
    StatMap map;
    policy->stats(map);
    return map;
  }

  Cycle now = 1;
  SmEvents events;
  std::vector<RegisterSpec> registers;
  std::unique_ptr<MemoryAdmission> policy;

 private:
  static AdmittedAccess access(unsigned slot, unsigned transactions) {
    AdmittedAccess a;
    a.owner.kernel_slot = static_cast<std::uint16_t>(slot);
    a.transactions = transactions;
    return a;
  }
  SmContext here() {
    SmContext context;
    context.kernel_slots = 4;
    context.cycle = [this] { return now; };
    context.events = &events;
    context.registers =
        PolicyRegisters(0x400, [this](RegisterSpec spec) { registers.push_back(std::move(spec)); });
    return context;
  }
};

// Both have an instruction ready at every edge. Kernel 0 makes 8 requests with each, kernel 1 one.
TEST(BalancedAdmission, RequestsAndNotInstructionsAreBalanced) {
  Desk d("bmi", {{"window", 16}});
  unsigned requests[2] = {}, instructions[2] = {};
  EXPECT_TRUE(d.admits(1));  // it has demand before kernel 0 takes anything
  for (; d.now < 1000; ++d.now) {
    for (unsigned slot = 0; slot < 2; ++slot) {
      if (!d.admits(slot)) continue;
      const unsigned made = slot == 0 ? 8 : 1;
      d.take(slot, made);
      requests[slot] += made;
      ++instructions[slot];
    }
    ASSERT_LT(requests[0], requests[1] + 16 + 8) << "at edge " << d.now;
  }
  EXPECT_EQ(instructions[1], 999u) << "the kernel that is behind never waits";
  EXPECT_GT(requests[0], requests[1]);
  EXPECT_EQ(d.stats()["held_back"], 999 - instructions[0]);
}

TEST(BalancedAdmission, AKernelWithoutDemandHoldsNobodyUp) {
  Desk d("bmi", {{"window", 4}, {"demand_edges", 8}});
  EXPECT_TRUE(d.admits(1));
  unsigned taken = 0;
  // Kernel 1 is ready at the first edge only, and its instruction is not issued.
  for (; d.now <= 8; ++d.now)
    if (d.admits(0)) {
      d.take(0);
      ++taken;
    }
  EXPECT_EQ(taken, 4u);
  EXPECT_TRUE(d.admits(0)) << "the demand of kernel 1 has lapsed";
}

// Edges at which the unit is full ask nothing, and take no demand away.
TEST(BalancedAdmission, AFullUnitIsNoLackOfDemand) {
  Desk d("bmi", {{"window", 4}, {"demand_edges", 8}});
  EXPECT_TRUE(d.admits(1));
  EXPECT_TRUE(d.admits(0));
  d.take(0, 4);
  d.now += 1000;
  EXPECT_FALSE(d.admits(0));
}

TEST(BalancedAdmission, WhoComesBackHasNeitherCreditNorDebt) {
  Desk d("bmi", {{"window", 4}, {"demand_edges", 2}});
  const auto alone = [&](unsigned slot, unsigned edges) {
    for (unsigned i = 0; i < edges; ++i, ++d.now)
      if (d.admits(slot)) d.take(slot);
  };
  alone(0, 100);
  alone(1, 10);
  // Kernel 0 is 90 ahead by what they have done, and does not wait for that.
  EXPECT_TRUE(d.admits(1));
  EXPECT_TRUE(d.admits(0));
  d.take(0, 4);
  EXPECT_FALSE(d.admits(0));
  // Nor has kernel 2, which is new, 14 requests before the others may go on.
  EXPECT_TRUE(d.admits(2));
  d.take(2, 4);
  EXPECT_FALSE(d.admits(2));
}

TEST(BalancedAdmission, AloneItIsOpen) {
  Desk d("bmi", {{"window", 1}});
  for (; d.now < 100; ++d.now) {
    ASSERT_TRUE(d.admits(3));
    d.take(3, 32);
  }
}

TEST(LimitingAdmission, LimitsBeginOpen) {
  Desk d("mil");
  for (unsigned i = 0; i < 200; ++i) {
    ASSERT_TRUE(d.admits(0));
    d.take(0);
  }
  EXPECT_EQ(d.read("LIMIT", 0), 65535u);
  EXPECT_EQ(d.read("IN_FLIGHT", 0), 200u);
}

// 10 requests of kernel 0 and 11 cycles of refusals in a window: its limit goes below what it had in flight.
// Kernel 1 has no failures and stays.
TEST(LimitingAdmission, ManyFailuresLowerTheLimitOfWhoHasThem) {
  Desk d("mil", {{"window", 100}, {"step", 2}});
  for (unsigned i = 0; i < 10; ++i) d.take(0);
  for (unsigned i = 0; i < 10; ++i) d.take(1);
  for (unsigned i = 0; i < 4; ++i) d.finish(0);
  d.refuse(0, 11);
  d.now = 99;
  EXPECT_TRUE(d.admits(0)) << "the window is not over";
  d.now = 100;
  EXPECT_TRUE(d.admits(0));
  EXPECT_EQ(d.read("LIMIT", 0), 8u);
  EXPECT_EQ(d.read("LIMIT", 1), 65535u);
  d.take(0);
  d.take(0);
  EXPECT_FALSE(d.admits(0)) << "8 are in flight";
  d.finish(0);
  EXPECT_TRUE(d.admits(0));
  EXPECT_EQ(d.stats()["lowered"], 1);
  EXPECT_EQ(d.stats()["lowest_limit"], 8);
}

TEST(LimitingAdmission, FailuresAtTheThresholdRaiseTheLimit) {
  Desk d("mil", {{"window", 100}, {"threshold", 0.5}, {"most", 20}});
  for (unsigned i = 0; i < 10; ++i) d.take(0);
  d.refuse(0, 6);
  d.now = 100;
  d.admits(0);
  EXPECT_EQ(d.read("LIMIT", 0), 9u);
  for (unsigned i = 0; i < 10; ++i) d.finish(0);
  for (unsigned i = 0; i < 10; ++i) d.take(0);
  d.refuse(0, 5);
  d.now = 200;
  d.admits(0);
  EXPECT_EQ(d.read("LIMIT", 0), 10u);
  // Windows without anything raise it too, each by a step, and not above the most.
  d.now = 500;
  d.admits(0);
  EXPECT_EQ(d.read("LIMIT", 0), 13u);
  d.now = 5000;
  d.admits(0);
  EXPECT_EQ(d.read("LIMIT", 0), 20u);
  EXPECT_EQ(d.stats()["raised"], 11);
}

TEST(LimitingAdmission, NoLimitIsBelowTheLeast) {
  Desk d("mil", {{"window", 10}, {"least", 2}});
  d.take(0);
  d.take(0);
  for (unsigned window = 1; window <= 5; ++window) {
    d.refuse(0, 100);
    d.now = window * 10;
    d.admits(0);
  }
  EXPECT_EQ(d.read("LIMIT", 0), 2u);
}

TEST(LimitingAdmission, ANewKernelBeginsOpen) {
  Desk d("mil", {{"window", 10}});
  KernelHere kernel;
  kernel.launch = 7;
  d.events.kernel_started(kernel, d.now);
  d.take(0);
  d.refuse(0, 100);
  d.now = 10;
  d.admits(0);
  EXPECT_EQ(d.read("LIMIT", 0), 1u);
  d.events.kernel_started(kernel, d.now);  // the same one, after a pause without CTAs here
  EXPECT_EQ(d.read("LIMIT", 0), 1u);
  kernel.launch = 8;
  d.events.kernel_started(kernel, d.now);
  EXPECT_EQ(d.read("LIMIT", 0), 65535u);
}

}  // namespace
}  // namespace warpvp::test
