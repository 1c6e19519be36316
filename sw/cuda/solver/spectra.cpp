// Eigenvalues of symmetric matrices, and singular values.

#include "sw/cuda/solver/handle.h"

namespace warpvp::cuda::solver {

template <class T>
cusolverStatus_t syev(Handle& handle, int mode, cublasFillMode_t fill, int n, Dense<T> a, T* values, T* work,
                      int* info, double* report) {
  if (n == 0) return CUSOLVER_STATUS_SUCCESS;
  return launch(handle, KernelName<T>("syev"), kOneCta, kThreads, n, a.at, a.leading, values, work, mode,
                static_cast<int>(fill == CUBLAS_FILL_MODE_LOWER), info, report);
}
template cusolverStatus_t syev<float>(Handle&, int, cublasFillMode_t, int, Dense<float>, float*, float*, int*,
                                      double*);
template cusolverStatus_t syev<double>(Handle&, int, cublasFillMode_t, int, Dense<double>, double*, double*,
                                       int*, double*);

/// Of gesvd: V, U, the reflectors that complete U and their room, V^T.
long long gesvd_work(long long m, long long n) {
  return 2 * n * n + 2 * n + 2 * m * n + n + panel_work(m, m);
}

template <class T>
cusolverStatus_t gesvd(Handle& handle, int m, int n, Dense<T> a, T* values, Dense<T> u, int u_columns,
                       Dense<T> vt, T* work, int* info, double* report) {
  if (n == 0) return CUSOLVER_STATUS_SUCCESS;
  T* const known = work + static_cast<long long>(n) * n + 2 * n;
  SOLVER_TRY(launch(handle, KernelName<T>("svd"), kOneCta, kThreads, m, n, a.at, a.leading, values, known,
                    vt.at, vt.leading, work, info, report));
  if (u_columns == 0) return CUSOLVER_STATUS_SUCCESS;
  // Q of U's known columns has the same up to signs, and vectors at right angles to them in place of the
  // others.
  const Dense<T> vectors = {known + static_cast<long long>(m) * n, m};
  T* const tau = vectors.at + static_cast<long long>(m) * n;
  SOLVER_TRY(status_of(cuMemcpyDtoDAsync_v2(
      reinterpret_cast<CUdeviceptr>(vectors.at), reinterpret_cast<CUdeviceptr>(known),
      static_cast<std::size_t>(m) * static_cast<std::size_t>(n) * sizeof(T), handle.blas.stream)));
  SOLVER_TRY(geqrf<T>(handle, m, n, vectors, tau, tau + n));
  SOLVER_TRY(launch_for(handle, KernelName<T>("identity"), static_cast<long long>(m) * u_columns,
                        static_cast<long long>(m), static_cast<long long>(u_columns), u.at, u.leading));
  SOLVER_TRY(ormqr<T>(handle, false, false, m, u_columns, n, vectors, tau, u, tau + n));
  return launch(handle, KernelName<T>("put_known"), {static_cast<unsigned>(n), 1, 1}, kThreads,
                static_cast<long long>(m), static_cast<const T*>(known), u.at, u.leading);
}

template cusolverStatus_t gesvd<float>(Handle&, int, int, Dense<float>, float*, Dense<float>, int,
                                       Dense<float>, float*, int*, double*);
template cusolverStatus_t gesvd<double>(Handle&, int, int, Dense<double>, double*, Dense<double>, int,
                                        Dense<double>, double*, int*, double*);

namespace {

bool is_job(signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; }

}  // namespace
}  // namespace warpvp::cuda::solver

using namespace warpvp::cuda::solver;

#define SPECTRA(S, T)                                                                                       \
  WARPVP_API cusolverStatus_t cusolverDn##S##syevd_bufferSize(                                              \
      Handle* h, int mode, cublasFillMode_t fill, int n, const T*, int lda, const T*, int* elements) {      \
    SOLVER_CHECK(h,                                                                                         \
                 is_mode(mode) && is_fill(fill) && n >= 0 && lda >= std::max(1, n) && elements != nullptr); \
    return tell(elements, syev_work(n));                                                                    \
  }                                                                                                         \
  WARPVP_API cusolverStatus_t cusolverDn##S##syevd(Handle* h, int mode, cublasFillMode_t fill, int n, T* a, \
                                                   int lda, T* values, T* work, int elements, int* info) {  \
    SOLVER_CHECK(h, is_mode(mode) && is_fill(fill) && n >= 0 && lda >= std::max(1, n) && info != nullptr && \
                        elements >= syev_work(n));                                                          \
    SOLVER_TRY(clear(*h, info));                                                                            \
    return syev<T>(*h, mode, fill, n, {a, lda}, values, work, info);                                        \
  }                                                                                                         \
  WARPVP_API cusolverStatus_t cusolverDn##S##gesvd_bufferSize(Handle* h, int m, int n, int* elements) {     \
    SOLVER_CHECK(h, n >= 0 && m >= n && elements != nullptr);                                               \
    return tell(elements, gesvd_work(m, n));                                                                \
  }                                                                                                         \
  /* As NVIDIA's, for at least as many rows as columns. */                                                  \
  WARPVP_API cusolverStatus_t cusolverDn##S##gesvd(Handle* h, signed char job_u, signed char job_vt, int m, \
                                                   int n, T* a, int lda, T* values, T* u, int ldu, T* vt,   \
                                                   int ldvt, T* work, int elements, T*, int* info) {        \
    const bool makes_u = job_u == 'A' || job_u == 'S', makes_vt = job_vt == 'A' || job_vt == 'S';           \
    SOLVER_CHECK(h, is_job(job_u) && is_job(job_vt) && (job_u != 'O' || job_vt != 'O') && n >= 0 &&         \
                        m >= n && lda >= std::max(1, m) && (!makes_u || ldu >= std::max(1, m)) &&           \
                        (!makes_vt || ldvt >= std::max(1, n)) && info != nullptr &&                         \
                        elements >= gesvd_work(m, n));                                                      \
    SOLVER_TRY(clear(*h, info));                                                                            \
    const int columns = job_u == 'A' ? m : job_u == 'N' ? 0 : n;                                            \
    /* Whichever takes A's place has it when A is not read any more: U comes from the room, V^T goes by it. \
     */                                                                                                     \
    T* const room_vt = work + gesvd_work(m, n) - static_cast<long long>(n) * n;                             \
    const Dense<T> into_u = job_u == 'O' ? Dense<T>{a, lda} : Dense<T>{u, ldu};                             \
    const Dense<T> into_vt = makes_vt        ? Dense<T>{vt, ldvt}                                           \
                             : job_vt == 'O' ? Dense<T>{room_vt, n}                                         \
                                             : Dense<T>{nullptr, 1};                                        \
    SOLVER_TRY(gesvd<T>(*h, m, n, {a, lda}, values, into_u, columns, into_vt, work, info));                 \
    if (job_vt != 'O') return CUSOLVER_STATUS_SUCCESS;                                                      \
    for (int j = 0; j < n; ++j)                                                                             \
      SOLVER_TRY(status_of(                                                                                 \
          cuMemcpyDtoDAsync_v2(reinterpret_cast<CUdeviceptr>(a + static_cast<long long>(j) * lda),          \
                               reinterpret_cast<CUdeviceptr>(room_vt + static_cast<long long>(j) * n),      \
                               static_cast<std::size_t>(n) * sizeof(T), h->blas.stream)));                  \
    return CUSOLVER_STATUS_SUCCESS;                                                                         \
  }
SPECTRA(S, float)
SPECTRA(D, double)
