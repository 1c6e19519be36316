#pragma once
// Parameters for apps and workloads by text, as YAML would give them, and a walk over what they declare.

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fields.h"

namespace warpvp::test {

/// Sets fields from texts ("rows" -> "64"), notes what is declared, and throws InputError as a loader does.
class TextFields : public FieldVisitor {
 public:
  explicit TextFields(std::map<std::string, std::string> values = {}) : values_(std::move(values)) {}

  void visit(const Field& field) override {
    declare(field.key, field.doc);
    const std::string* const text = take(field.key);
    std::visit([&](auto* value) { set(field, *value, text); }, field.value);
  }
  void policy(const char* key, const char* kind, PolicyChoice& v, const char* doc) override {
    declare(key, doc);
    if (const std::string* text = take(key)) v.name = *text;
  }
  void require(bool condition, const char* key, const std::string& message) override {
    if (!condition) throw InputError(std::string(key) + ": " + message);
  }

  /// InputError if a value was given for a key that no field has.
  void finish() const {
    for (const auto& [key, value] : values_) {
      if (keys_.count(key) == 0) throw InputError("unknown key " + key);
    }
  }
  const std::set<std::string>& keys() const { return keys_; }
  const std::vector<std::string>& poor_docs() const { return poor_docs_; }

 private:
  void begin_group(const char*, const char*) override {}
  void end_group() override {}
  void declare(const std::string& key, const std::string& doc) {
    if (!keys_.insert(key).second) poor_docs_.push_back(key + " is declared twice");
    if (doc.size() < 4 || doc.back() != '.') poor_docs_.push_back(key + ": '" + doc + "'");
  }
  const std::string* take(const std::string& key) const {
    auto it = values_.find(key);
    return it == values_.end() ? nullptr : &it->second;
  }
  void check(const Field& field, double value) {
    require(field.constraint.holds(value), field.key, "out of range, or not a power of two");
  }
  void set(const Field&, bool& value, const std::string* text) {
    if (text != nullptr) value = *text == "true";
  }
  void set(const Field& field, std::string& value, const std::string* text) {
    if (text != nullptr) value = *text;
    const std::vector<std::string>& words = field.constraint.one_of;
    require(words.empty() || std::find(words.begin(), words.end(), value) != words.end(), field.key,
            "not an allowed word: " + value);
  }
  void set(const Field& field, std::vector<std::uint32_t>& value, const std::string* text) {
    if (text != nullptr) {
      value.clear();
      std::istringstream in(*text);
      for (std::uint32_t item; in >> item;) value.push_back(item);
    }
    for (const std::uint32_t item : value) check(field, item);
  }
  template <class Number>
  void set(const Field& field, Number& value, const std::string* text) {
    if (text != nullptr) {
      std::istringstream in(*text);
      in >> value;
      if (!in) throw InputError(std::string(field.key) + ": not a number");
    }
    check(field, static_cast<double>(value));
  }

  std::map<std::string, std::string> values_;
  std::set<std::string> keys_;
  std::vector<std::string> poor_docs_;
};

/// A choice of `name` with parameters given as texts.
inline PolicyChoice choose(const std::string& name, const std::map<std::string, std::string>& values) {
  PolicyChoice choice;
  choice.name = name;
  choice.load = [values](const std::function<void(FieldVisitor&)>& fields) {
    TextFields visitor(values);
    fields(visitor);
    visitor.finish();
  };
  return choice;
}

}  // namespace warpvp::test
