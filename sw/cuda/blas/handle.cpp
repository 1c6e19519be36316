// Handles, what they are asked and told, and copies of vectors and matrices between host and device.

#include "sw/cuda/blas/handle.h"

#include <cstring>
#include <new>

#include "sw/cuda/blas/status.h"

using namespace warpvp::cuda::blas;

WARPVP_API cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (const cublasStatus_t status = be_ready()) return status;
  auto made = new (std::nothrow) cublasContext;
  if (made == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
  if (cuMemAlloc_v2(&made->scratch, kScratchBytes) != 0) {
    delete made;
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
  *handle = made;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  BLAS_CHECK(handle, true);
  cuMemFree_v2(handle->scratch);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = WARPVP_CUDA_VERSION * 10000;
  return CUBLAS_STATUS_SUCCESS;
}
/// `property`: 0 major version, 1 minor version, 2 patch level.
WARPVP_API cublasStatus_t cublasGetProperty(int property, int* value) {
  if (value == nullptr || property < 0 || property > 2) return CUBLAS_STATUS_INVALID_VALUE;
  *value = property == 0 ? WARPVP_CUDA_VERSION : 0;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API std::size_t cublasGetCudartVersion() { return WARPVP_CUDA_VERSION * 1000; }

WARPVP_API cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, CUstream stream) {
  BLAS_CHECK(handle, true);
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, CUstream* stream) {
  BLAS_CHECK(handle, stream != nullptr);
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  BLAS_CHECK(handle, mode <= CUBLAS_POINTER_MODE_DEVICE);
  handle->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  BLAS_CHECK(handle, mode != nullptr);
  *mode = handle->pointers;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, int mode) {
  BLAS_CHECK(handle, mode == 0 || mode == 1);
  handle->atomics = mode;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, int* mode) {
  BLAS_CHECK(handle, mode != nullptr);
  *mode = handle->atomics;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasSetMathMode(cublasHandle_t handle, int mode) {
  BLAS_CHECK(handle, true);
  handle->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasGetMathMode(cublasHandle_t handle, int* mode) {
  BLAS_CHECK(handle, mode != nullptr);
  *mode = handle->math;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int sms) {
  BLAS_CHECK(handle, sms >= 0);
  handle->sms = sms;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* sms) {
  BLAS_CHECK(handle, sms != nullptr);
  *sms = handle->sms;
  return CUBLAS_STATUS_SUCCESS;
}
/// Whether products may be made of narrower ones: they never are.
WARPVP_API cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t handle, int strategy) {
  BLAS_CHECK(handle, true);
  handle->emulation = strategy;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t handle, int* strategy) {
  BLAS_CHECK(handle, strategy != nullptr);
  *strategy = handle->emulation;
  return CUBLAS_STATUS_SUCCESS;
}
/// The library writes no log.
namespace {
void (*callback_of_log)(const char*) = nullptr;
}
WARPVP_API cublasStatus_t cublasLoggerConfigure(int, int, int, const char*) { return CUBLAS_STATUS_SUCCESS; }
WARPVP_API cublasStatus_t cublasSetLoggerCallback(void (*callback)(const char*)) {
  callback_of_log = callback;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasGetLoggerCallback(void (**callback)(const char*)) {
  if (callback == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *callback = callback_of_log;
  return CUBLAS_STATUS_SUCCESS;
}
/// The library has memory of its own.
WARPVP_API cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void*, std::size_t) {
  BLAS_CHECK(handle, true);
  return CUBLAS_STATUS_SUCCESS;
}

WARPVP_API const char* cublasGetStatusName(cublasStatus_t status) { return name_of(status); }
WARPVP_API const char* cublasGetStatusString(cublasStatus_t status) { return text_of(status); }

// ---- copies

namespace {

enum class Way { kToDevice, kFromDevice };
constexpr CUstream kNoStream = nullptr;
/// `columns` pieces of `bytes` each.
cublasStatus_t copy(Way way, std::size_t bytes, int columns, const void* from, std::size_t from_pitch,
                    void* to, std::size_t to_pitch, CUstream stream, bool waits) {
  if (bytes == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  CUDA_MEMCPY2D what = {};
  const bool in = way == Way::kToDevice;
  what.srcMemoryType = in ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  what.dstMemoryType = in ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  what.srcHost = from;
  what.srcDevice = reinterpret_cast<CUdeviceptr>(from);
  what.dstHost = to;
  what.dstDevice = reinterpret_cast<CUdeviceptr>(to);
  what.srcPitch = from_pitch;
  what.dstPitch = to_pitch;
  what.WidthInBytes = bytes;
  what.Height = static_cast<std::size_t>(columns);
  const CUresult result = waits ? cuMemcpy2D_v2(&what) : cuMemcpy2DAsync_v2(&what, stream);
  return result == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
cublasStatus_t copy_vector(Way way, int n, int bytes, const void* from, int from_step, void* to, int to_step,
                           CUstream stream, bool waits) {
  if (n < 0 || bytes <= 0 || from_step <= 0 || to_step <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  const auto size = static_cast<std::size_t>(bytes);
  if (from_step == 1 && to_step == 1)
    return copy(way, size * static_cast<std::size_t>(n), 1, from, size * static_cast<std::size_t>(n), to,
                size * static_cast<std::size_t>(n), stream, waits);
  return copy(way, size, n, from, size * static_cast<std::size_t>(from_step), to,
              size * static_cast<std::size_t>(to_step), stream, waits);
}
cublasStatus_t copy_matrix(Way way, int rows, int columns, int bytes, const void* from, int from_leading,
                           void* to, int to_leading, CUstream stream, bool waits) {
  if (rows < 0 || columns < 0 || bytes <= 0 || from_leading < rows || to_leading < rows ||
      from_leading <= 0 || to_leading <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto size = static_cast<std::size_t>(bytes);
  return copy(way, size * static_cast<std::size_t>(rows), columns, from,
              size * static_cast<std::size_t>(from_leading), to, size * static_cast<std::size_t>(to_leading),
              stream, waits);
}

}  // namespace

#define COPIES(Int, _)                                                                                       \
  WARPVP_API cublasStatus_t cublasSetVector##_(Int n, Int bytes, const void* x, Int step, void* on_device,   \
                                               Int its_step) {                                               \
    return narrowed(copy_vector, Way::kToDevice, n, bytes, x, step, on_device, its_step, kNoStream, true);   \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasGetVector##_(Int n, Int bytes, const void* on_device, Int its_step,        \
                                               void* y, Int step) {                                          \
    return narrowed(copy_vector, Way::kFromDevice, n, bytes, on_device, its_step, y, step, kNoStream, true); \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasSetVectorAsync##_(Int n, Int bytes, const void* x, Int step,               \
                                                    void* on_device, Int its_step, CUstream stream) {        \
    return narrowed(copy_vector, Way::kToDevice, n, bytes, x, step, on_device, its_step, stream, false);     \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasGetVectorAsync##_(Int n, Int bytes, const void* on_device, Int its_step,   \
                                                    void* y, Int step, CUstream stream) {                    \
    return narrowed(copy_vector, Way::kFromDevice, n, bytes, on_device, its_step, y, step, stream, false);   \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasSetMatrix##_(Int rows, Int columns, Int bytes, const void* a, Int leading, \
                                               void* on_device, Int its_leading) {                           \
    return narrowed(copy_matrix, Way::kToDevice, rows, columns, bytes, a, leading, on_device, its_leading,   \
                    kNoStream, true);                                                                        \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasGetMatrix##_(Int rows, Int columns, Int bytes, const void* on_device,      \
                                               Int its_leading, void* b, Int leading) {                      \
    return narrowed(copy_matrix, Way::kFromDevice, rows, columns, bytes, on_device, its_leading, b, leading, \
                    kNoStream, true);                                                                        \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasSetMatrixAsync##_(Int rows, Int columns, Int bytes, const void* a,         \
                                                    Int leading, void* on_device, Int its_leading,           \
                                                    CUstream stream) {                                       \
    return narrowed(copy_matrix, Way::kToDevice, rows, columns, bytes, a, leading, on_device, its_leading,   \
                    stream, false);                                                                          \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublasGetMatrixAsync##_(Int rows, Int columns, Int bytes, const void* on_device, \
                                                    Int its_leading, void* b, Int leading,                   \
                                                    CUstream stream) {                                       \
    return narrowed(copy_matrix, Way::kFromDevice, rows, columns, bytes, on_device, its_leading, b, leading, \
                    stream, false);                                                                          \
  }
COPIES(int, )
COPIES(std::int64_t, _64)
