// QAWS through its interface: sequences worked out by hand from Algorithm 1, and the fast policy against a
// slow one that is the algorithm written out line by line.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include "tests/sm_policies/policy_maker.h"

namespace warpvp::test {
namespace {

/// Algorithm 1 of the QAWS paper with sorted vectors, called in every cycle; comments give its line numbers.
/// More than two groups form a cycle in falling order of budget, g0 first.
class Algorithm1 {
 public:
  struct Warp {
    unsigned id;
    std::uint64_t age;
    std::uint32_t budget;
  };

  explicit Algorithm1(bool on_stall = false) : on_stall_(on_stall) {}

  void start(unsigned id, const WarpInfo& info) { warps_.push_back({id, info.age, info.budget}); }
  void finish(unsigned id) {
    const auto it = std::find_if(warps_.begin(), warps_.end(), [&](const Warp& w) { return w.id == id; });
    const std::uint32_t budget = it->budget;
    warps_.erase(it);
    if (w_greedy_ == id) w_greedy_.reset();
    if (group_of(budget).empty()) {
      ncs_.erase(budget);
      if (greedy_group_ == budget) greedy_group_.reset();
      if (prioritised_ == budget) {
        const std::vector<std::uint32_t> rest = budgets_from(budget);
        prioritised_ = rest.empty() ? std::nullopt : std::optional<std::uint32_t>(rest.front());
      }
    }
  }
  /// One cycle: the first ready warp of the sorted queue issues.
  unsigned cycle(WarpMask ready) {
    const std::vector<unsigned> queue = sort_warps(ready);
    unsigned picked = kNoWarp;
    for (const unsigned warp : queue) {
      if (ready >> warp & 1) {
        picked = warp;
        break;
      }
    }
    issued_head_ = picked != kNoWarp && picked == queue.front();
    w_greedy_.reset();
    greedy_group_.reset();
    if (picked != kNoWarp) {
      w_greedy_ = picked;
      greedy_group_ = budget_of(picked);
    }
    for (const auto& [budget, ncs] : ncs_) EXPECT_LE(ncs, budget);
    return picked;
  }
  bool has_history() const { return prioritised_.has_value(); }

 private:
  using Group = std::vector<Warp>;

  Group group_of(std::uint32_t budget) const {
    Group group;
    for (const Warp& w : warps_)
      if (w.budget == budget) group.push_back(w);
    return group;
  }
  std::uint32_t budget_of(unsigned id) const {
    for (const Warp& w : warps_)
      if (w.id == id) return w.budget;
    return 0;
  }
  /// Budgets that have warps, falling, starting with `first` or where it would stand.
  std::vector<std::uint32_t> budgets_from(std::uint32_t first) const {
    std::vector<std::uint32_t> budgets;
    for (const Warp& w : warps_) budgets.push_back(w.budget);
    std::sort(budgets.rbegin(), budgets.rend());
    budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
    const auto from =
        std::find_if(budgets.begin(), budgets.end(), [&](std::uint32_t b) { return b <= first; });
    std::rotate(budgets.begin(), from, budgets.end());
    return budgets;
  }
  /// Lines 30 to 36.
  std::vector<unsigned> sort(Group group) const {
    std::sort(group.begin(), group.end(), [&](const Warp& a, const Warp& b) {
      const bool a_greedy = w_greedy_ == a.id, b_greedy = w_greedy_ == b.id;
      return a_greedy != b_greedy ? a_greedy : a.age < b.age;
    });
    std::vector<unsigned> ids;
    for (const Warp& w : group) ids.push_back(w.id);
    return ids;
  }
  /// SORT(g_first) + SORT(the group after it) + ...
  std::vector<unsigned> concatenate(std::uint32_t first) {
    prioritised_ = first;
    std::vector<unsigned> queue;
    for (const std::uint32_t budget : budgets_from(first)) {
      const std::vector<unsigned> part = sort(group_of(budget));
      queue.insert(queue.end(), part.begin(), part.end());
    }
    return queue;
  }
  /// Lines 6 to 26.
  std::vector<unsigned> sort_warps(WarpMask ready) {
    if (warps_.empty()) return {};
    const std::vector<std::uint32_t> g = budgets_from(prioritised_ ? *prioritised_ : ~0u);  // line 7
    if (g.size() == 1) return concatenate(g[0]);                                            // lines 8 to 10
    if (on_stall_) return sort_on_stall(g, ready);
    if (issued_head_) return concatenate(g[0]);        // lines 11 and 12
    if (w_greedy_ && budget_of(*w_greedy_) == g[0]) {  // line 14
      if (ncs_[g[0]] < g[0]) {                         // line 15
        ++ncs_[g[0]];                                  // line 16
        return concatenate(g[0]);                      // line 17
      }
      ncs_[g[0]] = 0;            // line 19
      return concatenate(g[1]);  // line 20
    }
    return concatenate(g[0]);  // line 23
  }
  /// The worked example's reading: the decision falls in the cycle in which the greedy warp does not go on.
  std::vector<unsigned> sort_on_stall(const std::vector<std::uint32_t>& g, WarpMask ready) {
    if (greedy_group_ == g[0] && !(w_greedy_ && (ready >> *w_greedy_ & 1))) {
      if (ncs_[g[0]] >= g[0]) {
        ncs_[g[0]] = 0;
        return concatenate(g[1]);
      }
      for (const Warp& w : group_of(g[0])) {
        if (!(ready >> w.id & 1)) continue;
        ++ncs_[g[0]];
        break;
      }
    }
    return concatenate(g[0]);
  }

