// Level 2: matrices with vectors.

#include "sw/cuda/blas/gemm.h"

using namespace warpvp::cuda::blas;

namespace {

constexpr Grid kLine = {256, 1, 1}, kSquare = {16, 16, 1};  // threads of a CTA; kLine: kCta of the kernels

/// y = alpha op(A) x + beta y, for a batch of them; `next_x`, `next_y`: from vector to vector.
template <class T>
cublasStatus_t gemv(Handle* handle, cublasOperation_t of_a, int m, int n, const T* alpha, Matrices<const T> a,
                    const T* x, int x_step, long long next_x, const T* beta, T* y, int y_step,
                    long long next_y, int batches) {
  BLAS_CHECK(handle, is_operation(of_a) && m >= 0 && n >= 0 && a.leading >= std::max(1, m) && x_step != 0 &&
                         y_step != 0 && batches >= 0 && alpha != nullptr && beta != nullptr);
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const bool across = transposes(of_a);
  const auto from = vector(x, across ? m : n, x_step);
  const auto to = vector(y, across ? n : m, y_step);
  const auto by = factor(*handle, alpha), keep = factor(*handle, beta);
  constexpr int kMostBatches = 65535;
  if (batches > kMostBatches) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto count = static_cast<unsigned>(batches);
  if (across)
    return launch(*handle, KernelName<T>("gemv_t"), {static_cast<unsigned>(n), count, 1}, kLine, m, by, a,
                  from, next_x, keep, to, next_y);
  return launch(*handle, KernelName<T>("gemv_n"), {parts(m, kLine[0]), count, 1}, kLine, m, n, by, a, from,
                next_x, keep, to, next_y);
}

/// A += alpha x y^T.
template <class T>
cublasStatus_t ger(Handle* handle, int m, int n, const T* alpha, const T* x, int x_step, const T* y,
                   int y_step, T* a, int leading, Triangle triangle) {
  BLAS_CHECK(handle,
             m >= 0 && n >= 0 && x_step != 0 && y_step != 0 && leading >= std::max(1, m) && alpha != nullptr);
  return launch(*handle, KernelName<T>("ger"), {parts(m, kSquare[0]), parts(n, kSquare[1]), 1}, kSquare, m, n,
                factor(*handle, alpha), vector(x, m, x_step), vector(y, n, y_step), matrix(a, leading),
                static_cast<int>(triangle));
}
Triangle triangle_of(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_LOWER ? kLowerOne : kUpperOne; }

/// y = alpha A x + beta y of a symmetric A: as rows, y^T = alpha x^T A + beta y^T, in which steps are from
/// column to column.
template <class T>
cublasStatus_t symv(Handle* handle, cublasFillMode_t fill, int n, const T* alpha, const T* a, int leading,
                    const T* x, int x_step, const T* beta, T* y, int y_step) {
  BLAS_CHECK(handle, fill <= CUBLAS_FILL_MODE_UPPER && n >= 0 && leading >= std::max(1, n) && x_step != 0 &&
                         y_step != 0 && alpha != nullptr && beta != nullptr);
  const int shape = kSymmetric | (fill == CUBLAS_FILL_MODE_LOWER ? kLower : 0);
  const auto row_x = matrix(vector(x, n, x_step).at, x_step);
  const auto row_y = matrix(vector(y, n, y_step).at, y_step);
  return multiply<T, T, T>(*handle, KernelName<T>("gemm"), 1, n, n, factor(*handle, alpha), row_x,
                           matrix(a, leading, shape), factor(*handle, beta), to_read(row_y), row_y, 1);
}

/// x of op(A) x = b in the place of b: as a row, x^T op(A)^T = b^T.
template <class T>
cublasStatus_t trsv(Handle* handle, cublasFillMode_t fill, cublasOperation_t of_a, cublasDiagType_t diagonal,
                    int n, const T* a, int leading, T* x, int step) {
  BLAS_CHECK(handle, fill <= CUBLAS_FILL_MODE_UPPER && is_operation(of_a) && n >= 0 &&
                         leading >= std::max(1, n) && step != 0);
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Factor<T> one = {nullptr, T(1)};
  return launch(*handle, KernelName<T>("trsm"), {1, 1, 1}, {32, 1, 1}, n, 1, one, matrix(a, leading),
                matrix(vector(x, n, step).at, step), 1, static_cast<int>(fill == CUBLAS_FILL_MODE_LOWER),
                static_cast<int>(!transposes(of_a)), static_cast<int>(diagonal == CUBLAS_DIAG_UNIT));
}

}  // namespace

#define LEVEL2(S, T)                                                                                        \
  WARPVP_API cublasStatus_t cublas##S##gemv_v2(Handle* h, cublasOperation_t of_a, int m, int n,             \
                                               const T* alpha, const T* a, int lda, const T* x, int x_step, \
                                               const T* beta, T* y, int y_step) {                           \
    return gemv<T>(h, of_a, m, n, alpha, matrix(a, lda), x, x_step, 0, beta, y, y_step, 0, 1);              \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##gemvStridedBatched(                                                  \
      Handle* h, cublasOperation_t of_a, int m, int n, const T* alpha, const T* a, int lda,                 \
      long long next_a, const T* x, int x_step, long long next_x, const T* beta, T* y, int y_step,          \
      long long next_y, int batches) {                                                                      \
    return gemv<T>(h, of_a, m, n, alpha, {a, nullptr, next_a, lda, 0}, x, x_step, next_x, beta, y, y_step,  \
                   next_y, batches);                                                                        \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##ger_v2(Handle* h, int m, int n, const T* alpha, const T* x,          \
                                              int x_step, const T* y, int y_step, T* a, int lda) {          \
    return ger(h, m, n, alpha, x, x_step, y, y_step, a, lda, kAll);                                         \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##syr_v2(Handle* h, cublasFillMode_t fill, int n, const T* alpha,      \
                                              const T* x, int step, T* a, int lda) {                        \
    return ger(h, n, n, alpha, x, step, x, step, a, lda, triangle_of(fill));                                \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##symv_v2(Handle* h, cublasFillMode_t fill, int n, const T* alpha,     \
                                               const T* a, int lda, const T* x, int x_step, const T* beta,  \
                                               T* y, int y_step) {                                          \
    return symv(h, fill, n, alpha, a, lda, x, x_step, beta, y, y_step);                                     \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##trsv_v2(Handle* h, cublasFillMode_t fill, cublasOperation_t of_a,    \
                                               cublasDiagType_t diagonal, int n, const T* a, int lda, T* x, \
                                               int step) {                                                  \
    return trsv(h, fill, of_a, diagonal, n, a, lda, x, step);                                               \
  }
LEVEL2(S, float)
LEVEL2(D, double)
