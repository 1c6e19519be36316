// What the first interface of cuBLAS has beside the levels of BLAS.

#include "sw/cuda/blas/legacy.h"

#include <cstdio>

using namespace warpvp::cuda::blas;

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t*);
cublasStatus_t cublasDestroy_v2(cublasHandle_t);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int*);
}

WARPVP_API cublasStatus_t cublasInit() {
  return legacy.handle == nullptr ? cublasCreate_v2(&legacy.handle) : CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasShutdown() {
  if (legacy.handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cublasStatus_t status = cublasDestroy_v2(legacy.handle);
  legacy.handle = nullptr;
  return status;
}
/// The last error, once.
WARPVP_API cublasStatus_t cublasGetError() {
  const cublasStatus_t last = legacy.last;
  legacy.last = CUBLAS_STATUS_SUCCESS;
  return last;
}
WARPVP_API cublasStatus_t cublasGetVersion(int* version) { return cublasGetVersion_v2(nullptr, version); }
WARPVP_API cublasStatus_t cublasSetKernelStream(CUstream stream) {
  if (legacy.handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  legacy.handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
/// `n` elements of so many bytes.
WARPVP_API cublasStatus_t cublasAlloc(int n, int bytes, void** memory) {
  if (n <= 0 || bytes <= 0 || memory == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  CUdeviceptr at = 0;
  const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(bytes);
  if (cuMemAlloc_v2(&at, size) != 0) return CUBLAS_STATUS_ALLOC_FAILED;
  *memory = reinterpret_cast<void*>(at);
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasFree(void* memory) {
  return cuMemFree_v2(reinterpret_cast<CUdeviceptr>(memory)) == 0 ? CUBLAS_STATUS_SUCCESS
                                                                  : CUBLAS_STATUS_INVALID_VALUE;
}
WARPVP_API void cublasXerbla(const char* function, int argument) {
  std::fprintf(stderr, " ** On entry to %s parameter number %d had an illegal value\n", function, argument);
}
