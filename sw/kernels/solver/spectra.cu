// Eigenvalues of symmetric matrices and singular values, each by one CTA with Jacobi's rotations (Golub and Van Loan, Matrix
// Computations, fourth edition, 2013, sections 8.5 and 8.6.3): cuSOLVER (docs/cuda.md). Matrices lie in columns. Rotations of a round
// concern disjoint pairs of columns.

#include "solver/sums.h"

constexpr int kMostSweeps = 40;

INLINE float unit_roundoff(float) { return 5.9604645e-8f; }
INLINE double unit_roundoff(double) { return 1.1102230246251565e-16; }

/// Pair `k` of a round, as in a tournament of `players`, an even number, in which each meets each: p below q.
INLINE void pair_of(int players, int round, int k, int& p, int& q) {
  const int others = players - 1;
  p = k == 0 ? others : (round + k) % others;
  q = (round + others - k) % others;
  if (p > q) {
    const int was = p;
    p = q;
    q = was;
  }
}

/// c and s of the rotation that takes `both` away between `first` and `second` on the diagonal (section 8.5.2).
template <class T>
INLINE void rotation(T first, T both, T second, T& c, T& s) {
  const T theta = (second - first) / (T(2) * both);
  const T t = (theta < T(0) ? T(-1) : T(1)) / (magnitude(theta) + square_root(multiply_add(theta, theta, T(1))));
  c = T(1) / square_root(multiply_add(t, t, T(1)));
  s = t * c;
}
template <class T>
INLINE void rotate(T& p, T& q, T c, T s) {
  const T was = p;
  p = c * was - s * q;
  q = s * was + c * q;
}

/// Eigenvalues in ascending order to `values`, and with `vectors` vectors of length 1 in the place of A, which is symmetric and of
/// which a triangle is read. `work`: 2 n n + 3 n. `info`: 0, or how many elements beside the diagonal are not yet small. `report`,
/// if there is one: the root of the sum of squares beside the diagonal, and sweeps.
template <class T>
INLINE void syev(int n, T* a, long long leading, T* values, T* work, int vectors, int lower, int* info, double* report) {
  __shared__ double room[kThreads];
  const int thread = threadIdx.x, players = n + n % 2, pairs = players / 2;
  const long long all = static_cast<long long>(n) * n;
  T *const m = work, *const v = m + all, *const cs = v + all, *const ss = cs + n, *const order = ss + n;
  double squares = 0;
  ONCE for (long long at = thread; at < all; at += kThreads) {
    const long long i = at % n, j = at / n;
    const bool here = (i > j) == (lower != 0) || i == j;
    const T value = here ? a[i + j * leading] : a[j + i * leading];
    m[at] = value;
    v[at] = i == j ? T(1) : T(0);
    squares += static_cast<double>(value) * value;
  }
  // What rounding leaves of n rotations of each element.
  const double small = n * unit_roundoff(T()) * square_root(sum_of_all(squares, room));
  double off = 0;
  int sweep = 0;
  ONCE for (; sweep < kMostSweeps; ++sweep) {
    off = 0;
    ONCE for (long long at = thread; at < all; at += kThreads)
      if (at % n != at / n) off += static_cast<double>(m[at]) * m[at];
    off = sum_of_all(off, room);
    if (square_root(off) <= small) break;
    ONCE for (int round = 0; round < players - 1; ++round) {
      ONCE for (int k = thread; k < pairs; k += kThreads) {
        int p, q;
        pair_of(players, round, k, p, q);
        T c = T(1), s = T(0);
        if (q < n && m[p + static_cast<long long>(q) * n] != T(0))
          rotation(m[p + static_cast<long long>(p) * n], m[p + static_cast<long long>(q) * n],
                   m[q + static_cast<long long>(q) * n], c, s);
        cs[k] = c;
        ss[k] = s;
      }
      __syncthreads();
      ONCE for (long long at = thread; at < static_cast<long long>(pairs) * n; at += kThreads) {
        const int k = at / n;
        const long long i = at % n;
        int p, q;
        pair_of(players, round, k, p, q);
        if (q >= n) continue;
        rotate(m[i + static_cast<long long>(p) * n], m[i + static_cast<long long>(q) * n], cs[k], ss[k]);
        if (vectors) rotate(v[i + static_cast<long long>(p) * n], v[i + static_cast<long long>(q) * n], cs[k], ss[k]);
      }
      __syncthreads();
      ONCE for (long long at = thread; at < static_cast<long long>(pairs) * n; at += kThreads) {
        const int k = at % pairs;
        const long long j = at / pairs;
        int p, q;
        pair_of(players, round, k, p, q);
        if (q < n) rotate(m[p + j * n], m[q + j * n], cs[k], ss[k]);
      }
      __syncthreads();
    }
  }
  // Each finds how many are before it.
  ONCE for (int j = thread; j < n; j += kThreads) {
    const T mine = m[j + static_cast<long long>(j) * n];
    int before = 0;
    ONCE for (int k = 0; k < n; ++k) {
      const T other = m[k + static_cast<long long>(k) * n];
      before += other < mine || (other == mine && k < j);
    }
    values[before] = mine;
    order[before] = static_cast<T>(j);
  }
  __syncthreads();
  if (vectors) {
    ONCE for (long long at = thread; at < all; at += kThreads)
      a[at % n + at / n * leading] = v[at % n + static_cast<long long>(order[at / n]) * n];
  }
  double left = 0;
  if (sweep == kMostSweeps)
    ONCE for (long long at = thread; at < all; at += kThreads)
      left += at % n < at / n && static_cast<double>(magnitude(m[at])) > small;
  left = sum_of_all(left, room);
  if (thread == 0) {
    *info = static_cast<int>(left);
    if (report) {
      report[0] = square_root(off);
      report[1] = sweep;
    }
  }
}

