#pragma once
// Reading JSON that the program has written itself, and anybody may have changed: a file that is larger,
// nested deeper, or has longer strings than any result is refused before its text is held.

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/input_file.h"

namespace warpvp {

namespace json_limit {
inline constexpr std::uint64_t kBytes = 256 * input_limit::kMiB;
inline constexpr std::size_t kDepth = 64;
inline constexpr std::size_t kStringBytes = 16 * input_limit::kMiB;  ///< a page has whole profiles in them
inline constexpr std::size_t kValues = 10'000'000;
}  // namespace json_limit

/// Why the file is beyond these limits, or cannot be read; empty: it may be parsed. Takes little memory.
std::string why_no_json(const std::filesystem::path& file);

/// The whole text. InputError "cannot read FILE: why" unless why_no_json() is empty.
std::string read_json_text(const std::filesystem::path& file);

}  // namespace warpvp
