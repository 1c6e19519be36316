// Matrices with vectors: level 2 of BLAS. Matrices are in columns, or of bands or triangles of which no more is stored.

#include "blas/sums.h"

/// Vectors of a batch: a list of addresses, or `stride` elements from each to the next; `first` and those of the list are moved by
/// `start`, so that steps below 0 begin at the end.
template <class T>
struct Vectors {
  T* first;
  T* const* list;  // null: there is none
  long long stride, start, step;
  INLINE Vector<T> of(unsigned batch) const { return {(list ? list[batch] : first + batch * stride) + start, step}; }
};

/// y = alpha A x + beta y, a thread a row; with kConjugated of A's conjugate.
template <class T>
INLINE void gemv_n(int m, int n, Factor<T> alpha, Matrices<const T> as, Vectors<const T> xs, Factor<T> beta, Vectors<T> ys) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const T* const a = as.of(blockIdx.y);
  const auto x = xs.of(blockIdx.y);
  const auto y = ys.of(blockIdx.y);
  T sum = 0;
  ONCE for (int j = 0; j < n; ++j) sum = multiply_add(a[i + static_cast<long long>(j) * as.leading], x[j], sum);
  const T keep = beta();
  y[i] = multiply_add(alpha(), sum, keep == T(0) ? T(0) : keep * y[i]);
}
/// y = alpha A^T x + beta y, a CTA a column.
template <class T>
INLINE void gemv_t(int m, Factor<T> alpha, Matrices<const T> as, Vectors<const T> xs, Factor<T> beta, Vectors<T> ys) {
  const T* const a = as.of(blockIdx.y) + static_cast<long long>(blockIdx.x) * as.leading;
  const auto x = xs.of(blockIdx.y);
  const auto y = ys.of(blockIdx.y);
  T sum = 0;
  ONCE for (int i = threadIdx.x; i < m; i += kCta)
    sum = multiply_add(conjugate(a[i], (as.shape & kConjugated) != 0), x[i], sum);
  sum = sum_of_cta(sum);
  if (threadIdx.x != 0) return;
  const T keep = beta();
  y[blockIdx.x] = multiply_add(alpha(), sum, keep == T(0) ? T(0) : keep * y[blockIdx.x]);
}

// ---- matrices of which a part is stored

// How; sw/cuda/blas/level2.cpp has the same ones.
constexpr int kBand = 1, kPacked = 2;  // others: all of it, in columns

/// `below` and `above`: for how many diagonals beside the main one there are elements; `order`: of a triangle.
template <class T>
struct Stored {
  T* first;
  int storage, leading, shape, below, above, order;

  INLINE long long place(int i, int j) const {
    const long long column = j;
    if (storage == kPacked)
      return shape & kLower ? i + column * (2 * order - column - 1) / 2 : i + column * (column + 1) / 2;
    return (storage == kBand ? above + i - j : i) + column * leading;
  }
  INLINE auto operator()(int i, int j) const {
    return element<Plain<T>>(i, j, shape, [this](int row, int column) { return first[place(row, column)]; });
  }
  // Of row i of op(A) elements that are not zero lie from `from(i)` to before `to(i, columns)`.
  INLINE int left() const { return shape & kSymmetric ? below + above : shape & kTransposed ? above : below; }
  INLINE int right() const { return shape & kSymmetric ? below + above : shape & kTransposed ? below : above; }
  INLINE int from(int i) const { return i > left() ? i - left() : 0; }
  INLINE int to(int i, int columns) const { return columns - i > right() ? i + right() + 1 : columns; }
};

/// y = alpha op(A) x + beta y, a thread a row.
template <class T>
INLINE void mv(int rows, int columns, Factor<T> alpha, Stored<const T> a, Vector<const T> x, Factor<T> beta, Vector<T> y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  T sum = 0;
  const int to = a.to(i, columns);
  ONCE for (int j = a.from(i); j < to; ++j) sum = multiply_add(a(i, j), x[j], sum);
  const T keep = beta();
  y[i] = multiply_add(alpha(), sum, keep == T(0) ? T(0) : keep * y[i]);
}

