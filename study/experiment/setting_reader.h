#pragma once
// What all parts of an experiment's file are read with: words, lists and mappings, and what is said where
// they are not.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/registry.h"
#include "platform/config/setting.h"

namespace warpvp {

/// `path` is the place in the file that messages name. Each throws InputError, with file and line.
class SettingReader {
 protected:
  [[noreturn]] static void fail(const Setting& at, const std::string& what) {
    throw InputError(fmt::format("{}: {}", at.place, what));
  }

  static const Setting& require(const Setting& mapping, const std::string& path, const char* key) {
    const Setting* s = mapping.find(key);
    const std::string full = path.empty() ? key : path + "." + key;
    if (!s) fail(mapping, fmt::format("'{}' is missing", full));
    if (s->is_null()) fail(*s, fmt::format("'{}' has no value; write one", full));
    return *s;
  }

  static std::string word(const Setting& s, const std::string& path) {
    if (!s.is_scalar()) fail(s, fmt::format("'{}' is {}; allowed: a word", path, kind_name(s)));
    return s.text;
  }

  static const std::vector<Setting>& list(const Setting& s, const std::string& path) {
    if (!s.is_sequence()) fail(s, fmt::format("'{}' is {}; allowed: a list", path, kind_name(s)));
    return s.items;
  }

  static void check_keys(const Setting& s, const std::string& path, const std::vector<std::string>& allowed) {
    if (!s.is_mapping())
      fail(s, fmt::format("'{}' is {}; allowed: a mapping of keys to values", path, kind_name(s)));
    for (const SettingEntry& entry : s.entries) {
      if (std::find(allowed.begin(), allowed.end(), entry.key) != allowed.end()) continue;
      const std::string near = nearest_name(entry.key, allowed);
      throw InputError(fmt::format("{}: unknown key '{}'{}{}; allowed: {}", entry.key_place, entry.key,
                                   path.empty() ? "" : " in '" + path + "'",
                                   near.empty() ? "" : "; nearest: '" + near + "'", join_names(allowed)));
    }
  }

  static std::string label_of(const Setting& value) {
    if (value.is_scalar()) return value.text;
    std::string text;
    for (const Setting& item : value.items) text += (text.empty() ? "" : "x") + label_of(item);
    return text;
  }

  static bool flag(const Setting& s, const std::string& path) {
    if (s.is_scalar() && (s.text == "true" || s.text == "false")) return s.text == "true";
    fail(s, fmt::format("'{}' is {}; allowed: true or false", path,
                        s.is_scalar() ? "'" + s.text + "'" : kind_name(s)));
  }

  static std::string one_of(const Setting& s, const std::string& path,
                            const std::vector<std::string>& allowed) {
    const std::string text = word(s, path);
    if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
      fail(s, fmt::format("'{}' is '{}'; allowed: {}", path, text, join_names(allowed)));
    return text;
  }

  static double number(const Setting& s, const std::string& path) {
    double value = 0;
    if (!parse_double(word(s, path), value))
      fail(s, fmt::format("'{}' is '{}'; allowed: a number", path, s.text));
    return value;
  }
};

}  // namespace warpvp