  const bool on_stall_;
  std::vector<Warp> warps_;
  std::optional<unsigned> w_greedy_;
  std::optional<std::uint32_t> greedy_group_;  // budget of the warp that issued in the last cycle
  bool issued_head_ = false;
  std::optional<std::uint32_t> prioritised_;    // g0 by its budget
  std::map<std::uint32_t, std::uint32_t> ncs_;  // by budget
};

struct Case {
  std::vector<std::uint32_t> budgets;
  bool on_stall;
  unsigned warps;

  std::string name() const {
    std::string name = on_stall ? "stall" : "issue";
    for (const std::uint32_t b : budgets) name += "_" + std::to_string(b);
    return name + "_warps_" + std::to_string(warps);
  }
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.name(); }

class QawsAgainstAlgorithm1 : public testing::TestWithParam<Case> {};

TEST_P(QawsAgainstAlgorithm1, PicksTheSameWarpInEveryCycle) {
  const Case& c = GetParam();
  std::mt19937 rng(static_cast<unsigned>(c.budgets.size() * 100 + c.warps));
  auto policy = make_scheduler("qaws", {{"switch_on", c.on_stall ? "stall" : "issue"}});
  Algorithm1 reference(c.on_stall);
  WarpMask resident = 0;
  std::uint64_t age = 0;
  unsigned last = kNoWarp;
  const WarpMask all = c.warps == 64 ? ~WarpMask{0} : (WarpMask{1} << c.warps) - 1;
  for (Cycle cycle = 0; cycle < 1000000; ++cycle) {
    // Starts and ends come right behind an issue: the policy is not called in idle cycles and cannot tell.
    const bool may_change = last != kNoWarp || resident == 0 || !reference.has_history();
    for (unsigned changes = may_change && rng() % 16 == 0 ? 1 + rng() % 3 : 0; changes > 0; --changes) {
      const unsigned warp = rng() % c.warps;
      if (resident >> warp & 1) {
        if (rng() % 2) continue;
        policy->warp_finished(warp);
        reference.finish(warp);
      } else {
        const WarpInfo info = warp_info(age++, 0, c.budgets[rng() % c.budgets.size()]);
        policy->warp_started(warp, info);
        reference.start(warp, info);
      }
      resident ^= WarpMask{1} << warp;
    }
    // Stretches in which most warps are ready and stretches in which hardly any is.
    WarpMask ready = resident & all & (WarpMask{rng()} << 32 | rng());
    if (cycle / 64 % 2) ready &= (WarpMask{rng()} << 32 | rng()) & (WarpMask{rng()} << 32 | rng());
    if (cycle / 128 % 2 && last != kNoWarp) ready |= rng() % 4 ? resident & (WarpMask{1} << last) : 0;
    const unsigned expected = reference.cycle(ready);
    const unsigned picked = ready ? policy->pick({cycle, resident, ready, 0}) : kNoWarp;
    ASSERT_EQ(picked, expected) << "cycle " << cycle;
    last = picked;
  }
}

INSTANTIATE_TEST_SUITE_P(Groups, QawsAgainstAlgorithm1,
                         testing::Values(Case{{1, 4}, false, 4}, Case{{1, 2}, false, 8},
                                         Case{{1, 8}, false, 16}, Case{{3, 5}, false, 64},
                                         Case{{2}, false, 16}, Case{{1, 2, 4}, false, 8},
                                         Case{{1, 2, 3, 5, 8, 13}, false, 16}, Case{{1, 4}, true, 4},
                                         Case{{1, 6}, true, 16}, Case{{1, 2, 4}, true, 8}),
                         [](const auto& info) { return info.param.name(); });

// With equal budgets QAWS is GTO, line 9 of the algorithm.
TEST(Qaws, EqualBudgetsAreGto) {
  std::mt19937 rng(11);
  auto qaws = make_scheduler("qaws");
  auto gto = make_scheduler("gto");
  WarpMask resident = 0;
  for (Cycle cycle = 0; cycle < 500000; ++cycle) {
    if (rng() % 16 == 0) {
      const unsigned warp = rng() % 16;
      for (auto* policy : {qaws.get(), gto.get()}) {
        if (resident >> warp & 1) {
          policy->warp_finished(warp);
        } else {
          policy->warp_started(warp, warp_info(cycle, warp % 2, 3));
        }
      }
      resident ^= WarpMask{1} << warp;
    }
    const WarpMask ready = resident & rng() & (cycle / 32 % 2 ? rng() : ~0u);
    if (ready == 0) continue;
    ASSERT_EQ(qaws->pick({cycle, resident, ready, 0}), gto->pick({cycle, resident, ready, 0}));
  }
}

// While every group has a ready warp, g0 issues, so that a turn of a group shows as a run of its issues. A
// turn holds as many changes of warp as the budget says, and under `issue` the one that is noticed after it.
TEST(Qaws, NoTurnHoldsMoreSwitchesThanTheBudget) {
  for (const bool on_stall : {false, true}) {
    std::mt19937 rng(23);
    auto policy = make_scheduler("qaws", {{"switch_on", on_stall ? "stall" : "issue"}});
    const std::uint32_t budgets[] = {2, 5, 9};
    WarpMask group[3] = {};
    for (unsigned warp = 0; warp < 24; ++warp) {
      group[warp % 3] |= WarpMask{1} << warp;
      policy->warp_started(warp, warp_info(warp, warp % 3, budgets[warp % 3]));
    }
    unsigned last = kNoWarp, switches = 0, full_turns = 0;
    for (Cycle cycle = 0; cycle < 100000; ++cycle) {
      WarpMask ready = rng() & 0xffffff & (cycle / 16 % 2 ? rng() : ~0u);
      for (const WarpMask warps : group)
        if (!(ready & warps)) ready |= warps;
      const unsigned picked = policy->pick({cycle, 0xffffff, ready, 0});
      ASSERT_TRUE(ready >> picked & 1);
      if (last != kNoWarp && picked % 3 != last % 3) {
        const std::uint32_t budget = budgets[last % 3];
        ASSERT_GE(switches, budget);
        ++full_turns;
        switches = 0;
      } else if (last != kNoWarp && picked != last) {
        ++switches;
      }
      ASSERT_LE(switches, budgets[picked % 3] + !on_stall) << "cycle " << cycle;
      last = picked;
    }
    EXPECT_GT(full_turns, 1000u);
  }
}

// Two kernels of two warps each: w0 and w1 with budget 1, w2 and w3 with budget 2.
class QawsByHand : public testing::Test {
 protected:
  void start_all() {
    for (unsigned warp = 0; warp < 4; ++warp)
      policy_->warp_started(warp, warp_info(warp, warp / 2, 1 + warp / 2));
  }
  unsigned edge(WarpMask ready) {
    const Cycle now = cycle_++;
    return ready ? policy_->pick({now, 0b1111, ready, 0}) : kNoWarp;
  }
  std::unique_ptr<WarpSchedulerPolicy> policy_ = make_scheduler("qaws");
  Cycle cycle_ = 0;
};

TEST_F(QawsByHand, WithoutHistoryTheHigherBudgetComesFirstAndSwitchesAreCounted) {
  start_all();
  EXPECT_EQ(edge(0b1111), 2u);  // head of {2,3},{0,1}
  EXPECT_EQ(edge(0b1111), 2u);  // issued the head: greedy
  EXPECT_EQ(edge(0b1011), 3u);  // head 2 stalls, 3 issues
  EXPECT_EQ(edge(0b1111), 3u);  // the switch counts 1 of 2; 3 is greedy and head
  EXPECT_EQ(edge(0b0111), 2u);  // a second switch
  EXPECT_EQ(edge(0b1011), 3u);  // counts 2 of 2; head 2 stalls, a third switch
  EXPECT_EQ(edge(0b1111), 0u);  // the budget is used up: g0 is now {0,1}
  EXPECT_EQ(edge(0b1110), 1u);
  EXPECT_EQ(edge(0b1101), 0u);  // counts 1 of 1; another switch
  EXPECT_EQ(edge(0b1111), 2u);  // back to {2,3}
}

TEST_F(QawsByHand, IssuesFromTheOtherGroupCountNothing) {
  start_all();
  EXPECT_EQ(edge(0b1111), 2u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(edge(0b0011), 0u);  // all of g0 stalls, lines 22 and 23
  EXPECT_EQ(edge(0b1110), 2u);                               // g0 still comes first
}

TEST_F(QawsByHand, AnIdleCycleEndsGreedAndCountsOnlyTheSwitchBeforeIt) {
  start_all();
  EXPECT_EQ(edge(0b1000), 3u);  // 3 is not the head: a switch
  EXPECT_EQ(edge(0), kNoWarp);  // counted here
  EXPECT_EQ(edge(0), kNoWarp);
  EXPECT_EQ(edge(0b1111), 2u);  // W_greedy is null: the oldest of g0
  EXPECT_EQ(edge(0b1011), 3u);
  EXPECT_EQ(edge(0b0111), 2u);  // 2 of 2
  EXPECT_EQ(edge(0b1111), 0u);  // used up
}

TEST_F(QawsByHand, TheGroupPrioritisedBeforeStaysWhenAnotherArrives) {
  policy_->warp_started(0, warp_info(0, 0, 1));
  policy_->warp_started(1, warp_info(1, 0, 1));
  EXPECT_EQ(edge(0b0011), 0u);
  policy_->warp_started(2, warp_info(2, 1, 2));
  policy_->warp_started(3, warp_info(3, 1, 2));
  EXPECT_EQ(edge(0b1111), 0u);  // history: {0,1} was prioritised, whatever its budget
  EXPECT_EQ(edge(0b1110), 1u);
  EXPECT_EQ(edge(0b1101), 0u);
  EXPECT_EQ(edge(0b1111), 2u);
}

TEST_F(QawsByHand, AGroupThatEndsHandsOver) {
  start_all();
  EXPECT_EQ(edge(0b1111), 2u);
  policy_->warp_finished(2);
  policy_->warp_finished(3);
  EXPECT_EQ(edge(0b0011), 0u);
  policy_->warp_started(2, warp_info(8, 2, 2));
  EXPECT_EQ(edge(0b0111), 0u);
}

}  // namespace
}  // namespace warpvp::test
