#pragma once
// One function a command; command_line.cpp picks it by name.

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/options.h"

namespace warpvp {

using Words = std::vector<std::string>;

ExitCode run_command(const Words& words, const Console& console);
ExitCode experiment_command(const Words& words, const Console& console);
ExitCode serve_command(const Words& words, const Console& console);
ExitCode attach_command(const Words& words, const Console& console);
ExitCode cuda_command(const Words& words, const Console& console);
ExitCode report_command(const Words& words, const Console& console);
ExitCode config_command(const Words& words, const Console& console);
ExitCode predict_command(const Words& words, const Console& console);
ExitCode profile_command(const Words& words, const Console& console);
ExitCode calibrate_command(const Words& words, const Console& console);
ExitCode record_command(const Words& words, const Console& console);
ExitCode ptx_command(const Words& words, const Console& console);
ExitCode list_command(const Words& words, const Console& console);
ExitCode describe_command(const Words& words, const Console& console);

/// Their options, as --help, the completion of words (completion.h) and the manual (manual.h) show them.
CommandOptions run_options();
CommandOptions experiment_options();
CommandOptions serve_options();
CommandOptions attach_options();
CommandOptions cuda_options();
CommandOptions report_options();
CommandOptions config_options();
CommandOptions predict_options();
CommandOptions profile_options();
CommandOptions calibrate_options();
CommandOptions record_options();
CommandOptions ptx_options();
CommandOptions list_options();
CommandOptions describe_options();

struct Command {
  const char* name;
  const char* sentence;
  ExitCode (*run)(const Words&, const Console&);
  CommandOptions (*options)();  ///< null: it has none
};
/// All commands, in the order of the help.
const std::vector<Command>& all_commands();
/// What ends the help: exit statuses.
const char* exit_status_text();

/// What completion offers besides files.
std::vector<std::string> listable_kinds();     ///< arguments of `list`
std::vector<std::string> describable_names();  ///< arguments of `describe`, without files' names

}  // namespace warpvp
