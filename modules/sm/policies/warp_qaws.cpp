// QoS-aware warp scheduling (QAWS paper, section IV-A, Algorithm 1).
//
// Warps are grouped by the budget of their kernel. One group, g0, is prioritised: its warps come first,
// greedy then oldest, those of the other group after them. Each time a warp of g0 other than the first in
// line has issued, a context switch inside g0 is counted; when the count has reached the budget, the next
// switch resets it and the other group becomes g0. With one group nothing is counted and the order is plain
// GTO.
//
// Where the algorithm leaves room:
// - More than two budgets: the groups form a cycle in falling order of budget; g0's successor takes over from
// g0,
//   and the line is g0, its successor, and so on round. With two groups that is Algorithm 1.
// - A group exists while it has warps. When g0 runs out of warps its successor becomes g0; a group that comes
//   back starts with a count of zero. Groups that are not g0 always have a count of zero.
// - The algorithm runs in every cycle, a sleeping SM's policy does not. A cycle in which nothing is ready can
// only
//   count the switch of the cycle before it and forget W_greedy; both are made up for at the next call. Warps
//   that start or end in between are taken to have done so right after the last issue.
//
// The paper's worked example (figure 3) takes the decision one step earlier than the algorithm as printed: in
// the very cycle in which the greedy warp of g0 cannot issue (or has ended), g0 hands over if its count has
// reached the budget, else the switch to another ready warp of g0 is counted. `switch_on: stall` gives that,
// and every number in the paper's description of the figure; `switch_on: issue`, the default, is the
// algorithm as printed.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

struct QawsParams {
  std::string switch_on = "issue";
  void fields(FieldVisitor& v) {
    v.field("switch_on", switch_on,
            "Count a switch when another warp has issued (Algorithm 1), or when the greedy one stalls "
            "(figure 3).",
            Constraint::words({"issue", "stall"}));
  }
};

class QawsScheduler : public WarpPolicy<QawsScheduler> {
 public:
  explicit QawsScheduler(const QawsParams& params) : on_stall_(params.switch_on == "stall") {}

  void warp_started(unsigned warp, const WarpInfo& info) override {
    order_.start(warp, info.age);
    unsigned i = 0;
    while (i < groups_ && group_[i].budget > info.budget) ++i;
    if (i == groups_ || group_[i].budget != info.budget) {
      for (unsigned k = groups_; k > i; --k) group_[k] = group_[k - 1];
      group_[i] = Group{info.budget, 0};
      ++groups_;
      // Without history g0 stays at index 0, the highest budget.
      if (has_history_ && i <= front_) ++front_;
    }
    group_[i].warps |= only_warp(warp);
  }

  void warp_finished(unsigned warp) override {
    order_.finish(warp);
    greedy_ &= ~only_warp(warp);
    unsigned i = 0;
    while (!(group_[i].warps & only_warp(warp))) ++i;
    group_[i].warps &= ~only_warp(warp);
    if (group_[i].warps) return;
    if (last_group_ == group_[i].budget) last_group_ = kNoGroup;
    --groups_;
    for (unsigned k = i; k < groups_; ++k) group_[k] = group_[k + 1];
    if (i < front_) {
      --front_;
    } else if (i == front_) {
      if (front_ == groups_) front_ = 0;
      switches_ = 0;
      if (groups_ == 0) has_history_ = false;
    }
  }

  unsigned pick(const IssueView& view) override {
    const bool idle_between = view.cycle > last_cycle_ + 1;
    if (groups_ > 1 && last_group_ == group_[front_].budget) {
      if (on_stall_) {
        count_stall(idle_between ? 0 : view.ready);
      } else if (!issued_head_ && greedy_) {
        count_switch();
      }
    }
    if (idle_between) greedy_ = 0;
    has_history_ = true;
    last_cycle_ = view.cycle;

    unsigned g = front_;
    WarpMask ready = view.ready & group_[g].warps;
    while (ready == 0) {
      g = g + 1 == groups_ ? 0 : g + 1;
      ready = view.ready & group_[g].warps;
    }
    last_group_ = group_[g].budget;
    if (ready & greedy_) {
      // The greedy warp heads the line if it is one of g0's.
      issued_head_ = g == front_;
      return lowest_warp(greedy_);
    }
    const unsigned warp = order_.oldest(ready);
    // Head of the line: g0's greedy warp, which is not ready then, else g0's oldest warp.
    issued_head_ =
        g == front_ && !(greedy_ & group_[front_].warps) && warp == order_.oldest(group_[front_].warps);
    greedy_ = only_warp(warp);
    return warp;
  }

 private:
  static constexpr std::uint64_t kNoGroup = ~std::uint64_t{0};  // no budget is that large
  struct Group {
    std::uint32_t budget = 0;
    WarpMask warps = 0;
  };

  void hand_over() {
    switches_ = 0;
    front_ = front_ + 1 == groups_ ? 0 : front_ + 1;
  }
  /// Lines 14 to 21 of Algorithm 1: a warp of g0 other than the head issued in the last cycle.
  void count_switch() {
    if (switches_ < group_[front_].budget) {
      ++switches_;
    } else {
      hand_over();
    }
  }
  /// Figure 3: a warp of g0 issued in the last cycle; `ready` are the warps that could issue in the one after
  /// it.
  void count_stall(WarpMask ready) {
    if (ready & greedy_) return;
    if (switches_ >= group_[front_].budget) {
      hand_over();
    } else if (ready & group_[front_].warps) {
      ++switches_;
    }
  }

  const bool on_stall_;
  WarpAgeOrder order_;
  Group group_[64];  // groups that have warps, in falling order of budget
  unsigned groups_ = 0;
  unsigned front_ = 0;                   // g0, the group prioritised in the previous cycle
  bool has_history_ = false;             // some cycle has prioritised a group
  std::uint32_t switches_ = 0;           // g0's ncs
  WarpMask greedy_ = 0;                  // W_greedy; 0 is null
  std::uint64_t last_group_ = kNoGroup;  // budget of the group that issued last, while the group exists
  bool issued_head_ = false;             // the last issue was the first in line
  Cycle last_cycle_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    WarpSchedulerPolicy, QawsScheduler, QawsParams, "qaws",
    "QoS-aware: kernels take turns of as many warp switches as their budget, GTO inside.");

}  // namespace
}  // namespace warpvp
