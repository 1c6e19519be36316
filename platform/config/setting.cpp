#include "platform/config/setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "platform/config/yaml_document.h"

namespace warpvp {

const Setting* Setting::find(std::string_view key) const {
  for (const SettingEntry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Setting* Setting::find(std::string_view key) {
  return const_cast<Setting*>(static_cast<const Setting*>(this)->find(key));
}

Setting& Setting::put(const std::string& key, Setting value) {
  kind = Kind::kMapping;
  if (Setting* old = find(key)) {
    *old = std::move(value);
    return *old;
  }
  std::string place = value.place;
  entries.push_back({key, std::move(place), std::move(value)});
  return entries.back().value;
}

void Setting::remove(std::string_view key) {
  entries.erase(
      std::remove_if(entries.begin(), entries.end(), [&](const SettingEntry& e) { return e.key == key; }),
      entries.end());
}

Setting Setting::scalar(std::string text, bool quoted) {
  Setting s;
  s.kind = Kind::kScalar;
  s.text = std::move(text);
  s.quoted = quoted;
  return s;
}

const char* kind_name(const Setting& setting) {
  switch (setting.kind) {
    case Setting::Kind::kNull:
      return "nothing";
    case Setting::Kind::kScalar:
      return "a single value";
    case Setting::Kind::kSequence:
      return "a list";
    case Setting::Kind::kMapping:
      return "a mapping";
  }
  return "";
}

namespace {

/// Turns a word into the mapping that means the same, so that more can be said about it.
void open_word(Setting& word, bool names_a_file) {
  Setting opened = Setting::mapping();
  opened.place = word.place;
  opened.directory = word.directory;
  opened.layer = word.layer;
  opened.entries.swap(word.below);
  opened.put(names_a_file ? "extends" : "name", std::move(word));
  word = std::move(opened);
}

void merge_at(Setting& base, const Setting& overlay, const std::string& path);

/// What a word remembers of the mapping, or of the word, whose place it takes.
std::vector<SettingEntry> remembered(const Setting& base, const Setting& word) {
  Setting below = Setting::mapping(), on_top = Setting::mapping();
  below.entries = base.is_mapping() ? base.entries : base.below;
  on_top.entries = word.below;
  merge_at(below, on_top, "below");
  return below.entries;
}

bool names_a_file(std::string_view path) { return path == "platform" || path == "workload"; }

void merge_at(Setting& base, const Setting& overlay, const std::string& path) {
  if (overlay.is_mapping() && overlay.find("extends") == nullptr) {
    if (base.is_scalar()) open_word(base, names_a_file(path));
    if (base.is_mapping()) {
      for (const SettingEntry& entry : overlay.entries) {
        const std::string inner = path.empty() ? entry.key : path + "." + entry.key;
        auto it = std::find_if(base.entries.begin(), base.entries.end(),
                               [&](const SettingEntry& e) { return e.key == entry.key; });
        if (it == base.entries.end()) {
          base.entries.push_back(entry);
        } else {
          it->key_place = entry.key_place;
          merge_at(it->value, entry.value, inner);
        }
      }
      return;
    }
  }
  if (overlay.is_null() && base.is_mapping()) return;  // `sm:` with nothing below says nothing
  for (const char* key : {"name", "type"})
    if (overlay.is_scalar() && base.is_mapping() && base.find(key) && base.find(key)->text == overlay.text)
      return;  // the same part named again keeps its parameters
  const bool same_word = overlay.is_scalar() && base.is_scalar() && overlay.text == base.text;
  const int layer = same_word ? base.layer : overlay.layer;
  std::vector<SettingEntry> below;
  if (overlay.is_scalar() && !names_a_file(path)) below = remembered(base, overlay);
  base = overlay;
  base.layer = layer;
  base.below = std::move(below);
}

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> parts(1);
  for (char c : path) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

void set_layer(Setting& setting, int layer) {
  setting.layer = layer;
  for (Setting& item : setting.items) set_layer(item, layer);
  for (SettingEntry& entry : setting.entries) set_layer(entry.value, layer);
}

void set_place(Setting& setting, const std::string& place) {
  setting.place = place;
  for (Setting& item : setting.items) set_place(item, place);
  for (SettingEntry& entry : setting.entries) {
    entry.key_place = place;
    set_place(entry.value, place);
  }
}

}  // namespace

void merge_settings(Setting& base, const Setting& overlay) { merge_at(base, overlay, ""); }

void assign_setting(Setting& root, const Assignment& assignment, int layer) {
  const std::string& path = assignment.path;
  Setting value = assignment.value;
  set_layer(value, layer);
  Setting* at = &root;
  std::string walked;
  for (const std::string& part : split_path(path)) {
    if (part.empty()) throw InputError(fmt::format("{}: empty name in '{}'; write a.b.c", value.place, path));
    if (at->is_sequence()) {
      std::uint64_t index = 0;
      if (!parse_unsigned(part, index) || index >= at->items.size())
        throw InputError(fmt::format("{}: '{}' is a list of {} items; allowed: an index below {}, not '{}'",
                                     value.place, walked, at->items.size(), at->items.size(), part));
      at = &at->items[index];
    } else {
      if (at->is_scalar()) open_word(*at, names_a_file(walked));
      if (at->is_null()) {
        at->kind = Setting::Kind::kMapping;
        at->place = value.place;
        at->directory = value.directory;
        at->layer = layer;
      }
      Setting* next = at->find(part);
      if (!next) {
        Setting fresh;
        fresh.place = value.place;
        next = &at->put(part, std::move(fresh));
      }
      at = next;
    }
    walked += (walked.empty() ? "" : ".") + part;
  }
  if (value.is_scalar() && at->is_scalar() && value.text == at->text) value.layer = at->layer;
  if (value.is_scalar() && !names_a_file(path)) value.below = remembered(*at, value);
  *at = std::move(value);
}

Assignment parse_override(const std::string& text, const std::string& directory) {
  const std::size_t equals = text.find('=');
  const std::string what = "--set " + text;
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("{}: not an assignment; write --set a.b.c=value", what));
  Setting value = parse_yaml(text.substr(equals + 1), what, directory);
  if (value.is_null()) throw InputError(fmt::format("{}: no value after '='", what));
  set_place(value, what);
  return {text.substr(0, equals), std::move(value)};
}

namespace {

bool reads_as_other_than_string(const std::string& text) {
  static const char* const words[] = {"null",  "Null", "NULL",  "~",   "true", "false", "True",
                                      "False", "TRUE", "FALSE", "yes", "no",   "Yes",   "No",
                                      "on",    "off",  "On",    "Off", "YES",  "NO"};
  for (const char* word : words)
    if (text == word) return true;
  double number = 0;
  std::uint64_t whole = 0;
  return parse_double(text, number) || parse_unsigned(text, whole);
}

std::string yaml_scalar(const std::string& text, bool is_string) {
  bool plain = !text.empty() && !(is_string && reads_as_other_than_string(text));
  for (std::size_t i = 0; plain && i < text.size(); ++i) {
    const char c = text[i];
    const bool word =
        std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '/' || c == '.' || c == '+';
    const bool inner =
        i > 0 && (c == '-' || c == '=' || c == '(' || c == ')' || (c == ' ' && i + 1 < text.size()));
    const bool sign = i == 0 && c == '-' && !is_string;
    if (!word && !inner && !sign) plain = false;
  }
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

bool all_scalars(const Setting& sequence) {
  return std::all_of(sequence.items.begin(), sequence.items.end(), [](const Setting& s) {
    return s.is_scalar() || (s.is_mapping() && s.entries.size() == 1 && s.entries[0].value.is_scalar());
  });
}

void emit(const Setting& setting, std::string& out, int indent);

std::string inline_value(const Setting& setting) {
  if (setting.is_null()) return "null";
  if (setting.is_scalar()) return yaml_scalar(setting.text, setting.quoted);
  std::string out;
  if (setting.is_sequence()) {
    for (const Setting& item : setting.items) out += (out.empty() ? "" : ", ") + inline_value(item);
    return "[" + out + "]";
  }
  for (const SettingEntry& entry : setting.entries)
    out += (out.empty() ? "" : ", ") + yaml_scalar(entry.key, true) + ": " + inline_value(entry.value);
  return "{" + out + "}";
}

void emit_entry_value(const Setting& value, std::string& out, int indent) {
  const bool nested =
      (value.is_mapping() && !value.entries.empty()) || (value.is_sequence() && !all_scalars(value));
  if (!nested) {
    out += " " + inline_value(value) + "\n";
  } else {
    out += "\n";
    emit(value, out, indent + 2);
  }
}

void emit(const Setting& setting, std::string& out, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  if (setting.is_mapping() && !setting.entries.empty()) {
    for (const SettingEntry& entry : setting.entries) {
      out += margin + yaml_scalar(entry.key, true) + ":";
      emit_entry_value(entry.value, out, indent);
    }
  } else if (setting.is_sequence() && !all_scalars(setting)) {
    for (const Setting& item : setting.items) {
      if (item.is_mapping() && !item.entries.empty()) {
        std::string body;
        emit(item, body, indent + 2);
        body[static_cast<std::size_t>(indent)] = '-';
        out += body;
      } else {
        out += margin + "- " + inline_value(item) + "\n";
      }
    }
  } else {
    out += margin + inline_value(setting) + "\n";
  }
}

}  // namespace

std::string to_yaml(const Setting& setting) {
  std::string out;
  emit(setting, out, 0);
  return out;
}

nlohmann::ordered_json to_json(const Setting& setting) {
  switch (setting.kind) {
    case Setting::Kind::kNull:
      return nullptr;
    case Setting::Kind::kScalar: {
      if (setting.quoted) return setting.text;
      if (setting.text == "true") return true;
      if (setting.text == "false") return false;
      std::uint64_t whole = 0;
      if (parse_unsigned(setting.text, whole)) return whole;
      std::int64_t negative = 0;
      if (parse_signed(setting.text, negative)) return negative;
      double number = 0;
      if (parse_double(setting.text, number) && std::isfinite(number)) return number;
      return setting.text;
    }
    case Setting::Kind::kSequence: {
      auto out = nlohmann::ordered_json::array();
      for (const Setting& item : setting.items) out.push_back(to_json(item));
      return out;
    }
    case Setting::Kind::kMapping: {
      auto out = nlohmann::ordered_json::object();
      for (const SettingEntry& entry : setting.entries) out[entry.key] = to_json(entry.value);
      return out;
    }
  }
  return nullptr;
}

bool parse_unsigned(std::string_view text, std::uint64_t& value) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  if (text.empty()) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_signed(std::string_view text, std::int64_t& value) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  std::uint64_t magnitude = 0;
  if (negative && !text.empty() && text[0] == '+') return false;
  if (!parse_unsigned(text, magnitude)) return false;
  const std::uint64_t limit = std::uint64_t{1} << 63;
  if (negative ? magnitude > limit : magnitude >= limit) return false;
  value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  return true;
}

bool parse_double(std::string_view text, double& value) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  if (text.empty()) return false;
  const bool negative = text[0] == '-';
  std::string_view body = negative ? text.substr(1) : text;
  if (body == ".inf" || body == "inf" || body == ".nan" || body == "nan") {
    value = body.back() == 'f' ? HUGE_VAL : std::nan("");
    if (negative) value = -value;
    return true;
  }
  if (body.empty() || !(std::isdigit(static_cast<unsigned char>(body[0])) || body[0] == '.')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::uint64_t digest(std::string_view bytes, std::uint64_t seed) {
  for (const char c : bytes) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return seed;
}

}  // namespace warpvp
