#pragma once
// Text inside of markup.

#include <string>

namespace warpvp {

/// For text and attributes of HTML, SVG and XML.
std::string markup_escaped(const std::string& text);

}  // namespace warpvp
