// CTA dispatch policies through their interface, on hand-made sequences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/dominant_share.h"
#include "modules/work_distributor/policy.h"
#include "tests/support/stat_map.h"

namespace warpvp {
namespace {

using test::StatMap;

// SMs with room for 8 warps; kernels are told apart by slot.
SmResources small_sm() {
  SmResources r;
  r.warps = 8;
  r.threads = 256;
  r.ctas = 8;
  r.registers = 16384;
  r.threads_per_cta = 256;
  return r;
}

class Scene {
 public:
  Scene(const char* policy, unsigned sms) : state(small_sm(), sms) {
    policy_ = Registry<CtaDispatchPolicy>::instance().make(PolicyChoice(policy));
  }
  void arrive(unsigned slot, unsigned ctas, unsigned warps, int priority = 0, unsigned registers = 16,
              unsigned context = 0) {
    ResidentKernel k;
    k.slot = slot;
    k.launch_id = 100 + slot;
    k.context = context;
    k.ctas = ctas;
    k.priority = priority;
    k.arrival = arrivals_++;
    k.needs = cta_needs(small_sm(), warps * 32, registers, 0, 0);
    state.add(k);
    policy_->kernels_changed(state);
  }
  /// One cycle without limit of rate: "slot@sm" in order.
  std::vector<std::string> cycle(unsigned at_most = 100) {
    state.begin_cycle(0);
    std::vector<std::string> out;
    while (out.size() < at_most) {
      const auto choice = policy_->pick(state);
      if (!choice) break;
      if (!state.fits(choice->kernel, choice->sm)) {
        ADD_FAILURE() << "policy chose what does not fit";
        break;
      }
      out.push_back(std::to_string(state.kernels()[choice->kernel].slot) + "@" + std::to_string(choice->sm));
      state.issue(choice->kernel, choice->sm);
    }
    return out;
  }
  void drain_issue() {
    while (!cycle().empty()) {
    }
  }
  void done(unsigned slot, unsigned sm) {
    const ResidentKernel& k = state.complete(slot, sm);
    if (k.done == k.ctas) {
      state.remove(slot);
      policy_->kernels_changed(state);
    }
  }
  StatMap stats() const {
    StatMap map;
    policy_->stats(map);
    return map;
  }
  unsigned running(unsigned slot, unsigned sm) const { return state.find(slot)->running[sm]; }

  DispatchState state;

