// Products of sparse with dense vectors and matrices (docs/cuda.md, cuSPARSE).

#include "sparse/types.h"

/// y = alpha a x + beta y; `lanes` threads, 1 or a warp, for each line of a.
template <class T>
INLINE void spmv(const Sparse& a, bool conjugates, Factor<T> alpha, const Values& x, Factor<T> beta, const Values& y,
                 unsigned lanes) {
  const long long thread = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  const long long line = thread / lanes;
  const unsigned lane = static_cast<unsigned>(thread % lanes);
  T sum{};
  if (line < a.lines) {
    const long long end = start_of(a, line + 1);
    ONCE for (long long e = start_of(a, line) + lane; e < end; e += lanes) {
      const T v = value_of<T>(a, e);
      sum = multiply_add(conjugates ? conjugate(v) : v, load<T>(x, get(a.other, e)), sum);
    }
  }
  ONCE for (unsigned with = lanes / 2; with != 0; with /= 2) sum = sum + exchanged(sum, static_cast<int>(with));
  if (line >= a.lines || lane != 0) return;
  const T by = value_of(beta), product = value_of(alpha) * sum;
  store(y, line, is_zero(by) ? product : multiply_add(by, load<T>(y, line), product));
}

/// c = alpha a b + beta c, an element a thread: columns by x, lines of a by y, matrices of a batch by z.
template <class T>
INLINE void spmm(const Sparse& of_a, bool conjugates_a, Factor<T> alpha, const Dense& of_b, bool conjugates_b, Factor<T> beta,
                 const Dense& of_c, long long columns) {
  const long long column = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  const long long line = blockIdx.y * static_cast<long long>(blockDim.y) + threadIdx.y;
  const Sparse a = of_batch(of_a, blockIdx.z);
  if (line >= a.lines || column >= columns) return;
  const Dense b = of_batch(of_b, blockIdx.z), c = of_batch(of_c, blockIdx.z);
  T sum{};
  const long long end = start_of(a, line + 1);
  ONCE for (long long e = start_of(a, line); e < end; ++e) {
    const T v = value_of<T>(a, e), w = element<T>(b, get(a.other, e), column);
    sum = multiply_add(conjugates_a ? conjugate(v) : v, conjugates_b ? conjugate(w) : w, sum);
  }
  const long long at = line * c.row_step + column * c.column_step;
  const T by = value_of(beta), product = value_of(alpha) * sum;
  store(c.values, at, is_zero(by) ? product : multiply_add(by, load<T>(c.values, at), product));
}

/// At the entries of c alone: c = alpha a b + beta c, an entry a thread, with a of `inner` columns. `rows`: c's lines are rows.
template <class T>
INLINE void sddmm(const Sparse& of_c, bool rows, Factor<T> alpha, const Dense& of_a, bool conjugates_a, const Dense& of_b,
                  bool conjugates_b, Factor<T> beta, long long inner) {
  const long long e = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  const Sparse c = of_batch(of_c, blockIdx.z);
  if (e >= c.entries) return;
  const Dense a = of_batch(of_a, blockIdx.z), b = of_batch(of_b, blockIdx.z);
  const long long line = line_of(c, e), other = get(c.other, e);
  const long long row = rows ? line : other, column = rows ? other : line;
  T sum{};
  ONCE for (long long k = 0; k < inner; ++k) {
    const T v = element<T>(a, row, k), w = element<T>(b, k, column);
    sum = multiply_add(conjugates_a ? conjugate(v) : v, conjugates_b ? conjugate(w) : w, sum);
  }
  const T by = value_of(beta), product = value_of(alpha) * sum;
  store(c.values, e, is_zero(by) ? product : multiply_add(by, load<T>(c.values, e), product));
}

// ---- sparse vectors

