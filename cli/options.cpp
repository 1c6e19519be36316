#include "cli/options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "base/registry.h"

namespace warpvp {
namespace po = boost::program_options;

CommandOptions::CommandOptions(CommandHelp help) : help_(std::move(help)), visible_("Options", 100) {
  visible_.add_options()("help,h", "Show this help.");
}

void CommandOptions::positional(const char* name, int count) {
  hidden_.add_options()(name, po::value<std::vector<std::string>>());
  positional_.add(name, -1);
  positional_names_.emplace_back(name, count);
}

std::vector<CommandOptions::Option> CommandOptions::list() const {
  std::vector<Option> options;
  for (const auto& option : visible_.options()) {
    const auto dashed = po::command_line_style::allow_dash_for_short;
    const std::string shown = option->canonical_display_name(dashed);  // "-p" where there is a letter
    const bool letter = shown.size() == 2 && shown[0] == '-';
    const bool valued = option->semantic()->min_tokens() > 0;
    options.push_back({option->long_name(), letter ? shown.substr(1) : "",
                       valued ? option->semantic()->name() : "", option->description()});
  }
  return options;
}

std::string CommandOptions::see_help() const { return fmt::format("see 'warpvp {} --help'", help_.command); }

bool CommandOptions::parse(const std::vector<std::string>& words, std::ostream& out) {
  po::options_description all;
  all.add(visible_).add(hidden_);
  try {
    // Options are spelled out: an abbreviation that works today could mean another option tomorrow.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(words).options(all).positional(positional_).style(style).run(),
              values_);
    po::notify(values_);
  } catch (const po::unknown_option& e) {
    std::vector<std::string> names;
    for (const auto& option : visible_.options()) names.push_back("--" + option->long_name());
    const std::string given = e.get_option_name();
    const std::string near = nearest_name(given, names);
    throw InputError(fmt::format("unknown option '{}'{}; {}", given,
                                 near.empty() ? "" : "; did you mean '" + near + "'?", see_help()));
  } catch (const po::error& e) {
    throw InputError(fmt::format("{}; {}", e.what(), see_help()));
  }
  if (has("help")) {
    out << fmt::format("usage: warpvp {}{}{} [OPTIONS]\n\n{}\n\n", help_.command,
                       help_.arguments.empty() ? "" : " ", help_.arguments, help_.sentence);
    out << visible_;
    if (!help_.examples.empty()) out << "\nExamples:\n" << help_.examples;
    return false;
  }
  for (const auto& [name, count] : positional_names_) {
    if (count < 0 || !has(name.c_str())) continue;
    const auto given = get<std::vector<std::string>>(name.c_str());
    if (given.size() > static_cast<std::size_t>(count))
      throw InputError(
          fmt::format("unexpected argument '{}'; {}", given[static_cast<std::size_t>(count)], see_help()));
  }
  return true;
}

std::uint64_t CommandOptions::number(const char* name, std::uint64_t least, std::uint64_t most) const {
  const std::string text = get<std::string>(name);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw InputError(
        fmt::format("--{} is '{}'; allowed: a whole number from {} to {}", name, text, least, most));
  return value;
}

std::string CommandOptions::required(const char* name) const {
  if (!has(name))
    throw InputError(fmt::format("{} needs {}; {}", help_.command, help_.arguments, see_help()));
  return get<std::vector<std::string>>(name)[0];
}

}  // namespace warpvp
