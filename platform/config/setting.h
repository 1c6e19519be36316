#pragma once
// A tree of settings as written by the user: YAML without types, each node knowing where it was written.
// Files, `extends:` and `--set` are merged on this tree; typed structs are filled from it afterwards.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/field.h"

namespace warpvp {

struct SettingEntry;

/// One node. `place` is "file:line:column" or "--set a.b=1"; `directory` is what relative paths in the node
/// are relative to.
struct Setting {
  enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMapping };

  Kind kind = Kind::kNull;
  bool quoted = false;  ///< scalars: the text is a string even if it looks like a number
  /// Later files and overrides have greater numbers. A policy's parameters written in an earlier layer than
  /// its name belong to the policy that was named before, and are dropped.
  int layer = 0;
  std::string text;
  std::vector<Setting> items;
  std::vector<SettingEntry> entries;  ///< in the order of writing
  /// Scalars: what stood in the mapping that the word has taken the place of. The type of a block that the
  /// word names takes from it what it knows (YamlFieldLoader::block); everybody else ignores it.
  std::vector<SettingEntry> below;
  std::string place;
  std::string directory;

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_mapping() const { return kind == Kind::kMapping; }

  /// The value of a mapping's key, or nullptr.
  const Setting* find(std::string_view key) const;
  Setting* find(std::string_view key);
  /// Adds or replaces a key of a mapping (a null node becomes a mapping).
  Setting& put(const std::string& key, Setting value);
  /// Removes a key if present.
  void remove(std::string_view key);

  static Setting scalar(std::string text, bool quoted = false);
  static Setting string(std::string text) { return scalar(std::move(text), true); }
  static Setting sequence() {
    Setting s;
    s.kind = Kind::kSequence;
    return s;
  }
  static Setting mapping() {
    Setting s;
    s.kind = Kind::kMapping;
    return s;
  }
};

struct SettingEntry {
  std::string key;
  std::string key_place;
  Setting value;
};

/// "a number", "a list", ... for messages.
const char* kind_name(const Setting& setting);

/// Lays `overlay` over `base`. Mappings merge key by key; everything else replaces. A mapping laid over a
/// word adds to what the word names: `{group_size: 4}` over `two_level` is `{name: two_level, group_size:
/// 4}`, and a mapping over the top-level words `platform` and `workload` extends the file they name. A
/// mapping with its own `extends` starts afresh.
void merge_settings(Setting& base, const Setting& overlay);

/// A value for a dotted path, "a.b.0.c"; numbers index lists.
struct Assignment {
  std::string path;
  Setting value;
};
/// Parses an override, "a.b.0.c=value", the value being YAML; `directory` is what relative paths in it are
/// relative to. InputError if it is malformed.
Assignment parse_override(const std::string& text, const std::string& directory);
/// Assigns at the path, making the mappings on the way. `layer` becomes the value's. InputError at the
/// value's place for an index past the end of a list.
void assign_setting(Setting& root, const Assignment& assignment, int layer);

/// YAML text that parses back to the same tree.
std::string to_yaml(const Setting& setting);
/// Numbers and booleans become JSON numbers and booleans unless quoted.
nlohmann::ordered_json to_json(const Setting& setting);

/// Whole number in decimal or 0x hexadecimal; false if `text` is anything else or does not fit.
bool parse_unsigned(std::string_view text, std::uint64_t& value);
bool parse_signed(std::string_view text, std::int64_t& value);
/// Decimal floating point, nan and inf included; independent of the locale.
bool parse_double(std::string_view text, double& value);

/// FNV-1a, 64 bits: a digest for "has this changed", stable over hosts and builds.
std::uint64_t digest(std::string_view bytes, std::uint64_t seed = 14695981039346656037ull);

}  // namespace warpvp
