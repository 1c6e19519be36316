// Vectors, and matrices with vectors: levels 1 and 2 of BLAS. Vectors have `step` elements from one to the next, from `at` on,
// which the caller has moved to the first one. Sums are made in an order that depends on sizes alone: CTAs leave theirs in
// `partial`, and a CTA of its own adds them.

#include "blas/types.h"

constexpr int kCta = 256;  // threads of those that reduce

template <class T>
struct Vector {
  T* at;
  long long step;
  __device__ __forceinline__ T& operator[](long long i) const { return at[i * step]; }
};

// By: of the factor, in which it is computed.
template <class T, class By>
__device__ __forceinline__ void axpy(int n, Factor<By> alpha, Vector<const T> x, Vector<T> y) {
  const By by = alpha();
  FOR_EACH(i, n) put(y[i], multiply_add(by, get(x[i]), get(y[i])));
}
template <class T, class By>
__device__ __forceinline__ void scal(int n, Factor<By> alpha, Vector<T> x) {
  const By by = alpha();
  FOR_EACH(i, n) put(x[i], by * get(x[i]));
}
template <class T>
__device__ __forceinline__ void copy(int n, Vector<const T> x, Vector<T> y) {
  FOR_EACH(i, n) y[i] = x[i];
}
template <class T>
__device__ __forceinline__ void swap(int n, Vector<T> x, Vector<T> y) {
  FOR_EACH(i, n) {
    const T was = x[i];
    x[i] = y[i];
    y[i] = was;
  }
}
template <class T>
__device__ __forceinline__ void rot(int n, Vector<T> x, Vector<T> y, Factor<T> cosine, Factor<T> sine) {
  const T c = cosine(), s = sine();
  FOR_EACH(i, n) {
    const T a = x[i], b = y[i];
    x[i] = multiply_add(c, a, s * b);
    y[i] = multiply_add(c, b, -(s * a));
  }
}

// ---- reductions

/// The sum over the CTA, for its first thread.
template <class Acc>
__device__ __forceinline__ Acc sum_of_cta(Acc mine) {
  __shared__ Acc sums[kCta];
  sums[threadIdx.x] = mine;
  ONCE for (unsigned half = kCta / 2; half != 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  return sums[0];
}

/// What is added: products (0), magnitudes (1), squares over that of `scale` (2).
template <class Acc, class T, class By>
__device__ __forceinline__ void reduce(int n, Vector<const T> x, Vector<const T> y, int what, const By* scale,
                                       Acc* partial) {
  const Acc over = what == 2 && scale != nullptr && *scale != By(0) ? Acc(1) / Acc(*scale) : Acc(1);
  Acc sum = 0;
  FOR_EACH(i, n) {
    const Acc v = Acc(get(x[i]));
    if (what == 0)
      sum = multiply_add(v, Acc(get(y[i])), sum);
    else if (what == 1)
      sum += magnitude(v);
    else
      sum = multiply_add(v * over, v * over, sum);
  }
  sum = sum_of_cta(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
/// The sum of `count` partial ones, or its root times `scale` for squares.
template <class Acc, class T, class By>
__device__ __forceinline__ void finish(int count, const Acc* partial, int what, const By* scale, T* result) {
  Acc sum = 0;
  ONCE for (int i = threadIdx.x; i < count; i += kCta) sum += partial[i];
  sum = sum_of_cta(sum);
  if (threadIdx.x != 0) return;
  if (what != 2)
    put(*result, By(sum));
  else if (scale == nullptr)
    put(*result, By(__builtin_sqrt(sum)));
  else if (*scale == By(0) || *scale == By(__builtin_inf()))
    put(*result, *scale);
  else
    put(*result, By(*scale * __builtin_sqrt(sum)));
}

/// The first of the greatest magnitudes (of the least with `least`): its magnitude and its place from 1 on.
template <class T>
struct Found {
  T magnitude;
  int place;  // 0: nothing was looked at
};
template <class T>
__device__ __forceinline__ bool before(const Found<T>& a, const Found<T>& b, int least) {
  if (a.place == 0 || b.place == 0) return a.place != 0;
  if (a.magnitude != b.magnitude) return least ? a.magnitude < b.magnitude : a.magnitude > b.magnitude;
  return a.place < b.place;
}
template <class T>
__device__ __forceinline__ Found<T> found_in_cta(Found<T> mine, int least) {
  __shared__ Found<T> all[kCta];
  all[threadIdx.x] = mine;
  ONCE for (unsigned half = kCta / 2; half != 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half && before(all[threadIdx.x + half], all[threadIdx.x], least))
      all[threadIdx.x] = all[threadIdx.x + half];
  }
  return all[0];
}
template <class T>
__device__ __forceinline__ void search(int n, Vector<const T> x, int least, Found<T>* partial) {
  Found<T> best = {T(0), 0};
  FOR_EACH(i, n) {
    const Found<T> one = {magnitude(x[i]), static_cast<int>(i) + 1};
    if (before(one, best, least)) best = one;
  }
  best = found_in_cta(best, least);
  if (threadIdx.x == 0) partial[blockIdx.x] = best;
}
template <class T>
__device__ __forceinline__ void found(int count, const Found<T>* partial, int least, int* place, T* magnitude) {
  Found<T> best = {T(0), 0};
  ONCE for (int i = threadIdx.x; i < count; i += kCta)
    if (before(partial[i], best, least)) best = partial[i];
  best = found_in_cta(best, least);
  if (threadIdx.x != 0) return;
  if (place) *place = best.place;
  if (magnitude) *magnitude = best.magnitude;
}

// ---- matrices with vectors

/// y = alpha A x + beta y, a thread a row.
template <class T>
__device__ __forceinline__ void gemv_n(int m, int n, Factor<T> alpha, Matrices<const T> as, Vector<const T> x, long long next_x,
                                       Factor<T> beta, Vector<T> y, long long next_y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const T* const a = as.of(blockIdx.y);
  x.at += blockIdx.y * next_x;
  y.at += blockIdx.y * next_y;
  T sum = 0;
  ONCE for (int j = 0; j < n; ++j) sum = multiply_add(a[i + static_cast<long long>(j) * as.leading], x[j], sum);
  const T keep = beta();
  y[i] = multiply_add(alpha(), sum, keep == T(0) ? T(0) : keep * y[i]);
}
/// y = alpha A^T x + beta y, a CTA a column.
template <class T>
__device__ __forceinline__ void gemv_t(int m, Factor<T> alpha, Matrices<const T> as, Vector<const T> x, long long next_x,
                                       Factor<T> beta, Vector<T> y, long long next_y) {
  const T* const a = as.of(blockIdx.y) + static_cast<long long>(blockIdx.x) * as.leading;
  x.at += blockIdx.y * next_x;
  y.at += blockIdx.y * next_y;
  T sum = 0;
  ONCE for (int i = threadIdx.x; i < m; i += kCta) sum = multiply_add(a[i], x[i], sum);
  sum = sum_of_cta(sum);
  if (threadIdx.x != 0) return;
  const T keep = beta();
  y[blockIdx.x] = multiply_add(alpha(), sum, keep == T(0) ? T(0) : keep * y[blockIdx.x]);
}
/// A += alpha x y^T; with `triangle` 1 its lower one alone, with 2 the upper one.
template <class T>
__device__ __forceinline__ void ger(int m, int n, Factor<T> alpha, Vector<const T> x, Vector<const T> y, Matrices<T> a,
                                    int triangle) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n || (triangle == 1 && i < j) || (triangle == 2 && i > j)) return;
  T& at = a.first[i + static_cast<long long>(j) * a.leading];
  at = multiply_add(alpha() * x[i], y[j], at);
}

