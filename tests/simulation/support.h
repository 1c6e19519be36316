#pragma once
// Sessions for tests. What a session is compared with comes from a child process, where nothing was before.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/simulation.h"

namespace warpvp::test {

/// The text that `work` returns in a child process. Before the process has a session of its own.
std::string in_child(const std::function<std::string()>& work);

/// Where two results differ but for the host's own figures, as a JSON patch; "[]": nowhere.
std::string difference(const std::string& result, const std::string& reference);

/// Runs a session in one go and ends it: its result.
std::string run_at_once(Simulation& simulation);

/// A kernel `wait(flag, out)`: waits until the word at `flag` is not 0, and stores it at `out`.
std::string waiting_kernel(const std::string& folder);

constexpr SimTime us(std::uint64_t microseconds) { return SimTime::from_fs(microseconds * 1'000'000'000); }
constexpr SimTime ns(std::uint64_t nanoseconds) { return SimTime::from_fs(nanoseconds * 1'000'000); }

/// Small machine, and a watchdog that never wakes.
inline constexpr const char* kPatient = "platform: small\nlimits: {progress_us: 0}\n";

}  // namespace warpvp::test
