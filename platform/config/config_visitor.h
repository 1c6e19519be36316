#pragma once
// What a run file needs beyond the plain fields of base/fields.h: lists and named maps of structs, file
// paths, an app with its parameters beside it, and values with a syntax of their own.

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "platform/config/setting.h"

namespace warpvp {

struct PrintStyle {
  /// Print where files lie rather than what the user wrote, so that the text can be moved to another folder.
  bool absolute_paths = false;
};

/// A value with its own way of being written.
class CustomValue {
 public:
  virtual ~CustomValue() = default;
  /// `path` is the dotted key, for messages. Throws InputError at the place of the fault.
  virtual void load(const Setting& setting, const std::string& path) = 0;
  virtual Setting print(const PrintStyle& style) const = 0;
  /// For the reference: what may be written.
  virtual std::string syntax() const = 0;
};

class ConfigVisitor : public FieldVisitor {
 public:
  /// Groups may take either visitor.
  template <class Group>
  void group(const char* key, Group& value, const char* doc) {
    begin_group(key, doc);
    value.fields(*this);
    end_group();
  }
  template <class Item>
  void list(const char* key, std::vector<Item>& value, const char* doc) {
    value.resize(begin_list(key, value.size(), doc));
    for (std::size_t i = 0; i < value.size(); ++i) {
      begin_item(i);
      value[i].fields(*this);
      end_item();
    }
    end_list();
  }
  template <class Item>
  void map(const char* key, std::vector<std::pair<std::string, Item>>& value, const char* doc) {
    std::vector<std::string> names;
    for (const auto& entry : value) names.push_back(entry.first);
    names = begin_map(key, names, doc);
    value.resize(names.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      value[i].first = names[i];
      begin_group(names[i].c_str(), "");
      value[i].second.fields(*this);
      end_group();
    }
    end_map();
  }
  virtual void path(const char* key, PathValue& value, const char* doc) = 0;
  virtual void custom(const char* key, CustomValue& value, const char* doc) = 0;
  /// A part named by `key` whose parameters stand in the mapping `params_key` beside it. An empty name: none.
  virtual void part(const char* key, const char* params_key, const char* kind, PolicyChoice& value,
                    const char* doc) = 0;

  void begin_group(const char* key, const char* doc) override = 0;
  void end_group() override = 0;
  /// Returns the number of items the list is to have.
  virtual std::size_t begin_list(const char* key, std::size_t current, const char* doc) = 0;
  virtual void begin_item(std::size_t index) = 0;
  virtual void end_item() = 0;
  virtual void end_list() = 0;
  virtual std::vector<std::string> begin_map(const char* key, const std::vector<std::string>& current,
                                             const char* doc) = 0;
  virtual void end_map() = 0;
};

/// The registered part of that kind and name, or nullptr; and all names of a kind, sorted.
const struct RegistryEntryInfo* find_registry_entry(const std::string& kind, const std::string& name);
std::vector<std::string> registry_names(const std::string& kind);

}  // namespace warpvp
