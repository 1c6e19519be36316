#pragma once
// The configuration reference as Markdown, from the same declarations that loading uses.

#include <string>
#include <vector>

#include "platform/config/config_visitor.h"

namespace warpvp {

/// A type of block whose fields stand in the section `path`.
struct ShownBlock {
  const struct RegistryEntryInfo* entry;
  std::string path;
};

/// Collects one table a group: key, type, default, unit, what is allowed, meaning.
class ConfigReference : public ConfigVisitor {
 public:
  /// `title` heads the first table; nested groups get headings of their own, one level down.
  ConfigReference(const std::string& title, int heading_level);

  /// The Markdown of all tables visited so far.
  std::string markdown() const;
  /// The blocks visited, each with the type whose fields are in the tables.
  const std::vector<ShownBlock>& blocks() const { return blocks_; }

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
  void begin_item(std::size_t index) override {}
  void end_item() override {}
  void end_list() override { end_group(); }
  std::vector<std::string> begin_map(const char* key, const std::vector<std::string>& current,
                                     const char* doc) override;
  void end_map() override { end_group(); }

 private:
  struct Section {
    std::string path;
    std::string doc;
    std::vector<std::string> rows;
  };
  void row(const std::string& key, const std::string& default_value, const std::string& unit,
           const std::string& allowed, const std::string& doc);
  void open(const std::string& path, const char* doc);

  int heading_level_;
  std::vector<Section> sections_;
  std::vector<ShownBlock> blocks_;
  std::vector<std::size_t> open_;  ///< indices into sections_
};

/// Reference of every registered part, grouped by kind; the parameters of each with their defaults. Those in
/// `shown` refer to where their fields stand.
std::string registry_reference(int heading_level, const std::vector<ShownBlock>& shown = {});
/// Reference of one part: its kind, sentence and parameters.
std::string part_reference(const struct RegistryEntryInfo& entry, int heading_level);

}  // namespace warpvp
