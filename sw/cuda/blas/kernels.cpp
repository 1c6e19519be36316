// The kernels of cuBLAS's functions: PTX of sw/kernels/blas, loaded when they are wanted.

#include <map>
#include <mutex>
#include <string>

#include "sw/cuda/blas/handle.h"

/// The text of sw/kernels/blas/NAME.ptx, as `NAME_ptx`.
#define EMBED_PTX(name)                                                                   \
  asm(".pushsection .rodata\n.global " #name "_ptx\n.hidden " #name "_ptx\n" #name        \
      "_ptx: .incbin \"" WARPVP_KERNELS "/blas/" #name ".ptx\"\n.byte 0\n.popsection\n"); \
  extern "C" __attribute__((visibility("hidden"))) const char name##_ptx[]

EMBED_PTX(gemm);
EMBED_PTX(level12);
EMBED_PTX(level3);
EMBED_PTX(lu);

namespace warpvp::cuda::blas {
namespace {

enum Module { kGemm, kLevel12, kLevel3, kLu, kModules };

/// Of the process: contexts are handles of what it has (docs/cuda.md).
struct Kernels {
  std::mutex mutex;
  CUmodule modules[kModules] = {};
  std::map<std::string, CUfunction> functions;
};
Kernels& kernels() {
  static auto* const all = new Kernels;  // programs use it in destructors of their own
  return *all;
}

/// Of a failed call of the driver.
cublasStatus_t status_of(CUresult result) {
  constexpr CUresult kOutOfMemory = 2;
  if (result == 0) return CUBLAS_STATUS_SUCCESS;
  return result == kOutOfMemory ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// That which has the kernel.
Module module_of(const std::string& kernel) {
  const std::string function = kernel.substr(0, kernel.find('_'));
  if (function == "gemm") return kGemm;
  if (function == "trsm" || function == "geam" || function == "dgmm") return kLevel3;
  return function.rfind("get", 0) == 0 ? kLu : kLevel12;
}

/// Loads the module when the first of its kernels is wanted.
CUfunction find(const char* name) {
  constexpr const char* kTexts[kModules] = {gemm_ptx, level12_ptx, level3_ptx, lu_ptx};
  Kernels& all = kernels();
  const std::lock_guard<std::mutex> lock(all.mutex);
  CUfunction& function = all.functions[name];
  if (function != nullptr) return function;
  const Module which = module_of(name);
  CUmodule& module = all.modules[which];
  if (module == nullptr && cuModuleLoadData(&module, kTexts[which]) != 0) return nullptr;
  if (cuModuleGetFunction(&function, module, name) != 0) function = nullptr;
  return function;
}

}  // namespace

cublasStatus_t be_ready() {
  if (cuInit(0) != 0) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUcontext context = nullptr;
  cuCtxGetCurrent(&context);
  if (context == nullptr && (cuDevicePrimaryCtxRetain(&context, 0) != 0 || cuCtxSetCurrent(context) != 0))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t launch(const Handle& handle, const char* name, const Grid& grid, const Grid& block,
                      void** arguments) {
  for (const unsigned size : grid)
    if (size == 0) return CUBLAS_STATUS_SUCCESS;
  const CUfunction function = find(name);
  if (function == nullptr) return CUBLAS_STATUS_INTERNAL_ERROR;
  return status_of(cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0,
                                  handle.stream, arguments, nullptr));
}

cublasStatus_t read_back(const Handle& handle, void* to, CUdeviceptr from, std::size_t bytes) {
  if (const CUresult result = cuStreamSynchronize(handle.stream)) return status_of(result);
  return status_of(cuMemcpyDtoH_v2(to, from, bytes));
}

}  // namespace warpvp::cuda::blas
