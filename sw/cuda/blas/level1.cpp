// Level 1: vectors.

#include <algorithm>
#include <type_traits>

#include "sw/cuda/blas/handle.h"

using namespace warpvp::cuda::blas;

namespace {

constexpr unsigned kThreads = 256, kMostCtas = 1024;  // kThreads: kCta of the kernels

Grid ctas(int n) { return {std::min(parts(n, kThreads), kMostCtas), 1, 1}; }
Grid reducing_ctas(int n) { return {std::max(1u, std::min(parts(n, kThreads), kReductionCtas)), 1, 1}; }
constexpr Grid kBlock = {kThreads, 1, 1}, kOne = {1, 1, 1};

// By: of the factor.
template <class T, class By>
cublasStatus_t axpy(Handle* handle, int n, const By* alpha, const T* x, int x_step, T* y, int y_step) {
  BLAS_CHECK(handle, alpha != nullptr);
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>("axpy"), ctas(n), kBlock, n, factor(*handle, alpha),
                vector(x, n, x_step), vector(y, n, y_step));
}
template <class T, class By>
cublasStatus_t scal(Handle* handle, int n, const By* alpha, T* x, int step) {
  BLAS_CHECK(handle, alpha != nullptr);
  if (n <= 0 || step <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>("scal"), ctas(n), kBlock, n, factor(*handle, alpha),
                vector(x, n, step));
}
template <class T>
cublasStatus_t copy(Handle* handle, int n, const T* x, int x_step, T* y, int y_step) {
  BLAS_CHECK(handle, true);
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>("copy"), ctas(n), kBlock, n, vector(x, n, x_step),
                vector(y, n, y_step));
}
template <class T>
cublasStatus_t swap(Handle* handle, int n, T* x, int x_step, T* y, int y_step) {
  BLAS_CHECK(handle, true);
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>("swap"), ctas(n), kBlock, n, vector(x, n, x_step),
                vector(y, n, y_step));
}
template <class T>
cublasStatus_t rot(Handle* handle, int n, T* x, int x_step, T* y, int y_step, const T* c, const T* s) {
  BLAS_CHECK(handle, c != nullptr && s != nullptr);
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return launch(*handle, KernelName<T>("rot"), ctas(n), kBlock, n, vector(x, n, x_step), vector(y, n, y_step),
                factor(*handle, c), factor(*handle, s));
}

/// Where a kernel puts a result, and how the host gets it.
template <class T>
class Result {
 public:
  Result(const Handle& handle, T* wanted) : handle_(handle), wanted_(wanted) {}
  T* place() const {
    return handle_.pointers == CUBLAS_POINTER_MODE_DEVICE ? wanted_
                                                          : reinterpret_cast<T*>(handle_.scratch + kResultAt);
  }
  cublasStatus_t take() const {
    if (handle_.pointers == CUBLAS_POINTER_MODE_DEVICE) return CUBLAS_STATUS_SUCCESS;
    return read_back(handle_, wanted_, handle_.scratch + kResultAt, sizeof(T));
  }

 private:
  const Handle& handle_;
  T* const wanted_;
};

template <class T>
cublasStatus_t search(const Handle& handle, int n, Vector<const T> x, int least, int* place, T* magnitude) {
  const Grid grid = reducing_ctas(n);
  const CUdeviceptr partial = handle.scratch + kPartialAt;
  if (const auto status = launch(handle, KernelName<T>("search"), grid, kBlock, n, x, least, partial))
    return status;
  return launch(handle, KernelName<T>("found"), kOne, kBlock, static_cast<int>(grid[0]), partial, least,
                place, magnitude);
}

enum What : int { kProducts = 0, kMagnitudes = 1, kSquares = 2 };
/// BLAS: nothing is summed where n is not positive or, of one vector, its step is not.
template <class T>
cublasStatus_t reduce(Handle* handle, int n, Vector<const T> x, Vector<const T> y, int what, T* result) {
  BLAS_CHECK(handle, result != nullptr);
  n = std::max(n, 0);
  const Grid grid = reducing_ctas(n);
  const CUdeviceptr partial = handle->scratch + kPartialAt;
  const Result<T> to(*handle, result);
  // Sums are made in double. Squares of double may leave its range, unless they are of parts of the greatest.
  T* scale = nullptr;
  if constexpr (std::is_same_v<T, double>) {
    if (what == kSquares) {
      scale = reinterpret_cast<T*>(handle->scratch + kScaleAt);
      if (const auto status = search<T>(*handle, n, x, 0, nullptr, scale)) return status;
    }
  }
  if (const auto status =
          launch(*handle, KernelName<T>("reduce"), grid, kBlock, n, x, y, what, scale, partial))
    return status;
  if (const auto status = launch(*handle, KernelName<T>("finish"), kOne, kBlock, static_cast<int>(grid[0]),
                                 partial, what, scale, to.place()))
    return status;
  return to.take();
}
template <class T>
cublasStatus_t dot(Handle* handle, int n, const T* x, int x_step, const T* y, int y_step, T* result) {
  return reduce<T>(handle, n, vector(x, n, x_step), vector(y, n, y_step), kProducts, result);
}
template <class T>
cublasStatus_t sum_up(Handle* handle, int n, const T* x, int step, int what, T* result) {
  if (step <= 0) n = 0;
  return reduce<T>(handle, n, vector(x, n, step), vector(x, n, step), what, result);
}
template <class T>
cublasStatus_t find(Handle* handle, int n, const T* x, int step, int least, int* result) {
  BLAS_CHECK(handle, result != nullptr);
  if (step <= 0) n = 0;
  const Result<int> to(*handle, result);
  if (const auto status = search<T>(*handle, std::max(n, 0), vector(x, n, step), least, to.place(), nullptr))
    return status;
  return to.take();
}

