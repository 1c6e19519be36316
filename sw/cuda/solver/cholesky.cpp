// Cholesky factors, and systems of equations that are solved with them.

#include "sw/cuda/solver/handle.h"

namespace warpvp::cuda::solver {

// Right-looking: a block of the diagonal, what is below (or to the right), what that takes from the rest.
template <class T>
cusolverStatus_t potrf(Handle& handle, cublasFillMode_t fill, int n, Dense<T> a, int* info) {
  const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
  for (int k = 0; k < n; k += kPanel) {
    const int width = std::min(kPanel, n - k), rest = n - k - width, next = k + width;
    SOLVER_TRY(launch(handle, KernelName<T>("potrf_block"), kOneCta, kThreads, width, a.from(k, k).at,
                      a.leading, static_cast<int>(lower), k, info));
    const Dense<T> beside = lower ? a.from(next, k) : a.from(k, next);
    SOLVER_TRY(solve_triangle(handle, lower ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, fill, CUBLAS_OP_T,
                              CUBLAS_DIAG_NON_UNIT, lower ? rest : width, lower ? width : rest, a.from(k, k),
                              beside));
    SOLVER_TRY(take_squares(handle, fill, lower ? CUBLAS_OP_N : CUBLAS_OP_T, rest, width, beside,
                            a.from(next, next)));
  }
  return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t potrs(Handle& handle, cublasFillMode_t fill, int n, int columns, Dense<const T> a,
                       Dense<T> b) {
  const auto solve = [&](cublasOperation_t of_a) {
    return solve_triangle(handle, CUBLAS_SIDE_LEFT, fill, of_a, CUBLAS_DIAG_NON_UNIT, n, columns, a, b);
  };
  const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
  SOLVER_TRY(solve(lower ? CUBLAS_OP_N : CUBLAS_OP_T));
  return solve(lower ? CUBLAS_OP_T : CUBLAS_OP_N);
}

#define BOTH(T)                                                                       \
  template cusolverStatus_t potrf<T>(Handle&, cublasFillMode_t, int, Dense<T>, int*); \
  template cusolverStatus_t potrs<T>(Handle&, cublasFillMode_t, int, int, Dense<const T>, Dense<T>);
BOTH(float)
BOTH(double)

}  // namespace warpvp::cuda::solver

using namespace warpvp::cuda::solver;

#define CHOLESKY(S, T)                                                                                      \
  WARPVP_API cusolverStatus_t cusolverDn##S##potrf_bufferSize(Handle* h, cublasFillMode_t fill, int n, T*,  \
                                                              int lda, int* elements) {                     \
    SOLVER_CHECK(h, is_fill(fill) && n >= 0 && lda >= std::max(1, n) && elements != nullptr);               \
    *elements = 0;                                                                                          \
    return CUSOLVER_STATUS_SUCCESS;                                                                         \
  }                                                                                                         \
  WARPVP_API cusolverStatus_t cusolverDn##S##potrf(Handle* h, cublasFillMode_t fill, int n, T* a, int lda,  \
                                                   T*, int, int* info) {                                    \
    SOLVER_CHECK(h, is_fill(fill) && n >= 0 && lda >= std::max(1, n) && info != nullptr);                   \
    SOLVER_TRY(clear(*h, info));                                                                            \
    return potrf<T>(*h, fill, n, {a, lda}, info);                                                           \
  }                                                                                                         \
  WARPVP_API cusolverStatus_t cusolverDn##S##potrs(Handle* h, cublasFillMode_t fill, int n, int columns,    \
                                                   const T* a, int lda, T* b, int ldb, int* info) {         \
    SOLVER_CHECK(h, is_fill(fill) && n >= 0 && columns >= 0 && lda >= std::max(1, n) &&                     \
                        ldb >= std::max(1, n) && info != nullptr);                                          \
    SOLVER_TRY(clear(*h, info));                                                                            \
    return potrs<T>(*h, fill, n, columns, {a, lda}, {b, ldb});                                              \
  }                                                                                                         \
  WARPVP_API cusolverStatus_t cusolverDn##S##potrfBatched(Handle* h, cublasFillMode_t fill, int n, T* a[],  \
                                                          int lda, int* info, int batches) {                \
    SOLVER_CHECK(h, is_fill(fill) && n >= 0 && lda >= std::max(1, n) && batches >= 0 && info != nullptr);   \
    return launch(*h, KernelName<T>("potrf_each"), {static_cast<unsigned>(batches), 1, 1}, kThreads, n, a,  \
                  static_cast<long long>(lda), static_cast<int>(fill == CUBLAS_FILL_MODE_LOWER), info);     \
  }                                                                                                         \
  /* As NVIDIA's, with one column each. */                                                                  \
  WARPVP_API cusolverStatus_t cusolverDn##S##potrsBatched(Handle* h, cublasFillMode_t fill, int n,          \
                                                          int columns, T* a[], int lda, T* b[], int ldb,    \
                                                          int* info, int batches) {                         \
    SOLVER_CHECK(h, is_fill(fill) && n >= 0 && columns == 1 && lda >= std::max(1, n) &&                     \
                        ldb >= std::max(1, n) && batches >= 0 && info != nullptr);                          \
    SOLVER_TRY(clear(*h, info));                                                                            \
    const T one = 1;                                                                                        \
    for (const bool first : {true, false}) {                                                                \
      const bool across = (fill == CUBLAS_FILL_MODE_LOWER) != first;                                        \
      SOLVER_TRY(status_of(cublas##S##trsmBatched(&h->blas, CUBLAS_SIDE_LEFT, fill,                         \
                                                  across ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, \
                                                  n, columns, &one, a, lda, b, ldb, batches)));             \
    }                                                                                                       \
    return CUSOLVER_STATUS_SUCCESS;                                                                         \
  }
extern "C" {
cublasStatus_t cublasStrsmBatched(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,
                                  cublasDiagType_t, int, int, const float*, const float* const[], int,
                                  float* const[], int, int);
cublasStatus_t cublasDtrsmBatched(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,
                                  cublasDiagType_t, int, int, const double*, const double* const[], int,
                                  double* const[], int, int);
}
CHOLESKY(S, float)
CHOLESKY(D, double)
