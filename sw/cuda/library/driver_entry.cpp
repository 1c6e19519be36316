// Functions of the driver API by name, for programs that do not link it.

#include <dlfcn.h>

#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;

namespace {

constexpr unsigned long long kPerThreadDefaultStream =
    2;  // cudaEnablePerThreadDefaultStream, as the driver's flag
constexpr int kThisVersion = WARPVP_CUDART == 11 ? 11080 : WARPVP_CUDART == 12 ? 12040 : 13000;

/// By the driver library's own cuGetProcAddress; `status`: 0 found, 1 not, 2 not in that version.
Error look_up(const char* symbol, void** function, int version, unsigned long long flags, int* status) {
  using GetProcAddress = std::uint32_t (*)(const char*, void**, int, std::uint64_t, int*);
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  static const auto get =
      driver != nullptr ? reinterpret_cast<GetProcAddress>(dlsym(driver, "cuGetProcAddress_v2")) : nullptr;
  if (symbol == nullptr || function == nullptr) return kInvalidValue;
  if (get == nullptr) return kInsufficientDriver;
  int found = 1;
  const auto error = static_cast<Error>(get(symbol, function, version, flags, &found));
  if (status != nullptr) *status = found;
  if (error != kSuccess) return error;
  return found != 0 && status == nullptr ? kSymbolNotFound : kSuccess;
}

}  // namespace

#if WARPVP_CUDART >= 12
WARPVP_API cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                               int* status) {
  return done(look_up(symbol, function, kThisVersion, flags, status));
}
WARPVP_API cudaError_t cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function,
                                                    unsigned long long flags, int* status) {
  return cudaGetDriverEntryPoint(symbol, function, flags | kPerThreadDefaultStream, status);
}
#else
WARPVP_API cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function,
                                               unsigned long long flags) {
  return done(look_up(symbol, function, kThisVersion, flags, nullptr));
}
WARPVP_API cudaError_t cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function,
                                                    unsigned long long flags) {
  return cudaGetDriverEntryPoint(symbol, function, flags | kPerThreadDefaultStream);
}
#endif
WARPVP_API cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                                        unsigned long long flags, int* status) {
  return done(look_up(symbol, function, static_cast<int>(version), flags, status));
}
WARPVP_API cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function,
                                                             unsigned version, unsigned long long flags,
                                                             int* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, version, flags | kPerThreadDefaultStream, status);
}
