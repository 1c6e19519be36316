// The reader of fat binaries: any bytes are read or refused with InputError, and take no more memory than
// they say.

#include <cstdint>

#include "base/error.h"
#include "sw/cuda/server/fat_binary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpvp;
  try {
    cuda::architecture_of(cuda::ptx_for("fuzz", data, size, 70));
  } catch (const InputError&) {
  }
  return 0;
}
