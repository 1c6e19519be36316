// Some of the eigenvalues of a symmetric matrix, and those of A x = lambda B x and its like, with a B that is
// positive definite (LAPACK's sygst: by B's Cholesky factor the problem becomes that of one matrix).

#include <vector>

#include "sw/cuda/solver/handle.h"

namespace warpvp::cuda::solver {
namespace {

enum Range : int { kAllOfThem = 1001, kByPlace = 1002, kByValue = 1003 };
/// Which of the values are wanted: those of places from il to iu, from 1 on, or between vl (not itself) and
/// vu.
struct Wanted {
  int range;
  double vl, vu;
  int il, iu;
  bool valid(int n) const {
    if (range == kByPlace) return n == 0 || (1 <= il && il <= iu && iu <= n);
    return range == kAllOfThem || (range == kByValue && vl < vu);
  }
};

template <class T>
CUdeviceptr address(T* at) {
  return reinterpret_cast<CUdeviceptr>(at);
}
/// Of `values`, all n of them in ascending order, and of columns of `vectors`, if any, those wanted come
/// first. `found`, on the host: how many.
template <class T>
cusolverStatus_t select(Handle& handle, const Wanted& wanted, int n, T* values, Dense<T> vectors,
                        int* found) {
  int first = 0;
  *found = n;
  if (wanted.range == kByPlace && n > 0) {
    first = wanted.il - 1;
    *found = wanted.iu - first;
  } else if (wanted.range == kByValue) {
    std::vector<T> all(static_cast<std::size_t>(n));
    SOLVER_TRY(
        status_of(copy_result(all.data(), address(values), all.size() * sizeof(T), handle.blas.stream)));
    const auto within = [&](double bound) {
      return static_cast<int>(std::upper_bound(all.begin(), all.end(), bound,
                                               [](double b, T v) { return b < static_cast<double>(v); }) -
                              all.begin());
    };
    first = within(wanted.vl);
    *found = within(wanted.vu) - first;
  }
  if (first == 0) return CUSOLVER_STATUS_SUCCESS;
  // Towards the front, one by one: pieces would overlap.
  for (int k = 0; k < *found; ++k) {
    SOLVER_TRY(status_of(cuMemcpyDtoDAsync_v2(address(values + k), address(values + first + k), sizeof(T),
                                              handle.blas.stream)));
    if (vectors.at != nullptr)
      SOLVER_TRY(status_of(
          cuMemcpyDtoDAsync_v2(address(vectors.from(0, k).at), address(vectors.from(0, first + k).at),
                               static_cast<std::size_t>(n) * sizeof(T), handle.blas.stream)));
  }
  return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t syevdx(Handle& handle, int mode, const Wanted& wanted, cublasFillMode_t fill, int n,
                        Dense<T> a, int* found, T* values, T* work, int* info) {
  SOLVER_TRY(clear(handle, info));
  SOLVER_TRY(syev<T>(handle, mode, fill, n, a, values, work, info));
  return select(handle, wanted, n, values, mode == 1 ? a : Dense<T>{nullptr, 1}, found);
}

/// `type` 1: A x = lambda B x, 2: A B x = lambda x, 3: B A x = lambda x. B becomes its factor, A the vectors.
/// `info`: n plus the order of B's first minor that is not positive definite, where there is one.
template <class T>
cusolverStatus_t sygvd(Handle& handle, int type, int mode, cublasFillMode_t fill, int n, Dense<T> a,
                       Dense<T> b, T* values, T* work, int* info, double* report = nullptr) {
  SOLVER_TRY(clear(handle, info));
  if (n == 0) return CUSOLVER_STATUS_SUCCESS;
  SOLVER_TRY(potrf<T>(handle, fill, n, b, info));
  int failed = 0;
  SOLVER_TRY(status_of(copy_result(&failed, address(info), sizeof failed, handle.blas.stream)));
  if (failed != 0) {
    failed += n;
    return status_of(cuMemcpyHtoD_v2(address(info), &failed, sizeof failed));
  }
  const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
  SOLVER_TRY(launch_for(handle, KernelName<T>("mirror"), static_cast<long long>(n) * n, n, a.at, a.leading,
                        static_cast<int>(lower)));
  // With B = L L^T or U^T U: inv(L) A inv(L)^T and inv(U)^T A inv(U), or L^T A L and U A U^T.
  const auto first = lower == (type == 1) ? CUBLAS_OP_N : CUBLAS_OP_T;
  const auto second = first == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
  const auto change = [&](cublasSideMode_t side, cublasOperation_t of_b, bool divides) {
    return divides ? solve_triangle(handle, side, fill, of_b, CUBLAS_DIAG_NON_UNIT, n, n, b, a)
                   : multiply_triangle(handle, side, fill, of_b, n, n, b, a);
  };
  SOLVER_TRY(change(CUBLAS_SIDE_LEFT, first, type == 1));
  SOLVER_TRY(change(CUBLAS_SIDE_RIGHT, second, type == 1));
  SOLVER_TRY(syev<T>(handle, mode, fill, n, a, values, work, info, report));
  if (mode == 0) return CUSOLVER_STATUS_SUCCESS;
  // x = inv(L)^T y or inv(U) y; of the third type L y or U^T y.
  const auto back = lower == (type == 3) ? CUBLAS_OP_N : CUBLAS_OP_T;
  return change(CUBLAS_SIDE_LEFT, back, type != 3);
}
bool is_type(int type) { return type >= 1 && type <= 3; }
bool fits(int mode, cublasFillMode_t fill, int n, int lda) {
  return is_mode(mode) && is_fill(fill) && n >= 0 && lda >= std::max(1, n);
}

}  // namespace
}  // namespace warpvp::cuda::solver

using namespace warpvp::cuda::solver;

#define GENERALIZED(S, T)                                                                                    \
  WARPVP_API cusolverStatus_t cusolverDn##S##syevdx_bufferSize(                                              \
      Handle* h, int mode, int range, cublasFillMode_t fill, int n, const T*, int lda, T vl, T vu, int il,   \
      int iu, int* found, const T*, int* elements) {                                                         \
    SOLVER_CHECK(h, fits(mode, fill, n, lda) && (Wanted{range, vl, vu, il, iu}).valid(n) && elements);       \
    if (found != nullptr) *found = range == kByPlace ? iu - il + 1 : n;                                      \
    return tell(elements, syev_work(n));                                                                     \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##syevdx(                                                         \
      Handle* h, int mode, int range, cublasFillMode_t fill, int n, T* a, int lda, T vl, T vu, int il,       \
      int iu, int* found, T* values, T* work, int elements, int* info) {                                     \
    const Wanted wanted = {range, vl, vu, il, iu};                                                           \
    SOLVER_CHECK(h,                                                                                          \
                 fits(mode, fill, n, lda) && wanted.valid(n) && found && info && elements >= syev_work(n));  \
    return syevdx<T>(*h, mode, wanted, fill, n, {a, lda}, found, values, work, info);                        \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##sygvd_bufferSize(                                               \
      Handle* h, int type, int mode, cublasFillMode_t fill, int n, const T*, int lda, const T*, int ldb,     \
      const T*, int* elements) {                                                                             \
    SOLVER_CHECK(h, is_type(type) && fits(mode, fill, n, lda) && ldb >= std::max(1, n) && elements);         \
    return tell(elements, syev_work(n));                                                                     \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##sygvd(Handle* h, int type, int mode, cublasFillMode_t fill,     \
                                                   int n, T* a, int lda, T* b, int ldb, T* values, T* work,  \
                                                   int elements, int* info) {                                \
    SOLVER_CHECK(h, is_type(type) && fits(mode, fill, n, lda) && ldb >= std::max(1, n) && info &&            \
                        elements >= syev_work(n));                                                           \
    return sygvd<T>(*h, type, mode, fill, n, {a, lda}, {b, ldb}, values, work, info);                        \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##sygvj_bufferSize(                                               \
      Handle* h, int type, int mode, cublasFillMode_t fill, int n, const T* a, int lda, const T* b, int ldb, \
      const T* values, int* elements, syevjInfo_t) {                                                         \
    return cusolverDn##S##sygvd_bufferSize(h, type, mode, fill, n, a, lda, b, ldb, values, elements);        \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##sygvj(Handle* h, int type, int mode, cublasFillMode_t fill,     \
                                                   int n, T* a, int lda, T* b, int ldb, T* values, T* work,  \
                                                   int elements, int* info, syevjInfo_t told) {              \
    SOLVER_CHECK(h, is_type(type) && fits(mode, fill, n, lda) && ldb >= std::max(1, n) && info &&            \
                        elements >= syev_work(n));                                                           \
    return sygvd<T>(*h, type, mode, fill, n, {a, lda}, {b, ldb}, values, work, info, report_of(told));       \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##sygvdx_bufferSize(                                              \
      Handle* h, int type, int mode, int range, cublasFillMode_t fill, int n, const T*, int lda, const T*,   \
      int ldb, T vl, T vu, int il, int iu, int* found, const T*, int* elements) {                            \
    SOLVER_CHECK(h, is_type(type) && ldb >= std::max(1, n));                                                 \
    return cusolverDn##S##syevdx_bufferSize(h, mode, range, fill, n, nullptr, lda, vl, vu, il, iu, found,    \
                                            nullptr, elements);                                              \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##sygvdx(                                                         \
      Handle* h, int type, int mode, int range, cublasFillMode_t fill, int n, T* a, int lda, T* b, int ldb,  \
      T vl, T vu, int il, int iu, int* found, T* values, T* work, int elements, int* info) {                 \
    const Wanted wanted = {range, vl, vu, il, iu};                                                           \
    SOLVER_CHECK(h, is_type(type) && fits(mode, fill, n, lda) && ldb >= std::max(1, n) && wanted.valid(n) && \
                        found && info && elements >= syev_work(n));                                          \
    SOLVER_TRY(sygvd<T>(*h, type, mode, fill, n, {a, lda}, {b, ldb}, values, work, info));                   \
    return select(*h, wanted, n, values, mode == 1 ? Dense<T>{a, lda} : Dense<T>{nullptr, 1}, found);        \
  }
GENERALIZED(S, float)
GENERALIZED(D, double)
