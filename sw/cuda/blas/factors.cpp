// LU and QR factors of batches of small matrices, and what is solved with them.

#include <algorithm>

#include "sw/cuda/blas/handle.h"

using namespace warpvp::cuda::blas;

namespace {

constexpr Grid kBlock = {128, 1, 1};
constexpr Grid kReducing = {256, 1, 1};  // kCta of the kernels

template <class T>
Matrices<T> list(T* const at[], int leading) {
  return {nullptr, at, 0, leading, 0};
}
Grid one_each(int batches) { return {static_cast<unsigned>(batches), 1, 1}; }
bool is_order(int n, int leading) { return n >= 0 && leading >= std::max(1, n); }

/// `info`, on the host: which argument is wrong, counted from 1 on and negative, or 0. A rule is a place and
/// whether it is kept.
cublasStatus_t look(int* info, std::initializer_list<std::pair<int, bool>> rules) {
  if (info == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *info = 0;
  for (const auto& [place, kept] : rules) {
    if (kept) continue;
    *info = -place;
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t matinv(Handle* handle, int n, const T* const a[], int lda, T* const c[], int ldc, int* info,
                      int batches) {
  constexpr int kGreatest = 32;
  BLAS_CHECK(handle, n <= kGreatest && is_order(n, lda) && is_order(n, ldc) && batches >= 0);
  return launch(*handle, KernelName<T>("matinv"), one_each(batches), kBlock, n, list<const T>(a, lda),
                list<T>(c, ldc), info);
}
template <class T>
cublasStatus_t geqrf(Handle* handle, int m, int n, T* const a[], int lda, T* const taus[], int* info,
                     int batches) {
  BLAS_CHECK(handle, true);
  BLAS_TRY(look(info, {{1, m >= 0}, {2, n >= 0}, {4, lda >= std::max(1, m)}, {7, batches >= 0}}));
  return launch(*handle, KernelName<T>("geqrf"), one_each(batches), kReducing, m, n, list<T>(a, lda), taus);
}
/// Of matrices with at least as many rows as columns.
template <class T>
cublasStatus_t gels(Handle* handle, cublasOperation_t of_a, int m, int n, int columns, T* const a[], int lda,
                    T* const c[], int ldc, int* info, int* info_of_each, int batches) {
  BLAS_CHECK(handle, true);
  if (is_operation(of_a) && (of_a != CUBLAS_OP_N || (n >= 0 && m < n))) return CUBLAS_STATUS_NOT_SUPPORTED;
  BLAS_TRY(look(info, {{1, of_a == CUBLAS_OP_N},
                       {2, m >= 0},
                       {3, n >= 0},
                       {4, columns >= 0},
                       {6, lda >= std::max(1, m)},
                       {8, ldc >= std::max(1, m)},
                       {11, batches >= 0}}));
  return launch(*handle, KernelName<T>("gels"), one_each(batches), kReducing, m, n, columns, list<T>(a, lda),
                list<T>(c, ldc), info_of_each);
}

}  // namespace

#define FACTORS(S, T)                                                                                       \
  WARPVP_API cublasStatus_t cublas##S##getrfBatched(Handle* h, int n, T* const a[], int lda, int* pivots,   \
                                                    int* info, int batches) {                               \
    BLAS_CHECK(h, is_order(n, lda) && batches >= 0);                                                        \
    return launch(*h, KernelName<T>("getrf"), one_each(batches), kBlock, n, list<T>(a, lda), pivots, info); \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##getriBatched(Handle* h, int n, const T* const a[], int lda,          \
                                                    const int* pivots, T* const c[], int ldc, int* info,    \
                                                    int batches) {                                          \
    BLAS_CHECK(h, is_order(n, lda) && is_order(n, ldc) && batches >= 0);                                    \
    return launch(*h, KernelName<T>("getri"), one_each(batches), kBlock, n, list<const T>(a, lda), pivots,  \
                  list<T>(c, ldc), info);                                                                   \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##getrsBatched(Handle* h, cublasOperation_t of_a, int n, int columns,  \
                                                    const T* const a[], int lda, const int* pivots,         \
                                                    T* const b[], int ldb, int* info, int batches) {        \
    BLAS_CHECK(h, true);                                                                                    \
    BLAS_TRY(look(info, {{1, is_operation(of_a)},                                                           \
                         {2, n >= 0},                                                                       \
                         {3, columns >= 0},                                                                 \
                         {5, lda >= std::max(1, n)},                                                        \
                         {8, ldb >= std::max(1, n)},                                                        \
                         {10, batches >= 0}}));                                                             \
    return launch(*h, KernelName<T>("getrs"), one_each(batches), kBlock, n, columns, list<const T>(a, lda), \
                  pivots, list<T>(b, ldb), shape_of(of_a));                                                 \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##matinvBatched(Handle* h, int n, const T* const a[], int lda,         \
                                                     T* const c[], int ldc, int* info, int batches) {       \
    return matinv(h, n, a, lda, c, ldc, info, batches);                                                     \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##geqrfBatched(Handle* h, int m, int n, T* const a[], int lda,         \
                                                    T* const taus[], int* info, int batches) {              \
    return geqrf(h, m, n, a, lda, taus, info, batches);                                                     \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublas##S##gelsBatched(Handle* h, cublasOperation_t of_a, int m, int n,         \
                                                   int columns, T* const a[], int lda, T* const c[],        \
                                                   int ldc, int* info, int* info_of_each, int batches) {    \
    return gels(h, of_a, m, n, columns, a, lda, c, ldc, info, info_of_each, batches);                       \
  }
FACTORS(S, float)
FACTORS(D, double)
FACTORS(C, ComplexFloat)
FACTORS(Z, ComplexDouble)
