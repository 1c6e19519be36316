#pragma once
// What parts of the program that tries cuSOLVER have in common: the functions, matrices, and how they are
// compared.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>

#include "sw/cuda/solver/abi.h"
#include "tests/cuda/on_device.h"

struct syevjInfo;
struct gesvdjInfo;
extern "C" {
cusolverStatus_t cusolverDnXsyevjGetSweeps(cusolverDnHandle_t, syevjInfo*, int*);
cusolverStatus_t cusolverDnXsyevjGetResidual(cusolverDnHandle_t, syevjInfo*, double*);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo**);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo*);
cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t, gesvdjInfo*, int*);
cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t, gesvdjInfo*, double*);
cusolverStatus_t cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, int, int, std::int64_t,
                                              std::int64_t, cudaDataType, const void*, std::int64_t,
                                              cudaDataType, const void*, cudaDataType, const void*,
                                              std::int64_t, cudaDataType, const void*, std::int64_t,
                                              cudaDataType, std::size_t*, std::size_t*);
cusolverStatus_t cusolverDnXgesvdp(cusolverDnHandle_t, cusolverDnParams_t, int, int, std::int64_t,
                                   std::int64_t, cudaDataType, void*, std::int64_t, cudaDataType, void*,
                                   cudaDataType, void*, std::int64_t, cudaDataType, void*, std::int64_t,
                                   cudaDataType, void*, std::size_t, void*, std::size_t, int*, double*);
cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t, cusolverDnParams_t, int, int, cublasFillMode_t,
                                   std::int64_t, cudaDataType, void*, std::int64_t, void*, void*,
                                   std::int64_t, std::int64_t, std::int64_t*, cudaDataType, void*,
                                   cudaDataType, void*, std::size_t, void*, std::size_t, int*);
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t, cusolverDnParams_t, signed char, signed char,
                                  std::int64_t, std::int64_t, cudaDataType, void*, std::int64_t, cudaDataType,
                                  void*, cudaDataType, void*, std::int64_t, cudaDataType, void*, std::int64_t,
                                  cudaDataType, void*, std::size_t, void*, std::size_t, int*);
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo**);
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo*);
cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo*, double);
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t*);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t, CUstream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t, CUstream*);
cusolverStatus_t cusolverGetVersion(int*);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t*);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t, int, int);
#define OF(S, T)                                                                                             \
  cusolverStatus_t cusolverDn##S##getrf_bufferSize(cusolverDnHandle_t, int, int, T*, int, int*);             \
  cusolverStatus_t cusolverDn##S##getrf(cusolverDnHandle_t, int, int, T*, int, T*, int*, int*);              \
  cusolverStatus_t cusolverDn##S##getrs(cusolverDnHandle_t, cublasOperation_t, int, int, const T*, int,      \
                                        const int*, T*, int, int*);                                          \
  cusolverStatus_t cusolverDn##S##laswp(cusolverDnHandle_t, int, T*, int, int, int, const int*, int);        \
  cusolverStatus_t cusolverDn##S##potrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int, T*, int,       \
                                                   int*);                                                    \
  cusolverStatus_t cusolverDn##S##potrf(cusolverDnHandle_t, cublasFillMode_t, int, T*, int, T*, int, int*);  \
  cusolverStatus_t cusolverDn##S##syevd_bufferSize(cusolverDnHandle_t, int, cublasFillMode_t, int, const T*, \
                                                   int, const T*, int*);                                     \
  cusolverStatus_t cusolverDn##S##syevd(cusolverDnHandle_t, int, cublasFillMode_t, int, T*, int, T*, T*,     \
                                        int, int*);                                                          \
  cusolverStatus_t cusolverDn##S##syevj(cusolverDnHandle_t, int, cublasFillMode_t, int, T*, int, T*, T*,     \
                                        int, int*, syevjInfo*);                                              \
  cusolverStatus_t cusolverDn##S##gesvd_bufferSize(cusolverDnHandle_t, int, int, int*);                      \
  cusolverStatus_t cusolverDn##S##syevjBatched(cusolverDnHandle_t, int, cublasFillMode_t, int, T*, int, T*,  \
                                               T*, int, int*, syevjInfo*, int);                              \
  cusolverStatus_t cusolverDn##S##gesvdj_bufferSize(cusolverDnHandle_t, int, int, int, int, const T*, int,   \
                                                    const T*, const T*, int, const T*, int, int*,            \
                                                    gesvdjInfo*);                                            \
  cusolverStatus_t cusolverDn##S##gesvdj(cusolverDnHandle_t, int, int, int, int, T*, int, T*, T*, int, T*,   \
                                         int, T*, int, int*, gesvdjInfo*);                                   \
  cusolverStatus_t cusolverDn##S##gesvdjBatched(cusolverDnHandle_t, int, int, int, T*, int, T*, T*, int, T*, \
                                                int, T*, int, int*, gesvdjInfo*, int);                       \
  cusolverStatus_t cusolverDn##S##syevdx(cusolverDnHandle_t, int, int, cublasFillMode_t, int, T*, int, T, T, \
                                         int, int, int*, T*, T*, int, int*);                                 \
  cusolverStatus_t cusolverDn##S##sygvd(cusolverDnHandle_t, int, int, cublasFillMode_t, int, T*, int, T*,    \
                                        int, T*, T*, int, int*);                                             \
  cusolverStatus_t cusolverDn##S##sygvj(cusolverDnHandle_t, int, int, cublasFillMode_t, int, T*, int, T*,    \
                                        int, T*, T*, int, int*, syevjInfo*);                                 \
  cusolverStatus_t cusolverDn##S##sygvdx(cusolverDnHandle_t, int, int, int, cublasFillMode_t, int, T*, int,  \
                                         T*, int, T, T, int, int, int*, T*, T*, int, int*);                  \
  cusolverStatus_t cusolverDn##S##gesvd(cusolverDnHandle_t, signed char, signed char, int, int, T*, int, T*, \
                                        T*, int, T*, int, T*, int, T*, int*);                                \
  cusolverStatus_t cusolverDn##S##potrs(cusolverDnHandle_t, cublasFillMode_t, int, int, const T*, int, T*,   \
                                        int, int*);                                                          \
  cusolverStatus_t cusolverDn##S##potrfBatched(cusolverDnHandle_t, cublasFillMode_t, int, T**, int, int*,    \
                                               int);                                                         \
  cusolverStatus_t cusolverDn##S##potrsBatched(cusolverDnHandle_t, cublasFillMode_t, int, int, T**, int,     \
                                               T**, int, int*, int);                                         \
  cusolverStatus_t cusolverDn##S##geqrf_bufferSize(cusolverDnHandle_t, int, int, T*, int, int*);             \
  cusolverStatus_t cusolverDn##S##geqrf(cusolverDnHandle_t, int, int, T*, int, T*, T*, int, int*);           \
  cusolverStatus_t cusolverDn##S##ormqr_bufferSize(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t,  \
                                                   int, int, int, const T*, int, const T*, const T*, int,    \
                                                   int*);                                                    \
  cusolverStatus_t cusolverDn##S##ormqr(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int, int,   \
                                        int, const T*, int, const T*, T*, int, T*, int, int*);               \
  cusolverStatus_t cusolverDn##S##orgqr_bufferSize(cusolverDnHandle_t, int, int, int, const T*, int,         \
                                                   const T*, int*);                                          \
  cusolverStatus_t cusolverDn##S##orgqr(cusolverDnHandle_t, int, int, int, T*, int, const T*, T*, int, int*);
