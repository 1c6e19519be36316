// What a step of dense factors does in its block of columns (docs/cuda.md, cuSOLVER): a CTA a panel. What it does to the other
// columns are products, which are cuBLAS's. Matrices lie in columns. As LAPACK has them: getrf2, potf2, geqr2, larft, laswp (Anderson
// et al., LAPACK Users' Guide, third edition, 1999).

#include "solver/sums.h"

constexpr int kPanel = 32;

/// LU factors of m rows of a panel. At each step the row with the greatest magnitude in the column comes up, the first of several;
/// rows are exchanged in the panel alone. `pivots`: which row that was, plus `first` and 1; null: rows stay. `info`: `first` plus the
/// place of the first zero on the diagonal, if it was 0 before.
template <class T>
INLINE void getrf_panel(int m, int columns, T* a, long long leading, int* pivots, int first, int* info) {
  __shared__ T greatest[kThreads];
  __shared__ int where[kThreads];
  const int thread = threadIdx.x;
  ONCE for (int k = 0; k < columns && k < m; ++k) {
    T* const column = a + k * leading;
    if (pivots) {
      T most = T(-1);
      int row = k;
      ONCE for (int i = k + thread; i < m; i += kThreads) {
        const T here = magnitude(column[i]);
        if (here > most) {
          most = here;
          row = i;
        }
      }
      greatest[thread] = most;
      where[thread] = row;
      __syncthreads();
      ONCE for (int half = kThreads / 2; half > 0; half /= 2) {
        if (thread < half) {
          const T other = greatest[thread + half];
          if (other > greatest[thread] || (other == greatest[thread] && where[thread + half] < where[thread])) {
            greatest[thread] = other;
            where[thread] = where[thread + half];
          }
        }
        __syncthreads();
      }
      const int pivot = where[0];
      if (thread == 0) pivots[k] = first + pivot + 1;
      if (pivot != k && thread < columns) {
        const T was = a[k + thread * leading];
        a[k + thread * leading] = a[pivot + thread * leading];
        a[pivot + thread * leading] = was;
      }
      __syncthreads();
    }
    const T diagonal = column[k];
    if (diagonal == T(0)) {
      if (thread == 0 && *info == 0) *info = first + k + 1;
      __syncthreads();
      continue;
    }
    ONCE for (int i = k + 1 + thread; i < m; i += kThreads) column[i] /= diagonal;
    __syncthreads();
    // Warps share the columns.
    ONCE for (int j = k + 1 + thread / 32; j < columns; j += kWarps) {
      T* const other = a + j * leading;
      const T by = -other[k];
      ONCE for (int i = k + 1 + thread % 32; i < m; i += 32) other[i] = multiply_add(by, column[i], other[i]);
    }
    __syncthreads();
  }
}

/// Exchanges rows of `columns` columns: row `first` + s with the one that pivots[s] names, from 1 on, for s below `count`; backwards
/// from the last on.
template <class T>
INLINE void laswp(int columns, T* a, long long leading, int first, int count, const int* pivots, int step, int backwards) {
  FOR_EACH(j, columns) {
    T* const column = a + j * leading;
    ONCE for (int at = 0; at < count; ++at) {
      const int s = backwards ? count - 1 - at : at;
      const int other = pivots[static_cast<long long>(s) * step] - 1;
      if (other == first + s) continue;
      const T was = column[first + s];
      column[first + s] = column[other];
      column[other] = was;
    }
  }
}

/// The Cholesky factor of a block of at most kPanel rows, in the triangle that it is given in. `info`: `first` plus the order of the
/// first minor that is not positive definite, if it was 0 before; then the block stays as far as it is.
template <class T>
INLINE void potrf_block(int n, T* a, long long leading, int lower, int first, int* info) {
  __shared__ T tile[kPanel][kPanel + 1];
  __shared__ int failed;
  const int thread = threadIdx.x;
  if (thread == 0) failed = *info != 0;
  ONCE for (int at = thread; at < n * n; at += kThreads) {
    const int i = at % n, j = at / n;
    if (i >= j) tile[i][j] = lower ? a[i + j * leading] : a[j + i * leading];
  }
  __syncthreads();
  ONCE for (int k = 0; k < n && !failed; ++k) {
    if (thread == 0) {
      const T diagonal = tile[k][k];
      if (diagonal > T(0)) {
        tile[k][k] = square_root(diagonal);
      } else {
        *info = first + k + 1;
        failed = 1;
      }
    }
    __syncthreads();
    if (failed) break;
    if (thread > k && thread < n) tile[thread][k] /= tile[k][k];
    __syncthreads();
    ONCE for (int at = thread; at < n * n; at += kThreads) {
      const int i = at % n, j = at / n;
      if (j > k && i >= j) tile[i][j] = multiply_add(-tile[i][k], tile[j][k], tile[i][j]);
    }
    __syncthreads();
  }
  ONCE for (int at = thread; at < n * n; at += kThreads) {
    const int i = at % n, j = at / n;
    if (i < j) continue;
    if (lower)
      a[i + j * leading] = tile[i][j];
    else
      a[j + i * leading] = tile[i][j];
  }
}

/// The same of whole matrices of any order, each by a CTA; `list`: their addresses. `info`: one a matrix.
template <class T>
INLINE void potrf_each(int n, T* const* list, long long leading, int lower, int* info) {
  T* const a = list[blockIdx.x];
  const long long down = lower ? 1 : leading, across = lower ? leading : 1;
  const int thread = threadIdx.x;
  ONCE for (int k = 0; k < n; ++k) {
    const T before = a[k * down + k * across];
    if (!(before > T(0))) {
      if (thread == 0) info[blockIdx.x] = k + 1;
      return;
    }
    const T diagonal = square_root(before);
    __syncthreads();
    if (thread == 0) a[k * down + k * across] = diagonal;
    ONCE for (int i = k + 1 + thread; i < n; i += kThreads) a[i * down + k * across] /= diagonal;
    __syncthreads();
    ONCE for (int j = k + 1 + thread / 32; j < n; j += kWarps) {
      const T by = -a[j * down + k * across];
      ONCE for (int i = j + thread % 32; i < n; i += 32)
        a[i * down + j * across] = multiply_add(by, a[i * down + k * across], a[i * down + j * across]);
    }
    __syncthreads();
  }
  if (thread == 0) info[blockIdx.x] = 0;
}

