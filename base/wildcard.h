#pragma once
// Patterns of names in which `*` stands for any text.

#include <string>

namespace warpvp {

/// Does `pattern` fit the whole of `name`? `*` stands for any text, or with `stop` for any without that
/// character.
bool matches_pattern(const std::string& pattern, const std::string& name, char stop = '\0');

}  // namespace warpvp
