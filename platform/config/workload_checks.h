#pragma once
// What must hold between the keys of a workload, beyond what each says for itself.

#include "platform/config/run_config.h"

namespace warpvp {

/// Fills in what follows from other keys (counts, steps), and refuses what does not fit together: InputError
/// with the place in `tree`, the settings that `run` was read from.
void check_workload(RunConfig& run, const Setting& tree, RunFile::Workload workload);

}  // namespace warpvp
