#pragma once
// The command line: `warpvp COMMAND ...`.

#include <iosfwd>
#include <string>
#include <vector>

namespace warpvp {

/// What commands write to and read from; tests give their own.
struct Console {
  std::ostream* out;  ///< what was asked for
  std::ostream* err;  ///< messages and progress
  bool err_is_terminal;
  std::string program;  ///< path of this executable, to run it again
};

/// Runs one command and returns the exit status (base/error.h). Errors become one line on `err`. `args` are
/// the words after the program's name.
int run_command_line(const std::vector<std::string>& args, const Console& console);

/// The generated configuration reference: docs/configuration.md.
std::string configuration_reference();
/// docs/statistics.md: every key of result.json.
std::string statistics_reference();

}  // namespace warpvp
