// Where entries of sparse matrices are: counting, sorting, transposing, and from and to dense matrices (docs/cuda.md,
// cuSPARSE).

#include "sparse/sort.h"

/// counts[key] of each key, on zeros.
extern "C" __global__ void count(long long n, Indices keys, uint64_t* counts) {
  FOR_EACH(i, n) atomicAdd(&counts[get(keys, i)], 1ull);
}
/// counts[line] of a matrix's lines, for those that have one to count by.
extern "C" __global__ void count_lines(Sparse a, long long* counts) {
  FOR_EACH(line, a.lines) counts[line] = start_of(a, line + 1) - start_of(a, line);
}

/// Of n numbers each becomes the sum of those before it, and the one behind the last that of all. One CTA of 1,024.
extern "C" __global__ void prefix_sums(long long n, long long* all) {
  constexpr unsigned kThreads = 1024;
  __shared__ long long sums[2][kThreads];
  __shared__ long long before;
  const unsigned t = threadIdx.x;
  if (t == 0) before = 0;
  ONCE for (long long from = 0; from < n; from += kThreads) {
    const long long i = from + t, mine = i < n ? all[i] : 0;
    unsigned side = 0;
    sums[side][t] = mine;
    __syncthreads();
    ONCE for (unsigned by = 1; by < kThreads; by *= 2, side ^= 1) {
      sums[side ^ 1][t] = sums[side][t] + (t >= by ? sums[side][t - by] : 0);
      __syncthreads();
    }
    if (i < n) all[i] = before + sums[side][t] - mine;
    __syncthreads();
    if (t == 0) before += sums[side][kThreads - 1];
    __syncthreads();
  }
  if (t == 0) all[n] = before;
}

/// The number of each key among its like, from `next[key]` on, which moves: positions[place] = number.
extern "C" __global__ void place(long long n, Indices keys, uint64_t* next, long long* positions) {
  FOR_EACH(i, n) positions[atomicAdd(&next[get(keys, i)], 1ull)] = i;
}
/// Sorts each group of positions, from starts[g] to starts[g + 1], by the key at the position, if there are keys, and by
/// the position. A group a thread.
extern "C" __global__ void sort_groups(long long groups, Indices starts, long long* positions, Indices keys) {
  FOR_EACH(g, groups) {
    const long long from = get(starts, g), n = get(starts, g + 1) - from;
    long long* const at = positions + from;
    const auto less = [&](long long i, long long j) {
      const long long a = at[i], b = at[j];
      if (keys.at == nullptr) return a < b;
      const long long x = get(keys, a), y = get(keys, b);
      return x != y ? x < y : a < b;
    };
    heap_sort(n, less, [&](long long i, long long j) {
      const long long was = at[i];
      at[i] = at[j];
      at[j] = was;
    });
  }
}
extern "C" __global__ void identity(long long n, Indices to) {
  FOR_EACH(i, n) put(to, i, i);
}
/// to[i] = from[positions[i]], of `bytes` each: 1, 2, 4, 8 or 16. From a copy where a program sorts in place.
extern "C" __global__ void take(long long n, const long long* positions, const unsigned char* from, unsigned char* to,
                                int bytes) {
  FOR_EACH(i, n) {
    const long long p = positions[i];
    ONCE for (int b = 0; b < bytes; b += bytes < 4 ? bytes : 4) {
      if (bytes == 1) {
        to[i] = from[p];
      } else if (bytes == 2) {
        reinterpret_cast<uint16_t*>(to)[i] = reinterpret_cast<const uint16_t*>(from)[p];
      } else {
        *reinterpret_cast<unsigned*>(to + i * bytes + b) = *reinterpret_cast<const unsigned*>(from + p * bytes + b);
      }
    }
  }
}
/// The lines of entries, of those at positions where there are some.
extern "C" __global__ void lines_of(Sparse a, const long long* positions, Indices to) {
  FOR_EACH(i, a.entries) put(to, i, line_of(a, positions ? positions[i] : i));
}
/// Where the lines begin of n entries in order; to[lines] = n.
extern "C" __global__ void starts_of(long long n, Indices line, long long lines, Indices to) {
  FOR_EACH(i, lines + 1) put(to, i, lower_bound(line, n, i));
}
/// In another width and from another base.
extern "C" __global__ void convert(long long n, Indices from, Indices to) {
  FOR_EACH(i, n) put(to, i, get(from, i));
}

