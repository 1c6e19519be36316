#pragma once
// Reading YAML files into Setting trees: places, `extends:`, and the names of files in the configs/ folders.

#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/setting.h"

namespace warpvp {

/// Parses YAML text. `name` stands before ":line:column" in messages. Throws InputError for malformed YAML, a
/// key written twice, more than one document, or nesting past 64 levels.
Setting parse_yaml(const std::string& text, const std::string& name, const std::string& directory);
/// Reads one file, without following its `extends`; a file that has not changed since is not parsed again.
/// InputError as read_input_file().
Setting load_yaml_file(const std::filesystem::path& file);

/// The folders that hold platforms/, workloads/ and experiments/.
class ConfigSearch {
 public:
  ConfigSearch() = default;
  explicit ConfigSearch(std::vector<std::filesystem::path> roots, std::string default_platform = "")
      : roots_(std::move(roots)), default_platform_(std::move(default_platform)) {}
  /// The folders in WARPVP_CONFIG_PATH (colon-separated), then the project's own configs/. The platform of
  /// runs that name none is `small`.
  static ConfigSearch standard();

  /// The platform of runs that name none; empty: the fields' own defaults.
  const std::string& default_platform() const { return default_platform_; }

  /// The file that `name` means at `place`: a name in the `kind` folder ("platforms", "workloads",
  /// "experiments"), or a path relative to `directory` (".yaml" may be left out). InputError naming the known
  /// names otherwise.
  std::filesystem::path find(const std::string& name, const std::string& kind, const std::string& directory,
                             const std::string& place) const;
  /// Names in all `kind` folders, sorted.
  std::vector<std::string> names(const std::string& kind) const;
  /// Folders within all `kind` folders, sorted.
  std::vector<std::string> folders(const std::string& kind) const;
  /// The first comment line of a file: its one-line description.
  static std::string headline(const std::filesystem::path& file);
  /// All lines of the comment that the file begins with, without their '#'.
  static std::string head_comment(const std::filesystem::path& file);

  /// Reads a file and lays it over what it `extends`, found as by `find`.
  Setting load(const std::filesystem::path& file, const std::string& kind) const;
  /// Replaces a word (a file's name) or a mapping with `extends` by the whole content it stands for.
  void resolve(Setting& setting, const std::string& kind) const;

 private:
  Setting load_chain(const std::filesystem::path& file, const std::string& kind,
                     std::vector<std::filesystem::path>& chain) const;
  void resolve_chain(Setting& setting, const std::string& kind,
                     std::vector<std::filesystem::path>& chain) const;

  std::vector<std::filesystem::path> roots_;
  std::string default_platform_;
};

}  // namespace warpvp
