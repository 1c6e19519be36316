#pragma once
// Where a policy of an SM stands (interconnect/policy_context.h has what all policies are told).

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "interconnect/policy_context.h"
#include "modules/sm/sm_events.h"
#include "modules/sm/warp_mask.h"

namespace warpvp {

/// What the policies of an SM share (SharedState), by their kind and name.
using SharedStates = std::map<std::pair<std::string, std::string>, std::shared_ptr<void>>;

/// `index` is the SM's number, `cycle` counts its clock.
struct SmContext : PolicyContext {
  static constexpr unsigned kAllSubCores = ~0u;

  unsigned sub_core = kAllSubCores;  ///< that the policy is of; kAllSubCores: it is the SM's
  unsigned sub_cores = 1;            ///< of the SM
  unsigned warps = 64;               ///< positions in the sub-core
  SmEvents* events = nullptr;        ///< of the SM; nullptr: nowhere
  std::string kind, name;            ///< of the policy
  std::shared_ptr<SharedStates> shared;  ///< of the SM; nullptr: nowhere

  unsigned sm() const { return index; }
  /// Has `listener`, a part of the policy, told of `events` from now on. Nowhere, nothing happens. Copies of
  /// a policy (WarpSchedulerPolicy::clone) are told nothing.
  void listen(SmListener& listener, std::initializer_list<SmEvent> of) const {
    if (events != nullptr) events->listen(listener, of, kind, name);
  }
  /// The position in this sub-core of the warp in slot `warp` of the SM (AccessOwner::warp); kNoWarp if it is
  /// of another one.
  unsigned position(unsigned warp) const {
    return sub_core == kAllSubCores || warp % sub_cores != sub_core ? kNoWarp : warp / sub_cores;
  }
};

/// State that all policies of one kind and name on an SM share: the first makes it, and whoever is nowhere
/// has one of its own. So has a copy, which is as the state was: copies of a policy do not disturb it.
template <class State>
class SharedState {
 public:
  SharedState() : state_(std::make_shared<State>()) {}
  explicit SharedState(const SmContext& context) {
    if (context.shared == nullptr) {
      state_ = std::make_shared<State>();
      return;
    }
    std::shared_ptr<void>& state = (*context.shared)[{context.kind, context.name}];
    if (state == nullptr) state = std::make_shared<State>();
    state_ = std::static_pointer_cast<State>(state);
  }
  SharedState(const SharedState& other) : state_(std::make_shared<State>(*other.state_)) {}
  SharedState(SharedState&&) noexcept = default;
  SharedState& operator=(SharedState) = delete;
  ~SharedState() = default;

  State* operator->() { return state_.get(); }
  const State* operator->() const { return state_.get(); }

 private:
  std::shared_ptr<State> state_;
};

/// Makes the contexts of an SM's policies: each kind has a window of its own in the SM's registers.
class SmContexts {
 public:
  /// `sm`: what is common to all. `take` adds a register to those of the SM.
  SmContexts(SmContext sm, PolicyRegisters::Take take);
  /// Of the policy `name` of a kind, for one sub-core or the SM. Kinds that have no window in
  /// regmap::sm::policy_window() have no registers.
  SmContext of(const char* kind, const std::string& name, unsigned sub_core = SmContext::kAllSubCores) const;

 private:
  SmContext sm_;
  PolicyRegisters::Take take_;
};

}  // namespace warpvp
