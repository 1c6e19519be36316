#include "modules/command_processor/core/firmware_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/data_folder.h"
#include "base/registry.h"

namespace warpvp {

namespace fs = std::filesystem;

std::string firmware_path(const std::string& firmware) {
  if (firmware.find('/') != std::string::npos || fs::path(firmware).extension() == ".elf") return firmware;
  const fs::path prebuilt = data_folder("sw/firmware/prebuilt");
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(prebuilt, error))
    if (entry.path().extension() == ".elf") names.push_back(entry.path().stem().string());
  if (std::find(names.begin(), names.end(), firmware) != names.end())
    return (prebuilt / (firmware + ".elf")).string();
  std::sort(names.begin(), names.end());
  const std::string near = nearest_name(firmware, names);
  throw InputError(fmt::format(
      "command_processor.firmware: no firmware '{}'; allowed: {}, or the path of an ELF file{}", firmware,
      join_names(names), near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace warpvp