/// Singular values of an A of m rows and n columns, m at least n, in descending order to `values`; the left vectors to `u`, m to the
/// column, zeros where a value is none beside the greatest; with `vt` the right ones to its rows. A goes. `work`: n n + 2 n. `info`:
/// 0, or how many pairs of columns still are not at right angles. `report`, if there is one: the greatest cosine between two columns
/// that the last sweep met, times the greatest value, and sweeps.
template <class T>
INLINE void svd(int m, int n, T* a, long long leading, T* values, T* u, T* vt, long long leading_vt, T* work, int* info,
                double* report) {
  __shared__ double room[kThreads];
  __shared__ int turned;
  __shared__ double cosines[kWarps];
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32, players = n + n % 2, pairs = players / 2;
  T *const v = work, *const lengths = v + static_cast<long long>(n) * n, *const order = lengths + n;
  ONCE for (long long at = thread; at < static_cast<long long>(n) * n; at += kThreads) v[at] = at % n == at / n ? T(1) : T(0);
  double squares = 0;
  ONCE for (long long at = thread; at < static_cast<long long>(m) * n; at += kThreads) {
    const double value = a[at % m + at / m * leading];
    squares += value * value;
  }
  // Columns whose length is below this are rounding errors of others.
  const double none = unit_roundoff(T()) * square_root(sum_of_all(squares, room));
  int left = 1, sweep = 0;
  ONCE for (; sweep < kMostSweeps && left != 0; ++sweep) {
    if (thread == 0) turned = 0;
    if (lane == 0) cosines[warp] = 0;
    __syncthreads();
    ONCE for (int round = 0; round < players - 1; ++round) {
      ONCE for (int k = warp; k < pairs; k += kWarps) {
        int p, q;
        pair_of(players, round, k, p, q);
        if (q >= n) continue;
        T *const first = a + p * leading, *const second = a + q * leading;
        double alpha = 0, beta = 0, gamma = 0;
        ONCE for (int i = lane; i < m; i += 32) {
          const double x = first[i], y = second[i];
          alpha += x * x;
          beta += y * y;
          gamma += x * y;
        }
        alpha = sum_of_warp(alpha, room);
        beta = sum_of_warp(beta, room);
        gamma = sum_of_warp(gamma, room);
        const double bound = square_root(alpha) * square_root(beta);
        if (lane == 0 && bound > none * none && magnitude(gamma) > cosines[warp] * bound) cosines[warp] = magnitude(gamma) / bound;
        if (magnitude(gamma) <= 4 * unit_roundoff(T()) * bound || bound <= none * none) continue;
        if (lane == 0) atomicAdd(&turned, 1);
        double c, s;
        rotation(alpha, gamma, beta, c, s);
        const T by_c = static_cast<T>(c), by_s = static_cast<T>(s);
        ONCE for (int i = lane; i < m; i += 32) rotate(first[i], second[i], by_c, by_s);
        ONCE for (int i = lane; i < n; i += 32)
          rotate(v[i + static_cast<long long>(p) * n], v[i + static_cast<long long>(q) * n], by_c, by_s);
      }
      __syncthreads();
    }
    left = turned;
    __syncthreads();
  }
  ONCE for (int j = warp; j < n; j += kWarps) {
    double length = 0;
    ONCE for (int i = lane; i < m; i += 32) {
      const double x = a[i + j * leading];
      length += x * x;
    }
    length = sum_of_warp(length, room);
    if (lane == 0) lengths[j] = static_cast<T>(square_root(length));
  }
  __syncthreads();
  ONCE for (int j = thread; j < n; j += kThreads) {
    const T mine = lengths[j];
    int before = 0;
    ONCE for (int k = 0; k < n; ++k) before += lengths[k] > mine || (lengths[k] == mine && k < j);
    values[before] = mine;
    order[before] = static_cast<T>(j);
  }
  __syncthreads();
  const double smallest = none * (m > n ? m : n);
  ONCE for (long long at = thread; at < static_cast<long long>(m) * n; at += kThreads) {
    const int j = static_cast<int>(order[at / m]);
    const T length = lengths[j];
    u[at] = length > smallest ? a[at % m + j * leading] / length : T(0);
  }
  __syncthreads();
  if (vt) {
    ONCE for (long long at = thread; at < static_cast<long long>(n) * n; at += kThreads) {
      const long long i = at % n, j = at / n;
      vt[i + j * leading_vt] = v[j + static_cast<long long>(order[i]) * n];
    }
  }
  if (thread == 0) {
    *info = left;
    if (report) {
      double most = 0;
      ONCE for (int w = 0; w < kWarps; ++w) most = cosines[w] > most ? cosines[w] : most;
      report[0] = most * values[0];
      report[1] = sweep;
    }
  }
}

