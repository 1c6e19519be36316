#pragma once
// Where the firmware named in YAML lies.

#include <string>

namespace warpvp {

/// The path of `command_processor.firmware`: the ELF file that it names, or that of the prebuilt firmware of
/// that name. Throws InputError for a name that is not there; whether a file exists is for its reader to say.
std::string firmware_path(const std::string& firmware);

}  // namespace warpvp
