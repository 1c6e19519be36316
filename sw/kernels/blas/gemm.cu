// C = alpha A B + beta C for batches of matrices in columns, with operands that are transposed, conjugated, symmetric, Hermitian or
// triangular, and results of which a triangle is written: gemm, symm, hemm, syrk, herk and trmm of BLAS.

#include "blas/tile.h"

/// The same of a matrix in columns.
template <class Acc, class T>
INLINE Acc element(const T* a, long long leading, int i, int j, int shape) {
  return element<Acc>(i, j, shape, [=](int row, int column) { return get(a[row + column * leading]); });
}

/// `triangle`: 1 the lower one alone is written, 2 the upper one; with kHermitian the diagonal as that of such a matrix.
template <int kEach, class Acc, class T, class U>
__device__ __forceinline__ void gemm(int m, int n, int k, Factor<Acc> alpha, Matrices<const T> as, Matrices<const T> bs,
                                     Factor<Acc> beta, Matrices<const U> cs, Matrices<U> ds, int triangle) {
  constexpr int kTile = kEach * kThreads;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.x * kTile, column = blockIdx.y * kTile;
  const bool hermitian = kComplex<Acc> && (triangle & kHermitian);
  triangle &= 3;
  // Tiles without an element of the triangle have nothing to do.
  if (triangle == 1 && row + kTile <= column) return;
  if (triangle == 2 && column + kTile <= row) return;
  const T* const a = as.of(blockIdx.z);
  const T* const b = bs.of(blockIdx.z);
  const Acc by = alpha(), keep = beta();
  if (by == Acc(0)) k = 0;  // operands are not read
  Acc sum[kEach][kEach] = {};
  add_products<kEach, Acc>(
      m, n, k, (as.shape & kTransposed) != 0, (bs.shape & kTransposed) != 0,
      [&](int i, int p) { return element<Acc>(a, as.leading, i, p, as.shape); },
      [&](int p, int j) { return element<Acc>(b, bs.leading, p, j, bs.shape); }, sum);
  const U* const c = cs.of(blockIdx.z);
  U* const d = ds.of(blockIdx.z);
#pragma unroll
  for (int p = 0; p < kEach; ++p) {
#pragma unroll
    for (int q = 0; q < kEach; ++q) {
      const int i = row + x + p * kThreads, j = column + y + q * kThreads;
      if (i >= m || j >= n || (triangle == 1 && i < j) || (triangle == 2 && i > j)) continue;
      // A factor of zero reads nothing: what is there may be no number.
      const Acc old = keep == Acc(0) ? Acc(0) : keep * Acc(get(c[i + static_cast<long long>(j) * cs.leading]));
      Acc v = multiply_add(by, sum[p][q], old);
      if (hermitian && i == j) v = real_part(v);
      put(d[i + static_cast<long long>(j) * ds.leading], v);
    }
  }
}

#define GEMM(name, kEach, Acc, T, U)                                                                       \
  extern "C" __global__ void __launch_bounds__(256) gemm_##name(                                          \
      int m, int n, int k, Factor<Acc> alpha, Matrices<const T> a, Matrices<const T> b, Factor<Acc> beta, \
      Matrices<const U> c, Matrices<U> d, int triangle) {                                                 \
    gemm<kEach, Acc, T, U>(m, n, k, alpha, a, b, beta, c, d, triangle);                                   \
  }
#define BOTH(name, Acc, T, U) GEMM(name, 2, Acc, T, U) GEMM(name##_large, 4, Acc, T, U)
BOTH(s, float, float, float)
BOTH(d, double, double, double)
BOTH(h, float, _Float16, _Float16)
BOTH(hs, float, _Float16, float)
BOTH(b, float, Bf16, Bf16)
BOTH(bs, float, Bf16, float)
BOTH(i, int, signed char, int)
BOTH(c, Complex<float>, Complex<float>, Complex<float>)
GEMM(is, 2, float, signed char, float)
GEMM(z, 2, Complex<double>, Complex<double>, Complex<double>)
GEMM(ci, 2, Complex<float>, Complex<signed char>, Complex<float>)
