#include "sw/cuda/server/device_runtime.h"

#include <regex>

namespace warpvp::cuda {

namespace {
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

std::string with_device_runtime(const std::string& ptx) {
  static const std::regex kDeclaration(R"(\.extern(\s+\.func\s+cudaGraphSetConditional\b))");
  if (ptx.find("cudaGraphSetConditional") == std::string::npos) return ptx;
  std::smatch found;
  if (!std::regex_search(ptx, found, kDeclaration)) return ptx;  // it has one of its own
  return found.prefix().str() + found[1].str() + found.suffix().str() + kSetConditional;
}

}  // namespace warpvp::cuda
