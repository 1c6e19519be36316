#pragma once
// One function a command; command_line.cpp picks it by name.

#include <string>
#include <vector>

#include "base/error.h"
#include "platform/cli/command_line.h"

namespace warpvp {

using Words = std::vector<std::string>;

ExitCode run_command(const Words& words, const Console& console);
ExitCode experiment_command(const Words& words, const Console& console);
ExitCode report_command(const Words& words, const Console& console);
ExitCode config_command(const Words& words, const Console& console);
ExitCode predict_command(const Words& words, const Console& console);
ExitCode ptx_command(const Words& words, const Console& console);
ExitCode list_command(const Words& words, const Console& console);
ExitCode describe_command(const Words& words, const Console& console);

}  // namespace warpvp
