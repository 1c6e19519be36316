#pragma once
// Options of `warpvp experiment` for many processes and machines.

#include "cli/command_line.h"
#include "cli/options.h"
#include "study/experiment/experiment_runner.h"

namespace warpvp {

void add_farm_options(CommandOptions& options);
/// Puts them into the request. InputError for wrong values and combinations.
void read_farm_options(const CommandOptions& options, ExperimentRequest& request);

/// Does the runs that are missing as an array job of Slurm, waits for it, and leaves the request ready to
/// merge. False: there is nothing to merge now (--detach, or interrupted, which `code` then says).
bool run_on_slurm(const CommandOptions& options, const Console& console, ExperimentRequest& request,
                  ExitCode& code);

}  // namespace warpvp
