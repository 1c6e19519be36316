#pragma once
// The interface of CTA dispatch policies that hand whole SMs to kernels (CUsched section III): the policy is
// the SM partitioner, which decides whose an SM is; sending CTAs to the SMs of each kernel, the SM driver, is
// the same for all and part of this class.

#include <optional>
#include <vector>

#include "modules/work_distributor/policy.h"

namespace warpvp {

/// What a partition policy may do with SMs. Kernels are given by their index in DispatchState::kernels(); the
/// state shows the effect at once. What the contracts exclude ends the run with the policy's name.
class SmVerbs {
 public:
  virtual ~SmVerbs() = default;
  /// An idle SM becomes kernel `k`'s: it is set up, which takes `setup_cycles`, and then gets CTAs.
  virtual void set_up(unsigned k, unsigned sm) = 0;
  /// A running SM is taken from its kernel for kernel `k`, in the distributor's way (setting `preemption`):
  /// its CTAs run to their ends or leave, and it is set up for `k` when it is empty. Of an SM that is
  /// reserved already only who comes next changes.
  virtual void reserve(unsigned k, unsigned sm) = 0;
  /// The same with a way of the policy's choice; only of a running SM, or one that drains.
  virtual void preempt(unsigned k, unsigned sm, Preemption way) = 0;
  /// A reserved SM that drains is left to the kernel whose CTAs it has.
  virtual void release(unsigned sm) = 0;
};

class PartitionPolicy : public CtaDispatchPolicy {
 public:
  /// Called at scheduling points: a kernel has come or gone, or an SM has become idle.
  virtual void partition(const DispatchState& state, SmVerbs& sms) = 0;

  /// The SM driver (CUsched section III.C): an SM takes CTAs of its own kernel, SMs in rotation.
  std::optional<Choice> pick(const DispatchState& state) final;
  PartitionPolicy* partitioner() final { return this; }

 private:
  SmRotation rotation_;
};

/// Hands idle SMs to the kernels that want one, as `next` chooses: it is given the state and returns the
/// index of the kernel that gets the next idle SM, nullopt when none is to get one.
template <class Next>
void hand_out_idle(const DispatchState& state, SmVerbs& sms, Next&& next) {
  for (unsigned sm = 0; sm < state.sm_count(); ++sm) {
    if (state.sm(sm).state != SmState::kIdle) continue;
    const std::optional<unsigned> k = next();
    if (!k) return;
    sms.set_up(*k, sm);
  }
}

/// Indices of the resident kernels in order of arrival.
std::vector<unsigned> by_arrival(const DispatchState& state);

/// The SM that the kernel in `slot` can do without first: one that is still drained for it, else the running
/// one with the fewest CTAs, the first of equals. nullopt: it has none.
std::optional<unsigned> first_to_give(const DispatchState& state, unsigned slot);

/// Gives kernel `k` an SM of first_to_give().
void hand_over(const DispatchState& state, SmVerbs& sms, unsigned k, unsigned sm);

}  // namespace warpvp
