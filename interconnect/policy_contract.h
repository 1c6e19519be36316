#pragma once
// What a caller does when a policy answers what its interface excludes, or throws. The caller checks each
// answer before it acts on it, so that a wrong policy ends the run with its name instead of corrupting the
// model.

#include <string>

#include "base/registry.h"

namespace sc_core {
class sc_object;
}

namespace warpvp {

class Clocked;

/// Type of the SystemC report by which a broken contract leaves the model; whoever runs the simulation makes
/// a device fault of its message.
inline constexpr const char* kBrokenContract = "/warpvp/policy_contract";

/// Ends the simulation: "KIND policy 'NAME' broke its contract: RULE; PLACE". `rule` says what the policy did
/// and what is allowed, `place` where and when ("SM 3, scheduler 1, SM cycle 1234").
[[noreturn]] void report_broken_contract(const char* kind, const std::string& name, const std::string& rule,
                                         const std::string& place);

/// Within a catch clause around a call of a policy. Ends the simulation: "KIND policy 'NAME' of the plugin
/// FILE threw WHAT". SystemC's reports and its ends of processes pass as they are; before the simulation has
/// begun so does wrong input, and a failure is a PartFailure.
[[noreturn]] void report_thrown(const char* kind, const std::string& name);

/// The same around an edge of a block, which is named by its place in the platform, by the plugin that its
/// class is of, and by the parts of plugins that it was built with (build_block).
[[noreturn]] void report_thrown_at_edge(const Clocked& block);

/// The module that the block is; nullptr: it is none.
const sc_core::sc_object* module_of(const Clocked& block);

/// "process NAME", and " of the plugin FILE" where its module's class is of one, and the parts of plugins
/// that the module was built with.
std::string process_title(const char* name);

/// Within a catch clause around the making of block `name` by a type of a kind: throws a PartFailure that
/// names both, or what was thrown, as throw_part_failure() does. `parts`: MadeParts::text().
[[noreturn]] void throw_not_built(const std::string& kind, const std::string& type, const std::string& name,
                                  const std::string& parts);
/// The block whose most derived object is at `whole` was built with these parts of plugins.
void note_parts(const void* whole, const std::string& parts);

/// Builds block `name` by `build()`.
template <class Build>
auto build_block(const std::string& kind, const std::string& type, const std::string& name, Build&& build) {
  const MadeParts parts;
  try {
    auto block = build();
    note_parts(dynamic_cast<const void*>(block.get()), parts.text());
    return block;
  } catch (...) {
    throw_not_built(kind, type, name, parts.text());
  }
}

}  // namespace warpvp
