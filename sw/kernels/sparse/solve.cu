// Triangles solved, matrices factored without new entries, and tridiagonal systems (docs/cuda.md, cuSPARSE). Rows of one
// level depend on rows of earlier ones only. A launch takes one level, or several by one CTA, which waits between them.

#include "sparse/types.h"

/// Calls `visit(row)` for the launch's share of each level's rows.
template <class Visit>
INLINE void for_rows(const Levels& levels, int from, int to, const Visit& visit) {
  ONCE for (int level = from; level < to; ++level) {
    if (level != from) __syncthreads();
    const long long begin = levels.starts[level], n = levels.starts[level + 1] - begin;
    FOR_EACH(i, n) visit(levels.rows[begin + i]);
  }
}

/// t x = alpha b, a right side for each y of the grid.
template <class T>
INLINE void solve(const Triangle& t, int from, int to, bool conjugates, Factor<T> alpha, const Dense& b, bool conjugates_b,
                  const Dense& x) {
  const long long side = blockIdx.y;
  const T by = value_of(alpha);
  for_rows(t.levels, from, to, [&](long long row) {
    const T right = element<T>(b, row, side);
    T v = by * (conjugates_b ? conjugate(right) : right);
    const long long end = t.starts[row + 1];
    ONCE for (long long e = t.starts[row]; e < end; ++e) {
      const T factor = load<T>(t.values, t.places[e]);
      v = v - (conjugates ? conjugate(factor) : factor) * element<T>(x, t.columns[e], side);
    }
    const long long at = t.diagonal[row];
    if (at != Triangle::kOne) {
      const T d = at == Triangle::kMissing ? T{} : load<T>(t.values, at);
      v = v / (conjugates ? conjugate(d) : d);
    }
    store(x.values, row * x.row_step + side * x.column_step, v);
  });
}

/// Other values on the diagonal.
template <class T>
INLINE void set_diagonal(long long n, const long long* diagonal, const T* from, T* values) {
  FOR_EACH(i, n) if (diagonal[i] >= 0) values[diagonal[i]] = from[i];
}

/// Where the row has the column, or -1.
INLINE long long find(const Indices& columns, long long from, long long end, long long column) {
  const long long at = from + lower_bound(moved(columns, from), end - from, column);
  return at < end && get(columns, at) == column ? at : -1;
}

/// A value of the diagonal.
INLINE void set(float& to, double re, double) { to = static_cast<float>(re); }
INLINE void set(double& to, double re, double) { to = re; }
template <class R>
INLINE void set(Complex<R>& to, double re, double im) {
  to = {static_cast<R>(re), static_cast<R>(im)};
}

/// a = l u in place: l below the diagonal, of which its own is 1. `pivot`: the least row whose pivot is 0. Saad, Iterative
/// Methods for Sparse Linear Systems, algorithm 10.4.
template <class T>
INLINE void ilu(const Sparse& a, const Levels& levels, int from, int to, const Boost& boost, int* pivot) {
  T* const values = static_cast<T*>(a.values.at);
  for_rows(levels, from, to, [&](long long row) {
    const long long begin = get(a.starts, row), end = get(a.starts, row + 1);
    ONCE for (long long e = begin; e < end; ++e) {
      const long long k = get(a.other, e);
      if (k >= row) break;
      const long long k_end = get(a.starts, k + 1), diagonal = find(a.other, get(a.starts, k), k_end, k);
      if (diagonal < 0) continue;
      const T by = values[e] / values[diagonal];
      values[e] = by;
      ONCE for (long long f = diagonal + 1; f < k_end; ++f) {
        const long long at = find(a.other, e + 1, end, get(a.other, f));
        if (at >= 0) values[at] = values[at] - by * values[f];
      }
    }
    const long long diagonal = find(a.other, begin, end, row);
    if (diagonal >= 0 && boost.enabled && modulus(values[diagonal]) < boost.tolerance)
      set(values[diagonal], boost.re, boost.im);
    if (diagonal < 0 || is_zero(values[diagonal])) atomicMin(pivot, static_cast<int>(row));
  });
}

