#include "platform/config/config_printer.h"

#include <filesystem>

#include "base/registry.h"
#include "platform/config/record_file.h"

namespace warpvp {

void ConfigPrinter::visit(const Field& field) {
  if (field.is_word()) {
    put(field.key, Setting::string(field.text()));
  } else if (const auto* list = std::get_if<std::vector<std::uint32_t>*>(&field.value)) {
    Setting items = Setting::sequence();
    for (const std::uint32_t item : **list) items.items.push_back(Setting::scalar(std::to_string(item)));
    put(field.key, std::move(items));
  } else {
    put(field.key, Setting::scalar(field.text()));
  }
}

namespace {

/// The parameters of a chosen part with the values they have.
Setting chosen_params(const char* kind, const PolicyChoice& choice, PrintStyle style) {
  ConfigPrinter params(style);
  const RegistryEntryInfo* entry = find_registry_entry(kind, choice.name);
  if (entry && entry->params) {
    if (choice.load) {
      choice.load([&](FieldVisitor& loader) {
        TeeVisitor tee(dynamic_cast<ConfigVisitor&>(loader), params);
        entry->params(tee);
      });
    } else {
      entry->params(params);
    }
  }
  return params.tree();
}

}  // namespace

void ConfigPrinter::policy(const char* key, const char* kind, PolicyChoice& v, const char*) {
  const Setting params = chosen_params(kind, v, style_);
  if (params.entries.empty()) {
    put(key, Setting::string(v.name));
    return;
  }
  Setting whole = Setting::mapping();
  whole.put("name", Setting::string(v.name));
  for (const SettingEntry& entry : params.entries) whole.put(entry.key, entry.value);
  put(key, std::move(whole));
}

void ConfigPrinter::block(const char* key, const char* kind, PolicyChoice& v,
                          const std::function<void(FieldVisitor&)>& common, const char* doc) {
  begin_group(key, doc);
  put("type", Setting::string(v.name));
  common(*this);
  for (const SettingEntry& entry : chosen_params(kind, v, style_).entries)
    put(entry.key.c_str(), entry.value);
  end_group();
}

void ConfigPrinter::part(const char* key, const char* params_key, const char* kind, PolicyChoice& v,
                         const char*) {
  if (v.name.empty()) return;
  put(key, Setting::string(v.name));
  put(params_key, chosen_params(kind, v, style_));
}

void ConfigPrinter::path(const char* key, PathValue& v, const char*) {
  if (v.written.empty()) return;
  put(key, Setting::string(style_.absolute_paths
                               ? std::filesystem::absolute(v.resolved).lexically_normal().string()
                               : v.written));
}

void ConfigPrinter::records(const char* key, const char*, std::vector<PathValue>& files, const RecordReader&,
                            const char*) {
  put(key, print_path_list(files, style_));
}

void ConfigPrinter::custom(const char* key, CustomValue& v, const char*) {
  Setting printed = v.print(style_);
  if (!printed.is_null()) put(key, std::move(printed));
}

void ConfigPrinter::begin_group(const char* key, const char*) {
  keys_.emplace_back(key);
  stack_.push_back(Setting::mapping());
}

void ConfigPrinter::end_group() {
  Setting group = std::move(stack_.back());
  stack_.pop_back();
  stack_.back().put(keys_.back(), std::move(group));
  keys_.pop_back();
}

std::size_t ConfigPrinter::begin_list(const char* key, std::size_t current, const char*) {
  keys_.emplace_back(key);
  stack_.push_back(Setting::sequence());
  return current;
}

void ConfigPrinter::begin_item(std::size_t) { stack_.push_back(Setting::mapping()); }

void ConfigPrinter::end_item() {
  Setting item = std::move(stack_.back());
  stack_.pop_back();
  stack_.back().items.push_back(std::move(item));
}

void ConfigPrinter::end_list() { end_group(); }

std::vector<std::string> ConfigPrinter::begin_map(const char* key, const std::vector<std::string>& current,
                                                  const char* doc) {
  begin_group(key, doc);
  return current;
}

void TeeVisitor::visit(const Field& field) {
  first_.visit(field);
  second_.visit(field);
}
void TeeVisitor::policy(const char* key, const char* kind, PolicyChoice& v, const char* doc) {
  first_.policy(key, kind, v, doc);
  second_.policy(key, kind, v, doc);
}
void TeeVisitor::block(const char* key, const char* kind, PolicyChoice& v,
                       const std::function<void(FieldVisitor&)>& common, const char* doc) {
  first_.block(key, kind, v, common, doc);
  second_.block(key, kind, v, common, doc);
}
void TeeVisitor::records(const char* key, const char* heading, std::vector<PathValue>& files,
                         const RecordReader& read, const char* doc) {
  first_.records(key, heading, files, read, doc);
  second_.records(key, heading, files, read, doc);
}
void TeeVisitor::part(const char* key, const char* params_key, const char* kind, PolicyChoice& v,
                      const char* doc) {
  first_.part(key, params_key, kind, v, doc);
  second_.part(key, params_key, kind, v, doc);
}
void TeeVisitor::path(const char* key, PathValue& v, const char* doc) {
  first_.path(key, v, doc);
  second_.path(key, v, doc);
}
void TeeVisitor::custom(const char* key, CustomValue& v, const char* doc) {
  first_.custom(key, v, doc);
  second_.custom(key, v, doc);
}
void TeeVisitor::require(bool condition, const char* key, const std::string& message) {
  first_.require(condition, key, message);
  second_.require(condition, key, message);
}
void TeeVisitor::begin_group(const char* key, const char* doc) {
  first_.begin_group(key, doc);
  second_.begin_group(key, doc);
}
void TeeVisitor::end_group() {
  first_.end_group();
  second_.end_group();
}
std::size_t TeeVisitor::begin_list(const char* key, std::size_t current, const char* doc) {
  return second_.begin_list(key, first_.begin_list(key, current, doc), doc);
}
void TeeVisitor::begin_item(std::size_t index) {
  first_.begin_item(index);
  second_.begin_item(index);
}
void TeeVisitor::end_item() {
  first_.end_item();
  second_.end_item();
}
void TeeVisitor::end_list() {
  first_.end_list();
  second_.end_list();
}
std::vector<std::string> TeeVisitor::begin_map(const char* key, const std::vector<std::string>& current,
                                               const char* doc) {
  return second_.begin_map(key, first_.begin_map(key, current, doc), doc);
}
void TeeVisitor::end_map() {
  first_.end_map();
  second_.end_map();
}

}  // namespace warpvp
