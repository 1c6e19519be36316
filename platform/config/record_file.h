#pragma once
// Files of named records that a part of the platform reads (FieldVisitor::records), and lists of paths.

#include <string>
#include <vector>

#include "base/fields.h"
#include "platform/config/config_visitor.h"

namespace warpvp {

/// The paths that a list, or a single word, names. InputError at the place of the fault.
std::vector<PathValue> path_list(const Setting& setting, const std::string& path);
Setting print_path_list(const std::vector<PathValue>& files, const PrintStyle& style);

/// Reads the records in a file, which has one key, `heading`. `path` is the dotted key that names the file.
/// InputError as YamlFieldLoader.
void read_records(const PathValue& file, const std::string& path, const char* heading,
                  const RecordReader& read);

}  // namespace warpvp