/// a = l conjugate(l)', of which l's entries, below the diagonal and on it, take the place of a's; others stay.
template <class T>
INLINE void cholesky(const Sparse& a, const Levels& levels, int from, int to, int* pivot) {
  T* const values = static_cast<T*>(a.values.at);
  for_rows(levels, from, to, [&](long long row) {
    const long long begin = get(a.starts, row), end = get(a.starts, row + 1);
    bool found = false;
    ONCE for (long long e = begin; e < end; ++e) {
      const long long k = get(a.other, e);
      if (k > row) break;
      // Less the products of what both rows have before column k.
      const long long k_begin = get(a.starts, k), k_end = get(a.starts, k + 1);
      T v = values[e];
      ONCE for (long long i = begin; i < e; ++i) {
        const long long at = find(a.other, k_begin, k_end, get(a.other, i));
        if (at >= 0) v = v - values[i] * conjugate(values[at]);
      }
      if (k == row) {
        found = !is_zero(v);
        values[e] = square_root(v);
      } else {
        const long long diagonal = find(a.other, k_begin, k_end, k);
        values[e] = diagonal < 0 ? v : v / conjugate(values[diagonal]);
      }
    }
    if (!found) atomicMin(pivot, static_cast<int>(row));
  });
}

/// A system a thread: Gaussian elimination, with exchanges of neighbouring rows where the lower one's pivot is the greater
/// (LAPACK's gtsv), if `pivots`. `scratch`: three numbers a row and system.
template <class T>
INLINE void tridiagonal(const Tridiagonal& s, bool pivots, T* scratch) {
  FOR_EACH(system, s.systems) {
    const long long m = s.size;
    const auto of = [&](const void* diagonal, long long row) {
      return static_cast<const T*>(diagonal)[system * s.system_step + row * s.step];
    };
    const auto right = [&](long long row) -> T& {
      return static_cast<T*>(s.right)[system * s.right_system_step + row * s.right_step];
    };
    // What stands right of the diagonal in rows that are done, from the diagonal on.
    T* const rows = scratch + system * 3 * m;
    T d = of(s.middle, 0), u = m > 1 ? of(s.upper, 0) : T{}, b = right(0);
    ONCE for (long long i = 0; i < m; ++i) {
      T* const row = rows + 3 * i;
      if (i + 1 == m) {
        row[0] = d;
        row[1] = row[2] = T{};
        right(i) = b;
        break;
      }
      const T low = of(s.lower, i + 1), next_d = of(s.middle, i + 1), next_u = i + 2 < m ? of(s.upper, i + 1) : T{};
      const T next_b = right(i + 1);
      if (pivots && modulus(low) > modulus(d)) {
        row[0] = low;
        row[1] = next_d;
        row[2] = next_u;
        right(i) = next_b;
        const T by = d / low;
        d = u - by * next_d;
        u = T{} - by * next_u;
        b = b - by * next_b;
      } else {
        row[0] = d;
        row[1] = u;
        row[2] = T{};
        right(i) = b;
        const T by = low / d;
        d = next_d - by * u;
        u = next_u;
        b = next_b - by * b;
      }
    }
    T after{}, behind{};
    ONCE for (long long i = m; i-- > 0;) {
      const T* const row = rows + 3 * i;
      const T x = (right(i) - row[1] * after - row[2] * behind) / row[0];
      right(i) = x;
      behind = after;
      after = x;
    }
  }
}

#define DEFINE(letter, T)                                                                                                  \
  extern "C" __global__ void solve_##letter(Triangle t, int from, int to, int conjugates, Factor<T> alpha, Dense b,          \
                                            int conjugates_b, Dense x) {                                                   \
    solve(t, from, to, conjugates != 0, alpha, b, conjugates_b != 0, x);                                                   \
  }                                                                                                                        \
  extern "C" __global__ void set_diagonal_##letter(long long n, const long long* diagonal, const T* from, T* values) {     \
    set_diagonal(n, diagonal, from, values);                                                                               \
  }                                                                                                                        \
  extern "C" __global__ void ilu_##letter(Factored a, int from, int to, Boost boost, int* pivot) {                         \
    ilu<T>(a.matrix, a.levels, from, to, boost, pivot);                                                                             \
  }                                                                                                                        \
  extern "C" __global__ void cholesky_##letter(Factored a, int from, int to, int* pivot) {                                 \
    cholesky<T>(a.matrix, a.levels, from, to, pivot);                                                                               \
  }                                                                                                                        \
  extern "C" __global__ void tridiagonal_##letter(Tridiagonal s, int pivots, T* scratch) {                                 \
    tridiagonal(s, pivots != 0, scratch);                                                                                  \
  }
FOR_FLOATING(DEFINE)
