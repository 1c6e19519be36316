#pragma once
// How a host program ends a run because the device does not get on.

#include <stdexcept>

namespace warpvp::rt {

/// Thrown by a host program that has waited for long enough for something on the device which, unlike a
/// kernel or a copy, only the program can tell from one that is slow: a task of a kernel that never ends,
/// say. The run ends as one that the watchdog ends (platform/guard/watchdog.h): exit status 3, with who waits
/// for what, and a result.json of what is known. `what()` is one line that names what does not end, how long
/// it was waited for, and the setting that allows more.
class DeviceHang : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace warpvp::rt
