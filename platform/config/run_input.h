#pragma once
// What FILE means to whoever simulates: the commands of the program, and Simulation::from_file.

#include <filesystem>
#include <string>

#include "platform/config/run_config.h"

namespace warpvp {

/// The file that a word means: an experiment's or a workload's name, or a path.
std::filesystem::path find_run(const std::string& name, const ConfigSearch& search);
/// Whether a file holds a workload rather than a run.
bool is_workload(const Setting& file);
/// A workload file stands for a run of it on the default platform.
Setting load_run(const std::filesystem::path& file, const ConfigSearch& search);

}  // namespace warpvp
