// Products of two sparse matrices (docs/cuda.md, cuSPARSE): each line of the first by a thread, which writes all products
// one beside the other, sorts them by column and adds those of the same.

#include "sparse/sort.h"

/// How many products each line of a b has.
extern "C" __global__ void count_products(Sparse a, Sparse b, long long* counts) {
  FOR_EACH(line, a.lines) {
    const long long end = start_of(a, line + 1);
    long long found = 0;
    ONCE for (long long e = start_of(a, line); e < end; ++e) {
      const long long k = get(a.other, e);
      found += start_of(b, k + 1) - start_of(b, k);
    }
    counts[line] = found;
  }
}

/// From first[line] on: columns and sums; counts[line]: how many remain. Without `values` columns only.
template <class T>
INLINE void multiply(const Sparse& a, const Sparse& b, const long long* first, long long* columns, T* values,
                     long long* counts) {
  FOR_EACH(line, a.lines) {
    long long* const column = columns + first[line];
    T* const value = values + first[line];
    long long n = 0;
    const long long end = start_of(a, line + 1);
    ONCE for (long long e = start_of(a, line); e < end; ++e) {
      const long long k = get(a.other, e), b_end = start_of(b, k + 1);
      const T by = values ? value_of<T>(a, e) : T{};
      ONCE for (long long f = start_of(b, k); f < b_end; ++f, ++n) {
        column[n] = get(b.other, f);
        if (values) value[n] = by * value_of<T>(b, f);
      }
    }
    heap_sort(n, [&](long long i, long long j) { return column[i] < column[j]; },
              [&](long long i, long long j) {
                const long long c = column[i];
                column[i] = column[j];
                column[j] = c;
                if (!values) return;
                const T v = value[i];
                value[i] = value[j];
                value[j] = v;
              });
    long long to = 0;
    ONCE for (long long i = 0; i < n; ++i) {
      if (to != 0 && column[to - 1] == column[i]) {
        if (values) value[to - 1] = value[to - 1] + value[i];
      } else {
        column[to] = column[i];
        if (values) value[to] = value[i];
        ++to;
      }
    }
    counts[line] = to;
  }
}

/// c = alpha (a b) + beta c, from where multiply has left it; c's lines begin at starts[line]. What is null is not written.
template <class T>
INLINE void finish(const long long* first, const long long* columns, const T* values, const long long* starts, const Sparse& c,
                   Factor<T> alpha, Factor<T> beta) {
  FOR_EACH(line, c.lines + 1) {
    put(c.starts, line, starts[line]);
    if (line == c.lines) continue;
    const long long n = starts[line + 1] - starts[line];
    ONCE for (long long i = 0; i < n; ++i) {
      const long long to = starts[line] + i;
      if (c.other.at) put(c.other, to, columns[first[line] + i]);
      if (!values || !c.values.at) continue;
      const T by = value_of(beta), v = value_of(alpha) * values[first[line] + i];
      store(c.values, to, is_zero(by) ? v : multiply_add(by, load<T>(c.values, to), v));
    }
  }
}

#define DEFINE(letter, T)                                                                                           \
  extern "C" __global__ void multiply_##letter(Sparse a, Sparse b, const long long* first, long long* columns, T* values, \
                                               long long* counts) {                                                 \
    multiply(a, b, first, columns, values, counts);                                                                 \
  }                                                                                                                 \
  extern "C" __global__ void finish_##letter(const long long* first, const long long* columns, const T* values,     \
                                             const long long* starts, Sparse c, Factor<T> alpha, Factor<T> beta) {  \
    finish(first, columns, values, starts, c, alpha, beta);                                                         \
  }
FOR_FLOATING(DEFINE)