 private:
  std::unique_ptr<CtaDispatchPolicy> policy_;
  std::uint64_t arrivals_ = 0;
};

using ::testing::ElementsAre;

TEST(DispatchPolicies, AllAreRegistered) {
  EXPECT_THAT(Registry<CtaDispatchPolicy>::instance().names(),
              ::testing::IsSupersetOf({"exclusive", "leftover", "smk", "smk_even", "spatial"}));
}

TEST(DispatchPolicies, SmkGoesBreadthFirstAndFillsGapsWithOtherKernels) {
  Scene s("smk", 2);
  s.arrive(0, 3, 4);
  EXPECT_THAT(s.cycle(), ElementsAre("0@0", "0@1"));  // an SM takes one a cycle
  s.arrive(1, 8, 2);
  EXPECT_THAT(s.cycle(), ElementsAre("0@0", "1@1"));  // SM 0 is full now; SM 1 has 4 warps left
  EXPECT_THAT(s.cycle(), ElementsAre("1@1"));
  EXPECT_THAT(s.cycle(), ElementsAre());
}

// 192 registers a thread: each of the four parts of the register file holds two such warps, eight in all,
// although the sum of free registers would do for ten.
TEST(DispatchState, AnSmTakesNoMoreCtasThanItsOccupancy) {
  SmResources sm;
  ASSERT_EQ(sm.register_banks, 4u);
  DispatchState state(sm, 1);
  ResidentKernel kernel;
  kernel.ctas = 100;
  kernel.needs = cta_needs(sm, 32, 192, 0, 0);
  ASSERT_EQ(kernel.needs.most_ctas, 8u);
  ASSERT_GE(sm.registers / kernel.needs.registers, 10u);
  state.add(kernel);
  unsigned taken = 0;
  for (; taken < 20; ++taken) {
    state.begin_cycle(0);
    if (!state.fits(0, 0)) break;
    state.issue(0, 0);
  }
  EXPECT_EQ(taken, 8u);
  state.complete(0, 0);
  state.begin_cycle(0);
  EXPECT_TRUE(state.fits(0, 0));
}

TEST(DispatchPolicies, SmkServesPriorityBeforeArrival) {
  Scene s("smk", 1);
  s.arrive(0, 4, 4);
  s.arrive(1, 4, 4, 5);
  EXPECT_THAT(s.cycle(), ElementsAre("1@0"));
  EXPECT_THAT(s.cycle(), ElementsAre("1@0"));
  s.done(1, 0);
  EXPECT_THAT(s.cycle(), ElementsAre("1@0"));
}

TEST(DispatchPolicies, SmkLetsSmallCtasPassOneThatWaitsForRoom) {
  Scene s("smk", 1);
  s.arrive(0, 2, 6);
  s.arrive(1, 2, 1);
  EXPECT_THAT(s.cycle(), ElementsAre("0@0"));
  EXPECT_THAT(s.cycle(), ElementsAre("1@0"));
}

TEST(DispatchPolicies, LeftoverNeverLetsALaterKernelPass) {
  Scene s("leftover", 1);
  s.arrive(0, 2, 6);
  s.arrive(1, 2, 1);
  EXPECT_THAT(s.cycle(), ElementsAre("0@0"));
  EXPECT_THAT(s.cycle(), ElementsAre());  // kernel 0 still has a CTA to issue
  s.done(0, 0);
  EXPECT_THAT(s.cycle(), ElementsAre("0@0"));
  EXPECT_THAT(s.cycle(), ElementsAre("1@0"));  // now all of kernel 0 is issued
}

TEST(DispatchPolicies, ExclusiveWaitsForTheLastCta) {
  Scene s("exclusive", 2);
  s.arrive(0, 2, 1);
  s.arrive(1, 2, 1, 9);  // more urgent, and neither has begun
  EXPECT_THAT(s.cycle(), ElementsAre("1@0", "1@1"));
  EXPECT_THAT(s.cycle(), ElementsAre());
  s.done(1, 0);
  EXPECT_THAT(s.cycle(), ElementsAre());
  s.done(1, 1);
  EXPECT_THAT(s.cycle(1), ElementsAre("0@0"));
  s.arrive(2, 2, 1, 9);  // too late: kernel 0 has begun
  EXPECT_THAT(s.cycle(), ElementsAre("0@1"));
}

TEST(DispatchPolicies, SmkEvenInterleavesToEqualWarps) {
  Scene s("smk_even", 2);
  s.arrive(0, 20, 1);
  s.arrive(1, 20, 2);
  s.drain_issue();
  for (unsigned sm = 0; sm < 2; ++sm) {
    EXPECT_EQ(s.running(0, sm), 4u) << sm;  // 4 warps each of 8
    EXPECT_EQ(s.running(1, sm), 2u) << sm;
  }
}

TEST(DispatchPolicies, SmkEvenConvergesWhenTheSecondKernelComesLate) {
  Scene s("smk_even", 1);
  s.arrive(0, 100, 1);
  s.drain_issue();
  EXPECT_EQ(s.running(0, 0), 8u);
  s.arrive(1, 100, 2);
  for (int i = 0; i < 4; ++i) {
    s.done(0, 0);
    s.drain_issue();
  }
  EXPECT_EQ(s.running(0, 0), 4u);  // room was kept until each CTA of kernel 1 fitted
  EXPECT_EQ(s.running(1, 0), 2u);
  s.done(0, 0);
  EXPECT_THAT(s.cycle(), ElementsAre("0@0"));  // and stays so
}

TEST(DispatchPolicies, SpatialSplitsSmsAndDrainsThemFirst) {
  Scene s("spatial", 4);
  s.arrive(0, 100, 4);
  s.drain_issue();
  for (unsigned sm = 0; sm < 4; ++sm) EXPECT_EQ(s.running(0, sm), 2u);
  s.arrive(1, 100, 4);
  s.done(0, 0);
  s.done(0, 2);
  EXPECT_THAT(s.cycle(), ElementsAre("0@0"));  // SM 2 is kernel 1's now, but runs a CTA of kernel 0
  s.done(0, 2);
  EXPECT_THAT(s.cycle(), ElementsAre("1@2"));
  s.drain_issue();
  EXPECT_EQ(s.running(1, 2), 2u);
  EXPECT_EQ(s.running(1, 3), 0u);
  EXPECT_EQ(s.running(1, 0), 0u);
}

TEST(DispatchPolicies, SpatialGivesTheWholeGpuBackWhenAKernelEnds) {
  Scene s("spatial", 2);
  s.arrive(0, 1, 8);
  s.arrive(1, 10, 8);
  EXPECT_THAT(s.cycle(), ElementsAre("0@0", "1@1"));
  s.done(0, 0);
  EXPECT_THAT(s.cycle(), ElementsAre("1@0"));
}

TEST(DispatchPolicies, SpatialWithMoreKernelsThanSms) {
  Scene s("spatial", 2);
  for (unsigned k = 0; k < 3; ++k) s.arrive(k, 1, 8);
  EXPECT_THAT(s.cycle(), ElementsAre("0@0", "1@1"));
  s.done(0, 0);
  s.done(1, 1);
  EXPECT_THAT(s.cycle(), ElementsAre("2@0"));
}

// ---- dominant resource fairness

// Ghodsi et al., section 4.1, figure 3: of 9 CPUs and 18 GB, a user whose tasks take 1 CPU and 4 GB has 3,
// one whose tasks take 3 CPUs and 1 GB has 2. Registers stand for CPUs, bytes of shared memory for GB.
TEST(DominantShare, ThePapersExample) {
  SmResources sm;
  sm.registers = 9;
  sm.shared_bytes = 18;
  CtaNeeds a, b;
  a.warps = b.warps = 1;
  a.threads = b.threads = 32;
  a.most_ctas = b.most_ctas = 32;
  a.registers = 1;
  a.shared_bytes = 4;
  b.registers = 3;
  b.shared_bytes = 1;
  EXPECT_THAT(fair_cta_combination(sm, {a, b}), ElementsAre(3, 2));
  EXPECT_THAT(fair_cta_combination(sm, {b, a}), ElementsAre(2, 3));
  EXPECT_THAT(fair_cta_combination(sm, {a}), ElementsAre(4));
  b.most_ctas = 1;
  EXPECT_THAT(fair_cta_combination(sm, {a, b}), ElementsAre(4, 1)) << "what b cannot use is a's";
}

// Each of the four resources, taken half by a CTA of the first kernel and a quarter by one of the second.
TEST(DominantShare, CountsRegistersSharedMemoryThreadsAndSlots) {
  SmResources sm;
  for (int resource = 0; resource < 4; ++resource) {
    CtaNeeds needs;
    needs.warps = 1;
    if (resource == 0) needs.registers = sm.registers / 4;
    if (resource == 1) needs.shared_bytes = sm.shared_bytes / 4;
    if (resource == 2) needs.threads = sm.threads / 4;
    const DominantShare share(sm, needs, resource == 3 ? 16 : 2), half(sm, needs, resource == 3 ? 15 : 1);
    EXPECT_EQ(share.part * 2, share.whole) << resource;
    EXPECT_TRUE(half < share) << resource;
    EXPECT_FALSE(share < half) << resource;
  }
}

TEST(DispatchPolicies, DrfEqualsDominantSharesAndNotWarps) {
  // A CTA of kernel 0 takes 1/8 of the threads, one of kernel 1 1/4 of the registers: by warps both had 4.
  Scene s("drf", 2);
  s.arrive(0, 100, 1, 0, 16);
  s.arrive(1, 100, 1, 0, 128);
  s.drain_issue();
  for (unsigned sm = 0; sm < 2; ++sm) {
    EXPECT_EQ(s.running(0, sm), 5u) << sm;
    EXPECT_EQ(s.running(1, sm), 3u) << sm;
  }
  EXPECT_EQ(s.stats()["divisions"], 1);
}

TEST(DispatchPolicies, DrfKeepsRoomForWhoComesLate) {
  Scene s("drf", 1);
  s.arrive(0, 100, 1);
  s.drain_issue();
  EXPECT_EQ(s.running(0, 0), 8u);
  s.arrive(1, 100, 2);
  for (int i = 0; i < 4; ++i) {
    s.done(0, 0);
    s.drain_issue();
  }
  EXPECT_EQ(s.running(0, 0), 4u);
  EXPECT_EQ(s.running(1, 0), 2u);
  // Each stays at its number.
  s.done(1, 0);
  EXPECT_THAT(s.cycle(), ElementsAre("1@0"));
  s.done(0, 0);
  EXPECT_THAT(s.cycle(), ElementsAre("0@0"));
}

TEST(DispatchPolicies, DrfGivesThePartOfWhoHasNoCtaLeftToTheOthers) {
  Scene s("drf", 1);
  s.arrive(0, 2, 2);
  s.arrive(1, 100, 2);
  s.drain_issue();
  EXPECT_EQ(s.running(0, 0), 2u);
  EXPECT_EQ(s.running(1, 0), 2u);
  s.done(0, 0);
  EXPECT_THAT(s.cycle(), ElementsAre("1@0"));
}

TEST(DispatchPolicies, DrfDividesContextsApart) {
  Scene s("drf", 1);
  s.arrive(0, 100, 2, 0, 16, 1);
  s.arrive(1, 100, 2, 0, 16, 2);
  s.drain_issue();
  EXPECT_EQ(s.running(0, 0), 4u) << "no CTA of another context can come here";
  EXPECT_EQ(s.running(1, 0), 0u);
}

}  // namespace
}  // namespace warpvp