#define OF_ANY(name, T, By)                                                                                                     \
  extern "C" __global__ void axpy_##name(int n, Factor<By> alpha, Vector<const T> x, Vector<T> y) {                            \
    axpy<T, By>(n, alpha, x, y);                                                                                               \
  }                                                                                                                            \
  extern "C" __global__ void scal_##name(int n, Factor<By> alpha, Vector<T> x) { scal<T, By>(n, alpha, x); }                   \
  extern "C" __global__ void reduce_##name(int n, Vector<const T> x, Vector<const T> y, int what, const By* scale,             \
                                           double* partial) {                                                                  \
    reduce<double, T, By>(n, x, y, what, scale, partial);                                                                      \
  }                                                                                                                            \
  extern "C" __global__ void finish_##name(int count, const double* partial, int what, const By* scale, T* result) {           \
    finish<double, T, By>(count, partial, what, scale, result);                                                                \
  }
// Sums are made in double, so that squares of a narrower type need no scale.
OF_ANY(s, float, float)
OF_ANY(d, double, double)
OF_ANY(h, _Float16, float)
OF_ANY(b, Bf16, float)

#define LEVEL12(name, T)                                                                                                       \
  extern "C" __global__ void copy_##name(int n, Vector<const T> x, Vector<T> y) { copy<T>(n, x, y); }                         \
  extern "C" __global__ void swap_##name(int n, Vector<T> x, Vector<T> y) { swap<T>(n, x, y); }                               \
  extern "C" __global__ void rot_##name(int n, Vector<T> x, Vector<T> y, Factor<T> c, Factor<T> s) { rot<T>(n, x, y, c, s); } \
  extern "C" __global__ void search_##name(int n, Vector<const T> x, int least, Found<T>* partial) {                           \
    search<T>(n, x, least, partial);                                                                                           \
  }                                                                                                                            \
  extern "C" __global__ void found_##name(int count, const Found<T>* partial, int least, int* place, T* magnitude) {           \
    found<T>(count, partial, least, place, magnitude);                                                                         \
  }                                                                                                                            \
  extern "C" __global__ void gemv_n_##name(int m, int n, Factor<T> alpha, Matrices<const T> a, Vector<const T> x,              \
                                           long long next_x, Factor<T> beta, Vector<T> y, long long next_y) {                  \
    gemv_n<T>(m, n, alpha, a, x, next_x, beta, y, next_y);                                                                     \
  }                                                                                                                            \
  extern "C" __global__ void gemv_t_##name(int m, Factor<T> alpha, Matrices<const T> a, Vector<const T> x, long long next_x,   \
                                           Factor<T> beta, Vector<T> y, long long next_y) {                                    \
    gemv_t<T>(m, alpha, a, x, next_x, beta, y, next_y);                                                                        \
  }                                                                                                                            \
  extern "C" __global__ void ger_##name(int m, int n, Factor<T> alpha, Vector<const T> x, Vector<const T> y, Matrices<T> a,    \
                                        int triangle) {                                                                        \
    ger<T>(m, n, alpha, x, y, a, triangle);                                                                                    \
  }
LEVEL12(s, float)
LEVEL12(d, double)
