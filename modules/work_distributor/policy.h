#pragma once
// The interface of CTA dispatch policies: which kernel's next CTA goes to which SM. A policy is one file in
// policies/ that ends in a registration line.

#include <optional>
#include <string>

#include "base/registry.h"
#include "base/stats.h"
#include "interconnect/policy_context.h"
#include "modules/work_distributor/dispatch_state.h"

namespace warpvp {

class PartitionPolicy;

class CtaDispatchPolicy {
 public:
  static constexpr const char* kKind = "cta_dispatch";
  using Context = PolicyContext;
  virtual ~CtaDispatchPolicy() = default;

  struct Choice {
    unsigned kernel = 0;  ///< index into DispatchState::kernels()
    unsigned sm = 0;
  };
  /// The next CTA to issue; state.fits(kernel, sm) must hold for it. nullopt: none now. Asked repeatedly
  /// within a cycle, with the state updated, until it declines or the distributor's rate is used up.
  virtual std::optional<Choice> pick(const DispatchState& state) = 0;
  /// A kernel has come or gone.
  virtual void kernels_changed(const DispatchState&) {}
  /// Policies that hand whole SMs to kernels (partition_policy.h); nullptr: this one sends each CTA anywhere.
  virtual PartitionPolicy* partitioner() { return nullptr; }
  /// What is wrong with the policy's parameters on a device with `sm_count` SMs; empty: nothing.
  virtual std::string check(unsigned /*sm_count*/) const { return {}; }
  /// What the policy counts.
  virtual void stats(StatVisitor&) const {}
};

/// Of the group of its statistics.
inline constexpr const char kDispatchSentence[] = "What the CTA dispatch policy counts.";

/// Finds an SM breadth-first: the first one at or after a rotating position that satisfies a condition,
/// within [begin, end). So successive CTAs go to successive SMs.
class SmRotation {
 public:
  template <class Condition>
  std::optional<unsigned> next(unsigned begin, unsigned end, Condition&& good) {
    unsigned sm = position_ >= begin && position_ < end ? position_ : begin;
    for (unsigned left = end - begin; left > 0; --left, sm = sm + 1 < end ? sm + 1 : begin) {
      if (!good(sm)) continue;
      position_ = sm + 1;
      return sm;
    }
    return std::nullopt;
  }

 private:
  unsigned position_ = 0;
};

}  // namespace warpvp
