// The functions that are named after Jacobi's rotations: eigenvalues of symmetric matrices and singular
// values, alone and in batches. They are computed as those of the other names are.

#include "sw/cuda/solver/handle.h"

namespace warpvp::cuda::solver {
namespace {

cusolverStatus_t read_report(Handle* handle, JacobiInfo* info, int which, double* value) {
  SOLVER_CHECK(handle, info != nullptr && value != nullptr && info->report.address() != 0);
  return status_of(copy_result(value,
                               info->report.address() + static_cast<CUdeviceptr>(which) * sizeof(double),
                               sizeof(double), handle->blas.stream));
}
cusolverStatus_t read_sweeps(Handle* handle, JacobiInfo* info, int* sweeps) {
  double value = 0;
  SOLVER_CHECK(handle, sweeps != nullptr);
  SOLVER_TRY(read_report(handle, info, 1, &value));
  *sweeps = static_cast<int>(value);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t told(const JacobiInfo* info, bool valid) {
  return info == nullptr || !valid ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;
}

/// V^T, and with more columns than rows A^T.
long long gesvdj_work(long long m, long long n) {
  const long long least = std::min(m, n);
  return gesvd_work(std::max(m, n), least) + least * least + (m < n ? m * n : 0);
}
/// A = U S V^T. Of U and V all columns or, with `econ`, as many as values.
template <class T>
cusolverStatus_t gesvdj(Handle& handle, int mode, bool econ, int m, int n, Dense<T> a, T* values, Dense<T> u,
                        Dense<T> v, T* work, int* info, double* report) {
  const int least = std::min(m, n), most = std::max(m, n);
  T* const vt = work + gesvd_work(most, least);
  const Dense<T> none = {nullptr, 1}, room = {vt, std::max(least, 1)};
  const int columns = mode == 0 ? 0 : econ ? least : most;
  if (m >= n) {
    SOLVER_TRY(gesvd<T>(handle, m, n, a, values, mode == 0 ? none : u, columns, mode == 0 ? none : room, work,
                        info, report));
    return mode == 0 ? CUSOLVER_STATUS_SUCCESS : transpose(handle, n, n, room, v);
  }
  // A^T = V S U^T.
  const Dense<T> across = {vt + static_cast<long long>(least) * least, std::max(n, 1)};
  SOLVER_TRY(transpose(handle, m, n, a, across));
  SOLVER_TRY(gesvd<T>(handle, n, m, across, values, mode == 0 ? none : v, columns, mode == 0 ? none : room,
                      work, info, report));
  return mode == 0 ? CUSOLVER_STATUS_SUCCESS : transpose(handle, m, m, room, u);
}
bool fits_gesvdj(int mode, int m, int n, long long lda, long long ldu, long long ldv) {
  return is_mode(mode) && m >= 0 && n >= 0 && lda >= std::max(1, m) &&
         (mode == 0 || (ldu >= std::max(1, m) && ldv >= std::max(1, n)));
}

}  // namespace
}  // namespace warpvp::cuda::solver

using namespace warpvp::cuda::solver;

#define OBJECT(Name, name)                                                                               \
  WARPVP_API cusolverStatus_t cusolverDnCreate##Name##Info(name##Info_t* info) { return make(info); }    \
  WARPVP_API cusolverStatus_t cusolverDnDestroy##Name##Info(name##Info_t info) { return destroy(info); } \
  WARPVP_API cusolverStatus_t cusolverDnX##name##SetTolerance(name##Info_t info, double) {               \
    return told(info, true);                                                                             \
  }                                                                                                      \
  WARPVP_API cusolverStatus_t cusolverDnX##name##SetMaxSweeps(name##Info_t info, int sweeps) {           \
    return told(info, sweeps >= 1);                                                                      \
  }                                                                                                      \
  WARPVP_API cusolverStatus_t cusolverDnX##name##SetSortEig(name##Info_t info, int) {                    \
    return told(info, true);                                                                             \
  }                                                                                                      \
  WARPVP_API cusolverStatus_t cusolverDnX##name##GetResidual(Handle* h, name##Info_t info,               \
                                                             double* residual) {                         \
    return read_report(h, info, 0, residual);                                                            \
  }                                                                                                      \
  WARPVP_API cusolverStatus_t cusolverDnX##name##GetSweeps(Handle* h, name##Info_t info, int* sweeps) {  \
    return read_sweeps(h, info, sweeps);                                                                 \
  }
OBJECT(Syevj, syevj)
OBJECT(Gesvdj, gesvdj)

