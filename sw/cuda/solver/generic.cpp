// The same functions with sizes of 64 bits and types that are told: cusolverDnX... of CUDA 11.1 and later.

#include "sw/cuda/solver/handle.h"

namespace warpvp::cuda::solver {
namespace {

using Size = std::int64_t;
constexpr Size kMostRows = 0x7fffffff;  // that kernels count

/// Both sizes, none beyond what kernels count.
bool are_sizes(Size m, Size n, Size leading) {
  return m >= 0 && n >= 0 && leading >= std::max<Size>(1, m) && std::max({m, n, leading}) <= kMostRows;
}

/// Calls `f` with a value of the type, which all of these are.
template <class F>
cusolverStatus_t with_type(cudaDataType a, cudaDataType b, F&& f) {
  if (a != b) return CUSOLVER_STATUS_NOT_SUPPORTED;
  if (a == CUDA_R_32F) return f(float());
  if (a == CUDA_R_64F) return f(double());
  return CUSOLVER_STATUS_NOT_SUPPORTED;
}
cusolverStatus_t no_room(std::size_t* on_device, std::size_t* on_host) {
  *on_device = *on_host = 0;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace
}  // namespace warpvp::cuda::solver

using namespace warpvp::cuda::solver;
namespace blas = warpvp::cuda::blas;

WARPVP_API cusolverStatus_t cusolverDnXgetrf_bufferSize(Handle* h, cusolverDnParams_t, Size m, Size n,
                                                        cudaDataType, const void*, Size lda, cudaDataType,
                                                        std::size_t* on_device, std::size_t* on_host) {
  SOLVER_CHECK(h, are_sizes(m, n, lda) && on_device && on_host);
  return no_room(on_device, on_host);
}
WARPVP_API cusolverStatus_t cusolverDnXgetrf(Handle* h, cusolverDnParams_t, Size m, Size n, cudaDataType type,
                                             void* a, Size lda, Size* pivots, cudaDataType computed_in, void*,
                                             std::size_t, void*, std::size_t, int* info) {
  SOLVER_CHECK(h, are_sizes(m, n, lda) && info);
  const auto count = static_cast<int>(std::min(m, n));
  if (pivots) SOLVER_TRY(status_of(h->pivots.get(static_cast<std::size_t>(count) * sizeof(int))));
  int* const narrow = pivots ? h->pivots.as<int>() : nullptr;
  SOLVER_TRY(clear(*h, info));
  SOLVER_TRY(with_type(type, computed_in, [&](auto of) {
    using T = decltype(of);
    return getrf<T>(*h, static_cast<int>(m), static_cast<int>(n), {static_cast<T*>(a), lda}, narrow, info);
  }));
  if (pivots == nullptr || count == 0) return CUSOLVER_STATUS_SUCCESS;
  return launch_for(*h, "widen", count, count, static_cast<const int*>(narrow), pivots);
}
WARPVP_API cusolverStatus_t cusolverDnXgetrs(Handle* h, cusolverDnParams_t, cublasOperation_t of_a, Size n,
                                             Size columns, cudaDataType type, const void* a, Size lda,
                                             const Size* pivots, cudaDataType type_b, void* b, Size ldb,
                                             int* info) {
  SOLVER_CHECK(h,
               blas::is_operation(of_a) && are_sizes(n, columns, lda) && are_sizes(n, columns, ldb) && info);
  const auto count = static_cast<int>(n);
  if (pivots && count != 0) {
    SOLVER_TRY(status_of(h->pivots.get(static_cast<std::size_t>(count) * sizeof(int))));
    SOLVER_TRY(launch_for(*h, "narrow", count, count, pivots, h->pivots.as<int>()));
  }
  const int* const narrow = pivots ? h->pivots.as<int>() : nullptr;
  SOLVER_TRY(clear(*h, info));
  return with_type(type, type_b, [&](auto of) {
    using T = decltype(of);
    return getrs<T>(*h, of_a, count, static_cast<int>(columns), {static_cast<const T*>(a), lda}, narrow,
                    {static_cast<T*>(b), ldb});
  });
}

WARPVP_API cusolverStatus_t cusolverDnXpotrf_bufferSize(Handle* h, cusolverDnParams_t, cublasFillMode_t fill,
                                                        Size n, cudaDataType, const void*, Size lda,
                                                        cudaDataType, std::size_t* on_device,
                                                        std::size_t* on_host) {
  SOLVER_CHECK(h, is_fill(fill) && are_sizes(n, n, lda) && on_device && on_host);
  return no_room(on_device, on_host);
}
WARPVP_API cusolverStatus_t cusolverDnXpotrf(Handle* h, cusolverDnParams_t, cublasFillMode_t fill, Size n,
                                             cudaDataType type, void* a, Size lda, cudaDataType computed_in,
                                             void*, std::size_t, void*, std::size_t, int* info) {
  SOLVER_CHECK(h, is_fill(fill) && are_sizes(n, n, lda) && info);
  SOLVER_TRY(clear(*h, info));
  return with_type(type, computed_in, [&](auto of) {
    using T = decltype(of);
    return potrf<T>(*h, fill, static_cast<int>(n), {static_cast<T*>(a), lda}, info);
  });
}
WARPVP_API cusolverStatus_t cusolverDnXpotrs(Handle* h, cusolverDnParams_t, cublasFillMode_t fill, Size n,
                                             Size columns, cudaDataType type, const void* a, Size lda,
                                             cudaDataType type_b, void* b, Size ldb, int* info) {
  SOLVER_CHECK(h, is_fill(fill) && are_sizes(n, columns, lda) && are_sizes(n, columns, ldb) && info);
  SOLVER_TRY(clear(*h, info));
  return with_type(type, type_b, [&](auto of) {
    using T = decltype(of);
    return potrs<T>(*h, fill, static_cast<int>(n), static_cast<int>(columns), {static_cast<const T*>(a), lda},
                    {static_cast<T*>(b), ldb});
  });
}

WARPVP_API cusolverStatus_t cusolverDnXgeqrf_bufferSize(Handle* h, cusolverDnParams_t, Size m, Size n,
                                                        cudaDataType type, const void*, Size lda,
                                                        cudaDataType type_tau, const void*, cudaDataType,
                                                        std::size_t* on_device, std::size_t* on_host) {
  SOLVER_CHECK(h, are_sizes(m, n, lda) && on_device && on_host);
  *on_host = 0;
  return with_type(type, type_tau, [&](auto of) {
    *on_device = static_cast<std::size_t>(panel_work(m, n)) * sizeof of;
    return CUSOLVER_STATUS_SUCCESS;
  });
}
WARPVP_API cusolverStatus_t cusolverDnXgeqrf(Handle* h, cusolverDnParams_t, Size m, Size n, cudaDataType type,
                                             void* a, Size lda, cudaDataType type_tau, void* tau,
                                             cudaDataType, void* work, std::size_t bytes, void*, std::size_t,
                                             int* info) {
  SOLVER_CHECK(h, are_sizes(m, n, lda) && info);
  SOLVER_TRY(clear(*h, info));
  return with_type(type, type_tau, [&](auto of) {
    using T = decltype(of);
    if (bytes < static_cast<std::size_t>(panel_work(m, n)) * sizeof(T)) return CUSOLVER_STATUS_INVALID_VALUE;
    return geqrf<T>(*h, static_cast<int>(m), static_cast<int>(n), {static_cast<T*>(a), lda},
                    static_cast<T*>(tau), static_cast<T*>(work));
  });
}

WARPVP_API cusolverStatus_t cusolverDnXsyevd_bufferSize(Handle* h, cusolverDnParams_t, int mode,
                                                        cublasFillMode_t fill, Size n, cudaDataType type,
                                                        const void*, Size lda, cudaDataType type_w,
                                                        const void*, cudaDataType, std::size_t* on_device,
                                                        std::size_t* on_host) {
  SOLVER_CHECK(h, is_mode(mode) && is_fill(fill) && are_sizes(n, n, lda) && on_device && on_host);
  *on_host = 0;
  return with_type(type, type_w, [&](auto of) {
    *on_device = static_cast<std::size_t>(syev_work(n)) * sizeof of;
    return CUSOLVER_STATUS_SUCCESS;
  });
}
WARPVP_API cusolverStatus_t cusolverDnXsyevd(Handle* h, cusolverDnParams_t, int mode, cublasFillMode_t fill,
                                             Size n, cudaDataType type, void* a, Size lda,
                                             cudaDataType type_w, void* values, cudaDataType, void* work,
                                             std::size_t bytes, void*, std::size_t, int* info) {
  SOLVER_CHECK(h, is_mode(mode) && is_fill(fill) && are_sizes(n, n, lda) && info);
  SOLVER_TRY(clear(*h, info));
  return with_type(type, type_w, [&](auto of) {
    using T = decltype(of);
    if (bytes < static_cast<std::size_t>(syev_work(n)) * sizeof(T)) return CUSOLVER_STATUS_INVALID_VALUE;
    return syev<T>(*h, mode, fill, static_cast<int>(n), {static_cast<T*>(a), lda}, static_cast<T*>(values),
                   static_cast<T*>(work), info);
  });
}

// ---- singular values, and some of the eigenvalues: by the functions of one type

extern "C" {
#define ONE_TYPE(S, T)                                                                                      \
  cusolverStatus_t cusolverDn##S##gesvd(Handle*, signed char, signed char, int, int, T*, int, T*, T*, int,  \
                                        T*, int, T*, int, T*, int*);                                        \
  cusolverStatus_t cusolverDn##S##gesvdj_bufferSize(Handle*, int, int, int, int, const T*, int, const T*,   \
                                                    const T*, int, const T*, int, int*, gesvdjInfo_t);      \
  cusolverStatus_t cusolverDn##S##gesvdj(Handle*, int, int, int, int, T*, int, T*, T*, int, T*, int, T*,    \
                                         int, int*, gesvdjInfo_t);                                          \
  cusolverStatus_t cusolverDn##S##syevdx(Handle*, int, int, cublasFillMode_t, int, T*, int, T, T, int, int, \
                                         int*, T*, T*, int, int*);
