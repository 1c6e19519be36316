#pragma once
// A GPU without SystemC for tests of partition policies and of the partition of SMs itself.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "modules/work_distributor/sm_partition.h"

namespace warpvp::test {

/// Of an SM that holds four CTAs.
inline SmResources four_ctas() {
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

}  // namespace warpvp::test
