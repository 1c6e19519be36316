#pragma once
// The fully resolved configuration: every field with the value it has, defaults included.

#include <string>
#include <vector>

#include "platform/config/config_visitor.h"

namespace warpvp {

/// Builds a Setting tree out of visited structs; to_yaml() of it loads back to the same values.
class ConfigPrinter : public ConfigVisitor {
 public:
  explicit ConfigPrinter(PrintStyle style = {}) : style_(style) { stack_.push_back(Setting::mapping()); }

  const Setting& tree() const { return stack_.front(); }

  void visit(const Field& field) override;
  void policy(const char* key, const char* kind, PolicyChoice& value, const char* doc) override;
  void block(const char* key, const char* kind, PolicyChoice& value,
             const std::function<void(FieldVisitor&)>& common, const char* doc) override;
  void records(const char* key, const char* heading, std::vector<PathValue>& files, const RecordReader& read,
               const char* doc) override;
  void part(const char* key, const char* params_key, const char* kind, PolicyChoice& value,
            const char* doc) override;
  void path(const char* key, PathValue& value, const char* doc) override;
  void custom(const char* key, CustomValue& value, const char* doc) override;
  void require(bool condition, const char* key, const std::string& message) override {}

  void begin_group(const char* key, const char* doc) override;
  void end_group() override;
  std::size_t begin_list(const char* key, std::size_t current, const char* doc) override;
  void begin_item(std::size_t index) override;
  void end_item() override;
  void end_list() override;
  std::vector<std::string> begin_map(const char* key, const std::vector<std::string>& current,
                                     const char* doc) override;
  void end_map() override { end_group(); }

 private:
  void put(const char* key, Setting value) { stack_.back().put(key, std::move(value)); }

  PrintStyle style_;
  std::vector<Setting> stack_;
  std::vector<std::string> keys_;
};

/// Hands every visit to two visitors in turn: a loader, then a printer that sees the loaded value.
class TeeVisitor : public ConfigVisitor {
 public:
  TeeVisitor(ConfigVisitor& first, ConfigVisitor& second) : first_(first), second_(second) {}

  void visit(const Field& field) override;
  void policy(const char* key, const char* kind, PolicyChoice& v, const char* doc) override;
  void block(const char* key, const char* kind, PolicyChoice& value,
             const std::function<void(FieldVisitor&)>& common, const char* doc) override;
  void records(const char* key, const char* heading, std::vector<PathValue>& files, const RecordReader& read,
               const char* doc) override;
  void part(const char* key, const char* params_key, const char* kind, PolicyChoice& v,
            const char* doc) override;
  void path(const char* key, PathValue& v, const char* doc) override;
  void custom(const char* key, CustomValue& v, const char* doc) override;
  void require(bool condition, const char* key, const std::string& message) override;
  void begin_group(const char* key, const char* doc) override;
  void end_group() override;
  std::size_t begin_list(const char* key, std::size_t current, const char* doc) override;
  void begin_item(std::size_t index) override;
  void end_item() override;
  void end_list() override;
  std::vector<std::string> begin_map(const char* key, const std::vector<std::string>& current,
                                     const char* doc) override;
  void end_map() override;

 private:
  ConfigVisitor& first_;
  ConfigVisitor& second_;
};

}  // namespace warpvp
