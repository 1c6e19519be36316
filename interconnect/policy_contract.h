#pragma once
// What a caller does when a policy answers what its interface excludes, or throws. The caller checks each
// answer before it acts on it, so that a wrong policy ends the run with its name instead of corrupting the
// model.

#include <string>

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

/// The same around an edge of a block, which is named by its place in the platform, and by the plugin that
/// its class is of.
[[noreturn]] void report_thrown_at_edge(const Clocked& block);

/// "process NAME", and " of the plugin FILE" where its module's class is of one.
std::string process_title(const char* name);

/// Within a catch clause around the making of block `name` by a type of a kind: throws a PartFailure that
/// names both, or what was thrown, as throw_part_failure() does.
[[noreturn]] void throw_not_built(const std::string& kind, const std::string& type, const std::string& name);

/// Builds block `name` by `build()`.
template <class Build>
auto build_block(const std::string& kind, const std::string& type, const std::string& name, Build&& build) {
  try {
    return build();
  } catch (...) {
    throw_not_built(kind, type, name);
  }
}

}  // namespace warpvp
