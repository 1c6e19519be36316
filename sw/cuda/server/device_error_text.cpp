#include "sw/cuda/server/device_error_text.h"

#include <fmt/format.h>

#include "sw/cuda/library/error_text.h"

namespace warpvp::cuda {

namespace {

// What functions of device_launches.cpp and device_copies.cpp return; the last is no error at all.
constexpr std::uint32_t kDeviceErrors[] = {0, 1, 2, 69, ~0u};

std::string function(const char* ErrorText::*which) {
  std::string texts, choice;
  for (const std::uint32_t error : kDeviceErrors) {
    const std::string text = error_text(error).*which;
    texts += fmt::format("\n.global .align 1 .b8 {{0}}_{}[{}] = {{{{", error, text.size() + 1);
    for (const char c : text) texts += fmt::format("{}, ", int{c});
    texts += "0}};";
    choice += fmt::format(
        "  mov.u64 %other, {{0}}_{0}; setp.eq.u32 %is, %error, {0}; selp.b64 %at, %other, %at, %is;\n",
        error);
  }
  return texts + R"(
.func (.param .b64 text) {0}(.param .b32 error)
{{
  .reg .pred %is; .reg .b32 %error; .reg .b64 %at, %other;
  ld.param.b32 %error, [error];
)" + fmt::format("  mov.u64 %at, {{0}}_{};\n", ~0u) +
         choice + R"(  cvta.global.u64 %at, %at; st.param.b64 [text], %at;
  ret;
}}
)";
}

}  // namespace

const std::map<std::string, std::string>& error_text_functions() {
  static const std::map<std::string, std::string> all = {{"GetErrorName", function(&ErrorText::name)},
                                                         {"GetErrorString", function(&ErrorText::sentence)}};
  return all;
}

}  // namespace warpvp::cuda
