#pragma once
// Fills Config structs from a Setting tree, and stops at the first thing that is wrong with one line:
// "file:line:column: what; what is allowed; nearest name".

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/config_visitor.h"

namespace warpvp {

class YamlFieldLoader : public ConfigVisitor {
 public:
  /// `root` must outlive the loader. `name` is the dotted name of the root ("" for a whole file).
  YamlFieldLoader(const Setting& root, const std::string& name);

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

  /// Marks a key of the current mapping as known although no field reads it.
  void allow(const char* key) { seen(key); }
  /// Reports keys of the root that no field asked for. Call after the last field.
  void finish() { check_unknown_keys(); }

 private:
  struct Level {
    const Setting* setting;  ///< nullptr: not written
    std::string path;        ///< dotted name of the level
    std::string place;       ///< of the nearest level that is written
    std::vector<std::string> seen;
    std::vector<std::pair<std::string, std::string>> values;  ///< of fields, by dotted key from here
  };
  // Each reads the value if it is written.
  void load(const char* key, bool& value, const Constraint& c);
  void load(const char* key, std::uint32_t& value, const Constraint& c);
  void load(const char* key, std::uint64_t& value, const Constraint& c);
  void load(const char* key, std::int32_t& value, const Constraint& c);
  void load(const char* key, double& value, const Constraint& c);
  void load(const char* key, std::string& value, const Constraint& c);
  void load(const char* key, std::vector<std::uint32_t>& value, const Constraint& c);
  /// Notes what a field has now, for messages about relations.
  void note(const char* key, std::string value);

  const Setting* seen(const char* key);
  const Setting* take(const char* key);  ///< seen, and neither absent nor empty
  const Setting* take_scalar(const char* key, const char* wanted);
  std::string path_of(const char* key) const;
  void check_unknown_keys() const;
  void load_choice(const Setting& name, const Setting* params, const std::string& path,
                   const std::string& params_path, const char* kind, PolicyChoice& value,
                   bool params_include_name);
  void check_registered(const Setting& name, const std::string& path, const char* kind) const;
  void enter(const std::string& path, const Setting* setting);

  std::vector<Level> levels_;
};

}  // namespace warpvp