ONE_TYPE(S, float)
ONE_TYPE(D, double)
}
#undef ONE_TYPE

namespace {

template <class T, class F, class G>
auto& of_type(F& single, G& twice) {
  if constexpr (std::is_same_v<T, float>)
    return single;
  else
    return twice;
}
/// Elements of so many bytes, as the functions of one type count them.
template <class T>
int elements_in(std::size_t bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes / sizeof(T), kMostRows));
}

}  // namespace

WARPVP_API cusolverStatus_t cusolverDnXgesvd_bufferSize(Handle* h, cusolverDnParams_t, signed char,
                                                        signed char, Size m, Size n, cudaDataType type,
                                                        const void*, Size lda, cudaDataType type_s,
                                                        const void*, cudaDataType, const void*, Size,
                                                        cudaDataType, const void*, Size, cudaDataType,
                                                        std::size_t* on_device, std::size_t* on_host) {
  SOLVER_CHECK(h, are_sizes(m, n, lda) && m >= n && on_device && on_host);
  *on_host = 0;
  return with_type(type, type_s, [&](auto of) {
    *on_device = static_cast<std::size_t>(gesvd_work(m, n)) * sizeof of;
    return CUSOLVER_STATUS_SUCCESS;
  });
}
WARPVP_API cusolverStatus_t cusolverDnXgesvd(Handle* h, cusolverDnParams_t, signed char job_u,
                                             signed char job_vt, Size m, Size n, cudaDataType type, void* a,
                                             Size lda, cudaDataType type_s, void* values, cudaDataType,
                                             void* u, Size ldu, cudaDataType, void* vt, Size ldvt,
                                             cudaDataType, void* work, std::size_t bytes, void*, std::size_t,
                                             int* info) {
  SOLVER_CHECK(h, are_sizes(m, n, lda) && std::max(ldu, ldvt) <= kMostRows);
  return with_type(type, type_s, [&](auto of) {
    using T = decltype(of);
    return of_type<T>(cusolverDnSgesvd, cusolverDnDgesvd)(
        h, job_u, job_vt, static_cast<int>(m), static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda),
        static_cast<T*>(values), static_cast<T*>(u), static_cast<int>(ldu), static_cast<T*>(vt),
        static_cast<int>(ldvt), static_cast<T*>(work), elements_in<T>(bytes), nullptr, info);
  });
}

