#pragma once
// Names and descriptions of CUDA's errors.

#include <cstdint>

namespace warpvp::cuda {

struct ErrorText {
  std::uint32_t number;
  const char *name, *sentence;
};
const ErrorText& error_text(std::uint32_t number);

}  // namespace warpvp::cuda
