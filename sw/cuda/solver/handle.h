#pragma once
// A handle of cuSOLVER's dense functions, and how they start kernels: of sw/kernels/solver for the panels of
// factors, cuBLAS's for the rest of a matrix.

#include <algorithm>
#include <limits>
#include <new>

#include "sw/cuda/blas/gemm.h"
#include "sw/cuda/kernels/device_memory.h"
#include "sw/cuda/solver/abi.h"

struct cusolverDnContext {
  cublasContext blas;                 ///< pointers of the host
  warpvp::cuda::DeviceMemory pivots;  ///< 32-bit ones of functions that are given wider ones
  int deterministic = 1;              ///< taken and given back; no kernel depends on it
};
struct cusolverDnParams {};
/// What functions of Jacobi's rotations are told, of which nothing is needed: rotations go on until nothing
/// is left that counts, and values come sorted. And what they have to say, on the device.
struct JacobiInfo {
  warpvp::cuda::DeviceMemory report;  ///< two of double: what was left, and sweeps
};
struct syevjInfo : JacobiInfo {};
struct gesvdjInfo : JacobiInfo {};
using syevjInfo_t = syevjInfo*;
using gesvdjInfo_t = gesvdjInfo*;

namespace warpvp::cuda::solver {

using blas::KernelName;
using cuda::Grid;
using Handle = cusolverDnContext;

/// As sw/kernels/solver/dense.cu has it: columns of a panel, threads of its CTA.
inline constexpr int kPanel = 32;
inline constexpr Grid kOneCta = {1, 1, 1}, kThreads = {256, 1, 1};

/// A matrix in columns, or a part of one.
template <class T>
struct Dense {
  T* at;
  long long leading;
  Dense from(long long i, long long j) const { return {at + i + j * leading, leading}; }
  operator Dense<const T>() const { return {at, leading}; }
};

cusolverStatus_t status_of(CUresult result);
cusolverStatus_t status_of(cublasStatus_t status);

/// PTX of sw/kernels/solver that has the kernel.
const char* text_of(const char* kernel);
template <class... Arguments>
cusolverStatus_t launch(const Handle& handle, const char* name, const Grid& grid, const Grid& block,
                        Arguments... arguments) {
  return status_of(start_kernel(text_of(name), name, grid, block, handle.blas.stream, arguments...));
}
/// A thread for each of `of`.
template <class... Arguments>
cusolverStatus_t launch_for(const Handle& handle, const char* name, long long of, Arguments... arguments) {
  const unsigned ctas = static_cast<unsigned>(std::min<long long>((of + 255) / 256, 4096));
  return launch(handle, name, {ctas, 1, 1}, kThreads, arguments...);
}
inline cusolverStatus_t clear(const Handle& handle, int* info) {
  return status_of(cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(info), 0, sizeof(int), handle.blas.stream));
}

