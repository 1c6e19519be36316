#include "platform/config/record_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "platform/config/yaml_document.h"
#include "platform/config/yaml_field_loader.h"

namespace warpvp {
namespace fs = std::filesystem;

std::vector<PathValue> path_list(const Setting& setting, const std::string& path) {
  const auto path_of = [&](const Setting& item) {
    if (!item.is_scalar() || item.text.empty())
      throw InputError(
          fmt::format("{}: '{}' is {}; allowed: a path, or a list of paths, relative to the YAML file",
                      item.place, path, kind_name(item)));
    return PathValue{item.text, (fs::path(item.directory) / item.text).lexically_normal().string(),
                     item.place};
  };
  if (!setting.is_sequence()) return {path_of(setting)};
  std::vector<PathValue> files;
  for (const Setting& item : setting.items) files.push_back(path_of(item));
  return files;
}

Setting print_path_list(const std::vector<PathValue>& files, const PrintStyle& style) {
  Setting out = Setting::sequence();
  for (const PathValue& file : files)
    out.items.push_back(Setting::string(
        style.absolute_paths ? fs::absolute(file.resolved).lexically_normal().string() : file.written));
  return out;
}

void read_records(const PathValue& file, const std::string& path, const char* heading,
                  const RecordReader& read) {
  std::error_code error;
  if (!fs::exists(file.resolved, error))
    throw InputError(fmt::format("{}: '{}': no file {}; allowed: the path of a file of {}", file.place, path,
                                 file.resolved, heading));
  const Setting whole = load_yaml_file(file.resolved);
  YamlFieldLoader top(whole, "");
  top.allow(heading);
  top.finish();
  const Setting* const records = whole.find(heading);
  if (!records || !records->is_mapping())
    throw InputError(fmt::format("{}: '{}' {}; allowed: a mapping of names to records",
                                 records ? records->place : file.resolved + ":1:1", heading,
                                 records ? fmt::format("is {}", kind_name(*records)) : "is missing"));
  for (const SettingEntry& entry : records->entries) {
    YamlFieldLoader record(entry.value, fmt::format("{}.{}", heading, entry.key));
    read(entry.key, entry.key_place, record);
    record.finish();
  }
}

}  // namespace warpvp