/// x = op(A) x of a triangular A, by one CTA: rows that need nothing of those done before them come last.
template <class T>
INLINE void trmv(int n, Stored<const T> a, Vector<T> x) {
  const bool lower = ((a.shape & kLower) != 0) != ((a.shape & kTransposed) != 0);
  ONCE for (int done = 0; done < n; done += kCta) {
    const int at = done + threadIdx.x, i = lower ? n - 1 - at : at;
    T sum = 0;
    if (at < n) {
      const int from = a.from(i), to = a.to(i, n);
      ONCE for (int j = from; j < to; ++j) sum = multiply_add(a(i, j), x[j], sum);
    }
    __syncthreads();
    if (at < n) x[i] = sum;
    __syncthreads();
  }
}

/// x of op(A) x = b in the place of b, of a triangular A, by one CTA: what is found is taken from all the others.
template <class T>
INLINE void trsv(int n, Stored<const T> a, Vector<T> x) {
  __shared__ T found;
  const bool lower = ((a.shape & kLower) != 0) != ((a.shape & kTransposed) != 0);
  const int reach = lower ? a.left() : a.right();  // of one unknown, in rows
  ONCE for (int p = 0; p < n; ++p) {
    const int i = lower ? p : n - 1 - p;
    if (threadIdx.x == 0) {
      found = a.shape & kUnit ? x[i] : x[i] / a(i, i);
      x[i] = found;
    }
    __syncthreads();
    const T by = -found;
    const int others = n - 1 - p < reach ? n - 1 - p : reach;
    ONCE for (int q = threadIdx.x; q < others; q += kCta) {
      const int row = lower ? i + 1 + q : i - 1 - q;
      x[row] = multiply_add(a(row, i), by, x[row]);
    }
    __syncthreads();
  }
}

/// A += alpha x op(y), and with `both` conj(alpha) y op(x) too, where op is by the shape the conjugate. Of a triangle's shape no more
/// than that is written.
template <class T>
INLINE void rank(int m, int n, Factor<T> alpha, Vector<const T> x, Vector<const T> y, Stored<T> a, int both) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  if ((a.shape & kTriangular) && i != j && (i > j) != ((a.shape & kLower) != 0)) return;
  const bool conjugated = a.shape & kConjugated;
  const T by = alpha();
  T& at = a.first[a.place(i, j)];
  T v = multiply_add(by * x[i], conjugate(y[j], conjugated), at);
  if (both) v = multiply_add(conjugate(by, conjugated) * y[i], conjugate(x[j], conjugated), v);
  at = (a.shape & kHermitian) && i == j ? real_part(v) : v;
}

/// A triangle, from one way of storing it to another.
template <class T>
INLINE void restore(int n, Stored<const T> from, Stored<T> to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n || (i != j && (i > j) != ((to.shape & kLower) != 0))) return;
  to.first[to.place(i, j)] = from.first[from.place(i, j)];
}

#define LEVEL2(name, T)                                                                                                      \
  extern "C" __global__ void gemv_n_##name(int m, int n, Factor<T> alpha, Matrices<const T> a, Vectors<const T> x,         \
                                           Factor<T> beta, Vectors<T> y) {                                                 \
    gemv_n<T>(m, n, alpha, a, x, beta, y);                                                                                 \
  }                                                                                                                        \
  extern "C" __global__ void gemv_t_##name(int m, Factor<T> alpha, Matrices<const T> a, Vectors<const T> x,                \
                                           Factor<T> beta, Vectors<T> y) {                                                 \
    gemv_t<T>(m, alpha, a, x, beta, y);                                                                                    \
  }                                                                                                                        \
  extern "C" __global__ void mv_##name(int rows, int columns, Factor<T> alpha, Stored<const T> a, Vector<const T> x,       \
                                       Factor<T> beta, Vector<T> y) {                                                      \
    mv<T>(rows, columns, alpha, a, x, beta, y);                                                                            \
  }                                                                                                                        \
  extern "C" __global__ void trmv_##name(int n, Stored<const T> a, Vector<T> x) { trmv<T>(n, a, x); }                      \
  extern "C" __global__ void trsv_##name(int n, Stored<const T> a, Vector<T> x) { trsv<T>(n, a, x); }                      \
  extern "C" __global__ void rank_##name(int m, int n, Factor<T> alpha, Vector<const T> x, Vector<const T> y, Stored<T> a, \
                                         int both) {                                                                       \
    rank<T>(m, n, alpha, x, y, a, both);                                                                                   \
  }                                                                                                                        \
  extern "C" __global__ void restore_##name(int n, Stored<const T> from, Stored<T> to) { restore<T>(n, from, to); }
LEVEL2(s, float)
LEVEL2(d, double)
LEVEL2(c, Complex<float>)
LEVEL2(z, Complex<double>)
