#include "sw/cuda/server/device_runtime.h"

#include <regex>
#include <string_view>

namespace warpvp::cuda {

namespace {
constexpr std::string_view kRegister = "%envreg";
constexpr char kSetConditional[] = R"(
.func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)
{
  .reg .b32 %word;
  .reg .b64 %place;
  ld.param.b64 %place, [handle];
  ld.param.b32 %word, [value];
  st.global.b32 [%place], %word;
  ret;
}
)";
}  // namespace

bool has_grid_workspace(const std::string& ptx) { return ptx.find(kRegister) != std::string::npos; }

std::string with_grid_workspace_at(const std::string& ptx, std::uint64_t address) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t found = ptx.find(kRegister); found != std::string::npos;
       found = ptx.find(kRegister, found + 1)) {
    const std::size_t number = found + kRegister.size(), end = ptx.find_first_not_of("0123456789", number);
    const std::string which = ptx.substr(number, end - number);
    if (which != "1" && which != "2") continue;
    out.append(ptx, at, found - at);
    out += std::to_string(which == "1" ? address >> 32 : address & 0xffffffff);
    at = number + 1;
  }
  return out.append(ptx, at);
}

std::string with_device_runtime(const std::string& ptx) {
  static const std::regex kDeclaration(R"(\.extern(\s+\.func\s+cudaGraphSetConditional\b))");
  if (ptx.find("cudaGraphSetConditional") == std::string::npos) return ptx;
  std::smatch found;
  if (!std::regex_search(ptx, found, kDeclaration)) return ptx;  // it has one of its own
  return found.prefix().str() + found[1].str() + found.suffix().str() + kSetConditional;
}

}  // namespace warpvp::cuda
