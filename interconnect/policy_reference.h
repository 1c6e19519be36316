#pragma once
// What the policies of a kind may have, for the references of statistics and registers: each is made with its
// defaults, nowhere.

#include <string>
#include <utility>

#include "base/registry.h"
#include "base/stats.h"
#include "interconnect/policy_context.h"
#include "interconnect/register_block.h"

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

/// Declares what each policy of a kind counts, as group `key`, under the condition that `condition(name)`
/// says (StatVisitor::when).
template <class Policy, class Condition>
void visit_policy_stats(StatVisitor& v, const char* sentence, const Condition& condition,
                        const char* key = Policy::kKind) {
  for (const std::string& name : Registry<Policy>::instance().names()) {
    const auto policy = Registry<Policy>::instance().make(default_choice(name));
    StatProbe probe;
    policy->stats(probe);
    if (probe.found) v.when(false, condition(name), [&] { v.group(key, *policy, sentence); });
  }
}

/// Shows those of each policy of a kind that declares any. `context(name, take)` says where the policy
/// stands, with `take` for what it declares; `bytes`: of the block that it is a part of.
template <class Policy, class MakeContext>
void visit_policy_registers(const ShowPolicyRegisters& show, std::uint64_t bytes, const MakeContext& context,
                            const std::string& kind = Policy::kKind) {
  for (const std::string& name : Registry<Policy>::instance().names()) {
    RegisterBlock block(kind + " `" + name + "`", bytes, sentence_of(Policy::kKind, name));
    bool any = false;
    const PolicyRegisters::Take take = [&](RegisterSpec spec) {
      any = true;
      block.add(std::move(spec));
    };
    const auto policy = Registry<Policy>::instance().make(default_choice(name), context(name, take));
    if (any) show(kind, name, block);
  }
}

}  // namespace warpvp
