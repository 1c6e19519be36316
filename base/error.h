#pragma once
// How errors reach the user: wrong input throws InputError (exit 2), a device fault is recorded in a
// FaultSink and ends the run (exit 3), a wrong result is a failed check of the host program (exit 1).

#include <stdexcept>
#include <string>

namespace warpvp {

/// Exit statuses of the `warpvp` program; documented in the README.
enum class ExitCode : int {
  kOk = 0,
  kResultDiffers = 1,
  kBadInput = 2,
  kDeviceFault = 3,
  kWallLimit = 124,  ///< the limit of wall-clock time, as of timeout(1)
  kInterrupted = 130
};

/// The user's input is wrong. `what()` is one line: `place: what is wrong; what is allowed`.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace warpvp
