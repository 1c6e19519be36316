// LU factors of batches of small matrices, a CTA a matrix: getrfBatched, getriBatched, getrsBatched and matinvBatched of cuBLAS. Rows are
// exchanged as LAPACK does: at each step the row with the greatest magnitude in the column, the first of several.

#include "blas/types.h"

/// `pivots`: n, places from 1 on; null: rows stay where they are. Returns 0, or the first place from 1 on of a zero on U's diagonal.
template <class T>
INLINE int getrf(int n, T* a, long long leading, int* pivots) {
  __shared__ int pivot;
  int zero = 0;
  ONCE for (int k = 0; k < n; ++k) {
    if (threadIdx.x == 0) {
      pivot = k;
      if (pivots) {
        Real<T> greatest = magnitude(a[k + k * leading]);
        ONCE for (int i = k + 1; i < n; ++i) {
          const Real<T> here = magnitude(a[i + k * leading]);
          if (here > greatest) {
            greatest = here;
            pivot = i;
          }
        }
        pivots[k] = pivot + 1;
      }
    }
    __syncthreads();
    const int row = pivot;
    if (row != k) {
      ONCE for (int j = threadIdx.x; j < n; j += blockDim.x) {
        const T was = a[k + j * leading];
        a[k + j * leading] = a[row + j * leading];
        a[row + j * leading] = was;
      }
    }
    __syncthreads();
    const T diagonal = a[k + k * leading];
    if (diagonal == T(0)) {
      if (zero == 0) zero = k + 1;
    } else {
      ONCE for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) a[i + k * leading] = a[i + k * leading] / diagonal;
    }
    __syncthreads();
    const int rest = n - k - 1;
    if (diagonal != T(0)) {
      ONCE for (int at = threadIdx.x; at < rest * rest; at += blockDim.x) {
        const int i = k + 1 + at % rest, j = k + 1 + at / rest;
        a[i + j * leading] = multiply_add(-a[i + k * leading], a[k + j * leading], a[i + j * leading]);
      }
    }
    __syncthreads();
  }
  return zero;
}

/// Solves L U x = P b in the place of a column: first forwards, then backwards.
template <class T>
INLINE void solve(int n, const T* a, long long leading, T* x) {
  ONCE for (int i = 1; i < n; ++i) {
    T sum = x[i];
    ONCE for (int j = 0; j < i; ++j) sum = multiply_add(-a[i + j * leading], x[j], sum);
    x[i] = sum;
  }
  ONCE for (int i = n - 1; i >= 0; --i) {
    T sum = x[i];
    ONCE for (int j = i + 1; j < n; ++j) sum = multiply_add(-a[i + j * leading], x[j], sum);
    x[i] = sum / a[i + i * leading];
  }
}
/// The same of (L U)^T, or of its conjugate; what it yields is still to be exchanged.
template <class T>
INLINE void solve_transposed(int n, const T* a, long long leading, bool conjugated, T* x) {
  ONCE for (int i = 0; i < n; ++i) {
    T sum = x[i];
    ONCE for (int j = 0; j < i; ++j) sum = multiply_add(-conjugate(a[j + i * leading], conjugated), x[j], sum);
    x[i] = sum / conjugate(a[i + i * leading], conjugated);
  }
  ONCE for (int i = n - 2; i >= 0; --i) {
    T sum = x[i];
    ONCE for (int j = i + 1; j < n; ++j) sum = multiply_add(-conjugate(a[j + i * leading], conjugated), x[j], sum);
    x[i] = sum;
  }
}
template <class T>
INLINE void exchange(int n, const int* pivots, T* x, bool backwards) {
  ONCE for (int at = 0; at < n; ++at) {
    const int k = backwards ? n - 1 - at : at;
    const int other = pivots[k] - 1;
    if (other == k) continue;
    const T was = x[k];
    x[k] = x[other];
    x[other] = was;
  }
}

