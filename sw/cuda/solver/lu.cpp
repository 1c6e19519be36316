// LU factors with exchanges of rows, and systems of equations that are solved with them.

#include "sw/cuda/solver/handle.h"

namespace warpvp::cuda::solver {
namespace {

template <class T>
cusolverStatus_t exchange(const Handle& handle, int columns, Dense<T> a, int first, int count,
                          const int* pivots, int step, bool backwards) {
  if (columns == 0 || count == 0) return CUSOLVER_STATUS_SUCCESS;
  return launch_for(handle, KernelName<T>("laswp"), columns, columns, a.at, a.leading, first, count, pivots,
                    step, static_cast<int>(backwards));
}

}  // namespace

// Right-looking: a panel, its exchanges in all other columns, U beside it, what is below.
template <class T>
cusolverStatus_t getrf(Handle& handle, int m, int n, Dense<T> a, int* pivots, int* info) {
  for (int k = 0; k < std::min(m, n); k += kPanel) {
    const int width = std::min(kPanel, std::min(m, n) - k);
    int* const its = pivots ? pivots + k : nullptr;
    SOLVER_TRY(launch(handle, KernelName<T>("getrf_panel"), kOneCta, kThreads, m - k, width, a.from(k, k).at,
                      a.leading, its, k, info));
    const int right = n - k - width, below = m - k - width;
    if (its) {
      SOLVER_TRY(exchange(handle, k, a, k, width, its, 1, false));
      SOLVER_TRY(exchange(handle, right, a.from(0, k + width), k, width, its, 1, false));
    }
    SOLVER_TRY(solve_triangle(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT,
                              width, right, a.from(k, k), a.from(k, k + width)));
    SOLVER_TRY(multiply<T>(handle, below, right, width, -1, a.from(k + width, k), false, a.from(k, k + width),
                           false, 1, a.from(k + width, k + width)));
  }
  return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t getrs(Handle& handle, cublasOperation_t of_a, int n, int columns, Dense<const T> a,
                       const int* pivots, Dense<T> b) {
  const auto solve = [&](cublasFillMode_t fill, cublasDiagType_t diagonal) {
    return solve_triangle(handle, CUBLAS_SIDE_LEFT, fill, of_a, diagonal, n, columns, a, b);
  };
  if (!blas::transposes(of_a)) {
    if (pivots) SOLVER_TRY(exchange(handle, columns, b, 0, n, pivots, 1, false));
    SOLVER_TRY(solve(CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT));
    return solve(CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT);
  }
  SOLVER_TRY(solve(CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT));
  SOLVER_TRY(solve(CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT));
  return pivots ? exchange(handle, columns, b, 0, n, pivots, 1, true) : CUSOLVER_STATUS_SUCCESS;
}

#define BOTH(T)                                                                                        \
  template cusolverStatus_t getrf<T>(Handle&, int, int, Dense<T>, int*, int*);                         \
  template cusolverStatus_t getrs<T>(Handle&, cublasOperation_t, int, int, Dense<const T>, const int*, \
                                     Dense<T>);
BOTH(float)
BOTH(double)

}  // namespace warpvp::cuda::solver

using namespace warpvp::cuda::solver;
namespace blas = warpvp::cuda::blas;

#define LU(S, T)                                                                                            \
  WARPVP_API cusolverStatus_t cusolverDn##S##getrf_bufferSize(Handle* h, int m, int n, T*, int lda,         \
                                                              int* elements) {                              \
    SOLVER_CHECK(h, m >= 0 && n >= 0 && lda >= std::max(1, m) && elements != nullptr);                      \
    *elements = 0;                                                                                          \
    return CUSOLVER_STATUS_SUCCESS;                                                                         \
  }                                                                                                         \
  WARPVP_API cusolverStatus_t cusolverDn##S##getrf(Handle* h, int m, int n, T* a, int lda, T*, int* pivots, \
                                                   int* info) {                                             \
    SOLVER_CHECK(h, m >= 0 && n >= 0 && lda >= std::max(1, m) && info != nullptr);                          \
    SOLVER_TRY(clear(*h, info));                                                                            \
    return getrf<T>(*h, m, n, {a, lda}, pivots, info);                                                      \
  }                                                                                                         \
  WARPVP_API cusolverStatus_t cusolverDn##S##getrs(Handle* h, cublasOperation_t of_a, int n, int columns,   \
                                                   const T* a, int lda, const int* pivots, T* b, int ldb,   \
                                                   int* info) {                                             \
    SOLVER_CHECK(h, blas::is_operation(of_a) && n >= 0 && columns >= 0 && lda >= std::max(1, n) &&          \
                        ldb >= std::max(1, n) && info != nullptr);                                          \
    SOLVER_TRY(clear(*h, info));                                                                            \
    return getrs<T>(*h, of_a, n, columns, {a, lda}, pivots, {b, ldb});                                      \
  }                                                                                                         \
  WARPVP_API cusolverStatus_t cusolverDn##S##laswp(Handle* h, int n, T* a, int lda, int first, int last,    \
                                                   const int* pivots, int step) {                           \
    SOLVER_CHECK(h, n >= 0 && first >= 1 && last >= first - 1 && lda >= last && step != 0);                 \
    const int count = last - first + 1;                                                                     \
    if (step > 0)                                                                                           \
      return exchange(*h, n, Dense<T>{a, lda}, first - 1, count, pivots + first - 1, step, false);          \
    /* A negative step begins with the last one. */                                                         \
    return exchange(*h, n, Dense<T>{a, lda}, first - 1, count, pivots + (first - 1), -step, true);          \
  }
LU(S, float)
LU(D, double)
