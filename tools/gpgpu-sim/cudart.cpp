#include "tools/gpgpu-sim/cudart.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.h"

namespace warpvp::gpgpusim {
namespace {

constexpr const char* kLibrary = "libcudart.so.11.0";

Cudart loaded() {
  void* const library = dlopen(kLibrary, RTLD_NOW);
  if (library == nullptr) throw InputError(fmt::format("{}: {}", kLibrary, dlerror()));
  Cudart c{};
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr)
      throw InputError(fmt::format(
          "{} has no {}: LD_LIBRARY_PATH has to name the folder of GPGPU-Sim's library", kLibrary, name));
  };
  find(c.RegisterFatBinary, "__cudaRegisterFatBinary");
  find(c.RegisterFunction, "__cudaRegisterFunction");
  find(c.RegisterVar, "__cudaRegisterVar");
  find(c.Malloc, "cudaMalloc");
  find(c.Free, "cudaFree");
  find(c.MemcpyAsync, "cudaMemcpyAsync");
  find(c.MemcpyToSymbol, "cudaMemcpyToSymbol");
  find(c.Memset, "cudaMemset");
  find(c.ThreadSynchronize, "cudaThreadSynchronize");
  find(c.ThreadExit, "cudaThreadExit");
  find(c.DeviceGetAttribute, "cudaDeviceGetAttribute");
  find(c.Occupancy, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
  find(c.LaunchKernel, "cuLaunchKernel");
  return c;
}

}  // namespace

const Cudart& Cudart::get() {
  static const Cudart cudart = loaded();
  return cudart;
}

void Cudart::check(int status, const std::string& what) const {
  if (status != 0) throw InputError(fmt::format("{}: CUDA error {}", what, status));
}

}  // namespace warpvp::gpgpusim
