#include "cli/completion.h"

#include <algorithm>
#include <optional>

#include "base/registry.h"
#include "cli/commands.h"
#include "platform/config/application_config.h"
#include "platform/config/yaml_document.h"
#include "platform/run/run.h"

namespace warpvp {

namespace {

Words files_of(const std::vector<const char*>& kinds) {
  const ConfigSearch search = ConfigSearch::standard();
  Words names;
  for (const char* kind : kinds)
    for (std::string& name : search.names(kind)) names.push_back(std::move(name));
  return names;
}

/// What a command's only argument may be, files of the user's own aside.
Words arguments_of(const std::string& command) {
  if (command == "run") return files_of({"workloads", "experiments"});
  if (command == "experiment") return files_of({"experiments"});
  if (command == "predict" || command == "profile" || command == "record") return files_of({"workloads"});
  if (command == "config") return files_of({"platforms", "workloads", "experiments"});
  if (command == "calibrate") return {"bandwidth"};
  if (command == "list") return listable_kinds();
  if (command != "describe") return {};
  Words names = files_of({"platforms", "workloads", "experiments"});
  for (std::string& name : all_applications()) names.push_back(std::move(name));
  for (std::string& name : describable_names()) names.push_back(std::move(name));
  return names;
}

Words values_of(const std::string& option) {
  if (option == "platform") return files_of({"platforms"});
  if (option == "policies") return registry_names("warp_scheduler");
  if (option == "code") return {"machine", "ptx"};
  return {};
}

/// The option that `word` is, by its name or letter.
std::optional<CommandOptions::Option> option_of(const std::string& word, const CommandOptions& options) {
  for (const CommandOptions::Option& option : options.list())
    if (word == "--" + option.name || (!option.letter.empty() && word == "-" + option.letter)) return option;
  return std::nullopt;
}

Words within_command(const Command& command, const Words& before, const std::string& last) {
  const CommandOptions options = command.options();
  // As "--platform=titan_v" in one word, which some shells take apart and others do not.
  const std::size_t equals = last.find('=');
  if (last.rfind("--", 0) == 0 && equals != std::string::npos) {
    Words words = values_of(last.substr(2, equals - 2));
    for (std::string& word : words) word.insert(0, last, 0, equals + 1);
    return words;
  }
  Words arguments;
  bool value = false;  // the next word belongs to the option before it
  std::string option_name;
  for (const std::string& word : before) {
    const auto option = value ? std::nullopt : option_of(word, options);
    if (!value && !option && word.rfind('-', 0) != 0) arguments.push_back(word);
    value = option && !option->value.empty();
    if (option) option_name = option->name;
  }
  if (value) return values_of(option_name);
  if (last.rfind('-', 0) == 0) {
    Words words;
    for (const CommandOptions::Option& option : options.list()) words.push_back("--" + option.name);
    return words;
  }
  if (arguments.empty()) return arguments_of(command.name);
  Words keys;
  if (command.name == std::string("describe") && arguments == Words{"result"}) {
    const ResultReference reference = result_reference();
    for (const ResultKey& key : reference.keys()) keys.push_back(key.path);
  }
  return keys;
}

}  // namespace

std::vector<std::string> completions(const std::vector<std::string>& given) {
  if (given.empty()) return {};
  // Bash gives the sign of "--platform=titan_v" as a word of its own.
  Words words(given.begin(), given.end() - 1);
  words.erase(std::remove(words.begin(), words.end(), "="), words.end());
  const std::string last = given.back() == "=" ? "" : given.back();
  Words candidates;
  if (words.empty()) {
    candidates = {"--help", "--version"};
    for (const Command& command : all_commands()) candidates.emplace_back(command.name);
  } else {
    for (const Command& command : all_commands())
      if (words[0] == command.name && command.options != nullptr)
        candidates = within_command(command, {words.begin() + 1, words.end()}, last);
  }
  const auto other = [&](const std::string& word) { return word.rfind(last, 0) != 0; };
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(), other), candidates.end());
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

}  // namespace warpvp
