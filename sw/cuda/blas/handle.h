#pragma once
// A handle of cuBLAS, and how its functions start kernels (sw/kernels/blas).

#include <cstdint>
#include <type_traits>

#include "sw/cuda/blas/abi.h"
#include "sw/cuda/kernels/embedded_kernels.h"

struct cublasContext {
  CUstream stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  // Taken and given back; no kernel depends on them.
  int atomics = 0, math = 0, sms = 0;
  CUdeviceptr scratch = 0;  ///< kScratchBytes, of reductions
};

namespace warpvp::cuda::blas {

using cuda::Grid;
using cuda::parts;
using Handle = cublasContext;
inline constexpr std::size_t kScratchBytes = 1 << 16;
/// CTAs of a reduction, and where in the scratch memory its result lies, its scale and what its CTAs leave.
inline constexpr unsigned kReductionCtas = 64;
inline constexpr std::size_t kResultAt = 0, kScaleAt = 64, kPartialAt = 256;

// What kernels take, as sw/kernels/blas/types.h has it.
/// There at the address, or itself where that is null.
template <class T>
struct Factor {
  const T* at;
  T value;
};
/// Matrices of a batch, in columns: a list of addresses on the device, or `stride` elements from each to the
/// next.
template <class T>
struct Matrices {
  T* first;
  T* const* list;
  long long stride;
  int leading;
  int shape;
};
template <class T>
struct Vector {
  T* at;
  long long step;
};
/// Elements that the host only moves.
struct Half {
  std::uint16_t bits;
};
struct Bf16 {
  std::uint16_t bits;
};
/// Bits of Matrices::shape.
enum Shape : int { kTransposed = 1, kSymmetric = 2, kTriangular = 4, kLower = 8, kUnit = 16 };

template <class T>
Matrices<T> matrix(T* first, int leading, int shape = 0) {
  return {first, nullptr, 0, leading, shape};
}
/// From its first element on: a negative step begins at the end (BLAS).
template <class T>
Vector<T> vector(T* x, int n, int step) {
  return {step < 0 && n > 0 ? x - static_cast<long long>(n - 1) * step : x, step};
}
/// As the handle's pointer mode says.
template <class T>
Factor<T> factor(const Handle& handle, const T* value) {
  if (handle.pointers == CUBLAS_POINTER_MODE_DEVICE) return {value, T(0)};
  return {nullptr, *value};
}
inline bool transposes(cublasOperation_t operation) { return operation != CUBLAS_OP_N; }
inline bool is_operation(cublasOperation_t operation) { return operation <= CUBLAS_OP_C; }

/// Starts the kernel of this name in the handle's stream.
cublasStatus_t launch(const Handle& handle, const char* name, const Grid& grid, const Grid& block,
                      void** arguments);
template <class... Arguments>
cublasStatus_t launch(const Handle& handle, const char* name, const Grid& grid, const Grid& block,
                      Arguments... arguments) {
  void* all[] = {&arguments...};
  return launch(handle, name, grid, block, all);
}
/// Waits for the stream and copies `bytes` from the device.
cublasStatus_t read_back(const Handle& handle, void* to, CUdeviceptr from, std::size_t bytes);
/// A context is current.
cublasStatus_t be_ready();

/// `name` with the letter of the type behind it: "gemm_s".
template <class T>
constexpr char letter() {
  if (std::is_same_v<T, float>) return 's';
  if (std::is_same_v<T, double>) return 'd';
  return std::is_same_v<T, Half> ? 'h' : 'b';
}
template <class T>
struct KernelName {
  explicit KernelName(const char* name) {
    char* to = text;
    while (*name) *to++ = *name++;
    *to++ = '_';
    *to++ = letter<T>();
    *to = 0;
  }
  operator const char*() const { return text; }
  char text[24];
};

}  // namespace warpvp::cuda::blas

/// Ends a function of the API if it has been called wrongly.
#define BLAS_CHECK(handle, valid)                                  \
  do {                                                             \
    if ((handle) == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED; \
    if (!(valid)) return CUBLAS_STATUS_INVALID_VALUE;              \
  } while (false)
