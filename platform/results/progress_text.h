#pragma once
// What progress lines have in common: times as people read them, and how much longer it may take.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace warpvp {

/// Seconds of the host since some moment; never goes back. Tests give their own.
using HostClock = std::function<double()>;
HostClock steady_host_clock();

/// "0:07", "12:34", "3:00:09". Negative counts as 0.
std::string minutes_text(double seconds);

/// Seconds still to go when `done` of `total` equal parts took `elapsed` seconds; nothing while none is done.
std::optional<double> seconds_to_go(double elapsed, double done, double total);

/// Writes over the present line of a terminal; a line longer than the terminal is cut, so that the next one
/// covers it. Empty: clears the line.
std::string rewritten_line(const std::string& text);

}  // namespace warpvp
