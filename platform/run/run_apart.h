#pragma once
// Runs a simulation in a process of its own: SystemC simulates once in a process.

#include <functional>
#include <iosfwd>
#include <string>

#include "base/error.h"

namespace warpvp {

/// What `simulate` returns, or what its error means: of an InputError and of anything else that it throws the
/// message goes to standard error. `output` is flushed before. A signal that ends it is told with `what`, as
/// in "the run 'lone'". InputError when no process can be started.
ExitCode run_apart(const std::string& what, std::ostream& output, const std::function<ExitCode()>& simulate);

}  // namespace warpvp
