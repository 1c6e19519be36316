#pragma once
// Files that the user names. A device, a FIFO, a folder or a file beyond its limit is refused before anything
// of it is read, so that no path can make the program wait or fill the memory.

#include <cstdint>
#include <filesystem>
#include <string>

namespace warpvp {

/// The most bytes that a file of each kind may have. All are far above what is of use.
namespace input_limit {
inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kYaml = 32 * kMiB;
inline constexpr std::uint64_t kPtx = 256 * kMiB;
inline constexpr std::uint64_t kFirmware = 256 * kMiB;  ///< with its debug information
inline constexpr std::uint64_t kConsole = 16 * kMiB;    ///< what is typed into the firmware's console
inline constexpr std::uint64_t kTrace = 4096 * kMiB;    ///< traces of warps
inline constexpr std::uint64_t kData = 16384 * kMiB;    ///< contents of a buffer
}  // namespace input_limit

/// Why `path` is not read, e.g. "it is a folder", "it has 9 bytes, more than the 8 allowed", or what the
/// system says; empty: it is a regular file of at most `limit` bytes.
std::string why_unreadable(const std::filesystem::path& path, std::uint64_t limit);

/// Throws InputError "PLACE: cannot read PATH: why; REMEDY" unless why_unreadable() is empty. An empty place
/// or remedy is left out.
void check_input_file(const std::filesystem::path& path, std::uint64_t limit, const std::string& place = "",
                      const std::string& remedy = "");

/// The whole content. InputError as check_input_file(), also when the file grows beyond `limit` bytes
/// while it is read.
std::string read_input_file(const std::filesystem::path& path, std::uint64_t limit,
                            const std::string& place = "", const std::string& remedy = "");

}  // namespace warpvp