/// The inverse from the factors, a thread a column.
template <class T>
INLINE void inverse(int n, const T* a, long long leading, const int* pivots, T* c, long long leading_c) {
  ONCE for (int j = threadIdx.x; j < n; j += blockDim.x) {
    T* const x = c + j * leading_c;
    ONCE for (int i = 0; i < n; ++i) x[i] = i == j ? T(1) : T(0);
    if (pivots) exchange(n, pivots, x, false);
    solve(n, a, leading, x);
  }
}
template <class T>
INLINE void getri(int n, Matrices<const T> as, const int* pivots, Matrices<T> cs, int* info) {
  const T* const a = as.of(blockIdx.x);
  int zero = 0;
  ONCE for (int k = n; k > 0; --k)
    if (a[k - 1 + (k - 1) * static_cast<long long>(as.leading)] == T(0)) zero = k;
  if (threadIdx.x == 0 && info) info[blockIdx.x] = zero;
  if (zero) return;
  inverse(n, a, as.leading, pivots ? pivots + static_cast<long long>(blockIdx.x) * n : nullptr, cs.of(blockIdx.x), cs.leading);
}
constexpr int kGreatest = 32;  // of the matrices that matinv takes
/// The inverse of a matrix that stays as it is.
template <class T>
INLINE void matinv(int n, Matrices<const T> as, Matrices<T> cs, int* info) {
  __shared__ T factors[kGreatest * kGreatest];
  __shared__ int pivots[kGreatest];
  const T* const a = as.of(blockIdx.x);
  ONCE for (int at = threadIdx.x; at < n * n; at += blockDim.x)
    factors[at] = a[at % n + at / n * static_cast<long long>(as.leading)];
  __syncthreads();
  const int zero = getrf(n, factors, n, pivots);
  if (threadIdx.x == 0 && info) info[blockIdx.x] = zero;
  if (zero == 0) inverse(n, static_cast<const T*>(factors), n, pivots, cs.of(blockIdx.x), cs.leading);
}
/// X of op(A) X = B in the place of B, from the factors, a thread a column.
template <class T>
INLINE void getrs(int n, int columns, Matrices<const T> as, const int* pivots, Matrices<T> bs,
                                      int shape) {
  const T* const a = as.of(blockIdx.x);
  const int* const its = pivots ? pivots + static_cast<long long>(blockIdx.x) * n : nullptr;
  ONCE for (int j = threadIdx.x; j < columns; j += blockDim.x) {
    T* const x = bs.of(blockIdx.x) + j * static_cast<long long>(bs.leading);
    if (!(shape & kTransposed)) {
      if (its) exchange(n, its, x, false);
      solve(n, a, as.leading, x);
    } else {
      solve_transposed(n, a, as.leading, (shape & kConjugated) != 0, x);
      if (its) exchange(n, its, x, true);
    }
  }
}

#define LU(name, T)                                                                                                    \
  extern "C" __global__ void getrf_##name(int n, Matrices<T> a, int* pivots, int* info) {                           \
    const int zero = getrf<T>(n, a.of(blockIdx.x), a.leading,                                                          \
                              pivots ? pivots + static_cast<long long>(blockIdx.x) * n : nullptr);                     \
    if (threadIdx.x == 0 && info) info[blockIdx.x] = zero;                                                             \
  }                                                                                                                    \
  extern "C" __global__ void matinv_##name(int n, Matrices<const T> a, Matrices<T> c, int* info) {                     \
    matinv<T>(n, a, c, info);                                                                                          \
  }                                                                                                                    \
  extern "C" __global__ void getri_##name(int n, Matrices<const T> a, const int* pivots, Matrices<T> c, int* info) {   \
    getri<T>(n, a, pivots, c, info);                                                                                   \
  }                                                                                                                    \
  extern "C" __global__ void getrs_##name(int n, int columns, Matrices<const T> a, const int* pivots, Matrices<T> b,   \
                                          int shape) {                                                                 \
    getrs<T>(n, columns, a, pivots, b, shape);                                                                         \
  }
LU(s, float)
LU(d, double)
LU(c, Complex<float>)
LU(z, Complex<double>)