/// Householder vectors of a panel: R on and above the diagonal, below it the vectors without their first element, which is 1.
template <class T>
INLINE void geqrf_panel(int m, int columns, T* a, long long leading, T* tau) {
  __shared__ double room[kThreads];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  ONCE for (int k = 0; k < columns && k < m; ++k) {
    T* const column = a + k * leading;
    double squares = 0;
    ONCE for (int i = k + 1 + thread; i < m; i += kThreads) squares += static_cast<double>(column[i]) * column[i];
    squares = sum_of_all(squares, room);
    const double alpha = column[k];
    const double length = square_root(alpha * alpha + squares);
    const double beta = alpha > 0 ? -length : length;
    const T by = squares == 0 ? T(0) : static_cast<T>((beta - alpha) / beta);
    __syncthreads();
    if (thread == 0) tau[k] = by;
    if (squares == 0) continue;
    const double scale = 1 / (alpha - beta);
    ONCE for (int i = k + 1 + thread; i < m; i += kThreads) column[i] = static_cast<T>(column[i] * scale);
    if (thread == 0) column[k] = static_cast<T>(beta);
    __syncthreads();
    ONCE for (int j = k + 1 + warp; j < columns; j += kWarps) {
      T* const other = a + j * leading;
      double product = lane == 0 ? static_cast<double>(other[k]) : 0;
      ONCE for (int i = k + 1 + lane; i < m; i += 32) product += static_cast<double>(column[i]) * other[i];
      const T sum = static_cast<T>(by * sum_of_warp(product, room));
      if (lane == 0) other[k] -= sum;
      ONCE for (int i = k + 1 + lane; i < m; i += 32) other[i] = multiply_add(-sum, column[i], other[i]);
    }
    __syncthreads();
  }
}

/// The vectors of a panel with their ones, and zeros above.
template <class T>
INLINE void reflectors(long long m, int columns, const T* a, long long leading, T* v) {
  FOR_EACH(at, m * columns) {
    const long long i = at % m, j = at / m;
    v[at] = i < j ? T(0) : i == j ? T(1) : a[i + j * leading];
  }
}

/// T of H1 H2 ... = I - V T V^T, from the products `gram` = V^T V; both kPanel to the column. One warp.
template <class T>
INLINE void larft(int columns, const T* gram, const T* tau, T* t) {
  const int i = threadIdx.x;
  ONCE for (int k = 0; k < columns; ++k) {
    T sum = T(0);
    if (i < k)
      ONCE for (int j = i; j < k; ++j) sum = multiply_add(t[i + j * kPanel], gram[j + k * kPanel], sum);
    if (i < columns) t[i + k * kPanel] = i < k ? -tau[k] * sum : i == k ? tau[k] : T(0);
    __syncwarp();
  }
}

template <class T>
INLINE void identity(long long m, long long columns, T* a, long long leading) {
  FOR_EACH(at, m * columns) a[at % m + at / m * leading] = at % m == at / m ? T(1) : T(0);
}

#define DENSE(name, T)                                                                                                 \
  extern "C" __global__ void getrf_panel_##name(int m, int columns, T* a, long long leading, int* pivots, int first,   \
                                                int* info) {                                                           \
    getrf_panel<T>(m, columns, a, leading, pivots, first, info);                                                       \
  }                                                                                                                    \
  extern "C" __global__ void laswp_##name(int columns, T* a, long long leading, int first, int count,                  \
                                          const int* pivots, int step, int backwards) {                                \
    laswp<T>(columns, a, leading, first, count, pivots, step, backwards);                                              \
  }                                                                                                                    \
  extern "C" __global__ void potrf_block_##name(int n, T* a, long long leading, int lower, int first, int* info) {     \
    potrf_block<T>(n, a, leading, lower, first, info);                                                                 \
  }                                                                                                                    \
  extern "C" __global__ void potrf_each_##name(int n, T* const* list, long long leading, int lower, int* info) {       \
    potrf_each<T>(n, list, leading, lower, info);                                                                      \
  }                                                                                                                    \
  extern "C" __global__ void geqrf_panel_##name(int m, int columns, T* a, long long leading, T* tau) {                 \
    geqrf_panel<T>(m, columns, a, leading, tau);                                                                       \
  }                                                                                                                    \
  extern "C" __global__ void reflectors_##name(long long m, int columns, const T* a, long long leading, T* v) {        \
    reflectors<T>(m, columns, a, leading, v);                                                                          \
  }                                                                                                                    \
  extern "C" __global__ void larft_##name(int columns, const T* gram, const T* tau, T* t) {                            \
    larft<T>(columns, gram, tau, t);                                                                                   \
  }                                                                                                                    \
  extern "C" __global__ void identity_##name(long long m, long long columns, T* a, long long leading) {                \
    identity<T>(m, columns, a, leading);                                                                               \
  }
DENSE(s, float)
DENSE(d, double)

extern "C" __global__ void widen(int n, const int* from, long long* to) { FOR_EACH(i, n) to[i] = from[i]; }
extern "C" __global__ void narrow(int n, const long long* from, int* to) { FOR_EACH(i, n) to[i] = static_cast<int>(from[i]); }