/// By the polar decomposition in NVIDIA's library; here by rotations, which leave no error to tell of.
WARPVP_API cusolverStatus_t cusolverDnXgesvdp_bufferSize(Handle* h, cusolverDnParams_t, int mode, int econ,
                                                         Size m, Size n, cudaDataType type, const void*,
                                                         Size lda, cudaDataType type_s, const void*,
                                                         cudaDataType, const void*, Size ldu, cudaDataType,
                                                         const void*, Size ldv, cudaDataType,
                                                         std::size_t* on_device, std::size_t* on_host) {
  SOLVER_CHECK(h, are_sizes(m, n, lda) && std::max(ldu, ldv) <= kMostRows && on_device && on_host);
  *on_host = 0;
  return with_type(type, type_s, [&](auto of) {
    using T = decltype(of);
    int elements = 0;
    SOLVER_TRY(of_type<T>(cusolverDnSgesvdj_bufferSize, cusolverDnDgesvdj_bufferSize)(
        h, mode, econ, static_cast<int>(m), static_cast<int>(n), nullptr, static_cast<int>(lda), nullptr,
        nullptr, static_cast<int>(ldu), nullptr, static_cast<int>(ldv), &elements, nullptr));
    *on_device = static_cast<std::size_t>(elements) * sizeof(T);
    return CUSOLVER_STATUS_SUCCESS;
  });
}
WARPVP_API cusolverStatus_t cusolverDnXgesvdp(Handle* h, cusolverDnParams_t, int mode, int econ, Size m,
                                              Size n, cudaDataType type, void* a, Size lda,
                                              cudaDataType type_s, void* values, cudaDataType, void* u,
                                              Size ldu, cudaDataType, void* v, Size ldv, cudaDataType,
                                              void* work, std::size_t bytes, void*, std::size_t, int* info,
                                              double* error) {
  SOLVER_CHECK(h, are_sizes(m, n, lda) && std::max(ldu, ldv) <= kMostRows);
  if (error != nullptr) *error = 0;
  return with_type(type, type_s, [&](auto of) {
    using T = decltype(of);
    return of_type<T>(cusolverDnSgesvdj, cusolverDnDgesvdj)(
        h, mode, econ, static_cast<int>(m), static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda),
        static_cast<T*>(values), static_cast<T*>(u), static_cast<int>(ldu), static_cast<T*>(v),
        static_cast<int>(ldv), static_cast<T*>(work), elements_in<T>(bytes), info, nullptr);
  });
}

