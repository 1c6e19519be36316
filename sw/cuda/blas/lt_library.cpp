// cuBLASLt: the library itself, its versions and statuses, and what it is told that is of no effect here.

#include <cstdio>
#include <new>

#include "sw/cuda/blas/lt.h"
#include "sw/cuda/blas/status.h"

using namespace warpvp::cuda::blas;

WARPVP_API cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  BLAS_TRY(be_ready());
  *handle = new (std::nothrow) cublasLtContext;
  return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
WARPVP_API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API std::size_t cublasLtGetVersion() { return WARPVP_CUDA_VERSION * 10000; }
WARPVP_API std::size_t cublasLtGetCudartVersion() { return WARPVP_CUDA_VERSION * 1000; }
/// `property`: 0 major version, 1 minor version, 2 patch level.
WARPVP_API cublasStatus_t cublasLtGetProperty(int property, int* value) {
  if (value == nullptr || property < 0 || property > 2) return CUBLAS_STATUS_INVALID_VALUE;
  *value = property == 0 ? WARPVP_CUDA_VERSION : 0;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API const char* cublasLtGetStatusName(cublasStatus_t status) { return name_of(status); }
WARPVP_API const char* cublasLtGetStatusString(cublasStatus_t status) { return text_of(status); }

// A cache of heuristics has nothing to hold.
namespace {
std::size_t cached_heuristics = 8192;
}
WARPVP_API cublasStatus_t cublasLtHeuristicsCacheGetCapacity(std::size_t* capacity) {
  if (capacity == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *capacity = cached_heuristics;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasLtHeuristicsCacheSetCapacity(std::size_t capacity) {
  cached_heuristics = capacity;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API unsigned cublasLtDisableCpuInstructionsSetMask(unsigned) { return 0; }

// Logs: nothing is logged, so that there is nothing to set.
using LtLogger = void (*)(int, const char*, const char*);
WARPVP_API cublasStatus_t cublasLtLoggerSetCallback(LtLogger) { return CUBLAS_STATUS_SUCCESS; }
WARPVP_API cublasStatus_t cublasLtLoggerSetFile(FILE*) { return CUBLAS_STATUS_SUCCESS; }
WARPVP_API cublasStatus_t cublasLtLoggerOpenFile(const char*) { return CUBLAS_STATUS_SUCCESS; }
WARPVP_API cublasStatus_t cublasLtLoggerSetLevel(int) { return CUBLAS_STATUS_SUCCESS; }
WARPVP_API cublasStatus_t cublasLtLoggerSetMask(int) { return CUBLAS_STATUS_SUCCESS; }
WARPVP_API cublasStatus_t cublasLtLoggerForceDisable() { return CUBLAS_STATUS_SUCCESS; }
