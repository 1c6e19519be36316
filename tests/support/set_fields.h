#pragma once
// Fields of a configuration set by key, for tests that need no YAML.

#include <map>
#include <string>
#include <vector>

#include "base/fields.h"

namespace warpvp::test {

/// Sets single fields by key, as `--set` would.
class SetFields : public FieldVisitor {
 public:
  explicit SetFields(std::map<std::string, double> values) : values_(std::move(values)) {}
  void visit(const Field& field) override {
    std::visit([&](auto* value) { set(field.key, *value); }, field.value);
  }
  void policy(const char*, const char*, PolicyChoice&, const char*) override {}
  void require(bool condition, const char* key, const std::string& message) override {
    if (!condition) broken.push_back(std::string(key) + ": " + message);
  }
  std::map<std::string, std::string> words;
  std::map<std::string, std::vector<std::uint32_t>> lists;
  std::vector<std::string> broken;

 protected:
  void begin_group(const char*, const char*) override {}
  void end_group() override {}

 private:
  void set(const char* key, std::string& v) {
    if (words.count(key)) v = words[key];
  }
  void set(const char* key, std::vector<std::uint32_t>& v) {
    if (lists.count(key)) v = lists[key];
  }
  template <class T>
  void set(const char* key, T& v) {
    const auto it = values_.find(key);
    if (it != values_.end()) v = static_cast<T>(it->second);
  }
  std::map<std::string, double> values_;
};

/// The registered part `name` with these numbers and words among its fields.
inline PolicyChoice part_with(const char* name, std::map<std::string, double> values,
                              std::map<std::string, std::string> words = {}) {
  PolicyChoice choice = name;
  choice.load = [values = std::move(values),
                 words = std::move(words)](const std::function<void(FieldVisitor&)>& fields) {
    SetFields set(values);
    set.words = words;
    fields(set);
  };
  return choice;
}

}  // namespace warpvp::test
