#pragma once
// A policy and the only way to call it: what it throws ends the run with its name.

#include <memory>
#include <string>

#include "base/registry.h"
#include "base/stats.h"
#include "interconnect/policy_contract.h"

namespace warpvp {

/// Holds the policy that `choice` names. Nobody reaches it but within call(). A call costs nothing beside the
/// policy's own: what is thrown is looked at when it is thrown.
template <class Interface>
class PolicySlot {
 public:
  using Context = typename Registry<Interface>::Context;

  explicit PolicySlot(const PolicyChoice& choice) : PolicySlot(choice, Context()) {}
  PolicySlot(const PolicyChoice& choice, const Context& context)
      : policy_(make(choice, context)), name_(choice.name) {}

  const std::string& name() const { return name_; }

  /// Returns `body(policy)`. An exception ends the simulation (report_thrown), but for what other policies'
  /// mistakes and SystemC's own have to say, and wrong input while the platform is built.
  template <class Body>
  decltype(auto) call(Body&& body) const {
    try {
      return body(*policy_);
    } catch (...) {
      report_thrown(Interface::kKind, name_);
    }
  }

  /// What the policy counts, as group `key` described by `sentence`, if it counts anything.
  void stats(StatVisitor& v, const char* sentence, const char* key = Interface::kKind) const {
    call([&](const Interface& policy) { group_if_any(v, key, policy, sentence); });
  }

 private:
  static std::unique_ptr<Interface> make(const PolicyChoice& choice, const Context& context) {
    const MadeParts named_here;  // and not with the block that it is a part of
    return Registry<Interface>::instance().make(choice, context);
  }

  std::unique_ptr<Interface> policy_;
  std::string name_;
};

}  // namespace warpvp
