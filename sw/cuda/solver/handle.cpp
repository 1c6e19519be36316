// Handles and parameters of cuSOLVER's dense functions, and what they are asked and told.

#include "sw/cuda/solver/handle.h"

using namespace warpvp::cuda::solver;

WARPVP_API cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (!warpvp::cuda::have_context()) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return make(handle);
}
WARPVP_API cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  SOLVER_CHECK(handle, true);
  return destroy(handle);
}
WARPVP_API cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, CUstream stream) {
  SOLVER_CHECK(handle, true);
  handle->blas.stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
WARPVP_API cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, CUstream* stream) {
  SOLVER_CHECK(handle, stream != nullptr);
  *stream = handle->blas.stream;
  return CUSOLVER_STATUS_SUCCESS;
}
/// `mode`: 1 the same bits each time, which is so anyway, 2 whatever.
WARPVP_API cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, int mode) {
  SOLVER_CHECK(handle, mode == 1 || mode == 2);
  handle->deterministic = mode;
  return CUSOLVER_STATUS_SUCCESS;
}
WARPVP_API cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle, int* mode) {
  SOLVER_CHECK(handle, mode != nullptr);
  *mode = handle->deterministic;
  return CUSOLVER_STATUS_SUCCESS;
}
/// The libraries of CUDA 11 and 12 call themselves 11, that of CUDA 13 12.
WARPVP_API cusolverStatus_t cusolverGetVersion(int* version) {
  if (version == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *version = WARPVP_CUDA_VERSION * 1000;
  return CUSOLVER_STATUS_SUCCESS;
}
/// `property`: 0 major version, 1 minor version, 2 patch level.
WARPVP_API cusolverStatus_t cusolverGetProperty(int property, int* value) {
  if (value == nullptr || property < 0 || property > 2) return CUSOLVER_STATUS_INVALID_VALUE;
  *value = property == 0 ? WARPVP_CUDA_VERSION : 0;
  return CUSOLVER_STATUS_SUCCESS;
}

WARPVP_API cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) { return make(params); }
WARPVP_API cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) { return destroy(params); }
/// Which algorithm a function takes: there is one.
WARPVP_API cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, int function, int algorithm) {
  return params == nullptr || function < 0 || algorithm < 0 ? CUSOLVER_STATUS_INVALID_VALUE
                                                            : CUSOLVER_STATUS_SUCCESS;
}