OF(S, float)
OF(D, double)
#undef OF
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t,
                                             std::int64_t, cudaDataType, const void*, std::int64_t,
                                             cudaDataType, std::size_t*, std::size_t*);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t, std::int64_t,
                                  cudaDataType, void*, std::int64_t, std::int64_t*, cudaDataType, void*,
                                  std::size_t, void*, std::size_t, int*);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t, cusolverDnParams_t, cublasOperation_t, std::int64_t,
                                  std::int64_t, cudaDataType, const void*, std::int64_t, const std::int64_t*,
                                  cudaDataType, void*, std::int64_t, int*);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t, std::int64_t,
                                  cudaDataType, void*, std::int64_t, cudaDataType, void*, std::size_t, void*,
                                  std::size_t, int*);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t, std::int64_t,
                                  std::int64_t, cudaDataType, const void*, std::int64_t, cudaDataType, void*,
                                  std::int64_t, int*);
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, int, cublasFillMode_t,
                                             std::int64_t, cudaDataType, const void*, std::int64_t,
                                             cudaDataType, const void*, cudaDataType, std::size_t*,
                                             std::size_t*);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t, cusolverDnParams_t, int, cublasFillMode_t, std::int64_t,
                                  cudaDataType, void*, std::int64_t, cudaDataType, void*, cudaDataType, void*,
                                  std::size_t, void*, std::size_t, int*);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t,
                                             std::int64_t, cudaDataType, const void*, std::int64_t,
                                             cudaDataType, const void*, cudaDataType, std::size_t*,
                                             std::size_t*);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t, std::int64_t,
                                  cudaDataType, void*, std::int64_t, cudaDataType, void*, cudaDataType, void*,
                                  std::size_t, void*, std::size_t, int*);
cusolverStatus_t cusolverSpCreate();
}

// Both types by one name.
#define BOTH(function)                                \
  template <class T, class... Arguments>              \
  cusolverStatus_t function(Arguments... arguments) { \
    if constexpr (std::is_same_v<T, float>)           \
      return cusolverDnS##function(arguments...);     \
    else                                              \
      return cusolverDnD##function(arguments...);     \
  }

