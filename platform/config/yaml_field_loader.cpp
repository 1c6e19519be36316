#include "platform/config/yaml_field_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <sstream>

#include "base/error.h"
#include "base/registry.h"
#include "platform/config/config_printer.h"
#include "platform/config/record_file.h"

namespace warpvp {

const RegistryEntryInfo* find_registry_entry(const std::string& kind, const std::string& name) {
  for (const RegistryEntryInfo& entry : all_registry_entries())
    if (entry.kind == kind && entry.name == name) return &entry;
  return nullptr;
}

std::vector<std::string> registry_names(const std::string& kind) {
  std::vector<std::string> names;
  for (const RegistryEntryInfo& entry : all_registry_entries())
    if (entry.kind == kind) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

/// Throws unless the constraint holds; `shown` is the value as written.
void check(const Constraint& c, double value, const Setting& setting, const std::string& path,
           const char* type) {
  if (!c.holds(value))
    throw InputError(fmt::format("{}: '{}' is {}; allowed: {}", setting.place, path, setting.text,
                                 describe_constraint(c, type)));
}

[[noreturn]] void wrong_type(const Setting& setting, const std::string& path, const std::string& allowed) {
  throw InputError(fmt::format("{}: '{}' is {}; allowed: {}", setting.place, path,
                               setting.is_scalar() ? "'" + setting.text + "'" : kind_name(setting), allowed));
}

Constraint fit(Constraint c, double min, double max) {
  c.min = std::max(c.min, min);
  if (max < c.max && c.max < std::numeric_limits<double>::infinity()) c.max = max;
  return c;
}

std::uint32_t load_u32(const Setting& setting, const std::string& path, const Constraint& c) {
  std::uint64_t whole = 0;
  const Constraint fitted = fit(c, 0, 4294967295.0);
  const char* const type = "a whole number";
  std::int64_t negative = 0;
  if (setting.is_scalar() && parse_signed(setting.text, negative) && negative < 0)
    check(fitted, static_cast<double>(negative), setting, path, type);
  if (!setting.is_scalar() || !parse_unsigned(setting.text, whole))
    wrong_type(setting, path, describe_constraint(fitted, type));
  check(fitted, static_cast<double>(whole), setting, path, type);
  if (whole > std::numeric_limits<std::uint32_t>::max())
    wrong_type(setting, path, "a whole number from 0 to 4294967295");
  return static_cast<std::uint32_t>(whole);
}

}  // namespace

YamlFieldLoader::YamlFieldLoader(const Setting& root, const std::string& name) {
  if (!root.is_mapping() && !root.is_null()) wrong_type(root, name, "a mapping of keys to values");
  levels_.push_back({&root, name, root.place, {}, {}});
}

std::string YamlFieldLoader::path_of(const char* key) const {
  return levels_.back().path.empty() ? key : levels_.back().path + "." + key;
}

const Setting* YamlFieldLoader::seen(const char* key) {
  Level& level = levels_.back();
  level.seen.emplace_back(key);
  return level.setting ? level.setting->find(key) : nullptr;
}

const Setting* YamlFieldLoader::take(const char* key) {
  const Setting* setting = seen(key);
  if (setting && setting->is_null())
    throw InputError(
        fmt::format("{}: '{}' has no value; write one or remove the key", setting->place, path_of(key)));
  return setting;
}

const Setting* YamlFieldLoader::take_scalar(const char* key, const char* wanted) {
  const Setting* setting = take(key);
  if (setting && !setting->is_scalar()) wrong_type(*setting, path_of(key), wanted);
  return setting;
}

void YamlFieldLoader::note(const char* key, std::string value) {
  levels_.back().values.emplace_back(key, std::move(value));
}

void YamlFieldLoader::visit(const Field& field) {
  std::visit([&](auto* value) { load(field.key, *value, field.constraint); }, field.value);
}

void YamlFieldLoader::load(const char* key, bool& value, const Constraint&) {
  const Setting* setting = take_scalar(key, "true or false");
  if (!setting) return;
  const std::string& text = setting->text;
  if (text == "true" || text == "yes" || text == "on") {
    value = true;
  } else if (text == "false" || text == "no" || text == "off") {
    value = false;
  } else {
    wrong_type(*setting, path_of(key), "true or false");
  }
}

void YamlFieldLoader::load(const char* key, std::uint32_t& value, const Constraint& c) {
  if (const Setting* setting = take(key)) value = load_u32(*setting, path_of(key), c);
  note(key, fmt::format("{}", value));
}

void YamlFieldLoader::load(const char* key, std::uint64_t& value, const Constraint& c) {
  const Setting* setting = take(key);
  if (!setting) return note(key, fmt::format("{}", value));
  const Constraint fitted = fit(c, 0, std::numeric_limits<double>::infinity());
  std::int64_t negative = 0;
  if (setting->is_scalar() && parse_signed(setting->text, negative) && negative < 0)
    check(fitted, static_cast<double>(negative), *setting, path_of(key), "a whole number");
  if (!setting->is_scalar() || !parse_unsigned(setting->text, value))
    wrong_type(*setting, path_of(key), describe_constraint(fitted, "a whole number"));
  check(fitted, static_cast<double>(value), *setting, path_of(key), "a whole number");
  note(key, fmt::format("{}", value));
}

void YamlFieldLoader::load(const char* key, std::int32_t& value, const Constraint& c) {
  const Setting* setting = take(key);
  if (!setting) return note(key, fmt::format("{}", value));
  std::int64_t whole = 0;
  if (!setting->is_scalar() || !parse_signed(setting->text, whole))
    wrong_type(*setting, path_of(key), describe_constraint(c, "a whole number"));
  check(c, static_cast<double>(whole), *setting, path_of(key), "a whole number");
  if (whole < std::numeric_limits<std::int32_t>::min() || whole > std::numeric_limits<std::int32_t>::max())
    wrong_type(*setting, path_of(key), "a whole number from -2147483648 to 2147483647");
  value = static_cast<std::int32_t>(whole);
  note(key, fmt::format("{}", value));
}

void YamlFieldLoader::load(const char* key, double& value, const Constraint& c) {
  const Setting* setting = take(key);
  if (!setting) return note(key, print_double(value));
  if (!setting->is_scalar() || !parse_double(setting->text, value))
    wrong_type(*setting, path_of(key), describe_constraint(c, "a number"));
  check(c, value, *setting, path_of(key), "a number");
  note(key, print_double(value));
}

void YamlFieldLoader::load(const char* key, std::string& value, const Constraint& c) {
  const std::string allowed = describe_constraint(c, "a word");
  const Setting* setting = take_scalar(key, allowed.c_str());
  if (!setting) return;
  if (!c.one_of.empty() && std::find(c.one_of.begin(), c.one_of.end(), setting->text) == c.one_of.end()) {
    const std::string near = nearest_name(setting->text, c.one_of);
    wrong_type(*setting, path_of(key), allowed + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  value = setting->text;
}

void YamlFieldLoader::load(const char* key, std::vector<std::uint32_t>& value, const Constraint& c) {
  const Setting* setting = take(key);
  if (!setting) return;
  value.clear();
  if (setting->is_scalar()) {
    value.push_back(load_u32(*setting, path_of(key), c));
  } else if (setting->is_sequence()) {
    for (std::size_t i = 0; i < setting->items.size(); ++i)
      value.push_back(load_u32(setting->items[i], fmt::format("{}.{}", path_of(key), i), c));
  } else {
    wrong_type(*setting, path_of(key), "a list of whole numbers");
  }
}

void YamlFieldLoader::path(const char* key, PathValue& value, const char*) {
  const Setting* setting = take_scalar(key, "the path of a file");
  if (!setting) return;
  if (setting->text.empty()) wrong_type(*setting, path_of(key), "the path of a file");
  namespace fs = std::filesystem;
  value.written = setting->text;
  value.place = setting->place;
  value.resolved = (fs::path(setting->directory) / setting->text).lexically_normal().string();
}

void YamlFieldLoader::records(const char* key, const char* heading, std::vector<PathValue>& files,
                              const RecordReader& read, const char*) {
  const Setting* setting = take(key);
  if (!setting) return;
  files = path_list(*setting, path_of(key));
  for (const PathValue& file : files) read_records(file, path_of(key), heading, read);
}

void YamlFieldLoader::custom(const char* key, CustomValue& value, const char*) {
  if (const Setting* setting = take(key)) value.load(*setting, path_of(key));
}

void YamlFieldLoader::policy(const char* key, const char* kind, PolicyChoice& value, const char*) {
  const Setting* setting = take(key);
  if (!setting && value.name.empty()) return;
  if (!setting) {
    // The default must exist too; its parameters keep their defaults.
    load_choice(Setting::scalar(value.name), nullptr, path_of(key), path_of(key), kind, value, true);
    return;
  }
  if (setting->is_scalar()) {
    load_choice(*setting, nullptr, path_of(key), path_of(key), kind, value, true);
  } else if (setting->is_mapping()) {
    const Setting* name = setting->find("name");
    Setting standing = Setting::scalar(value.name);
    standing.place = setting->place;
    if (name && !name->is_scalar())
      wrong_type(*name, path_of(key) + ".name", "the name of a " + std::string(kind));
    load_choice(name ? *name : standing, setting, path_of(key), path_of(key), kind, value, true);
  } else {
    wrong_type(*setting, path_of(key),
               fmt::format("the name of a {}, or a mapping of name and parameters", kind));
  }
}

void YamlFieldLoader::part(const char* key, const char* params_key, const char* kind, PolicyChoice& value,
                           const char*) {
  const Setting* name = take_scalar(key, "a name");
  const Setting* params = seen(params_key);
  if (!name) {
    if (params && !params->is_null() && value.name.empty())
      throw InputError(fmt::format("{}: '{}' without '{}'; name the {} they belong to", params->place,
                                   path_of(params_key), path_of(key), kind));
    return;
  }
  if (params && !params->is_mapping() && !params->is_null())
    wrong_type(*params, path_of(params_key), "a mapping of parameters");
  load_choice(*name, params, path_of(key), path_of(params_key), kind, value, false);
}

void YamlFieldLoader::check_registered(const Setting& name, const std::string& path, const char* kind) const {
  if (find_registry_entry(kind, name.text)) return;
  const std::vector<std::string> names = registry_names(kind);
  const std::string near = nearest_name(name.text, names);
  throw InputError(fmt::format("{}: '{}' is '{}', an unknown {}; allowed: {}{}",
                               name.place.empty() ? levels_.back().place : name.place, path, name.text, kind,
                               names.empty() ? "none" : join_names(names),
                               near.empty() ? "" : "; did you mean '" + near + "'?"));
}

namespace {

/// Removes from `entries` what was written before `layer` and does not stand in `known`, at any depth.
void keep_known(std::vector<SettingEntry>& entries, const Setting& known, int layer) {
  for (std::size_t i = entries.size(); i-- > 0;) {
    Setting& value = entries[i].value;
    const Setting* const there = known.find(entries[i].key);
    const bool group = there && there->is_mapping() && !there->find("name") && !there->find("type");
    if (value.layer < layer && (!there || (group && !value.is_mapping()))) {
      entries.erase(entries.begin() + static_cast<long>(i));
    } else if (group && value.is_mapping()) {
      keep_known(value.entries, *there, layer);
    }
  }
}

}  // namespace

void YamlFieldLoader::block(const char* key, const char* kind, PolicyChoice& value,
                            const std::function<void(FieldVisitor&)>& common, const char* doc) {
  const Setting* setting = take(key);
  const std::string path = path_of(key);
  Setting type = Setting::scalar(value.name), whole = Setting::mapping();
  type.layer = -1;  // a default drops nothing
  if (setting) {
    whole.place = type.place = setting->place;
    if (setting->is_scalar()) {
      type = *setting;
      whole.entries.swap(type.below);
      for (const char* word : {"type", "name"}) whole.remove(word);
    } else if (setting->is_mapping()) {
      whole.entries = setting->entries;
      // `name` as policies have it is understood too; what was written last counts.
      for (const char* word : {"name", "type"}) {
        const Setting* const given = whole.find(word);
        if (!given) continue;
        if (!given->is_scalar()) wrong_type(*given, path + "." + word, "the name of a type");
        if (given->layer == type.layer)
          throw InputError(
              fmt::format("{}: '{}' has both 'name' and 'type'; write 'type'", given->place, path));
        if (given->layer > type.layer) type = *given;
        whole.remove(word);
      }
    } else {
      wrong_type(*setting, path, fmt::format("the type of a {}, or a mapping of type and fields", kind));
    }
  }
  check_registered(type, path, kind);
  value.name = type.text;
  value.place = type.place;
  value.load = nullptr;

  enter(path, setting ? &whole : nullptr);
  common(*this);
  std::vector<std::string> shared = std::move(levels_.back().seen);
  levels_.pop_back();
  shared.insert(shared.begin(), "type");

  auto own = std::make_shared<Setting>(whole);
  for (const std::string& word : shared) own->remove(word);
  const RegistryEntryInfo* entry = find_registry_entry(kind, value.name);
  ConfigPrinter known;
  if (entry->params) entry->params(known);
  keep_known(own->entries, known.tree(), type.layer);
  if (own->entries.empty()) return;
  value.load = [own, path, shared](const std::function<void(FieldVisitor&)>& fields) {
    YamlFieldLoader loader(*own, path);
    for (const std::string& word : shared) loader.allow(word.c_str());
    fields(loader);
    loader.finish();
  };
  value.load(entry->params ? entry->params : [](FieldVisitor&) {});
}

void YamlFieldLoader::load_choice(const Setting& name, const Setting* params, const std::string& path,
                                  const std::string& params_path, const char* kind, PolicyChoice& value,
                                  bool params_include_name) {
  check_registered(name, path, kind);
  const RegistryEntryInfo* entry = find_registry_entry(kind, name.text);
  value.name = name.text;
  value.place = name.place;
  value.load = nullptr;
  if (!params) return;
  auto kept = std::make_shared<Setting>(*params);
  if (params_include_name) kept->remove("name");
  for (std::size_t i = kept->entries.size(); i-- > 0;)
    if (kept->entries[i].value.layer < name.layer)
      kept->entries.erase(kept->entries.begin() + static_cast<long>(i));
  if (kept->entries.empty()) return;
  value.load = [kept, params_path](const std::function<void(FieldVisitor&)>& fields) {
    YamlFieldLoader loader(*kept, params_path);
    fields(loader);
    loader.finish();
  };
  if (entry->params) value.load(entry->params);
}

namespace {

/// The setting at a dotted key, or nullptr; `place` becomes that of the nearest level that is written.
const Setting* setting_at(const Setting* level, const std::string& key, std::string& place) {
  std::istringstream words(key);
  for (std::string word; level && std::getline(words, word, '.');) {
    level = level->find(word);
    if (level) place = level->place;
  }
  return level;
}

std::vector<std::string> keys_in(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  for (std::string& word : words)
    while (!word.empty() && word.back() == '.') word.pop_back();
  return words;
}

bool is_override(const std::string& place) { return place.rfind("--", 0) == 0; }

}  // namespace

void YamlFieldLoader::require(bool condition, const char* key, const std::string& message) {
  if (condition) return;
  const Level& level = levels_.back();
  std::string place = level.place;
  setting_at(level.setting, key, place);
  // The numbers that the relation is between, and the one of them that the command line has changed: the file
  // was right before.
  std::vector<std::string> named = keys_in(message);
  named.insert(named.begin(), key);
  std::string numbers, changed;
  std::vector<std::string> told;
  for (const std::string& name : named) {
    const auto value = std::find_if(level.values.begin(), level.values.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (value == level.values.end() || std::find(told.begin(), told.end(), name) != told.end()) continue;
    told.push_back(name);
    // Messages that print a number by themselves need not have it twice.
    const std::vector<std::string>& printed = named;
    if (std::find(printed.begin(), printed.end(), value->second) == printed.end())
      numbers += fmt::format("{}{} is {}", numbers.empty() ? "" : ", ", name, value->second);
    std::string at;
    if (setting_at(level.setting, name, at) && is_override(at) && changed.empty()) changed = at;
  }
  if (!changed.empty() && !is_override(place)) place = changed;
  throw InputError(fmt::format("{}: '{}': {}{}", place, path_of(key), message,
                               numbers.empty() ? "" : " (" + numbers + ")"));
}

void YamlFieldLoader::enter(const std::string& path, const Setting* setting) {
  levels_.push_back({setting, path, setting ? setting->place : levels_.back().place, {}, {}});
}

void YamlFieldLoader::begin_group(const char* key, const char*) {
  const Setting* setting = seen(key);
  if (setting && setting->is_null()) setting = nullptr;
  if (setting && !setting->is_mapping()) wrong_type(*setting, path_of(key), "a mapping of keys to values");
  enter(path_of(key), setting);
}

void YamlFieldLoader::end_group() {
  check_unknown_keys();
  const std::string group = levels_.back().path.substr(levels_.back().path.rfind('.') + 1);
  const auto values = std::move(levels_.back().values);
  levels_.pop_back();
  for (const auto& [key, value] : values) note((group + "." + key).c_str(), value);
}

std::size_t YamlFieldLoader::begin_list(const char* key, std::size_t current, const char*) {
  const Setting* setting = take(key);
  if (setting && !setting->is_sequence()) wrong_type(*setting, path_of(key), "a list, one '- ' an item");
  enter(path_of(key), setting);
  return setting ? setting->items.size() : current;
}

void YamlFieldLoader::begin_item(std::size_t index) {
  const Level& list = levels_.back();
  const Setting* setting =
      list.setting && index < list.setting->items.size() ? &list.setting->items[index] : nullptr;
  const std::string path = fmt::format("{}.{}", list.path, index);
  if (setting && !setting->is_mapping()) wrong_type(*setting, path, "a mapping of keys to values");
  enter(path, setting);
}

void YamlFieldLoader::end_item() { end_group(); }
void YamlFieldLoader::end_list() { levels_.pop_back(); }

std::vector<std::string> YamlFieldLoader::begin_map(const char* key, const std::vector<std::string>& current,
                                                    const char* doc) {
  begin_group(key, doc);
  if (!levels_.back().setting) return current;
  std::vector<std::string> names;
  for (const SettingEntry& entry : levels_.back().setting->entries) names.push_back(entry.key);
  return names;
}

void YamlFieldLoader::end_map() { levels_.pop_back(); }

void YamlFieldLoader::check_unknown_keys() const {
  const Level& level = levels_.back();
  if (!level.setting) return;
  for (const SettingEntry& entry : level.setting->entries) {
    if (std::find(level.seen.begin(), level.seen.end(), entry.key) != level.seen.end()) continue;
    const std::string near = nearest_name(entry.key, level.seen);
    throw InputError(fmt::format("{}: unknown key '{}'{}{}; allowed: {}", entry.key_place, entry.key,
                                 level.path.empty() ? "" : " in '" + level.path + "'",
                                 near.empty() ? "" : "; nearest: '" + near + "'",
                                 level.seen.empty() ? "none" : join_names(level.seen)));
  }
}

}  // namespace warpvp
