// The schedulers of CUsched without SystemC: whose each SM is after arrivals and ends of CTAs, worked out by
// hand from section III.C and IV, and what holds under random arrivals.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/control/partition_machine.h"
#include "tests/support/set_fields.h"

namespace warpvp {
namespace {

using test::Machine;

PolicyChoice tokens(const std::vector<std::uint32_t>& numbers) {
  PolicyChoice choice("token");
  choice.load = [numbers](const std::function<void(FieldVisitor&)>& fields) {
    test::SetFields set({});
    set.lists["tokens"] = numbers;
    fields(set);
  };
  return choice;
}

TEST(PartitionPolicies, FcfsSingleServesOneContextAfterTheOther) {
  Machine m("fcfs_s", 3);
  m.arrive(0, 1, 5);  // needs two SMs
  m.arrive(1, 2, 40);
  m.arrive(2, 1, 2);  // of the active context
  m.cycle();
  EXPECT_EQ(m.sms(), "0 0 2");
  m.cycles(4);
  m.drain(2);
  m.cycle();
  EXPECT_EQ(m.sms(), "0 0 .");  // context 2 waits, although an SM is idle
  m.drain(0);
  m.drain(1);
  m.cycle();
  EXPECT_EQ(m.sms(), "1 1 1");
}

TEST(PartitionPolicies, FcfsSingleDoesNotLookAtPriorities) {
  Machine m("fcfs_s", 1);
  m.arrive(0, 1, 4);
  m.cycles(4);
  m.arrive(1, 2, 4, 0);
  m.arrive(2, 3, 4, 9);
  m.drain(0);
  m.cycle();
  EXPECT_EQ(m.sms(), "1");
}

TEST(PartitionPolicies, PriorityQueuesChooseTheNextContextByPriority) {
  Machine m("fcfs_pq", 1);
  m.arrive(0, 1, 4, 1);
  m.cycles(4);
  m.arrive(1, 2, 4, 0);
  m.arrive(2, 3, 4, 9);
  m.cycle();
  EXPECT_EQ(m.sms(), "0");  // not preempted
  m.drain(0);
  m.cycle();
  EXPECT_EQ(m.sms(), "2");
  m.cycles(3);
  m.drain(0);
  m.cycle();
  EXPECT_EQ(m.sms(), "1");
}

TEST(PartitionPolicies, FcfsMultipleGivesWhatIsLeftToTheNextContext) {
  Machine m("fcfs_m", 3);
  m.arrive(0, 1, 6);
  m.arrive(1, 2, 40);
  m.cycle();
  EXPECT_EQ(m.sms(), "0 0 1");
  m.cycles(4);
  m.arrive(2, 3, 4);
  m.drain(2);
  m.cycle();
  EXPECT_EQ(m.sms(), "0 0 1");  // kernel 1 has more
  m.drain(0);
  m.cycle();
  EXPECT_EQ(m.sms(), "1 0 1");  // and came before kernel 2
}

TEST(PartitionPolicies, PreemptivePrioritiesDrainSmsOfLessUrgentKernels) {
  Machine m("fcfs_ppq", 3);
  m.arrive(0, 1, 40, 1);
  m.cycles(5);
  EXPECT_EQ(m.sms(), "0 0 0");
  m.arrive(1, 2, 8, 2);  // two SMs' worth
  m.end_cta(0, 2);       // SM 2 has three CTAs, so it drains soonest
  m.cycle();
  EXPECT_EQ(m.sms(), "0>1 0 0>1");
  EXPECT_EQ(m.counters().reservations, 2u);
  m.drain(2);
  m.cycle();
  EXPECT_EQ(m.sms(), "0>1 0 1");
  m.arrive(2, 3, 40, 3);  // more urgent than both: the reserved one too
  m.cycle();
  EXPECT_EQ(m.sms(), "0>2 0>2 1>2");
  m.drain(0);
  m.drain(1);
  m.drain(2);
  m.cycle();
  EXPECT_EQ(m.sms(), "2 2 2");
  EXPECT_EQ(m.state.find(0)->issued, 12u);  // none since; it goes on later
}

TEST(PartitionPolicies, PreemptivePrioritiesLeaveEqualsAlone) {
  Machine m("fcfs_ppq", 2);
  m.arrive(0, 1, 40, 2);
  m.cycles(5);
  m.arrive(1, 2, 8, 2);
  m.cycle();
  EXPECT_EQ(m.sms(), "0 0");
}

// Counts after each step, by hand, no tokens to begin with: a context's count is minus the SMs that it has or
// has reserved.
TEST(PartitionPolicies, TokensDivideSmsUntilTheCountsAreEqual) {
  Machine m("token", 6);
  m.arrive(0, 1, 400);
  m.cycles(5);
  EXPECT_EQ(m.sms(), "0 0 0 0 0 0");  // -6
  m.arrive(1, 2, 400);                // 0: takes three, one after the other: -5 -1, -4 -2, -3 -3
  m.cycle();
  EXPECT_EQ(m.sms(), "0>1 0>1 0>1 0 0 0");
  m.arrive(2, 3, 400);  // 0: -3 -3 0, then of the one that came last: -3 -2 -1, then -2 -2 -2
  m.cycle();
  EXPECT_EQ(m.sms(), "0>2 0>1 0>1 0>2 0 0");
  for (unsigned sm = 0; sm < 4; ++sm) m.drain(sm);
  m.cycle();
  EXPECT_EQ(m.sms(), "2 1 1 2 0 0");
  m.arrive(3, 3, 4);  // a second kernel of context 3, whose count is no higher for that
  m.cycle();
  EXPECT_EQ(m.sms(), "2 1 1 2 0 0");
}

TEST(PartitionPolicies, SharesFollowTheTokens) {
  Machine m(tokens({8, 3, 1}), 12);
  for (unsigned c = 1; c <= 3; ++c) m.arrive(c, c, 4000);
  m.cycles(5);
  EXPECT_EQ(m.state.sms_of(1), 8u);
  EXPECT_EQ(m.state.sms_of(2), 3u);
  EXPECT_EQ(m.state.sms_of(3), 1u);
  m.arrive(0, 0, 4000);  // context 0 has no tokens: 0 0 0 0, so all are equal
  m.cycle();
  EXPECT_EQ(m.state.sms_of(0), 0u);
}

TEST(PartitionPolicies, TokensInAllAreAtMostTheSms) {
  const auto policy = Registry<CtaDispatchPolicy>::instance().make(tokens({7, 7}));
  EXPECT_EQ(policy->check(14), "");
  EXPECT_EQ(policy->check(13), "tokens: 14 in all; allowed: at most 13, the number of SMs");
}

TEST(PartitionPolicies, TokensComeBackWhenAKernelEnds) {
  Machine m("token", 4);
  m.arrive(0, 1, 400);
  m.arrive(1, 2, 8);
  m.cycles(6);
  EXPECT_EQ(m.sms(), "0 1 0 1");
  m.drain(1);
  m.cycle();
  EXPECT_EQ(m.sms(), "0 0 0 1");  // kernel 1 has issued all, so it needs no other SM
  m.drain(3);
  m.cycle();
  EXPECT_EQ(m.sms(), "0 0 0 0");
}

TEST(PartitionPolicies, AKernelGetsNoMoreSmsThanItsCtasFill) {
  for (const char* policy : {"fcfs_s", "fcfs_m", "fcfs_pq", "fcfs_ppq", "token", "round_robin"}) {
    Machine m(policy, 4);
    m.arrive(0, 1, 5);
    m.cycle();
    EXPECT_EQ(m.sms(), "0 0 . .") << policy;
  }
}

TEST(PartitionPolicies, RoundRobinGivesIdleSmsInTurn) {
  Machine m("round_robin", 4);
  m.arrive(0, 1, 400);
  m.arrive(1, 2, 400);
  m.arrive(2, 3, 400);
  m.cycle();
  EXPECT_EQ(m.sms(), "0 1 2 0");
}

class AllPartitionPolicies : public ::testing::TestWithParam<const char*> {};

// Arrivals and ends at random. All kernels end, an SM has CTAs of one kernel only (Machine::cycle), and no SM
// is idle while a kernel could use it, but for those that serve one context at a time.
TEST_P(AllPartitionPolicies, ServeRandomArrivalsToTheEnd) {
  const std::string name = GetParam();
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    Machine m(GetParam(), 1 + below(13), below(3) * 5);
    std::uint64_t ctas = 0;
    unsigned arrived = 0;
    for (unsigned cycle = 0; cycle < 20000; ++cycle) {
      if (arrived < 25 && below(40) == 0) {
        const unsigned n = 1 + below(90);
        m.arrive(arrived, 1 + below(5), n, static_cast<int>(below(4)));
        ctas += n;
        ++arrived;
      }
      for (unsigned sm = 0; sm < m.state.sm_count(); ++sm) {
        if (below(12) != 0) continue;
        for (unsigned slot : m.slots())
          if (m.state.find(slot)->running[sm] > 0) {
            m.end_cta(slot, sm);
            break;
          }
      }
      m.cycle();
      if (HasFatalFailure()) return;
      if (name == "fcfs_s" || name == "fcfs_pq") continue;
      for (unsigned k = 0; k < m.state.kernels().size(); ++k)
        ASSERT_FALSE(m.state.wants_sm(k) && m.sms().find('.') != std::string::npos) << m.sms();
    }
    EXPECT_EQ(arrived, 25u);
    EXPECT_TRUE(m.state.kernels().empty());
    EXPECT_EQ(m.issued.size(), ctas);
  }
}

// The same where CTAs leave: each ends once, whatever it went through.
TEST(PartitionPolicies, NoCtaIsLostWhereCtasLeave) {
  std::uint64_t left = 0;
  for (const char* const policy : {"fcfs_ppq", "token"})
    for (unsigned seed = 1; seed <= 30; ++seed) {
      SCOPED_TRACE(fmt::format("{}, seed {}", policy, seed));
      std::mt19937 random(seed);
      const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
      Machine m(policy, 1 + below(13), below(3) * 5, Preemption::kSwitch);
      std::uint64_t ctas = 0;
      unsigned arrived = 0;
      for (unsigned cycle = 0; cycle < 20000; ++cycle) {
        if (arrived < 25 && below(40) == 0) {
          const unsigned n = 1 + below(90);
          m.arrive(arrived, 1 + below(5), n, static_cast<int>(below(4)));
          ctas += n;
          ++arrived;
        }
        for (unsigned sm = 0; sm < m.state.sm_count(); ++sm) {
          const SmStatus& s = m.state.sm(sm);
          if (s.running_ctas == 0 || below(12) != 0) continue;
          if (s.preemption != Preemption::kDrain) {
            left += s.running_ctas;
            m.leave(sm);
          } else {
            m.end_cta(s.owner, sm);
          }
        }
        m.cycle();
        if (HasFatalFailure()) return;
      }
      EXPECT_EQ(arrived, 25u);
      EXPECT_TRUE(m.state.kernels().empty());
      EXPECT_EQ(m.ended.size(), ctas);
    }
  EXPECT_GT(left, 1000u);
}

// In steady state, with more CTAs than room, the SMs of contexts differ by at most one (section III.C).
TEST(PartitionPolicies, TokensAreEqualInSteadyState) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const unsigned sms = 1 + random() % 20, contexts = 1 + random() % 8;
    Machine m("token", sms);
    for (unsigned c = 0; c < contexts; ++c) {
      m.arrive(c, c + 1, 1000000);
      for (unsigned i = 0; i < random() % 20; ++i) m.cycle();
    }
    for (unsigned round = 0; round < 4; ++round)
      for (unsigned sm = 0; sm < sms; ++sm) {
        m.drain(sm);
        m.cycle();
      }
    unsigned least = ~0u, most = 0;
    for (unsigned c = 0; c < contexts; ++c) {
      least = std::min(least, m.state.sms_of(c));
      most = std::max(most, m.state.sms_of(c));
    }
    EXPECT_LE(most - least, 1u) << "seed " << seed << ": " << m.sms();
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, AllPartitionPolicies,
                         ::testing::Values("fcfs_s", "fcfs_m", "fcfs_pq", "fcfs_ppq", "token", "round_robin"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace warpvp
