#pragma once
// Whose each SM is: carries out what a partition policy decides, and what follows from it when CTAs end. An
// SM of a kernel without CTAs left becomes idle; a reserved one that is empty is set up for the next kernel
// (CUsched section III.C).

#include <functional>
#include <string>
#include <vector>

#include "modules/work_distributor/partition_policy.h"

namespace warpvp {

class SmPartition : private SmVerbs {
 public:
  struct Counters {
    std::uint64_t setups = 0, reservations = 0, drain_cycles = 0;
    std::uint64_t preemptions = 0, preemption_cycles = 0;  ///< of SMs whose CTAs had to leave
  };
  /// `way`: in which an SM is taken from its kernel when the policy does not say. `broken` is told the rule
  /// that the policy has broken, and does not return. `state` and `policy` outlive this.
  SmPartition(DispatchState& state, PartitionPolicy& policy, Preemption way,
              std::function<void(const std::string& rule)> broken);

  /// A kernel has come, has issued its last CTA, or has gone: a scheduling point.
  void kernels_changed() { due_ = true; }
  /// The last CTA of SM `sm` has ended.
  void emptied() { look_ = true; }
  /// At edge `now`, after completions and arrivals.
  void update(Cycle now);
  /// SMs set up since the last call, which have to be told.
  std::vector<unsigned> take_set_up();
  /// SMs that have to be told that their CTAs leave, since the last call.
  std::vector<unsigned> take_preempted();
  /// SMs whose state or owner has changed since the last call.
  std::vector<unsigned> take_changed();
  const Counters& counters() const { return counters_; }

 private:
  void set_up(unsigned k, unsigned sm) override;
  void reserve(unsigned k, unsigned sm) override;
  void preempt(unsigned k, unsigned sm, Preemption way) override;
  void release(unsigned sm) override;
  /// `verb`: for messages.
  void take(unsigned k, unsigned sm, Preemption way, const char* verb);
  void settle();
  void begin_set_up(unsigned k, unsigned sm);
  /// Empty: `k` is a kernel and `sm` an SM in `state`, as verb `verb` requires.
  std::string broken_rule(const char* verb, unsigned k, unsigned sm, SmState state) const;

  DispatchState& state_;
  PartitionPolicy& policy_;
  Preemption way_;
  std::function<void(const std::string&)> broken_;
  Cycle now_ = 0;
  bool due_ = false;                // the policy is to be asked
  bool look_ = false;               // an SM may have changed hands
  std::vector<Cycle> reserved_at_;  // by SM
  std::vector<unsigned> set_up_, preempted_, changed_;
  Counters counters_;
};

}  // namespace warpvp
