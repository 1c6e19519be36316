#pragma once
// What the policies of a kind may have, for the references of statistics and registers: each is made with its
// defaults, nowhere.

#include <string>

#include "base/registry.h"
#include "base/stats.h"

namespace warpvp {

/// The policy of that name, with its defaults.
inline PolicyChoice default_choice(const std::string& name) {
  PolicyChoice choice;
  choice.name = name;
  return choice;
}

/// What it was registered with.
inline std::string sentence_of(const std::string& kind, const std::string& name) {
  for (const RegistryEntryInfo& entry : all_registry_entries())
    if (entry.kind == kind && entry.name == name) return entry.doc;
  return {};
}

/// Declares what each policy of a kind counts, as group `Policy::kKind`, under the condition that
/// `condition(name)` says (StatVisitor::when).
template <class Policy, class Condition>
void visit_policy_stats(StatVisitor& v, const char* sentence, const Condition& condition) {
  for (const std::string& name : Registry<Policy>::instance().names()) {
    const auto policy = Registry<Policy>::instance().make(default_choice(name));
    StatProbe probe;
    policy->stats(probe);
    if (probe.found) v.when(false, condition(name), [&] { v.group(Policy::kKind, *policy, sentence); });
  }
}

}  // namespace warpvp