/// Columns of `known`, m to the column, to those of `all`, but for those that are zeros.
template <class T>
INLINE void put_known(long long m, const T* known, T* all, long long leading) {
  __shared__ int any;
  const T* const from = known + blockIdx.x * m;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  ONCE for (long long i = threadIdx.x; i < m; i += kThreads)
    if (from[i] != T(0)) any = 1;
  __syncthreads();
  if (!any) return;
  ONCE for (long long i = threadIdx.x; i < m; i += kThreads) all[i + blockIdx.x * leading] = from[i];
}

/// The other triangle of a symmetric matrix, from the one that is given.
template <class T>
INLINE void mirror(int n, T* a, long long leading, int lower) {
  FOR_EACH(at, static_cast<long long>(n) * n) {
    const long long i = at % n, j = at / n;
    if (i != j && (i > j) != (lower != 0)) a[i + j * leading] = a[j + i * leading];
  }
}

#define SPECTRA(name, T)                                                                                               \
  extern "C" __global__ void syev_##name(int n, T* a, long long leading, T* values, T* work, int vectors, int lower,   \
                                         int* info, double* report) {                                                  \
    syev<T>(n, a, leading, values, work, vectors, lower, info, report);                                                \
  }                                                                                                                    \
  extern "C" __global__ void svd_##name(int m, int n, T* a, long long leading, T* values, T* u, T* vt,                 \
                                        long long leading_vt, T* work, int* info, double* report) {                    \
    svd<T>(m, n, a, leading, values, u, vt, leading_vt, work, info, report);                                           \
  }                                                                                                                    \
  extern "C" __global__ void mirror_##name(int n, T* a, long long leading, int lower) { mirror<T>(n, a, leading, lower); } \
  extern "C" __global__ void put_known_##name(long long m, const T* known, T* all, long long leading) {                \
    put_known<T>(m, known, all, leading);                                                                              \
  }
SPECTRA(s, float)
SPECTRA(d, double)
