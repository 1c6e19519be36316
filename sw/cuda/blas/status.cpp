#include "sw/cuda/blas/status.h"

namespace warpvp::cuda::blas {

const char* name_of(cublasStatus_t status) {
  switch (status) {
#define NAME(name)           \
  case CUBLAS_STATUS_##name: \
    return "CUBLAS_STATUS_" #name
    NAME(SUCCESS);
    NAME(NOT_INITIALIZED);
    NAME(ALLOC_FAILED);
    NAME(INVALID_VALUE);
    NAME(ARCH_MISMATCH);
    NAME(MAPPING_ERROR);
    NAME(EXECUTION_FAILED);
    NAME(INTERNAL_ERROR);
    NAME(NOT_SUPPORTED);
    NAME(LICENSE_ERROR);
#undef NAME
  }
  return "CUBLAS_STATUS_UNKNOWN";
}
const char* text_of(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library is not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "there is no memory for it";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an argument has a value that is not allowed";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "it is not offered";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "a kernel could not be started";
    default:
      return name_of(status);
  }
}

}  // namespace warpvp::cuda::blas
