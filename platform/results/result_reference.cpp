#include "platform/results/result_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/registry.h"

namespace warpvp {

namespace {

std::string join(const std::vector<std::string>& words, const std::string& between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

std::vector<std::string> components(const std::string& path) {
  std::vector<std::string> out(1);
  for (const char c : path) {
    if (c == '.') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

/// "kernels.0.name", "kernels[name=K2].name" and "kernels.*.name" as "kernels.name".
std::string without_selection(const std::string& path) {
  std::string plain;
  int depth = 0;
  for (const char c : path) {
    depth += c == '[';
    if (depth == 0) plain += c;
    depth -= c == ']' && depth > 0;
  }
  std::vector<std::string> kept;
  for (const std::string& part : components(plain)) {
    const bool index = !part.empty() && std::all_of(part.begin(), part.end(),
                                                    [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!index && part != "*") kept.push_back(part);
  }
  return join(kept, ".");
}

/// Stands for any name: "PART".
bool is_placeholder(const std::string& component) {
  return !component.empty() && std::all_of(component.begin(), component.end(),
                                           [](unsigned char c) { return std::isupper(c) != 0; });
}

/// The last components of `path` are `ending`; a placeholder stands for a name, but not for all that is
/// asked.
bool ends_with(const std::vector<std::string>& path, const std::vector<std::string>& ending) {
  if (ending.size() > path.size()) return false;
  bool named = false;
  for (std::size_t i = 0; i < ending.size(); ++i) {
    const std::string& declared = path[path.size() - ending.size() + i];
    if (declared == ending[i]) {
      named = true;
    } else if (!is_placeholder(declared)) {
      return false;
    }
  }
  return named;
}

std::string parent_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string last_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string unit_of(const ResultKey& key) {
  switch (key.kind) {
    case ResultKey::Kind::kText:
      return "text";
    case ResultKey::Kind::kFlag:
      return "true or false";
    case ResultKey::Kind::kNumber:
      return "number";
    case ResultKey::Kind::kGroup:
      return "group";
    case ResultKey::Kind::kList:
      return "list";
    case ResultKey::Kind::kQuantity:
      break;
  }
  return key.unit;
}

std::string meaning_of(const ResultKey& key) {
  return key.only.empty() ? key.doc : fmt::format("{} Only {}.", key.doc, key.only);
}

}  // namespace

void ResultReference::add(const char* key, ResultKey::Kind kind, const std::string& unit,
                          const std::string& doc, bool adds_up) {
  std::vector<std::string> path = path_;
  path.emplace_back(key);
  const ResultKey added{join(path, "."), kind, unit, doc, adds_up, join(conditions_, " and ")};
  std::size_t i = 0;
  const auto same = [&](const ResultKey& k) {
    return k.path == added.path && k.kind == kind && k.unit == unit && k.doc == doc && k.only == added.only;
  };
  while (i < keys_.size() && !same(keys_[i])) ++i;
  if (i == keys_.size()) {
    keys_.push_back(added);
    of_types_.emplace_back();
  }
  if (!type_.empty() && (of_types_[i].empty() || of_types_[i].back() != type_)) of_types_[i].push_back(type_);
}

void ResultReference::types(const std::string& setting, const std::vector<Type>& types) {
  for (const Type& type : types) {
    type_ = type.name;
    type.visit(*this);
  }
  type_.clear();
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    std::vector<std::string>& having = of_types_[i];
    if (!having.empty() && having.size() < types.size()) {
      const std::string only = fmt::format("with `{}: {}`", setting, join(having, "` or `"));
      std::string& condition = keys_[i].only;
      condition = condition.empty() ? only : only + " and " + condition;
    }
    having.clear();
  }
}

void ResultReference::value(const char* key, std::uint64_t, const char* unit, const char* doc) {
  add(key, ResultKey::Kind::kQuantity, unit, doc, true);
}
void ResultReference::amount(const char* key, double, const char* unit, const char* doc) {
  add(key, ResultKey::Kind::kQuantity, unit, doc, true);
}
void ResultReference::value(const char* key, double, const char* unit, const char* doc) {
  add(key, ResultKey::Kind::kQuantity, unit, doc);
}
void ResultReference::unknown(const char* key, const char* unit, const char* doc) {
  add(key, ResultKey::Kind::kQuantity, unit, doc);
}
void ResultReference::values(const char* key, const std::vector<std::uint64_t>&, const char* unit,
                             const char* doc) {
  add(key, ResultKey::Kind::kQuantity, unit, doc);
}
void ResultReference::text(const char* key, const std::string&, const char* doc) {
  add(key, ResultKey::Kind::kText, "", doc);
}
void ResultReference::flag(const char* key, bool, const char* doc) {
  add(key, ResultKey::Kind::kFlag, "", doc);
}
void ResultReference::signed_number(const char* key, std::int64_t, const char* doc) {
  add(key, ResultKey::Kind::kNumber, "", doc);
}
void ResultReference::unsigned_number(const char* key, std::uint64_t, const char* doc) {
  add(key, ResultKey::Kind::kNumber, "", doc);
}
void ResultReference::apart(const char* key, const char* doc) { add(key, ResultKey::Kind::kGroup, "", doc); }

void ResultReference::named(const char* key, const std::vector<std::pair<std::string, double>>&,
                            const char* name, const char* unit, const char* doc, const char* value_doc) {
  open(key, ResultKey::Kind::kGroup, doc);
  add(name, ResultKey::Kind::kQuantity, unit, value_doc);
  end_group();
}

void ResultReference::open(const char* key, ResultKey::Kind kind, const char* doc) {
  add(key, kind, "", doc);
  path_.emplace_back(key);
}
void ResultReference::begin_group(const char* key, const char* doc) {
  open(key, ResultKey::Kind::kGroup, doc);
}
void ResultReference::begin_list(const char* key, const char* doc) { open(key, ResultKey::Kind::kList, doc); }
void ResultReference::end_group() { path_.pop_back(); }

std::vector<const ResultKey*> ResultReference::find(const std::string& key) const {
  const std::vector<std::string> wanted = components(without_selection(key));
  std::vector<const ResultKey*> whole, ending;
  for (const ResultKey& k : keys_) {
    const std::vector<std::string> path = components(k.path);
    if (!ends_with(path, wanted)) continue;
    ending.push_back(&k);
    if (path.size() == wanted.size()) whole.push_back(&k);
  }
  return whole.empty() ? ending : whole;
}

std::string ResultReference::section(const std::string& path, int heading_level) const {
  std::string only;  // of the group, which its rows need not repeat
  for (const ResultKey& key : keys_)
    if (key.path == path) only = key.only;
  std::string rows;
  for (const ResultKey& key : keys_) {
    if (parent_of(key.path) != path) continue;
    rows += fmt::format("| `{}` | {} | {} |\n", last_of(key.path), unit_of(key),
                        key.only == only ? key.doc : meaning_of(key));
  }
  if (rows.empty()) return "";
  std::string text;
  if (!path.empty()) {
    text = fmt::format("{} `{}`\n\n", std::string(static_cast<std::size_t>(heading_level), '#'), path);
    for (const ResultKey& key : keys_)
      if (key.path == path) text += meaning_of(key) + "\n\n";
  }
  return text + "| key | unit | meaning |\n|---|---|---|\n" + rows + "\n";
}

std::string ResultReference::sections(const std::string& path, int heading_level) const {
  std::string text = section(path, heading_level);
  std::vector<std::string> shown;
  for (const ResultKey& key : keys_) {
    const bool group = key.kind == ResultKey::Kind::kGroup || key.kind == ResultKey::Kind::kList;
    const bool again = std::find(shown.begin(), shown.end(), key.path) != shown.end();
    if (!group || again || parent_of(key.path) != path) continue;
    shown.push_back(key.path);
    text += sections(key.path, heading_level);
  }
  return text;
}

std::string ResultReference::markdown(int heading_level) const { return sections("", heading_level); }

std::string ResultReference::why_no_number(const std::string& key) const {
  const std::vector<std::string> wanted = components(without_selection(key));
  for (std::size_t length = wanted.size(); length > 0; --length) {
    const std::vector<std::string> head(wanted.begin(), wanted.begin() + static_cast<long>(length));
    for (const ResultKey& k : keys_) {
      const std::vector<std::string> path = components(k.path);
      if (path.size() != length || !ends_with(path, head)) continue;
      const bool group = k.kind == ResultKey::Kind::kGroup || k.kind == ResultKey::Kind::kList;
      const bool opaque = group && sections(k.path, 1).empty();
      if (length == wanted.size() ? !group || opaque : opaque) return "";
      if (length == wanted.size())
        return fmt::format(
            "'{}' is a {} of result.json; allowed: one of the values below it, see 'warpvp "
            "describe result {}'",
            key, k.kind == ResultKey::Kind::kList ? "list" : "group", k.path);
    }
  }
  try {
    const std::vector<const ResultKey*> meant = find(last_of(without_selection(key)));
    if (!meant.empty() && !wanted.empty() && !wanted.back().empty())
      return fmt::format("result.json has no key '{}'; did you mean '{}'? See 'warpvp describe result {}'",
                         key, meant[0]->path, last_of(meant[0]->path));
    describe(key);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string ResultReference::describe(const std::string& key) const {
  const std::vector<const ResultKey*> found = find(key);
  if (found.empty()) {
    std::vector<std::string> paths, names;
    for (const ResultKey& k : keys_) {
      paths.push_back(k.path);
      names.push_back(last_of(k.path));
    }
    std::string near = nearest_name(without_selection(key), paths);
    if (near.empty()) near = nearest_name(last_of(without_selection(key)), names);
    throw InputError(fmt::format("result.json has no key '{}'{}; see 'warpvp describe result'", key,
                                 near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  std::string text;
  std::vector<std::string> shown;
  for (const ResultKey* k : found) {
    const std::string below = sections(k->path, 1);
    if (!below.empty()) {
      if (std::find(shown.begin(), shown.end(), k->path) == shown.end()) text += below;
    } else {
      text += fmt::format("# `{}`\n\nUnit: {}\n\n{}\n\n", k->path, unit_of(*k), meaning_of(*k));
    }
    shown.push_back(k->path);
  }
  return text;
}

}  // namespace warpvp
