#pragma once
// A handle of cuBLAS, and how its functions start kernels (sw/kernels/blas).

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sw/cuda/blas/abi.h"
#include "sw/cuda/kernels/embedded_kernels.h"
#include "sw/kernels/complex.h"

struct cublasContext {
  CUstream stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  // Taken and given back; no kernel depends on them.
  int atomics = 0, math = 0, sms = 0, emulation = 0;
  CUdeviceptr scratch = 0;  ///< kScratchBytes, of reductions
};

namespace warpvp::cuda::blas {

using cuda::Grid;
using cuda::parts;
using Handle = cublasContext;
inline constexpr std::size_t kScratchBytes = 1 << 16;
/// CTAs of a reduction, and where in the scratch memory its result lies, its scale, factors that a kernel has
/// prepared, and what a reduction's CTAs leave.
inline constexpr unsigned kReductionCtas = 64;
inline constexpr std::size_t kResultAt = 0, kScaleAt = 64, kFactorsAt = 128, kPartialAt = 256;

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
/// Exactly.
inline float to_float(Half half) {
  const std::uint32_t sign = std::uint32_t{half.bits} >> 15 << 31, exponent = half.bits >> 10 & 31;
  const std::uint32_t fraction = half.bits & 0x3ffu;
  if (exponent == 0) {
    const float value = static_cast<float>(fraction) / 16777216.0f;
    return sign ? -value : value;
  }
  const std::uint32_t bits = sign | (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
struct Bf16 {
  std::uint16_t bits;
};
/// Bits of Matrices::shape.
enum Shape : int {
  kTransposed = 1,
  kSymmetric = 2,
  kTriangular = 4,
  kLower = 8,
  kUnit = 16,
  kConjugated = 32,
  kHermitian = 64
};

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
inline bool is_fill(cublasFillMode_t fill) { return fill <= CUBLAS_FILL_MODE_UPPER; }
inline int shape_of(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N ? 0 : operation == CUBLAS_OP_T ? kTransposed : kTransposed | kConjugated;
}
inline int shape_of(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_LOWER ? kLower : 0; }
inline int shape_of(cublasDiagType_t diagonal) { return diagonal == CUBLAS_DIAG_UNIT ? kUnit : 0; }
/// Of a symmetric matrix, or of a Hermitian one, of which a triangle is stored.
template <class T>
int symmetric_shape(cublasFillMode_t fill, bool hermitian) {
  return kSymmetric | shape_of(fill) | (hermitian && kComplex<T> ? kHermitian : 0);
}

/// Starts the kernel of this name in the handle's stream.
cublasStatus_t launch(const Handle& handle, const char* name, const Grid& grid, const Grid& block,
                      void** arguments);
template <class... Arguments>
cublasStatus_t launch(const Handle& handle, const char* name, const Grid& grid, const Grid& block,
                      Arguments... arguments) {
  void* all[] = {&arguments...};
  return launch(handle, name, grid, block, all);
}
inline constexpr unsigned kSmallTile = 32, kLargeTile = 64;
/// Rows and columns of a CTA's tile of a product: the larger where each SM gets one so.
unsigned tile_of(int m, int n, int batches);
/// Waits for the stream and copies `bytes` from the device.
cublasStatus_t read_back(const Handle& handle, void* to, CUdeviceptr from, std::size_t bytes);
/// Waits for the stream.
cublasStatus_t wait(const Handle& handle);
/// A context is current.
cublasStatus_t be_ready();

/// `name` with the letter of the type behind it: "gemm_s".
template <class T>
constexpr char letter() {
  if (std::is_same_v<T, float>) return 's';
  if (std::is_same_v<T, double>) return 'd';
  if (std::is_same_v<T, Complex<float>>) return 'c';
  if (std::is_same_v<T, Complex<double>>) return 'z';
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

/// A factor that a kernel takes as T: `value` is real, or wanted conjugated. Where it lies on the device a
/// kernel prepares it in the place of this number. Returns what starting that one does.
template <class T, class From>
cublasStatus_t prepared_factor(const Handle& handle, const From* value, bool conjugated, int place,
                               Factor<T>& to) {
  if constexpr (!kComplex<T>) {
    to = factor(handle, value);
    return CUBLAS_STATUS_SUCCESS;
  } else {
    if (handle.pointers == CUBLAS_POINTER_MODE_HOST) {
      T made = *value;
      if (conjugated) made.im = -made.im;
      to = {nullptr, made};
      return CUBLAS_STATUS_SUCCESS;
    }
    to = {reinterpret_cast<T*>(handle.scratch + kFactorsAt + static_cast<CUdeviceptr>(place) * sizeof(T)),
          T(0)};
    const char* const name = std::is_same_v<From, T> ? "factor" : "factor_real";
    return launch(handle, KernelName<T>(name), {1, 1, 1}, {1, 1, 1}, value, to.at,
                  static_cast<int>(conjugated));
  }
}

/// Calls `f` with sizes of eight bytes where it takes some of four. Greater ones than those hold are not
/// supported.
template <class To, class From>
bool fits(From value) {
  if constexpr (std::is_same_v<To, int> && std::is_same_v<From, std::int64_t>)
    return value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  return true;
}
template <class... To, class... From>
cublasStatus_t narrowed(cublasStatus_t (*f)(To...), From... values) {
  if (!(fits<To>(values) && ...)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return f(static_cast<To>(values)...);
}

}  // namespace warpvp::cuda::blas

/// Ends a function of the API if it has been called wrongly.
#define BLAS_CHECK(handle, valid)                                  \
  do {                                                             \
    if ((handle) == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED; \
    if (!(valid)) return CUBLAS_STATUS_INVALID_VALUE;              \
  } while (false)
/// Returns from the function with what has gone wrong.
#define BLAS_TRY(call)                             \
  do {                                             \
    if (const cublasStatus_t s = (call)) return s; \
  } while (false)
/// Functions of each of the types, and with sizes of four bytes and of eight (`_64`).
#define BLAS_EACH_SIZE(define, ...) define(__VA_ARGS__, int, ) define(__VA_ARGS__, std::int64_t, _64)
using ComplexFloat = Complex<float>;
using ComplexDouble = Complex<double>;
#define BLAS_EACH_REAL(define)        \
  BLAS_EACH_SIZE(define, S, s, float) \
  BLAS_EACH_SIZE(define, D, d, double)
#define BLAS_EACH_COMPLEX(define)            \
  BLAS_EACH_SIZE(define, C, c, ComplexFloat) \
  BLAS_EACH_SIZE(define, Z, z, ComplexDouble)
#define BLAS_EACH_TYPE(define) \
  BLAS_EACH_REAL(define)       \
  BLAS_EACH_COMPLEX(define)
