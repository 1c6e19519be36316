#include "cli/manual.h"

#include <fmt/format.h>

#include <sstream>

#include "cli/commands.h"
#include "platform/results/result_writer.h"

namespace warpvp {

namespace {

/// Text that roff shows as it is: hyphens that can be copied, no accidental requests.
std::string plain(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string in_bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }

std::string option_entry(const CommandOptions::Option& option) {
  // "arg" is what the parser calls a value without a name.
  std::string value = option.value;
  if (value.rfind("arg", 0) == 0) value.replace(0, 3, "VALUE");
  std::string head = option.letter.empty() ? "" : in_bold("-" + option.letter) + ", ";
  head += in_bold("--" + option.name);
  if (!value.empty()) head += " \\fI" + plain(value) + "\\fR";
  return ".TP\n" + head + "\n" + plain(option.meaning) + "\n";
}

std::string command_section(const Command& command) {
  if (command.options == nullptr)
    return fmt::format(".SS {}\n{}\n", plain(command.name), plain(command.sentence));
  const CommandOptions options = command.options();
  const CommandHelp& help = options.help();
  std::string text =
      fmt::format(".SS {} {}\n{}\n", plain(help.command), plain(help.arguments), plain(help.sentence));
  for (const CommandOptions::Option& option : options.list()) text += option_entry(option);
  if (!help.examples.empty()) text += ".PP\nExamples:\n.PP\n.nf\n" + plain(help.examples) + ".fi\n";
  return text;
}

}  // namespace

std::string manual_page() {
  std::string text = fmt::format(
      ".\\\" Made of the program's help by `warpvp --manual`.\n"
      ".TH WARPVP 1 \"\" \"warpvp {}\" \"User commands\"\n"
      ".SH NAME\nwarpvp \\- virtual platform of a GPU in SystemC\n"
      ".SH SYNOPSIS\n.B warpvp\n.I COMMAND\n.RI [ ARGUMENTS ]\n"
      ".SH DESCRIPTION\n"
      "warpvp simulates a GPU: kernels in PTX run on a platform that YAML files describe, under schedulers "
      "and\n"
      "policies that they name. A run leaves a folder of results.\n"
      ".SH COMMANDS\n",
      version());
  for (const Command& command : all_commands()) text += command_section(command);
  text += fmt::format(
      ".SH EXIT STATUS\n{}"
      ".SH ENVIRONMENT\n.TP\n{}\n"
      "Folders with colons between that are looked through before the program's own configs/ for platforms,\n"
      "workloads and experiments.\n"
      ".SH FILES\n.TP\n{}\n"
      "Beside the bin/ of the program: platforms, workloads, experiments, kernels and firmware.\n"
      ".TP\n{}\nFolders of results, in the folder it was called from.\n",
      plain(exit_status_text()), in_bold("WARPVP_CONFIG_PATH"), in_bold("share/warpvp"), in_bold("runs/"));
  return text;
}

}  // namespace warpvp
