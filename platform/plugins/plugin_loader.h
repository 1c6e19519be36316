#pragma once
// Plugins: shared libraries with parts that register themselves, named in a run file (`plugins:`).

#include <filesystem>
#include <string>

namespace warpvp {

/// Loads a plugin for the rest of the process; once loaded, it is not loaded again. Throws InputError, one
/// line that begins with `place`, when the file is no plugin built for this very program (nothing of it has
/// run then), when it needs something that is not there, when a name that it registers is taken, and when it
/// registers nothing.
void load_plugin(const std::filesystem::path& file, const std::string& place = "");

}  // namespace warpvp
