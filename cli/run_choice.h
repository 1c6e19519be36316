#pragma once
// What commands share that take a run apart before they start it, as `warpvp profile` and `warpvp record` do.

#include <filesystem>

#include "cli/commands.h"
#include "cli/options.h"
#include "platform/config/run_config.h"

namespace warpvp {

struct RunChoice {
  RunFile file;
  std::string name;  ///< of the run file, without its ending
  Words sets;        ///< of --set, --platform and --seed, not yet applied
};

/// --set, --platform and --seed.
void add_run_choice(CommandOptions& options);
/// The run file, workload or app of the positional option `file`. InputError for an experiment, which
/// `command` does not take.
RunChoice chosen_run(const CommandOptions& options, const std::string& command);

}  // namespace warpvp
