// What of BLAS's third level is no product: systems of equations with a triangular matrix, sums of matrices, products with a
// diagonal one.

#include "blas/types.h"

/// X of op(A) X = alpha B in the place of B, a thread a column; with `right` of X op(A) = alpha B, a thread a row. A has m rows
/// and columns, B so many rows (or columns) and n columns (rows). Batches lie side by side in y. The shape of A: its triangle,
/// its diagonal, its operation.
template <class T>
__device__ __forceinline__ void trsm(int m, int n, Factor<T> alpha, Matrices<const T> as, Matrices<T> bs, int right) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const T* const a = as.of(blockIdx.y);
  // Of the unknowns of this thread: the first, and from one to the next.
  T* const b = bs.of(blockIdx.y) + (right ? at : static_cast<long long>(at) * bs.leading);
  const long long step = right ? bs.leading : 1;
  const T by = alpha();
  // x op(A) = b is op(A)^T x = b.
  const bool across = ((as.shape & kTransposed) != 0) != (right != 0);
  const bool forward = ((as.shape & kLower) != 0) != across, conjugated = as.shape & kConjugated;
  ONCE for (int p = 0; p < m; ++p) {
    const int i = forward ? p : m - 1 - p;
    T sum = by * b[i * step];
    ONCE for (int q = 0; q < p; ++q) {
      const int j = forward ? q : m - 1 - q;
      const T factor = across ? a[j + static_cast<long long>(i) * as.leading] : a[i + static_cast<long long>(j) * as.leading];
      sum = multiply_add(-conjugate(factor, conjugated), b[j * step], sum);
    }
    const T by_itself = conjugate(a[i + static_cast<long long>(i) * as.leading], conjugated);
    b[i * step] = as.shape & kUnit ? sum : sum / by_itself;
  }
}

/// C = alpha op(A) + beta op(B).
template <class T>
__device__ __forceinline__ void geam(int m, int n, Factor<T> alpha, Matrices<const T> a, Factor<T> beta,
                                     Matrices<const T> b, Matrices<T> c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  const auto of = [i, j](const Matrices<const T>& from) {
    return element<T>(i, j, from.shape,
                      [&from](int row, int column) { return from.first[row + static_cast<long long>(column) * from.leading]; });
  };
  const T by_a = alpha(), by_b = beta();
  const T first = by_a == T(0) ? T(0) : by_a * of(a);
  c.first[i + static_cast<long long>(j) * c.leading] = by_b == T(0) ? first : multiply_add(by_b, of(b), first);
}

/// C = diag(x) A, or A diag(x) with `right`.
template <class T>
__device__ __forceinline__ void dgmm(int m, int n, Matrices<const T> a, const T* x, int step, Matrices<T> c, int right) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  c.first[i + static_cast<long long>(j) * c.leading] =
      a.first[i + static_cast<long long>(j) * a.leading] * x[static_cast<long long>(right ? j : i) * step];
}

#define LEVEL3(name, T)                                                                                            \
  extern "C" __global__ void trsm_##name(int m, int n, Factor<T> alpha, Matrices<const T> a, Matrices<T> b,        \
                                         int right) {                                                              \
    trsm<T>(m, n, alpha, a, b, right);                                                                             \
  }                                                                                                                \
  extern "C" __global__ void geam_##name(int m, int n, Factor<T> alpha, Matrices<const T> a, Factor<T> beta,       \
                                         Matrices<const T> b, Matrices<T> c) {                                     \
    geam<T>(m, n, alpha, a, beta, b, c);                                                                           \
  }                                                                                                                \
  extern "C" __global__ void dgmm_##name(int m, int n, Matrices<const T> a, const T* x, int step, Matrices<T> c,   \
                                         int right) {                                                              \
    dgmm<T>(m, n, a, x, step, c, right);                                                                           \
  }
LEVEL3(s, float)
LEVEL3(d, double)
LEVEL3(c, Complex<float>)
LEVEL3(z, Complex<double>)