#define JACOBI(S, T)                                                                                         \
  WARPVP_API cusolverStatus_t cusolverDn##S##syevj_bufferSize(Handle* h, int mode, cublasFillMode_t fill,    \
                                                              int n, const T*, int lda, const T*,            \
                                                              int* elements, syevjInfo_t) {                  \
    SOLVER_CHECK(h, is_mode(mode) && is_fill(fill) && n >= 0 && lda >= std::max(1, n) && elements);          \
    return tell(elements, syev_work(n));                                                                     \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##syevj(Handle* h, int mode, cublasFillMode_t fill, int n, T* a,  \
                                                   int lda, T* values, T* work, int elements, int* info,     \
                                                   syevjInfo_t told) {                                       \
    SOLVER_CHECK(h, is_mode(mode) && is_fill(fill) && n >= 0 && lda >= std::max(1, n) && info &&             \
                        elements >= syev_work(n));                                                           \
    SOLVER_TRY(clear(*h, info));                                                                             \
    return syev<T>(*h, mode, fill, n, {a, lda}, values, work, info, report_of(told));                        \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##syevjBatched_bufferSize(                                        \
      Handle* h, int mode, cublasFillMode_t fill, int n, const T* a, int lda, const T* values,               \
      int* elements, syevjInfo_t told, int batches) {                                                        \
    SOLVER_CHECK(h, batches >= 0);                                                                           \
    return cusolverDn##S##syevj_bufferSize(h, mode, fill, n, a, lda, values, elements, told);                \
  }                                                                                                          \
  /* One after the other, in the same room. */                                                               \
  WARPVP_API cusolverStatus_t cusolverDn##S##syevjBatched(Handle* h, int mode, cublasFillMode_t fill, int n, \
                                                          T* a, int lda, T* values, T* work, int elements,   \
                                                          int* info, syevjInfo_t told, int batches) {        \
    SOLVER_CHECK(h, batches >= 0);                                                                           \
    for (long long i = 0; i < batches; ++i)                                                                  \
      SOLVER_TRY(cusolverDn##S##syevj(h, mode, fill, n, a + i * n * lda, lda, values + i * n, work,          \
                                      elements, info + i, told));                                            \
    return CUSOLVER_STATUS_SUCCESS;                                                                          \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##gesvdj_bufferSize(                                              \
      Handle* h, int mode, int econ, int m, int n, const T*, int lda, const T*, const T*, int ldu, const T*, \
      int ldv, int* elements, gesvdjInfo_t) {                                                                \
    SOLVER_CHECK(h, fits_gesvdj(mode, m, n, lda, ldu, ldv) && elements);                                     \
    return tell(elements, gesvdj_work(m, n));                                                                \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##gesvdj(Handle* h, int mode, int econ, int m, int n, T* a,       \
                                                    int lda, T* values, T* u, int ldu, T* v, int ldv,        \
                                                    T* work, int elements, int* info, gesvdjInfo_t told) {   \
    SOLVER_CHECK(h, fits_gesvdj(mode, m, n, lda, ldu, ldv) && info && elements >= gesvdj_work(m, n));        \
    SOLVER_TRY(clear(*h, info));                                                                             \
    if (m == 0 || n == 0) return CUSOLVER_STATUS_SUCCESS;                                                    \
    return gesvdj<T>(*h, mode, econ != 0, m, n, {a, lda}, values, {u, ldu}, {v, ldv}, work, info,            \
                     report_of(told));                                                                       \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##gesvdjBatched_bufferSize(                                       \
      Handle* h, int mode, int m, int n, const T* a, int lda, const T* values, const T* u, int ldu,          \
      const T* v, int ldv, int* elements, gesvdjInfo_t told, int batches) {                                  \
    SOLVER_CHECK(h, batches >= 0);                                                                           \
    return cusolverDn##S##gesvdj_bufferSize(h, mode, 0, m, n, a, lda, values, u, ldu, v, ldv, elements,      \
                                            told);                                                           \
  }                                                                                                          \
  WARPVP_API cusolverStatus_t cusolverDn##S##gesvdjBatched(                                                  \
      Handle* h, int mode, int m, int n, T* a, int lda, T* values, T* u, int ldu, T* v, int ldv, T* work,    \
      int elements, int* info, gesvdjInfo_t told, int batches) {                                             \
    SOLVER_CHECK(h, batches >= 0);                                                                           \
    for (long long i = 0; i < batches; ++i)                                                                  \
      SOLVER_TRY(cusolverDn##S##gesvdj(h, mode, 0, m, n, a + i * n * lda, lda, values + i * std::min(m, n),  \
                                       u + i * m * ldu, ldu, v + i * n * ldv, ldv, work, elements, info + i, \
                                       told));                                                               \
    return CUSOLVER_STATUS_SUCCESS;                                                                          \
  }
JACOBI(S, float)
JACOBI(D, double)
