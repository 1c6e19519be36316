#pragma once
// The manual page warpvp(1), made of the help of all commands.

#include <string>

namespace warpvp {

/// The page as roff with the man macros.
std::string manual_page();

}  // namespace warpvp
