#pragma once
// What the commands that run a simulation have in common: options, and what they come to.

#include <optional>

#include "cli/commands.h"
#include "platform/run/run.h"

namespace warpvp {

/// FILE, settings over it, limits, progress; `experiments`: and what only experiments have.
void add_run_options(CommandOptions& options, bool experiments);
/// --gdb and --gdb-wait.
void add_debug_options(CommandOptions& options);

/// What the options set over the file, as --set would.
Words overrides(const CommandOptions& options);
/// Seconds of --wall-limit; 0: none.
double wall_limit(const CommandOptions& options);
/// Seconds of --progress; 0: the default.
double progress_interval(const CommandOptions& options);
/// From here on the limit and signals are obeyed wherever the program is.
void guard(const CommandOptions& options);
std::optional<DebugRequest> debug_request(const CommandOptions& options);
/// One simulation of `file`, whose folder is runs/NAME unless an option says otherwise.
RunRequest run_request(const CommandOptions& options, RunFile file, const std::string& name,
                       const Console& console);

}  // namespace warpvp
