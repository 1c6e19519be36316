// The schedulers of CUsched without SystemC: whose each SM is after arrivals and ends of CTAs, worked out by
// hand from section III.C and IV, and what holds under random arrivals.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <utility>

#include "modules/work_distributor/sm_partition.h"
#include "tests/support/set_fields.h"

namespace warpvp {
namespace {

SmResources four_ctas() {
  SmResources r;
  r.warps = 8;
  r.threads = r.threads_per_cta = 256;
  r.ctas = 4;
  return r;
}

/// A GPU whose SMs hold four CTAs of any kernel; CTAs end when the test says so.
class Machine {
 public:
  Machine(const PolicyChoice& policy, unsigned sms, Cycle setup = 0, Preemption way = Preemption::kDrain)
      : policy_(Registry<CtaDispatchPolicy>::instance().make(policy)),
        state(four_ctas(), sms, setup, true),
        partition_(state, *policy_->partitioner(), way,
                   [](const std::string& rule) { throw std::runtime_error(rule); }) {}

  void arrive(unsigned slot, unsigned context, unsigned ctas, int priority = 0) {
    ResidentKernel k;
    k.slot = slot;
    k.context = context;
    k.ctas = ctas;
    k.priority = priority;
    k.arrival = arrivals_++;
    k.needs = cta_needs(four_ctas(), 64, 16, 0, 0);
    state.add(k);
    partition_.kernels_changed();
  }
  /// One cycle: whose SMs are is settled, and SMs take CTAs.
  void cycle() {
    state.begin_cycle(now_);
    partition_.update(now_);
    while (const auto choice = policy_->pick(state)) {
      ASSERT_TRUE(state.fits(choice->kernel, choice->sm));
      const ResidentKernel& k = state.kernels()[choice->kernel];
      for (const ResidentKernel& other : state.kernels())
        ASSERT_TRUE(other.slot == k.slot || other.running[choice->sm] == 0) << "two kernels on one SM";
      ASSERT_EQ(state.sm(choice->sm).state, SmState::kRunning);
      const SmSetup setup = state.issue(choice->kernel, choice->sm);
      running_[choice->sm].push_back({setup.cta, setup.state});
      issued.push_back({now_, k.slot, choice->sm, setup.cta, setup.state});
      if (!k.waiting()) partition_.kernels_changed();
    }
    ++now_;
  }
  void cycles(unsigned n) {
    while (n-- > 0) cycle();
  }
  void end_cta(unsigned slot, unsigned sm) {
    EXPECT_TRUE(ended.insert({slot, running_[sm].front().cta}).second) << "a CTA ended twice";
    running_[sm].erase(running_[sm].begin());
    const ResidentKernel& k = state.complete(slot, sm);
    if (state.sm(sm).running_ctas == 0) partition_.emptied();
    if (k.done < k.ctas) return;
    state.remove(slot);
    partition_.kernels_changed();
  }
  /// SMs that have been told since the last call that their CTAs are to leave.
  std::vector<unsigned> told_to_leave() { return partition_.take_preempted(); }
  /// All CTAs leave `sm`, with states 1, 2, ... in the order in which they do.
  void leave(unsigned sm) {
    const unsigned slot = state.sm(sm).owner;
    for (const ResidentKernel::SetAside& cta : std::exchange(running_[sm], {}))
      state.set_aside(slot, sm, {cta.cta, ++last_state_});
    partition_.emptied();
    partition_.kernels_changed();
  }
  /// Ends all CTAs that are on `sm`.
  void drain(unsigned sm) {
    for (unsigned slot : slots())
      while (state.find(slot) && state.find(slot)->running[sm] > 0) end_cta(slot, sm);
  }
  std::vector<unsigned> slots() const {
    std::vector<unsigned> out;
    for (const ResidentKernel& k : state.kernels()) out.push_back(k.slot);
    return out;
  }
  /// SM by SM: "." idle, "1" kernel 1's, "1>2" drained of 1 for 2.
  std::string sms() const {
    std::string out;
    for (unsigned sm = 0; sm < state.sm_count(); ++sm) {
      const SmStatus& s = state.sm(sm);
      if (sm > 0) out += ' ';
      out += s.state == SmState::kIdle       ? "."
             : s.state == SmState::kReserved ? fmt::format("{}>{}", s.owner, s.next)
                                             : std::to_string(s.owner);
    }
    return out;
  }
  const SmPartition::Counters& counters() const { return partition_.counters(); }

  struct Issued {
    Cycle at;
    unsigned slot, sm;
    std::uint64_t cta;
    std::uint32_t state;
  };

 private:
  std::unique_ptr<CtaDispatchPolicy> policy_;

 public:
  DispatchState state;
  std::vector<Issued> issued;
  std::set<std::pair<unsigned, std::uint64_t>> ended;  ///< slot and CTA

 private:
  SmPartition partition_;
  std::map<unsigned, std::vector<ResidentKernel::SetAside>> running_;  // by SM, in order of issue
  std::uint64_t arrivals_ = 0;
  std::uint32_t last_state_ = 0;
  Cycle now_ = 0;
};

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
