#pragma once
// Options of one command: parsing with Boost.Program_options, help with examples, and errors that name the
// remedy.

#include <boost/program_options.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace warpvp {

struct CommandHelp {
  std::string command;    ///< "run"
  std::string arguments;  ///< "FILE"
  std::string sentence;   ///< what it does
  std::string examples;   ///< lines, each ending in a newline; may be empty
};

/// No upper limit for CommandOptions::number.
inline constexpr std::uint64_t kAnyNumber = ~std::uint64_t{0};

class CommandOptions {
 public:
  explicit CommandOptions(CommandHelp help);

  /// Declares options: options.add()("out", value<...>(), "...").
  boost::program_options::options_description_easy_init add() { return visible_.add_options(); }
  /// Declares arguments without a name in front; `count` -1: any number.
  void positional(const char* name, int count);

  /// One option as --help has it.
  struct Option {
    std::string name;    ///< "platform"
    std::string letter;  ///< "p"; may be empty
    std::string value;   ///< "NAME", empty: takes none
    std::string meaning;
  };
  std::vector<Option> list() const;
  const CommandHelp& help() const { return help_; }

  /// Parses the words after the command. True: go on; false: --help was asked for and printed to `out`.
  /// InputError with the nearest option for anything wrong.
  bool parse(const std::vector<std::string>& words, std::ostream& out);

  bool has(const char* name) const { return values_.count(name) != 0; }
  template <class T>
  T get(const char* name) const {
    return values_[name].as<T>();
  }
  template <class T>
  T get_or(const char* name, T otherwise) const {
    return has(name) ? values_[name].as<T>() : otherwise;
  }
  /// A whole number from `least` to `most`, declared as a value<std::string> (boost lets -1 wrap).
  std::uint64_t number(const char* name, std::uint64_t least, std::uint64_t most) const;
  std::uint64_t number_or(const char* name, std::uint64_t least, std::uint64_t most,
                          std::uint64_t otherwise) const {
    return has(name) ? number(name, least, most) : otherwise;
  }
  /// The only positional argument `name`, which must be there.
  std::string required(const char* name) const;

 private:
  std::string see_help() const;

  CommandHelp help_;
  boost::program_options::options_description visible_;
  boost::program_options::options_description hidden_;
  boost::program_options::positional_options_description positional_;
  std::vector<std::pair<std::string, int>> positional_names_;
  boost::program_options::variables_map values_;
};

}  // namespace warpvp