inline bool is_fill(cublasFillMode_t fill) { return fill <= CUBLAS_FILL_MODE_UPPER; }
inline bool is_mode(int mode) { return mode == 0 || mode == 1; }  // of eigenvalues: alone, with vectors
/// To the caller, who counts in 32 bits.
inline cusolverStatus_t tell(int* elements, long long room) {
  if (room > std::numeric_limits<int>::max()) return CUSOLVER_STATUS_INVALID_VALUE;
  *elements = static_cast<int>(room);
  return CUSOLVER_STATUS_SUCCESS;
}
/// An object of the API, and its end.
template <class T>
cusolverStatus_t make(T** object) {
  if (object == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *object = new (std::nothrow) T;
  return *object == nullptr ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_SUCCESS;
}
template <class T>
cusolverStatus_t destroy(T* object) {
  if (object == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  delete object;
  return CUSOLVER_STATUS_SUCCESS;
}

/// C = alpha op(A) op(B) + beta C.
template <class T>
cusolverStatus_t multiply(const Handle& handle, int m, int n, int k, T alpha, Dense<const T> a,
                          bool a_transposed, Dense<const T> b, bool b_transposed, T beta, Dense<T> c) {
  if (m == 0 || n == 0) return CUSOLVER_STATUS_SUCCESS;
  const auto operand = [](Dense<const T> from, bool transposed) {
    return blas::matrix(from.at, static_cast<int>(from.leading), transposed ? blas::kTransposed : 0);
  };
  const auto result = blas::matrix(c.at, static_cast<int>(c.leading));
  return status_of(blas::multiply<T, T, T>(
      handle.blas, KernelName<T>("gemm"), m, n, k, blas::Factor<T>{nullptr, alpha}, operand(a, a_transposed),
      operand(b, b_transposed), blas::Factor<T>{nullptr, beta}, blas::to_read(result), result, 1));
}

/// Where a function's report goes; nowhere if there is no room for it, or nobody to ask.
inline double* report_of(JacobiInfo* info) {
  return info != nullptr && info->report.get(2 * sizeof(double)) == 0 ? info->report.as<double>() : nullptr;
}

// Functions of cuBLAS that are part of this library, for both types.
cusolverStatus_t solve_triangle(Handle& handle, cublasSideMode_t side, cublasFillMode_t fill,
                                cublasOperation_t of_a, cublasDiagType_t diagonal, int m, int n,
                                Dense<const float> a, Dense<float> b);
cusolverStatus_t solve_triangle(Handle& handle, cublasSideMode_t side, cublasFillMode_t fill,
                                cublasOperation_t of_a, cublasDiagType_t diagonal, int m, int n,
                                Dense<const double> a, Dense<double> b);
/// C -= op(A) op(A)^T, of which a triangle is written.
cusolverStatus_t take_squares(Handle& handle, cublasFillMode_t fill, cublasOperation_t of_a, int n, int k,
                              Dense<const float> a, Dense<float> c);
cusolverStatus_t take_squares(Handle& handle, cublasFillMode_t fill, cublasOperation_t of_a, int n, int k,
                              Dense<const double> a, Dense<double> c);

/// B = op(A) B, or B op(A) on the right, of a triangular A.
cusolverStatus_t multiply_triangle(Handle& handle, cublasSideMode_t side, cublasFillMode_t fill,
                                   cublasOperation_t of_a, int m, int n, Dense<const float> a,
                                   Dense<float> b);
cusolverStatus_t multiply_triangle(Handle& handle, cublasSideMode_t side, cublasFillMode_t fill,
                                   cublasOperation_t of_a, int m, int n, Dense<const double> a,
                                   Dense<double> b);
/// To n rows and m columns.
cusolverStatus_t transpose(Handle& handle, int m, int n, Dense<const float> a, Dense<float> to);
cusolverStatus_t transpose(Handle& handle, int m, int n, Dense<const double> a, Dense<double> to);

// Factors and what is done with them; `info` lies on the device and has been cleared.
template <class T>
cusolverStatus_t getrf(Handle& handle, int m, int n, Dense<T> a, int* pivots, int* info);
template <class T>
cusolverStatus_t getrs(Handle& handle, cublasOperation_t of_a, int n, int columns, Dense<const T> a,
                       const int* pivots, Dense<T> b);
template <class T>
cusolverStatus_t potrf(Handle& handle, cublasFillMode_t fill, int n, Dense<T> a, int* info);
template <class T>
cusolverStatus_t potrs(Handle& handle, cublasFillMode_t fill, int n, int columns, Dense<const T> a,
                       Dense<T> b);
/// `work`: of panel_work() elements.
template <class T>
cusolverStatus_t geqrf(Handle& handle, int m, int n, Dense<T> a, T* tau, T* work);
/// C = op(Q) C, or C op(Q) with `right`: Q of `k` reflectors; C has m rows and n columns. `work`: of
/// panel_work() elements.
template <class T>
cusolverStatus_t ormqr(Handle& handle, bool right, bool transposed, int m, int n, int k, Dense<const T> a,
                       const T* tau, Dense<T> c, T* work);
/// Eigenvalues, and with mode 1 vectors in the place of A. `work`: of syev_work() elements. `report`, on the
/// device: what is left beside the diagonal, and sweeps.
template <class T>
cusolverStatus_t syev(Handle& handle, int mode, cublasFillMode_t fill, int n, Dense<T> a, T* values, T* work,
                      int* info, double* report = nullptr);
inline long long syev_work(long long n) { return 2 * n * n + 3 * n; }
/// Singular values of an A with at least as many rows as columns, and vectors: `u_columns` of U, 0 to m,
/// where those beyond n complete it to a basis; `vt` null: none. `work`: of gesvd_work() elements.
template <class T>
cusolverStatus_t gesvd(Handle& handle, int m, int n, Dense<T> a, T* values, Dense<T> u, int u_columns,
                       Dense<T> vt, T* work, int* info, double* report = nullptr);
long long gesvd_work(long long m, long long n);
/// Elements for reflectors of `length` that are applied to `others` rows or columns.
inline long long panel_work(long long length, long long others) {
  return kPanel * (length + 2 * others + 2 * kPanel);
}

}  // namespace warpvp::cuda::solver

/// Ends a function of the API if it has been called wrongly.
#define SOLVER_CHECK(handle, valid)                                  \
  do {                                                               \
    if ((handle) == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED; \
    if (!(valid)) return CUSOLVER_STATUS_INVALID_VALUE;              \
  } while (false)
/// Ends a function if a step of it has failed.
#define SOLVER_TRY(step)                                       \
  do {                                                         \
    if (const cusolverStatus_t status = (step)) return status; \
  } while (false)
