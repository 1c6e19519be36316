// LU factors of batches of small matrices.

#include <algorithm>

#include "sw/cuda/blas/handle.h"

using namespace warpvp::cuda::blas;

namespace {

constexpr Grid kBlock = {128, 1, 1};

template <class T>
Matrices<T> list(T* const at[], int leading) {
  return {nullptr, at, 0, leading, 0};
}
Grid one_each(int batches) { return {static_cast<unsigned>(batches), 1, 1}; }

}  // namespace

#define LU(S, T)                                                                                            \
  WARPVP_API cublasStatus_t cublas##S##getrfBatched(Handle* h, int n, T* const a[], int lda, int* pivots,   \
                                                    int* info, int batches) {                               \
    BLAS_CHECK(h, n >= 0 && batches >= 0 && lda >= std::max(1, n));                                         \
    return launch(*h, KernelName<T>("getrf"), one_each(batches), kBlock, n, list<T>(a, lda), pivots, info); \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##getriBatched(Handle* h, int n, const T* const a[], int lda,          \
                                                    const int* pivots, T* const c[], int ldc, int* info,    \
                                                    int batches) {                                          \
    BLAS_CHECK(h, n >= 0 && batches >= 0 && lda >= std::max(1, n) && ldc >= std::max(1, n));                \
    return launch(*h, KernelName<T>("getri"), one_each(batches), kBlock, n, list<const T>(a, lda), pivots,  \
                  list<T>(c, ldc), info);                                                                   \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##getrsBatched(Handle* h, cublasOperation_t of_a, int n, int columns,  \
                                                    const T* const a[], int lda, const int* pivots,         \
                                                    T* const b[], int ldb, int* info, int batches) {        \
    BLAS_CHECK(h, info != nullptr);                                                                         \
    *info = !is_operation(of_a)    ? -1                                                                     \
            : n < 0                ? -2                                                                     \
            : columns < 0          ? -3                                                                     \
            : lda < std::max(1, n) ? -5                                                                     \
            : ldb < std::max(1, n) ? -8                                                                     \
            : batches < 0          ? -10                                                                    \
                                   : 0;                                                                              \
    if (*info != 0) return CUBLAS_STATUS_INVALID_VALUE;                                                     \
    return launch(*h, KernelName<T>("getrs"), one_each(batches), kBlock, n, columns, list<const T>(a, lda), \
                  pivots, list<T>(b, ldb), static_cast<int>(transposes(of_a)));                             \
  }
LU(S, float)
LU(D, double)
