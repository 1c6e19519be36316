#pragma once
// Which code the kernels of a test program are lowered to.

#include <cstdlib>
#include <string>

#include "ptx/code_options.h"

namespace warpvp::test {

/// Machine code where CTest runs the program a second time (BOTH_CODES of warpvp_test), PTX's own order
/// otherwise.
inline ptx::CodeOptions code_mode() {
  ptx::CodeOptions options;
  const char* code = std::getenv("WARPVP_TEST_CODE");
  if (code != nullptr && std::string(code) == "machine") options.code = ptx::Code::kMachine;
  return options;
}

}  // namespace warpvp::test
