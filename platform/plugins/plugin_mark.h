#pragma once
// Reading the mark of a plugin (base/plugin.h) out of its file, without running anything of it.

#include <filesystem>
#include <string>

namespace warpvp {

/// The mark of the shared library at `file`. InputError "PLACE: plugin FILE ..." when it cannot be read, is
/// no shared library for this machine, or has no mark.
std::string read_plugin_mark(const std::filesystem::path& file, const std::string& place);
/// What differs between the mark of a plugin and that of a program, in words; empty: nothing.
std::string compare_marks(const std::string& plugin, const std::string& program);
/// The mark that this program was built with.
std::string program_mark();

}  // namespace warpvp
