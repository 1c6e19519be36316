#pragma once
// Makes a policy by its YAML name with parameters given in code, the way the platform does from YAML.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/registry.h"
#include "modules/sm/policies.h"

namespace warpvp::test {

/// Sets the fields whose key is in `values`; throws when a value's text does not fit or a key is not a field.
class ValueSetter : public FieldVisitor {
 public:
  explicit ValueSetter(std::map<std::string, std::string> values) : values_(std::move(values)) {}
  ~ValueSetter() override = default;

  void visit(const Field& field) override {
    if (field.is_list()) return;
    const std::string* const text = take(field.key);
    if (text != nullptr) std::visit([&](auto* value) { set(*value, *text); }, field.value);
  }
  void policy(const char*, const char*, PolicyChoice&, const char*) override {}
  void require(bool condition, const char* key, const std::string& message) override {
    if (!condition) throw InputError(std::string(key) + ": " + message);
  }
  void check_all_taken() const {
    if (taken_ != values_.size()) throw InputError("a parameter the policy does not declare");
  }

 protected:
  void begin_group(const char*, const char*) override {}
  void end_group() override {}

 private:
  static void set(bool& value, const std::string& text) { value = text == "true"; }
  static void set(std::string& value, const std::string& text) { value = text; }
  static void set(double& value, const std::string& text) { value = std::stod(text); }
  static void set(std::vector<std::uint32_t>&, const std::string&) {}
  template <class Whole>
  static void set(Whole& value, const std::string& text) {
    value = static_cast<Whole>(std::stoll(text));
  }
  const std::string* take(const char* key) {
    const auto it = values_.find(key);
    if (it == values_.end()) return nullptr;
    ++taken_;
    return &it->second;
  }
  std::map<std::string, std::string> values_;
  std::size_t taken_ = 0;
};

template <class Interface>
std::unique_ptr<Interface> make_policy(const std::string& name,
                                       std::map<std::string, std::string> values = {}) {
  PolicyChoice choice;
  choice.name = name;
  choice.load = [values = std::move(values)](const std::function<void(FieldVisitor&)>& fields) {
    ValueSetter setter(values);
    fields(setter);
    setter.check_all_taken();
  };
  return Registry<Interface>::instance().make(choice);
}

inline std::unique_ptr<WarpSchedulerPolicy> make_scheduler(const std::string& name,
                                                           std::map<std::string, std::string> values = {}) {
  return make_policy<WarpSchedulerPolicy>(name, std::move(values));
}

inline WarpInfo warp_info(std::uint64_t age, std::uint32_t launch = 0, std::uint32_t budget = 1) {
  WarpInfo info;
  info.age = age;
  info.launch_id = launch;
  info.budget = budget;
  return info;
}

}  // namespace warpvp::test
