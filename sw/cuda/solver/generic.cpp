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