WARPVP_API cusolverStatus_t cusolverDnXsyevdx_bufferSize(Handle* h, cusolverDnParams_t params, int mode, int,
                                                         cublasFillMode_t fill, Size n, cudaDataType type,
                                                         const void* a, Size lda, void*, void*, Size, Size,
                                                         Size* found, cudaDataType type_w, const void* values,
                                                         cudaDataType computed_in, std::size_t* on_device,
                                                         std::size_t* on_host) {
  if (found != nullptr) *found = n;
  return cusolverDnXsyevd_bufferSize(h, params, mode, fill, n, type, a, lda, type_w, values, computed_in,
                                     on_device, on_host);
}
/// `vl` and `vu` lie on the host and are of the type.
WARPVP_API cusolverStatus_t cusolverDnXsyevdx(Handle* h, cusolverDnParams_t, int mode, int range,
                                              cublasFillMode_t fill, Size n, cudaDataType type, void* a,
                                              Size lda, void* vl, void* vu, Size il, Size iu, Size* found,
                                              cudaDataType type_w, void* values, cudaDataType, void* work,
                                              std::size_t bytes, void*, std::size_t, int* info) {
  SOLVER_CHECK(h, are_sizes(n, n, lda) && found && std::max(il, iu) <= kMostRows);
  return with_type(type, type_w, [&](auto of) {
    using T = decltype(of);
    int count = 0;
    SOLVER_TRY(of_type<T>(cusolverDnSsyevdx, cusolverDnDsyevdx)(
        h, mode, range, fill, static_cast<int>(n), static_cast<T*>(a), static_cast<int>(lda),
        vl ? *static_cast<T*>(vl) : T(0), vu ? *static_cast<T*>(vu) : T(0), static_cast<int>(il),
        static_cast<int>(iu), &count, static_cast<T*>(values), static_cast<T*>(work), elements_in<T>(bytes),
        info));
    *found = count;
    return CUSOLVER_STATUS_SUCCESS;
  });
}
