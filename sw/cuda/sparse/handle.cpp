// Handles, what they are asked and told, and descriptors of matrices for functions that take arrays.

#include <new>

#include "sw/cuda/sparse/kernels.h"

using namespace warpvp::cuda::sparse;

WARPVP_API cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (!warpvp::cuda::have_context()) return CUSPARSE_STATUS_NOT_INITIALIZED;
  auto made = new (std::nothrow) cusparseContext;
  if (made == nullptr) return CUSPARSE_STATUS_ALLOC_FAILED;
  if (cuMemAlloc_v2(&made->scratch, kScratchBytes) != 0) {
    delete made;
    return CUSPARSE_STATUS_ALLOC_FAILED;
  }
  *handle = made;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  SPARSE_CHECK(handle, true);
  cuMemFree_v2(handle->scratch);
  delete handle;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
  SPARSE_CHECK(handle, version != nullptr);
  *version = WARPVP_CUDA_VERSION * 1000;
  return CUSPARSE_STATUS_SUCCESS;
}
/// `property`: 0 major version, 1 minor version, 2 patch level.
WARPVP_API cusparseStatus_t cusparseGetProperty(int property, int* value) {
  if (value == nullptr || property < 0 || property > 2) return CUSPARSE_STATUS_INVALID_VALUE;
  *value = property == 0 ? WARPVP_CUDA_VERSION : 0;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, CUstream stream) {
  SPARSE_CHECK(handle, true);
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, CUstream* stream) {
  SPARSE_CHECK(handle, stream != nullptr);
  *stream = handle->stream;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  SPARSE_CHECK(handle, mode <= CUSPARSE_POINTER_MODE_DEVICE);
  handle->pointers = mode;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  SPARSE_CHECK(handle, mode != nullptr);
  *mode = handle->pointers;
  return CUSPARSE_STATUS_SUCCESS;
}

WARPVP_API const char* cusparseGetErrorName(cusparseStatus_t status) {
  switch (status) {
#define NAME(name)             \
  case CUSPARSE_STATUS_##name: \
    return "CUSPARSE_STATUS_" #name
    NAME(SUCCESS);
    NAME(NOT_INITIALIZED);
    NAME(ALLOC_FAILED);
    NAME(INVALID_VALUE);
    NAME(ARCH_MISMATCH);
    NAME(MAPPING_ERROR);
    NAME(EXECUTION_FAILED);
    NAME(INTERNAL_ERROR);
    NAME(MATRIX_TYPE_NOT_SUPPORTED);
    NAME(ZERO_PIVOT);
    NAME(NOT_SUPPORTED);
    NAME(INSUFFICIENT_RESOURCES);
#undef NAME
  }
  return "unrecognized error code";
}
WARPVP_API const char* cusparseGetErrorString(cusparseStatus_t status) {
  switch (status) {
    case CUSPARSE_STATUS_SUCCESS:
      return "success";
    case CUSPARSE_STATUS_NOT_INITIALIZED:
      return "initialization error";
    case CUSPARSE_STATUS_ALLOC_FAILED:
      return "there is no memory for it";
    case CUSPARSE_STATUS_INVALID_VALUE:
      return "an argument has a value that is not allowed";
    case CUSPARSE_STATUS_EXECUTION_FAILED:
      return "a kernel could not be started";
    case CUSPARSE_STATUS_ZERO_PIVOT:
      return "a pivot is zero";
    case CUSPARSE_STATUS_NOT_SUPPORTED:
      return "it is not offered";
    default:
      return cusparseGetErrorName(status);
  }
}

// ---- descriptors of matrices

WARPVP_API cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descr) {
  if (descr == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *descr = new (std::nothrow) cusparseMatDescr;
  return *descr == nullptr ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr) {
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descr, cusparseMatrixType_t type) {
  if (descr == nullptr || type > CUSPARSE_MATRIX_TYPE_TRIANGULAR) return CUSPARSE_STATUS_INVALID_VALUE;
  descr->type = type;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr* descr) { return descr->type; }
WARPVP_API cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descr, cusparseFillMode_t fill) {
  if (descr == nullptr || fill > CUSPARSE_FILL_MODE_UPPER) return CUSPARSE_STATUS_INVALID_VALUE;
  descr->fill = fill;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr* descr) { return descr->fill; }
WARPVP_API cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descr, cusparseDiagType_t diagonal) {
  if (descr == nullptr || diagonal > CUSPARSE_DIAG_TYPE_UNIT) return CUSPARSE_STATUS_INVALID_VALUE;
  descr->diagonal = diagonal;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr* descr) {
  return descr->diagonal;
}
WARPVP_API cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descr, cusparseIndexBase_t base) {
  if (descr == nullptr || !is_base(base)) return CUSPARSE_STATUS_INVALID_VALUE;
  descr->base = base;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr* descr) { return descr->base; }