/// The functions that take types: elements and results of one, which is computed in itself or, of two bytes,
/// in float. `f` gets one of either.
template <class F>
cublasStatus_t by_type(cudaDataType type, bool same, cudaDataType computed_in, F&& f) {
  if (!same) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (type == CUDA_R_64F && computed_in == CUDA_R_64F) return f(double(), double());
  if (computed_in != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (type == CUDA_R_32F) return f(float(), float());
  if (type == CUDA_R_16F) return f(Half(), float());
  if (type == CUDA_R_16BF) return f(Bf16(), float());
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace

#define LEVEL1(S, T)                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##axpy_v2(Handle* h, int n, const T* alpha, const T* x, int x_step,     \
                                               T* y, int y_step) {                                           \
    return axpy(h, n, alpha, x, x_step, y, y_step);                                                          \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##scal_v2(Handle* h, int n, const T* alpha, T* x, int step) {           \
    return scal(h, n, alpha, x, step);                                                                       \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##copy_v2(Handle* h, int n, const T* x, int x_step, T* y, int y_step) { \
    return copy(h, n, x, x_step, y, y_step);                                                                 \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##swap_v2(Handle* h, int n, T* x, int x_step, T* y, int y_step) {       \
    return swap(h, n, x, x_step, y, y_step);                                                                 \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##rot_v2(Handle* h, int n, T* x, int x_step, T* y, int y_step,          \
                                              const T* c, const T* s) {                                      \
    return rot(h, n, x, x_step, y, y_step, c, s);                                                            \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##dot_v2(Handle* h, int n, const T* x, int x_step, const T* y,          \
                                              int y_step, T* result) {                                       \
    return dot(h, n, x, x_step, y, y_step, result);                                                          \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##nrm2_v2(Handle* h, int n, const T* x, int step, T* result) {          \
    return sum_up(h, n, x, step, kSquares, result);                                                          \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##asum_v2(Handle* h, int n, const T* x, int step, T* result) {          \
    return sum_up(h, n, x, step, kMagnitudes, result);                                                       \
  }
LEVEL1(S, float)
LEVEL1(D, double)

WARPVP_API cublasStatus_t cublasIsamax_v2(Handle* h, int n, const float* x, int step, int* result) {
  return find(h, n, x, step, 0, result);
}
WARPVP_API cublasStatus_t cublasIdamax_v2(Handle* h, int n, const double* x, int step, int* result) {
  return find(h, n, x, step, 0, result);
}
WARPVP_API cublasStatus_t cublasIsamin_v2(Handle* h, int n, const float* x, int step, int* result) {
  return find(h, n, x, step, 1, result);
}
WARPVP_API cublasStatus_t cublasIdamin_v2(Handle* h, int n, const double* x, int step, int* result) {
  return find(h, n, x, step, 1, result);
}

WARPVP_API cublasStatus_t cublasAxpyEx(Handle* h, int n, const void* alpha, cudaDataType alpha_type,
                                       const void* x, cudaDataType x_type, int x_step, void* y,
                                       cudaDataType y_type, int y_step, cudaDataType computed_in) {
  return by_type(x_type, x_type == y_type && alpha_type == computed_in, computed_in,
                 [&](auto zero, auto one) {
                   using T = decltype(zero);
                   return axpy(h, n, static_cast<const decltype(one)*>(alpha), static_cast<const T*>(x),
                               x_step, static_cast<T*>(y), y_step);
                 });
}
WARPVP_API cublasStatus_t cublasScalEx(Handle* h, int n, const void* alpha, cudaDataType alpha_type, void* x,
                                       cudaDataType x_type, int step, cudaDataType computed_in) {
  return by_type(x_type, alpha_type == computed_in, computed_in, [&](auto zero, auto one) {
    using T = decltype(zero);
    return scal(h, n, static_cast<const decltype(one)*>(alpha), static_cast<T*>(x), step);
  });
}
WARPVP_API cublasStatus_t cublasDotEx(Handle* h, int n, const void* x, cudaDataType x_type, int x_step,
                                      const void* y, cudaDataType y_type, int y_step, void* result,
                                      cudaDataType result_type, cudaDataType computed_in) {
  return by_type(x_type, x_type == y_type && x_type == result_type, computed_in, [&](auto zero, auto) {
    using T = decltype(zero);
    return dot(h, n, static_cast<const T*>(x), x_step, static_cast<const T*>(y), y_step,
               static_cast<T*>(result));
  });
}
WARPVP_API cublasStatus_t cublasNrm2Ex(Handle* h, int n, const void* x, cudaDataType x_type, int step,
                                       void* result, cudaDataType result_type, cudaDataType computed_in) {
  return by_type(x_type, x_type == result_type, computed_in, [&](auto zero, auto) {
    using T = decltype(zero);
    return sum_up(h, n, static_cast<const T*>(x), step, kSquares, static_cast<T*>(result));
  });
}