template <class T>
INLINE void scale(long long n, Factor<T> beta, const Values& y) {
  const T by = value_of(beta);
  FOR_EACH(i, n) store(y, i, is_zero(by) ? T{} : by * load<T>(y, i));
}
template <class T>
INLINE void add(long long n, Factor<T> alpha, const Indices& at, const Values& x, const Values& y) {
  const T by = value_of(alpha);
  FOR_EACH(i, n) {
    const long long to = get(at, i);
    store(y, to, multiply_add(by, load<T>(x, i), load<T>(y, to)));
  }
}
template <class T>
INLINE void gather(long long n, const Indices& at, const Values& y, const Values& x) {
  FOR_EACH(i, n) store(x, i, load<T>(y, get(at, i)));
}
template <class T>
INLINE void scatter(long long n, const Indices& at, const Values& x, const Values& y) {
  FOR_EACH(i, n) store(y, get(at, i), load<T>(x, i));
}
template <class T>
INLINE void rot(long long n, Factor<T> cosine, Factor<T> sine, const Indices& at, const Values& x, const Values& y) {
  const T c = value_of(cosine), s = value_of(sine);
  FOR_EACH(i, n) {
    const long long to = get(at, i);
    const T a = load<T>(x, i), b = load<T>(y, to);
    store(x, i, multiply_add(c, a, s * b));
    store(y, to, c * b - s * a);
  }
}
/// By one CTA of 256 threads.
template <class T>
INLINE void dot(long long n, bool conjugates, const Indices& at, const Values& x, const Values& y, T* result) {
  __shared__ T sums[256];
  T sum{};
  ONCE for (long long i = threadIdx.x; i < n; i += 256) {
    const T v = load<T>(x, i);
    sum = multiply_add(conjugates ? conjugate(v) : v, load<T>(y, get(at, i)), sum);
  }
  sums[threadIdx.x] = sum;
  ONCE for (unsigned half = 128; half != 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *result = sums[0];
}

#define DEFINE(letter, T)                                                                                               \
  extern "C" __global__ void spmv_##letter(Sparse a, int conjugates, Factor<T> alpha, Values x, Factor<T> beta, Values y, \
                                           unsigned lanes) {                                                            \
    spmv(a, conjugates != 0, alpha, x, beta, y, lanes);                                                                 \
  }                                                                                                                     \
  extern "C" __global__ void spmm_##letter(Sparse a, int conjugates_a, Factor<T> alpha, Dense b, int conjugates_b,      \
                                           Factor<T> beta, Dense c, long long columns) {                                \
    spmm(a, conjugates_a != 0, alpha, b, conjugates_b != 0, beta, c, columns);                                          \
  }                                                                                                                     \
  extern "C" __global__ void axpby_scale_##letter(long long n, Factor<T> beta, Values y) { scale(n, beta, y); }         \
  extern "C" __global__ void axpby_add_##letter(long long n, Factor<T> alpha, Indices at, Values x, Values y) {         \
    add(n, alpha, at, x, y);                                                                                            \
  }                                                                                                                     \
  extern "C" __global__ void gather_##letter(long long n, Indices at, Values y, Values x) { gather<T>(n, at, y, x); }   \
  extern "C" __global__ void scatter_##letter(long long n, Indices at, Values x, Values y) { scatter<T>(n, at, x, y); } \
  extern "C" __global__ void dot_##letter(long long n, int conjugates, Indices at, Values x, Values y, T* result) {     \
    dot<T>(n, conjugates != 0, at, x, y, result);                                                                       \
  }
FOR_ALL_TYPES(DEFINE)
#undef DEFINE
#define DEFINE(letter, T)                                                                                                  \
  extern "C" __global__ void sddmm_##letter(Sparse c, int rows, Factor<T> alpha, Dense a, int conjugates_a, Dense b,         \
                                            int conjugates_b, Factor<T> beta, long long inner) {                           \
    sddmm(c, rows != 0, alpha, a, conjugates_a != 0, b, conjugates_b != 0, beta, inner);                                   \
  }                                                                                                                        \
  extern "C" __global__ void rot_##letter(long long n, Factor<T> cosine, Factor<T> sine, Indices at, Values x, Values y) { \
    rot(n, cosine, sine, at, x, y);                                                                                        \
  }
FOR_FLOATING(DEFINE)
