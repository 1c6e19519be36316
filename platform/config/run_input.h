#pragma once
// What FILE means to whoever simulates: the commands of the program, and Simulation::from_file.

#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/run_config.h"

namespace warpvp {

/// The file that a word means: an experiment's or a workload's name, or a path.
std::filesystem::path find_run(const std::string& name, const ConfigSearch& search);
/// Whether a file holds a workload rather than a run.
bool is_workload(const Setting& file);
/// A workload file stands for a run of it on the default platform.
Setting load_run(const std::filesystem::path& file, const ConfigSearch& search);

/// The run file that a word means.
RunFile named_run(const std::string& name);
/// A run file from its text; its paths are relative to the current folder.
RunFile run_from_text(const std::string& yaml);
/// The same file with overrides applied. InputError for an experiment.
RunFile with_overrides(const RunFile& file, const std::vector<std::string>& overrides);

}  // namespace warpvp
