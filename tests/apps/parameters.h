#pragma once
// Parameters for apps and workloads by text, as YAML would give them, and a walk over what they declare.

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

  void field(const char* key, bool& value, const char* doc) override {
    declare(key, doc);
    if (const std::string* text = take(key)) value = *text == "true";
  }
  void field(const char* key, std::uint32_t& v, const char* unit, const char* doc,
             const Constraint& c) override {
    number(key, v, doc, c);
  }
  void field(const char* key, std::uint64_t& v, const char* unit, const char* doc,
             const Constraint& c) override {
    number(key, v, doc, c);
  }
  void field(const char* key, std::int32_t& v, const char* unit, const char* doc,
             const Constraint& c) override {
    number(key, v, doc, c);
  }
  void field(const char* key, double& v, const char* unit, const char* doc, const Constraint& c) override {
    number(key, v, doc, c);
  }
  void field(const char* key, std::string& v, const char* doc, const Constraint& c) override {
    declare(key, doc);
    if (const std::string* text = take(key)) v = *text;
    bool allowed = c.one_of.empty();
    for (const std::string& word : c.one_of) allowed = allowed || word == v;
    require(allowed, key, "not an allowed word: " + v);
  }
  void field(const char* key, std::vector<std::uint32_t>& v, const char* unit, const char* doc,
             const Constraint& c) override {
    declare(key, doc);
    if (const std::string* text = take(key)) {
      v.clear();
      std::istringstream in(*text);
      for (std::uint32_t item; in >> item;) v.push_back(item);
    }
    for (std::uint32_t item : v) check(key, item, c);
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
  void check(const std::string& key, double value, const Constraint& c) {
    require(value >= c.min && value <= c.max, key.c_str(), "out of range");
    const auto whole = static_cast<std::uint64_t>(value < 0 ? 0 : value);
    require(!c.power_of_two || (whole != 0 && (whole & (whole - 1)) == 0), key.c_str(), "not a power of two");
  }
  template <class T>
  void number(const char* key, T& value, const char* doc, const Constraint& c) {
    declare(key, doc);
    if (const std::string* text = take(key)) {
      std::istringstream in(*text);
      in >> value;
      if (!in) throw InputError(std::string(key) + ": not a number");
    }
    check(key, static_cast<double>(value), c);
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
