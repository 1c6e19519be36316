#pragma once
// What a file under configs/ is: `warpvp describe titan_v`, `describe bench_sgemm`, `describe qaws_quick`.

#include <string>

#include "platform/config/yaml_document.h"

namespace warpvp {

/// The file's head comment and its main settings. `kind` as for ConfigSearch::find. InputError if the file is
/// wrong.
std::string describe_file(const std::string& name, const std::string& kind, const ConfigSearch& search);

}  // namespace warpvp
