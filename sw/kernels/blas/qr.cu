// QR factors of batches of small matrices, and least squares by them, a CTA a matrix: geqrfBatched and gelsBatched of cuBLAS.
// Reflections are those of LAPACK: H = 1 - tau v v^H, of which v begins with 1.

#include "blas/sums.h"

/// The sum over the CTA, in each of its threads.
template <class Acc>
INLINE Acc sum_for_all(Acc mine) {
  __shared__ Acc sum;
  const Acc found = sum_of_cta(mine);
  if (threadIdx.x == 0) sum = found;
  __syncthreads();
  const Acc all = sum;
  __syncthreads();
  return all;
}
template <class R>
INLINE R square(R v) {
  return v * v;
}
template <class R>
INLINE R square(Complex<R> v) {
  return multiply_add(v.re, v.re, v.im * v.im);
}
template <class R>
INLINE R imaginary(R) {
  return R(0);
}
template <class R>
INLINE R imaginary(Complex<R> v) {
  return v.im;
}
template <class R>
INLINE R real_of(R v) {
  return v;
}
template <class R>
INLINE R real_of(Complex<R> v) {
  return v.re;
}

/// Of rows k to m - 1 of the column, x = (alpha, rest): v in the place of the rest, beta in that of alpha, with H^H x = beta e.
/// Returns tau, 0 where there is nothing to reflect (LAPACK's larfg).
template <class T>
INLINE T reflection(int m, int k, T* column) {
  using R = Real<T>;
  R mine = 0;
  ONCE for (int i = k + 1 + threadIdx.x; i < m; i += kCta) mine += square(column[i]);
  const R rest = sum_for_all(mine);
  const T alpha = column[k];
  __syncthreads();
  if (rest == 0 && imaginary(alpha) == 0) return T(0);
  R beta = square_root(square(alpha) + rest);
  if (real_of(alpha) >= 0) beta = -beta;
  const T by = T(1) / (alpha - T(beta));
  ONCE for (int i = k + 1 + threadIdx.x; i < m; i += kCta) column[i] = by * column[i];
  if (threadIdx.x == 0) column[k] = T(beta);
  __syncthreads();
  return (T(beta) - alpha) / T(beta);
}
/// x = H^H x, or H x with tau conjugated.
template <class T>
INLINE void reflect(int m, int k, const T* v, T tau, T* x) {
  T mine = 0;
  ONCE for (int i = k + 1 + threadIdx.x; i < m; i += kCta) mine = multiply_add(conjugate(v[i]), x[i], mine);
  const T by = -(conjugate(tau) * (sum_for_all(mine) + x[k]));
  __syncthreads();
  ONCE for (int i = k + 1 + threadIdx.x; i < m; i += kCta) x[i] = multiply_add(v[i], by, x[i]);
  if (threadIdx.x == 0) x[k] += by;
  __syncthreads();
}

template <class T>
INLINE void geqrf(int m, int n, T* a, long long leading, T* taus) {
  const int steps = m < n ? m : n;
  ONCE for (int k = 0; k < steps; ++k) {
    T* const column = a + k * leading;
    const T tau = reflection(m, k, column);
    if (taus && threadIdx.x == 0) taus[k] = tau;
    if (tau == T(0)) continue;
    ONCE for (int j = k + 1; j < n; ++j) reflect(m, k, column, tau, a + j * leading);
  }
}

/// The least |A x - b| for each column of B, in its first n rows; `info`: 0, or the first place from 1 on of a zero on R's diagonal.
template <class T>
INLINE void gels(int m, int n, int columns, T* a, long long leading, T* b, long long leading_b, int* info) {
  ONCE for (int k = 0; k < n; ++k) {
    T* const column = a + k * leading;
    const T tau = reflection(m, k, column);
    if (tau == T(0)) continue;
    ONCE for (int j = k + 1; j < n; ++j) reflect(m, k, column, tau, a + j * leading);
    ONCE for (int j = 0; j < columns; ++j) reflect(m, k, column, tau, b + j * leading_b);
  }
  int zero = 0;
  ONCE for (int k = n; k > 0; --k)
    if (a[k - 1 + (k - 1) * leading] == T(0)) zero = k;
  if (info && threadIdx.x == 0) *info = zero;
  if (zero) return;
  ONCE for (int j = threadIdx.x; j < columns; j += kCta) {
    T* const x = b + j * leading_b;
    ONCE for (int i = n - 1; i >= 0; --i) {
      T sum = x[i];
      ONCE for (int k = i + 1; k < n; ++k) sum = multiply_add(-a[i + k * leading], x[k], sum);
      x[i] = sum / a[i + i * leading];
    }
  }
}

#define QR(name, T)                                                                                                          \
  extern "C" __global__ void geqrf_##name(int m, int n, Matrices<T> a, T* const* taus) {                                   \
    geqrf<T>(m, n, a.of(blockIdx.x), a.leading, taus[blockIdx.x]);                                                         \
  }                                                                                                                        \
  extern "C" __global__ void gels_##name(int m, int n, int columns, Matrices<T> a, Matrices<T> b, int* info) {             \
    gels<T>(m, n, columns, a.of(blockIdx.x), a.leading, b.of(blockIdx.x), b.leading, info ? info + blockIdx.x : nullptr);  \
  }
QR(s, float)
QR(d, double)
QR(c, Complex<float>)
QR(z, Complex<double>)
