#include "platform/config/config_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/registry.h"

namespace warpvp {

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

ConfigReference::ConfigReference(const std::string& title, int heading_level)
    : heading_level_(heading_level) {
  sections_.push_back({title, "", {}});
  open_.push_back(0);
}

void ConfigReference::row(const std::string& key, const std::string& default_value, const std::string& unit,
                          const std::string& allowed, const std::string& doc) {
  sections_[open_.back()].rows.push_back(fmt::format(
      "| `{}` | {} | {} | {} | {} |\n", key, default_value.empty() ? "" : "`" + escaped(default_value) + "`",
      escaped(unit), escaped(allowed), escaped(doc)));
}

void ConfigReference::visit(const Field& field) {
  row(field.key, field.text(), field.unit, field.allowed(), field.doc);
}
void ConfigReference::policy(const char* key, const char* kind, PolicyChoice& v, const char* doc) {
  row(key, v.name, "",
      fmt::format("{} {}: {}", std::strchr("aeiou", kind[0]) ? "an" : "a", kind,
                  join_names(registry_names(kind))),
      doc);
}
void ConfigReference::block(const char* key, const char* kind, PolicyChoice& v,
                            const std::function<void(FieldVisitor&)>& common, const char* doc) {
  begin_group(key, doc);
  row("type", v.name, "", "one of: " + join_names(registry_names(kind)),
      fmt::format("Which {} the platform has. The fields below are those of all types and of `{}`.", kind,
                  v.name));
  common(*this);
  if (const RegistryEntryInfo* entry = find_registry_entry(kind, v.name)) {
    if (entry->params) entry->params(*this);
    blocks_.push_back({entry, sections_[open_.back()].path});
  }
  end_group();
}
void ConfigReference::part(const char* key, const char* params_key, const char* kind, PolicyChoice& v,
                           const char* doc) {
  row(key, v.name, "", fmt::format("one of: {}", join_names(registry_names(kind))), doc);
  row(params_key, "", "", "a mapping", fmt::format("Parameters of the chosen {}.", kind));
}
void ConfigReference::path(const char* key, PathValue& v, const char* doc) {
  row(key, v.written, "", "the path of a file, relative to the YAML file", doc);
}
void ConfigReference::records(const char* key, const char* heading, std::vector<PathValue>&,
                              const RecordReader& read, const char* doc) {
  row(key, "[]", "", "a path, or a list of paths, relative to the YAML file", doc);
  const std::string record = fmt::format("{}: {}.NAME", key, heading);
  begin_group(record.c_str(), "A record in one of these files.");
  read("NAME", "", *this);
  end_group();
}
void ConfigReference::custom(const char* key, CustomValue& v, const char* doc) {
  const Setting shown = v.print({});
  row(key, shown.is_scalar() ? shown.text : "", "", v.syntax(), doc);
}

void ConfigReference::open(const std::string& path, const char* doc) {
  const std::string& outer = sections_[open_.back()].path;
  // The title of the whole is not part of the dotted names below it.
  sections_.push_back({open_.size() == 1 ? path : outer + "." + path, doc, {}});
  open_.push_back(sections_.size() - 1);
}

void ConfigReference::begin_group(const char* key, const char* doc) { open(key, doc); }
void ConfigReference::end_group() { open_.pop_back(); }

std::size_t ConfigReference::begin_list(const char* key, std::size_t, const char* doc) {
  open(std::string(key) + "[]", doc);
  return 1;
}

std::vector<std::string> ConfigReference::begin_map(const char* key, const std::vector<std::string>&,
                                                    const char* doc) {
  open(key, doc);
  return {"NAME"};
}

std::string ConfigReference::markdown() const {
  std::string out;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    if (i > 0 && section.rows.empty() && section.doc.empty()) continue;
    const std::string heading(static_cast<std::size_t>(heading_level_ + (i > 0 ? 1 : 0)), '#');
    out += fmt::format("{} {}\n\n", heading, i > 0 ? "`" + section.path + "`" : section.path);
    if (!section.doc.empty()) out += section.doc + "\n\n";
    if (section.rows.empty()) continue;
    out += "| key | default | unit | allowed | meaning |\n|---|---|---|---|---|\n";
    for (const std::string& row : section.rows) out += row;
    out += "\n";
  }
  return out;
}

std::string part_reference(const RegistryEntryInfo& entry, int heading_level) {
  ConfigReference reference(fmt::format("`{}`", entry.name), heading_level);
  if (entry.params) entry.params(reference);
  std::string text = reference.markdown();
  // The sentence stands between the heading and the table.
  text.insert(text.find("\n\n") + 2, entry.doc + "\n\n");
  return text;
}

std::string registry_reference(int heading_level, const std::vector<ShownBlock>& shown) {
  std::map<std::string, std::map<std::string, const RegistryEntryInfo*>> kinds;
  for (const RegistryEntryInfo& entry : all_registry_entries()) kinds[entry.kind][entry.name] = &entry;
  std::string out;
  for (const auto& [kind, parts] : kinds) {
    out += fmt::format("{} {}\n\n", std::string(static_cast<std::size_t>(heading_level), '#'), kind);
    for (const auto& [name, entry] : parts) {
      const auto block = std::find_if(shown.begin(), shown.end(),
                                      [entry = entry](const ShownBlock& b) { return b.entry == entry; });
      if (block == shown.end()) {
        out += part_reference(*entry, heading_level + 1);
      } else {
        out += fmt::format("{} `{}`\n\n{}\n\nIts fields are those of `{}`, above.\n\n",
                           std::string(static_cast<std::size_t>(heading_level) + 1, '#'), name, entry->doc,
                           block->path);
      }
    }
  }
  return out;
}

}  // namespace warpvp
