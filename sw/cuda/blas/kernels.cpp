// The kernels of cuBLAS's functions: PTX of sw/kernels/blas.

#include <string>

#include "sw/cuda/blas/handle.h"

WARPVP_EMBED_PTX(blas, gemm);
WARPVP_EMBED_PTX(blas, level12);
WARPVP_EMBED_PTX(blas, level3);
WARPVP_EMBED_PTX(blas, lu);

namespace warpvp::cuda::blas {
namespace {

/// Of a call of the driver.
cublasStatus_t status_of(CUresult result) {
  constexpr CUresult kOutOfMemory = 2;
  if (result == 0) return CUBLAS_STATUS_SUCCESS;
  if (result == kNoSuchKernel) return CUBLAS_STATUS_INTERNAL_ERROR;
  return result == kOutOfMemory ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// That which has the kernel.
const char* text_of(const std::string& kernel) {
  const std::string function = kernel.substr(0, kernel.find('_'));
  if (function == "gemm") return gemm_ptx;
  if (function == "trsm" || function == "geam" || function == "dgmm") return level3_ptx;
  return function.rfind("get", 0) == 0 ? lu_ptx : level12_ptx;
}

}  // namespace

cublasStatus_t be_ready() { return have_context() ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED; }

cublasStatus_t launch(const Handle& handle, const char* name, const Grid& grid, const Grid& block,
                      void** arguments) {
  return status_of(start_kernel(text_of(name), name, grid, block, handle.stream, arguments));
}

cublasStatus_t read_back(const Handle& handle, void* to, CUdeviceptr from, std::size_t bytes) {
  if (const CUresult result = cuStreamSynchronize(handle.stream)) return status_of(result);
  return status_of(cuMemcpyDtoH_v2(to, from, bytes));
}

}  // namespace warpvp::cuda::blas
