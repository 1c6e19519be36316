#include "platform/results/json_input.h"

#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "base/error.h"

namespace warpvp {

std::string why_no_json(const std::filesystem::path& file) {
  if (std::string why = why_unreadable(file, json_limit::kBytes); !why.empty()) return why;
  std::ifstream in(file, std::ios::binary);
  if (!in) return "it cannot be opened";
  std::vector<char> block(64 * 1024);
  std::size_t depth = 0, string_bytes = 0, values = 1;
  bool in_string = false, escaped = false;
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    for (const char* c = block.data(); c != block.data() + in.gcount(); ++c) {
      if (in_string) {
        if (++string_bytes > json_limit::kStringBytes)
          return fmt::format("it has a string of more than {} bytes", json_limit::kStringBytes);
        in_string = escaped || *c != '"';
        escaped = !escaped && *c == '\\';
      } else if (*c == '"') {
        in_string = true;
        string_bytes = 0;
      } else if (*c == '[' || *c == '{') {
        if (++depth > json_limit::kDepth)
          return fmt::format("it is nested more than {} deep", json_limit::kDepth);
        ++values;
      } else if (*c == ']' || *c == '}') {
        if (depth > 0) --depth;
      } else if (*c == ',') {
        ++values;
      }
    }
    if (values > json_limit::kValues) return fmt::format("it has more than {} values", json_limit::kValues);
  }
  return "";
}

std::string read_json_text(const std::filesystem::path& file) {
  if (const std::string why = why_no_json(file); !why.empty())
    throw InputError(fmt::format("cannot read {}: {}", file.string(), why));
  return read_input_file(file, json_limit::kBytes);
}

}  // namespace warpvp
