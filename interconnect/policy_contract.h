#pragma once
// What a caller does when a policy answers what its interface excludes. The caller checks each answer before
// it acts on it, so that a wrong policy ends the run with its name instead of corrupting the model.

#include <string>

namespace warpvp {

/// Type of the SystemC report by which a broken contract leaves the model; whoever runs the simulation makes
/// a device fault of its message.
inline constexpr const char* kBrokenContract = "/warpvp/policy_contract";

/// Ends the simulation: "KIND policy 'NAME' broke its contract: RULE; PLACE". `rule` says what the policy did
/// and what is allowed, `place` where and when ("SM 3, scheduler 1, SM cycle 1234").
[[noreturn]] void report_broken_contract(const char* kind, const std::string& name, const std::string& rule,
                                         const std::string& place);

}  // namespace warpvp
