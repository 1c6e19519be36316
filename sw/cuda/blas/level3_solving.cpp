// Level 3: systems of equations with triangular matrices, sums, products with diagonal ones.

#include "sw/cuda/blas/gemm.h"
#include "sw/cuda/blas/legacy.h"

using namespace warpvp::cuda::blas;

namespace {

constexpr Grid kSquare = {16, 16, 1};
constexpr unsigned kLine = 128;  // threads of trsm's CTAs
constexpr int kBlock = 64;       // unknowns that its kernel finds one after the other

/// X of op(A) X = alpha B in the place of B; on the right, of X op(A) = alpha B.
template <class T>
cublasStatus_t trsm_batch(Handle* handle, cublasSideMode_t side, cublasFillMode_t fill,
                          cublasOperation_t of_a, cublasDiagType_t diagonal, int m, int n, const T* alpha,
                          Matrices<const T> a, Matrices<T> b, int batches) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  const int order = left ? m : n, others = left ? n : m;
  BLAS_CHECK(handle, side <= CUBLAS_SIDE_RIGHT && is_fill(fill) && is_operation(of_a) && m >= 0 && n >= 0 &&
                         a.leading >= std::max(1, order) && b.leading >= std::max(1, m) && batches >= 0 &&
                         alpha != nullptr);
  constexpr int kMostBatches = 65535;
  if (batches > kMostBatches) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (order == 0) return CUBLAS_STATUS_SUCCESS;
  const bool across = transposes(of_a);
  const auto solve = [&](int count, Factor<T> by, Matrices<const T> of, Matrices<T> in) {
    of.shape = shape_of(of_a) | shape_of(fill) | shape_of(diagonal);
    return launch(*handle, KernelName<T>("trsm"), {parts(others, kLine), static_cast<unsigned>(batches), 1},
                  {kLine, 1, 1}, count, others, by, of, in, static_cast<int>(!left));
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
    BLAS_TRY(solve(count, by, matrix(a.first + first + first * lda, a.leading), unknowns(first)));
    const int rest = forward ? first + count : 0, left_over = forward ? order - rest : first;
    if (left_over == 0) break;
    // Of op(A) the rows of the rest and the columns of the block; on the right the other way round.
    const bool by_rows = left != across;
    const auto part =
        matrix(a.first + (by_rows ? rest + first * lda : first + rest * lda), a.leading, shape_of(of_a));
    const auto found = to_read(unknowns(first));
    const auto result = unknowns(rest);
    BLAS_TRY((multiply<T, T, T>(*handle, gemm_kernel<T>(), left ? left_over : m, left ? n : left_over, count,
                                Factor<T>{nullptr, T(-1)}, left ? part : found, left ? found : part, by,
                                to_read(result), result, 1)));
    by = {nullptr, T(1)};
  }
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t trsm(Handle* handle, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t of_a,
                    cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a, int lda, T* b,
                    int ldb) {
  return trsm_batch<T>(handle, side, fill, of_a, diagonal, m, n, alpha, matrix(a, lda), matrix(b, ldb), 1);
}
template <class T>
cublasStatus_t trsm_list(Handle* handle, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t of_a,
                         cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* const* a, int lda,
                         T* const* b, int ldb, int batches) {
  return trsm_batch<T>(handle, side, fill, of_a, diagonal, m, n, alpha, {nullptr, a, 0, lda, 0},
                       {nullptr, b, 0, ldb, 0}, batches);
}

template <class T>
cublasStatus_t geam(Handle* handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n,
                    const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {
  BLAS_CHECK(handle, is_operation(of_a) && is_operation(of_b) && m >= 0 && n >= 0 &&
                         lda >= std::max(1, transposes(of_a) ? n : m) &&
                         ldb >= std::max(1, transposes(of_b) ? n : m) && ldc >= std::max(1, m) &&
                         alpha != nullptr && beta != nullptr);
  return launch(*handle, KernelName<T>("geam"), {parts(m, kSquare[0]), parts(n, kSquare[1]), 1}, kSquare, m,
                n, factor(*handle, alpha), matrix(a, lda, shape_of(of_a)), factor(*handle, beta),
                matrix(b, ldb, shape_of(of_b)), matrix(c, ldc));
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

#define LEVEL3(S, s, T, Int, _)                                                                            \
  WARPVP_API cublasStatus_t cublas##S##trsm_v2##_(                                                         \
      Handle* h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t of_a,                     \
      cublasDiagType_t diagonal, Int m, Int n, const T* alpha, const T* a, Int lda, T* b, Int ldb) {       \
    return narrowed(trsm<T>, h, side, fill, of_a, diagonal, m, n, alpha, a, lda, b, ldb);                  \
  }                                                                                                        \
  WARPVP_API cublasStatus_t cublas##S##trsmBatched##_(                                                     \
      Handle* h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t of_a,                     \
      cublasDiagType_t diagonal, Int m, Int n, const T* alpha, const T* const a[], Int lda, T* const b[],  \
      Int ldb, Int batches) {                                                                              \
    return narrowed(trsm_list<T>, h, side, fill, of_a, diagonal, m, n, alpha, a, lda, b, ldb, batches);    \
  }                                                                                                        \
  WARPVP_API cublasStatus_t cublas##S##geam##_(Handle* h, cublasOperation_t of_a, cublasOperation_t of_b,  \
                                               Int m, Int n, const T* alpha, const T* a, Int lda,          \
                                               const T* beta, const T* b, Int ldb, T* c, Int ldc) {        \
    return narrowed(geam<T>, h, of_a, of_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                    \
  }                                                                                                        \
  WARPVP_API cublasStatus_t cublas##S##dgmm##_(Handle* h, cublasSideMode_t side, Int m, Int n, const T* a, \
                                               Int lda, const T* x, Int step, T* c, Int ldc) {             \
    return narrowed(dgmm<T>, h, side, m, n, a, lda, x, step, c, ldc);                                      \
  }
BLAS_EACH_TYPE(LEVEL3)

// The first interface.
#define LEGACY(S, s, T)                                                                                  \
  WARPVP_API void cublas##S##trsm(char side, char fill, char of_a, char diagonal, int m, int n, T alpha, \
                                  const T* a, int lda, T* b, int ldb) {                                  \
    call_legacy(trsm<T>, side, fill, of_a, diagonal, m, n, alpha, a, lda, b, ldb);                       \
  }
BLAS_EACH_TYPE_ONCE(LEGACY)
