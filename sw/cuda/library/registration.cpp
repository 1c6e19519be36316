// What compiled programs call before main() and around <<<...>>>: undocumented, but the same since CUDA 10.1,
// and what crt/host_runtime.h of the toolkit declares.

#include <vector>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;

namespace {

/// What a program points to its fat binary with (fatbinary_section.h).
struct Wrapper {
  std::int32_t magic, version;
  const void* data;
  const void* more;  ///< of linked code: those that were linked, and nullptr behind the last
};
constexpr std::int32_t kLinkedVersion = 2;

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
std::vector<Configuration>& configurations() {
  static thread_local std::vector<Configuration> all;
  return all;
}

}  // namespace

WARPVP_API void** __cudaRegisterFatBinary(void* wrapper) {
  const Wrapper& what = *static_cast<const Wrapper*>(wrapper);
  auto* const binary = new FatBinary;
  binary->data = what.data;
  if (what.version == kLinkedVersion && what.more != nullptr)
    for (auto* unit = static_cast<const void* const*>(what.more); *unit != nullptr; ++unit)
      binary->linked.push_back(*unit);
  return reinterpret_cast<void**>(binary);
}

WARPVP_API void __cudaRegisterFatBinaryEnd(void**) {}
WARPVP_API void __cudaUnregisterFatBinary(void**) {}
WARPVP_API char __cudaInitModule(void**) {
  prepare_managed_variables();
  return 0;
}

WARPVP_API void __cudaRegisterFunction(void** binary, const char* stub, char*, const char* name, int, void*,
                                       void*, void*, void*, int*) {
  auto* const kernel = new KernelOfProgram;
  kernel->binary = reinterpret_cast<FatBinary*>(binary);
  kernel->name = name;
  add_kernel(stub, kernel);
}

WARPVP_API void __cudaRegisterVar(void** binary, char* shadow, char*, const char* name, int,
                                  std::size_t bytes, int, int) {
  auto* const variable = new VariableOfProgram;
  variable->binary = reinterpret_cast<FatBinary*>(binary);
  variable->name = name;
  variable->bytes = bytes;
  add_variable(shadow, variable);
}

WARPVP_API void __cudaRegisterManagedVar(void** binary, void** pointer, char*, const char* name, int,
                                         std::size_t bytes, int, int) {
  auto* const variable = new VariableOfProgram;
  variable->binary = reinterpret_cast<FatBinary*>(binary);
  variable->name = name;
  variable->bytes = bytes;
  variable->managed = pointer;
  add_variable(pointer, variable);
}

WARPVP_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                                cudaStream_t stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

WARPVP_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared,
                                                  void* stream) {
  if (configurations().empty()) return done(kInvalidConfiguration);
  const Configuration last = configurations().back();
  configurations().pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return kSuccess;
}
