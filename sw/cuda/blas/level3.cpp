// Level 3 but for gemm: matrices that are symmetric, triangular or diagonal, and sums.

#include "sw/cuda/blas/gemm.h"

using namespace warpvp::cuda::blas;

namespace {

constexpr Grid kSquare = {16, 16, 1};
constexpr unsigned kLine = 128;  // threads of trsm's CTAs
constexpr int kBlock = 64;       // unknowns that its kernel finds one after the other

int lower(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_LOWER ? kLower : 0; }
Triangle triangle_of(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_LOWER ? kLowerOne : kUpperOne; }

/// C = alpha A B + beta C of a symmetric A; on the right, B A.
template <class T>
cublasStatus_t symm(Handle* handle, cublasSideMode_t side, cublasFillMode_t fill, int m, int n,
                    const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  BLAS_CHECK(handle, side <= CUBLAS_SIDE_RIGHT && fill <= CUBLAS_FILL_MODE_UPPER && m >= 0 && n >= 0 &&
                         lda >= std::max(1, left ? m : n) && ldb >= std::max(1, m) && ldc >= std::max(1, m) &&
                         alpha != nullptr && beta != nullptr);
  const auto symmetric = matrix(a, lda, kSymmetric | lower(fill)), other = matrix(b, ldb);
  const auto result = matrix(c, ldc);
  return multiply<T, T, T>(*handle, KernelName<T>("gemm"), m, n, left ? m : n, factor(*handle, alpha),
                           left ? symmetric : other, left ? other : symmetric, factor(*handle, beta),
                           to_read(result), result, 1);
}

/// C = alpha op(A) op(A)^T + beta C, of which a triangle is written.
template <class T>
cublasStatus_t syrk(Handle* handle, cublasFillMode_t fill, cublasOperation_t of_a, int n, int k,
                    const T* alpha, const T* a, int lda, const T* beta, T* c, int ldc) {
  const bool across = transposes(of_a);
  BLAS_CHECK(handle, fill <= CUBLAS_FILL_MODE_UPPER && is_operation(of_a) && n >= 0 && k >= 0 &&
                         lda >= std::max(1, across ? k : n) && ldc >= std::max(1, n) && alpha != nullptr &&
                         beta != nullptr);
  const auto result = matrix(c, ldc);
  return multiply<T, T, T>(*handle, KernelName<T>("gemm"), n, n, k, factor(*handle, alpha),
                           matrix(a, lda, across ? kTransposed : 0), matrix(a, lda, across ? 0 : kTransposed),
                           factor(*handle, beta), to_read(result), result, 1, triangle_of(fill));
}

/// C = alpha op(A) B of a triangular A; on the right, B op(A). Where C is B the kernel reads a copy of it.
template <class T>
cublasStatus_t trmm(Handle* handle, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t of_a,
                    cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a, int lda, const T* b,
                    int ldb, T* c, int ldc) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  BLAS_CHECK(handle, side <= CUBLAS_SIDE_RIGHT && fill <= CUBLAS_FILL_MODE_UPPER && is_operation(of_a) &&
                         m >= 0 && n >= 0 && lda >= std::max(1, left ? m : n) && ldb >= std::max(1, m) &&
                         ldc >= std::max(1, m) && alpha != nullptr);
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  CUdeviceptr copied = 0;
  const T* from = b;
  if (b == c) {
    const std::size_t bytes = static_cast<std::size_t>(ldb) * static_cast<std::size_t>(n - 1) * sizeof(T) +
                              static_cast<std::size_t>(m) * sizeof(T);
    if (cuMemAlloc_v2(&copied, bytes) != 0) return CUBLAS_STATUS_ALLOC_FAILED;
    cuMemcpyDtoDAsync_v2(copied, reinterpret_cast<CUdeviceptr>(b), bytes, handle->stream);
    from = reinterpret_cast<const T*>(copied);
  }
  const int shape = kTriangular | lower(fill) | (transposes(of_a) ? kTransposed : 0) |
                    (diagonal == CUBLAS_DIAG_UNIT ? kUnit : 0);
  const auto triangular = matrix(a, lda, shape), other = matrix(from, ldb);
  const auto result = matrix(c, ldc);
  const auto status = multiply<T, T, T>(
      *handle, KernelName<T>("gemm"), m, n, left ? m : n, factor(*handle, alpha), left ? triangular : other,
      left ? other : triangular, Factor<T>{nullptr, T(0)}, to_read(result), result, 1);
  if (copied != 0) cuMemFree_v2(copied);  // waits for the kernel
  return status;
}

