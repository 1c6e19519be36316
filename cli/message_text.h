#pragma once
#include <string>

namespace warpvp {

/// An error's message as it is printed: one line of text that a terminal can show, in which no quoted text is
/// longer than 80 characters, nor another word, but for paths (300), whatever a file or an argument had
/// there.
std::string message_text(const std::string& message);

}  // namespace warpvp