namespace warpvp::test {

BOTH(getrf_bufferSize)
BOTH(getrf)
BOTH(getrs)
BOTH(laswp)
BOTH(potrf_bufferSize)
BOTH(potrf)
BOTH(potrs)
BOTH(potrfBatched)
BOTH(potrsBatched)
BOTH(geqrf_bufferSize)
BOTH(geqrf)
BOTH(ormqr_bufferSize)
BOTH(ormqr)
BOTH(orgqr_bufferSize)
BOTH(orgqr)
BOTH(syevd_bufferSize)
BOTH(syevd)
BOTH(syevj)
BOTH(gesvd_bufferSize)
BOTH(gesvd)
BOTH(syevjBatched)
BOTH(gesvdj_bufferSize)
BOTH(gesvdj)
BOTH(gesvdjBatched)
BOTH(syevdx)
BOTH(sygvd)
BOTH(sygvdx)
BOTH(sygvj)

inline void ok(cusolverStatus_t status, const std::string& what) {
  expect(status == CUSOLVER_STATUS_SUCCESS, what + ": " + std::to_string(status));
}

inline cusolverDnHandle_t handle;
inline std::mt19937 numbers(7);

/// A matrix in columns, with rows below it that are nobody's.
template <class T>
struct Matrix {
  int m, n, leading;
  std::vector<T> all;
  Matrix(int m, int n, int more = 3)
      : m(m), n(n), leading(std::max(1, m + more)), all(std::size_t(leading) * n, T(99)) {}
  T& operator()(int i, int j) { return all[static_cast<std::size_t>(j) * leading + i]; }
  T operator()(int i, int j) const { return all[static_cast<std::size_t>(j) * leading + i]; }
};
template <class T>
Matrix<T> random_matrix(int m, int n, int more = 3) {
  Matrix<T> a(m, n, more);
  std::uniform_real_distribution<T> any(-1, 1);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) a(i, j) = any(numbers);
  return a;
}
template <class T>
Matrix<T> product(const Matrix<T>& a, bool a_across, const Matrix<T>& b, bool b_across) {
  Matrix<T> c(a_across ? a.n : a.m, b_across ? b.m : b.n, 0);
  const int k = a_across ? a.m : a.n;
  for (int i = 0; i < c.m; ++i)
    for (int j = 0; j < c.n; ++j) {
      double sum = 0;
      for (int p = 0; p < k; ++p)
        sum += static_cast<double>(a_across ? a(p, i) : a(i, p)) * (b_across ? b(j, p) : b(p, j));
      c(i, j) = static_cast<T>(sum);
    }
  return c;
}
/// The greatest difference, in units in the last place of 1.
template <class T>
double difference(const Matrix<T>& a, const Matrix<T>& b) {
  double most = 0;
  for (int i = 0; i < a.m; ++i)
    for (int j = 0; j < a.n; ++j) {
      const double d = std::fabs(static_cast<double>(a(i, j)) - b(i, j));
      most = d <= most ? most : d;  // a NaN stays
      if (d != d) return std::numeric_limits<double>::infinity();
    }
  return most / std::numeric_limits<T>::epsilon();
}
template <class T>
void close(const Matrix<T>& a, const Matrix<T>& b, double units, const std::string& what) {
  const double d = difference(a, b);
  expect(d <= units, what + ": " + std::to_string(d) + " units");
}
/// What lies between the columns is as it was.
template <class T>
void keeps_gaps(const Matrix<T>& a, const std::string& what) {
  for (int j = 0; j < a.n; ++j)
    for (int i = a.m; i < a.leading; ++i) expect(a(i, j) == T(99), what + ": writes below its columns");
}

/// I.
template <class T>
Matrix<T> eye(int n) {
  Matrix<T> one(n, n, 0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) one(i, j) = i == j ? T(1) : T(0);
  return one;
}

/// Its first m rows and n columns.
template <class T>
Matrix<T> cut(const Matrix<T>& from, int m, int n) {
  Matrix<T> part(m, n, 0);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) part(i, j) = from(i, j);
  return part;
}
/// Columns times numbers.
template <class T>
Matrix<T> scaled(Matrix<T> a, const std::vector<T>& by) {
  for (int i = 0; i < a.m; ++i)
    for (int j = 0; j < a.n; ++j) a(i, j) *= by[static_cast<std::size_t>(j)];
  return a;
}

inline const std::pair<int, int> kShapes[] = {{1, 1},    {5, 5},    {32, 32},  {33, 33},
                                              {100, 70}, {70, 100}, {130, 130}};

// Cases of solver_bases.cpp.
void qr();
void eigen();
void singular();
// Of solver_jacobi.cpp.
void jacobi();
void generalized();

}  // namespace warpvp::test