/// X of op(A) X = alpha B in the place of B; on the right, of X op(A) = alpha B.
template <class T>
cublasStatus_t trsm(Handle* handle, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t of_a,
                    cublasDiagType_t diagonal, int m, int n, const T* alpha, Matrices<const T> a,
                    Matrices<T> b, int batches) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  const int order = left ? m : n, others = left ? n : m;
  BLAS_CHECK(handle, side <= CUBLAS_SIDE_RIGHT && fill <= CUBLAS_FILL_MODE_UPPER && is_operation(of_a) &&
                         m >= 0 && n >= 0 && a.leading >= std::max(1, order) && b.leading >= std::max(1, m) &&
                         batches >= 0 && alpha != nullptr);
  constexpr int kMostBatches = 65535;
  if (batches > kMostBatches) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (order == 0) return CUBLAS_STATUS_SUCCESS;
  const bool across = transposes(of_a);
  const auto solve = [&](int count, Factor<T> by, Matrices<const T> of, Matrices<T> in) {
    return launch(*handle, KernelName<T>("trsm"), {parts(others, kLine), static_cast<unsigned>(batches), 1},
                  {kLine, 1, 1}, count, others, by, of, in, static_cast<int>(!left),
                  static_cast<int>(fill == CUBLAS_FILL_MODE_LOWER), static_cast<int>(across),
                  static_cast<int>(diagonal == CUBLAS_DIAG_UNIT));
  };
  Factor<T> by = factor(*handle, alpha);
  if (order <= kBlock || a.list != nullptr || batches != 1) return solve(order, by, a, b);
  // Block by block: what its unknowns take from the other equations is a product.
  const long long lda = a.leading, ldb = b.leading;
  const bool forward = left == ((fill == CUBLAS_FILL_MODE_LOWER) != across);
  const auto unknowns = [&](int first) { return matrix(b.first + first * (left ? 1 : ldb), b.leading); };
  const int blocks = (order + kBlock - 1) / kBlock;
  for (int at = 0; at < blocks; ++at) {
    const int first = (forward ? at : blocks - 1 - at) * kBlock, count = std::min(kBlock, order - first);
    if (const auto status =
            solve(count, by, matrix(a.first + first + first * lda, a.leading), unknowns(first)))
      return status;
    const int rest = forward ? first + count : 0, left_over = forward ? order - rest : first;
    if (left_over == 0) break;
    // Of op(A) the rows of the rest and the columns of the block; on the right the other way round.
    const bool by_rows = left != across;
    const auto part = matrix(a.first + (by_rows ? rest + first * lda : first + rest * lda), a.leading,
                             across ? kTransposed : 0);
    const auto found = to_read(unknowns(first));
    const auto result = unknowns(rest);
    if (const auto status =
            multiply<T, T, T>(*handle, KernelName<T>("gemm"), left ? left_over : m, left ? n : left_over,
                              count, Factor<T>{nullptr, T(-1)}, left ? part : found, left ? found : part, by,
                              to_read(result), result, 1))
      return status;
    by = {nullptr, T(1)};
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t geam(Handle* handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n,
                    const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {
  BLAS_CHECK(handle, is_operation(of_a) && is_operation(of_b) && m >= 0 && n >= 0 &&
                         lda >= std::max(1, transposes(of_a) ? n : m) &&
                         ldb >= std::max(1, transposes(of_b) ? n : m) && ldc >= std::max(1, m) &&
                         alpha != nullptr && beta != nullptr);
  return launch(*handle, KernelName<T>("geam"), {parts(m, kSquare[0]), parts(n, kSquare[1]), 1}, kSquare, m,
                n, factor(*handle, alpha), matrix(a, lda, transposes(of_a)), factor(*handle, beta),
                matrix(b, ldb, transposes(of_b)), matrix(c, ldc));
}
template <class T>
cublasStatus_t dgmm(Handle* handle, cublasSideMode_t side, int m, int n, const T* a, int lda, const T* x,
                    int step, T* c, int ldc) {
  BLAS_CHECK(handle,
             side <= CUBLAS_SIDE_RIGHT && m >= 0 && n >= 0 && lda >= std::max(1, m) && ldc >= std::max(1, m));
  const bool right = side == CUBLAS_SIDE_RIGHT;
  const auto diagonal = vector(x, right ? n : m, step);
  return launch(*handle, KernelName<T>("dgmm"), {parts(m, kSquare[0]), parts(n, kSquare[1]), 1}, kSquare, m,
                n, matrix(a, lda), diagonal.at, step, matrix(c, ldc), static_cast<int>(right));
}

}  // namespace

#define LEVEL3(S, T)                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##symm_v2(Handle* h, cublasSideMode_t side, cublasFillMode_t fill,      \
                                               int m, int n, const T* alpha, const T* a, int lda,            \
                                               const T* b, int ldb, const T* beta, T* c, int ldc) {          \
    return symm(h, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);                                   \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##syrk_v2(Handle* h, cublasFillMode_t fill, cublasOperation_t of_a,     \
                                               int n, int k, const T* alpha, const T* a, int lda,            \
                                               const T* beta, T* c, int ldc) {                               \
    return syrk(h, fill, of_a, n, k, alpha, a, lda, beta, c, ldc);                                           \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##trmm_v2(Handle* h, cublasSideMode_t side, cublasFillMode_t fill,      \
                                               cublasOperation_t of_a, cublasDiagType_t diagonal, int m,     \
                                               int n, const T* alpha, const T* a, int lda, const T* b,       \
                                               int ldb, T* c, int ldc) {                                     \
    return trmm(h, side, fill, of_a, diagonal, m, n, alpha, a, lda, b, ldb, c, ldc);                         \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##trsm_v2(Handle* h, cublasSideMode_t side, cublasFillMode_t fill,      \
                                               cublasOperation_t of_a, cublasDiagType_t diagonal, int m,     \
                                               int n, const T* alpha, const T* a, int lda, T* b, int ldb) {  \
    return trsm<T>(h, side, fill, of_a, diagonal, m, n, alpha, matrix(a, lda), matrix(b, ldb), 1);           \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##trsmBatched(Handle* h, cublasSideMode_t side, cublasFillMode_t fill,  \
                                                   cublasOperation_t of_a, cublasDiagType_t diagonal, int m, \
                                                   int n, const T* alpha, const T* const a[], int lda,       \
                                                   T* const b[], int ldb, int batches) {                     \
    return trsm<T>(h, side, fill, of_a, diagonal, m, n, alpha, {nullptr, a, 0, lda, 0},                      \
                   {nullptr, b, 0, ldb, 0}, batches);                                                        \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##geam(Handle* h, cublasOperation_t of_a, cublasOperation_t of_b,       \
                                            int m, int n, const T* alpha, const T* a, int lda,               \
                                            const T* beta, const T* b, int ldb, T* c, int ldc) {             \
    return geam(h, of_a, of_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                   \
  }                                                                                                          \
  WARPVP_API cublasStatus_t cublas##S##dgmm(Handle* h, cublasSideMode_t side, int m, int n, const T* a,      \
                                            int lda, const T* x, int step, T* c, int ldc) {                  \
    return dgmm(h, side, m, n, a, lda, x, step, c, ldc);                                                     \
  }
LEVEL3(S, float)
LEVEL3(D, double)
