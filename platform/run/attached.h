#pragma once
// A workload as a process of its own, at a device that another process serves (docs/serve.md): the same host
// program and runtime as in a run, over a link to the socket.

#include <string>

#include "base/error.h"
#include "platform/config/run_config.h"

namespace warpvp {

/// Runs the workload of `file` at the device served at `socket`, and prints what came of it. What the
/// runtime has to know of the device it asks the device; of the file's platform the workload has its SM
/// clock. InputError for what a user can mend; kDeviceFault when the device has stopped or gone.
ExitCode run_attached(const RunFile& file, const std::string& socket);

}  // namespace warpvp
