#pragma once
// How functions of cuSPARSE start kernels (sw/kernels/sparse), and memory of their own.

#include <complex>
#include <type_traits>
#include <utility>

#include "sw/cuda/kernels/device_memory.h"
#include "sw/cuda/kernels/embedded_kernels.h"
#include "sw/cuda/sparse/descriptors.h"

namespace warpvp::cuda::sparse {

/// Of a call of the driver.
cusparseStatus_t status_of(CUresult result);

/// Starts the kernel in the handle's stream.
cusparseStatus_t launch(cusparseHandle_t handle, const char* name, const Grid& grid, const Grid& block,
                        void** arguments);
template <class... Arguments>
cusparseStatus_t launch(cusparseHandle_t handle, const char* name, const Grid& grid, const Grid& block,
                        Arguments... arguments) {
  void* all[] = {&arguments...};
  return launch(handle, name, grid, block, static_cast<void**>(all));
}
/// With a thread for each of `n`, or a few of them.
template <class... Arguments>
cusparseStatus_t launch_for(cusparseHandle_t handle, const char* name, long long n, Arguments... arguments) {
  constexpr unsigned kThreads = 128, kMostCtas = 1u << 20;
  const unsigned ctas = n >= static_cast<long long>(kMostCtas) * kThreads ? kMostCtas : parts(n, kThreads);
  return launch(handle, name, {ctas, 1, 1}, {kThreads, 1, 1}, arguments...);
}

/// A kernel's name with the letter of what it computes in behind it: "spmv_s".
template <class T>
struct KernelName {
  explicit KernelName(const char* name) {
    char* to = text;
    while (*name) *to++ = *name++;
    *to++ = '_';
    *to++ = std::is_same_v<T, float>                 ? 's'
            : std::is_same_v<T, double>              ? 'd'
            : std::is_same_v<T, std::complex<float>> ? 'c'
            : std::is_same_v<T, int>                 ? 'i'
                                                     : 'z';
    *to = 0;
  }
  operator const char*() const { return text; }
  char text[32];
};

/// Calls `work` with a value of the type that is computed in.
template <class Work>
cusparseStatus_t with_floating(cudaDataType type, const Work& work) {
  switch (type) {
    case CUDA_R_32F:
      return work(float{});
    case CUDA_R_64F:
      return work(double{});
    case CUDA_C_32F:
      return work(std::complex<float>{});
    case CUDA_C_64F:
      return work(std::complex<double>{});
    default:
      return CUSPARSE_STATUS_NOT_SUPPORTED;
  }
}
template <class Work>
cusparseStatus_t with_any(cudaDataType type, const Work& work) {
  return type == CUDA_R_32I ? work(int{}) : with_floating(type, work);
}
/// Whether kernels that compute in `compute` read such numbers, and write them.
bool reads(cudaDataType compute, cudaDataType type);
bool writes(cudaDataType compute, cudaDataType type);

/// As the handle's pointer mode says.
template <class T>
Factor<T> factor(cusparseHandle_t handle, const void* value) {
  if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE) return {static_cast<const T*>(value), T(0)};
  return {nullptr, *static_cast<const T*>(value)};
}

/// Waits for the stream and copies from the device.
cusparseStatus_t read_back(cusparseHandle_t handle, void* to, const void* from, std::size_t bytes);
/// Copies from host memory, which is free again afterwards.
cusparseStatus_t write(void* to, const void* from, std::size_t bytes);
cusparseStatus_t copy(cusparseHandle_t handle, void* to, const void* from, std::size_t bytes);
cusparseStatus_t clear(cusparseHandle_t handle, void* at, std::size_t bytes);

using cuda::DeviceMemory;
}  // namespace warpvp::cuda::sparse

/// Ends a function of the API if it has been called wrongly.
#define SPARSE_CHECK(handle, valid)                                  \
  do {                                                               \
    if ((handle) == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED; \
    if (!(valid)) return CUSPARSE_STATUS_INVALID_VALUE;              \
  } while (false)
/// Ends a function if a step of it has failed.
#define SPARSE_TRY(step)                                                                          \
  do {                                                                                            \
    if (const cusparseStatus_t status = (step); status != CUSPARSE_STATUS_SUCCESS) return status; \
  } while (false)