// ---- dense matrices

/// How many elements of each line are not 0, and of all.
template <class T>
INLINE void count_dense(const Dense& d, long long lines, long long across, const Indices& counts, uint64_t* all) {
  FOR_EACH(line, lines) {
    long long found = 0;
    ONCE for (long long i = 0; i < across; ++i) found += !is_zero(element<T>(d, line, i));
    put(counts, line, found);
    if (all) atomicAdd(all, static_cast<uint64_t>(found));
  }
}
/// Those into lines that begin at `starts`. s: what is filled; its `line` in COO only.
template <class T>
INLINE void fill_sparse(const Dense& d, const long long* starts, const Sparse& s) {
  FOR_EACH(line, s.lines) {
    long long to = starts[line];
    ONCE for (long long i = 0; i < s.across; ++i) {
      const T v = element<T>(d, line, i);
      if (is_zero(v)) continue;
      put(s.other, to, i);
      if (s.line.at) put(s.line, to, line);
      if (s.values.at) store(s.values, to, v);
      ++to;
    }
  }
}
template <class T>
INLINE void fill_zeros(const Dense& d, long long lines, long long across) {
  FOR_EACH(i, lines * across) store(d.values, i / across * d.row_step + i % across * d.column_step, T{});
}
template <class T>
INLINE void fill_dense(const Sparse& s, const Dense& d) {
  FOR_EACH(e, s.entries)
  store(d.values, line_of(s, e) * d.row_step + get(s.other, e) * d.column_step, value_of<T>(s, e));
}

// ---- sums of matrices: c = alpha a + beta b, whose lines are in order. A line a thread.

/// Calls `visit(column, entry of a or -1, entry of b or -1)` in order.
template <class Visit>
INLINE void merge(const Sparse& a, const Sparse& b, long long line, const Visit& visit) {
  long long i = start_of(a, line), j = start_of(b, line);
  const long long a_end = start_of(a, line + 1), b_end = start_of(b, line + 1);
  ONCE while (i < a_end || j < b_end) {
    const long long x = i < a_end ? get(a.other, i) : a.across, y = j < b_end ? get(b.other, j) : a.across;
    visit(x < y ? x : y, x <= y ? i : -1, y <= x ? j : -1);
    i += x <= y;
    j += y <= x;
  }
}
extern "C" __global__ void count_sums(Sparse a, Sparse b, long long* counts) {
  FOR_EACH(line, a.lines) {
    long long found = 0;
    merge(a, b, line, [&](long long, long long, long long) { ++found; });
    counts[line] = found;
  }
}
template <class T>
INLINE void sums(const Sparse& a, const Sparse& b, Factor<T> alpha, Factor<T> beta, const Sparse& c) {
  const T by_a = value_of(alpha), by_b = value_of(beta);
  FOR_EACH(line, a.lines) {
    long long to = start_of(c, line);
    merge(a, b, line, [&](long long column, long long i, long long j) {
      T v{};
      if (i >= 0) v = by_a * value_of<T>(a, i);
      if (j >= 0) v = multiply_add(by_b, value_of<T>(b, j), v);
      put(c.other, to, column);
      store(c.values, to, v);
      ++to;
    });
  }
}

#define DEFINE(letter, T)                                                                                          \
  extern "C" __global__ void count_dense_##letter(Dense d, long long lines, long long across, Indices counts,      \
                                                  uint64_t* all) {                                                 \
    count_dense<T>(d, lines, across, counts, all);                                                                 \
  }                                                                                                                \
  extern "C" __global__ void fill_sparse_##letter(Dense d, const long long* starts, Sparse s) {                    \
    fill_sparse<T>(d, starts, s);                                                                                  \
  }                                                                                                                \
  extern "C" __global__ void fill_zeros_##letter(Dense d, long long lines, long long across) {                     \
    fill_zeros<T>(d, lines, across);                                                                               \
  }                                                                                                                \
  extern "C" __global__ void fill_dense_##letter(Sparse s, Dense d) { fill_dense<T>(s, d); }
FOR_FLOATING(DEFINE)
#undef DEFINE
#define DEFINE(letter, T)                                                                                \
  extern "C" __global__ void sums_##letter(Sparse a, Sparse b, Factor<T> alpha, Factor<T> beta, Sparse c) { \
    sums(a, b, alpha, beta, c);                                                                          \
  }
FOR_FLOATING(DEFINE)
