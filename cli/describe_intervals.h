#pragma once
// `warpvp describe intervals`.

#include <string>

namespace warpvp {

/// How columns of interval statistics are named, and which there are by default, as Markdown.
std::string interval_reference();

}  // namespace warpvp
