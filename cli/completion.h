#pragma once
// What may be typed next: the names that `warpvp list` shows and the options of --help, for the shells'
// completion (cmake/completion/).

#include <string>
#include <vector>

namespace warpvp {

/// The words that the last of `words` may become, sorted. `words` are those after the program's name, up to
/// the one that is typed, which may be empty. Nothing where a file or a free text is expected. InputError
/// without the program's data (base/data_folder.h).
std::vector<std::string> completions(const std::vector<std::string>& words);

}  // namespace warpvp
