// Vectors: level 1 of BLAS.

#include "blas/sums.h"

// By: of the factor, in which it is computed.
template <class T, class By>
INLINE void axpy(int n, Factor<By> alpha, Vector<const T> x, Vector<T> y) {
  const By by = alpha();
  FOR_EACH(i, n) put(y[i], multiply_add(by, get(x[i]), get(y[i])));
}
template <class T, class By>
INLINE void scal(int n, Factor<By> alpha, Vector<T> x) {
  const By by = alpha();
  FOR_EACH(i, n) put(x[i], by * get(x[i]));
}
template <class T>
INLINE void copy(int n, Vector<const T> x, Vector<T> y) {
  FOR_EACH(i, n) y[i] = x[i];
}
template <class T>
INLINE void swap(int n, Vector<T> x, Vector<T> y) {
  FOR_EACH(i, n) {
    const T was = x[i];
    x[i] = y[i];
    y[i] = was;
  }
}
/// S: of the sine, which is complex where a rotation of complex numbers is.
template <class T, class S>
INLINE void rot(int n, Vector<T> x, Vector<T> y, Factor<Real<T>> cosine, Factor<S> sine) {
  const Real<T> c = cosine();
  const S s = sine();
  FOR_EACH(i, n) {
    const T a = x[i], b = y[i];
    x[i] = multiply_add(T(c), a, s * b);
    y[i] = multiply_add(T(c), b, -(conjugate(s) * a));
  }
}

// ---- reductions

// Sums are made in double, so that squares of a narrower type need no scale, and in an order that depends on sizes alone: CTAs
// leave theirs in `partial`, and a CTA of its own adds them.
template <class T>
struct SumOf {
  using Type = double;
};
template <class R>
struct SumOf<Complex<R>> {
  using Type = Complex<double>;
};
template <class T>
using Sum = typename SumOf<T>::Type;
INLINE double wide(double v) { return v; }
INLINE Complex<double> wide(Complex<double> v) { return v; }
INLINE Complex<double> wide(Complex<float> v) { return {v.re, v.im}; }
INLINE double real_of(double v) { return v; }
INLINE double real_of(Complex<double> v) { return v.re; }
INLINE double with_square(double v, double sum) { return multiply_add(v, v, sum); }
INLINE Complex<double> with_square(Complex<double> v, Complex<double> sum) {
  return multiply_add(v.re, v.re, multiply_add(v.im, v.im, sum.re));
}
INLINE void put_sum(float& to, double sum) { to = static_cast<float>(sum); }
INLINE void put_sum(double& to, double sum) { to = sum; }
INLINE void put_sum(_Float16& to, double sum) { put(to, static_cast<float>(sum)); }
INLINE void put_sum(Bf16& to, double sum) { put(to, static_cast<float>(sum)); }
template <class R>
INLINE void put_sum(Complex<R>& to, Complex<double> sum) {
  to = {static_cast<R>(sum.re), static_cast<R>(sum.im)};
}

// What is added.
constexpr int kMagnitudes = 1, kSquares = 2, kConjugates = 3;  // others: products

/// Squares are of parts of `scale`, if there is one.
template <class T>
INLINE void reduce(int n, Vector<const T> x, Vector<const T> y, int what, const double* scale, Sum<T>* partial) {
  const double over = what == kSquares && scale != nullptr && *scale != 0 ? 1 / *scale : 1;
  Sum<T> sum = 0;
  FOR_EACH(i, n) {
    const Sum<T> v = wide(get(x[i]));
    if (what == kMagnitudes)
      sum = sum + Sum<T>(magnitude(v));
    else if (what == kSquares)
      sum = with_square(over * v, sum);
    else
      sum = multiply_add(conjugate(v, what == kConjugates), wide(get(y[i])), sum);
  }
  sum = sum_of_cta(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
/// The sum of `count` partial ones; of squares the root, times `scale`. Sums of magnitudes and squares are real.
template <class T, class R>
INLINE void finish(int count, const Sum<T>* partial, int what, const double* scale, T* result) {
  Sum<T> sum = 0;
  ONCE for (int i = threadIdx.x; i < count; i += kCta) sum += partial[i];
  sum = sum_of_cta(sum);
  if (threadIdx.x != 0) return;
  R& real = *reinterpret_cast<R*>(result);
  if (what == kMagnitudes)
    put_sum(real, real_of(sum));
  else if (what != kSquares)
    put_sum(*result, sum);
  else if (scale == nullptr)
    put_sum(real, square_root(real_of(sum)));
  else if (*scale == 0 || *scale == __builtin_inf())
    put_sum(real, *scale);
  else
    put_sum(real, *scale * square_root(real_of(sum)));
}

/// The first of the greatest magnitudes (of the least with `least`): its magnitude and its place from 1 on.
template <class T>
struct Found {
  T magnitude;
  int place;  // 0: nothing was looked at
};
template <class T>
INLINE bool before(const Found<T>& a, const Found<T>& b, int least) {
  if (a.place == 0 || b.place == 0) return a.place != 0;
  if (a.magnitude != b.magnitude) return least ? a.magnitude < b.magnitude : a.magnitude > b.magnitude;
  return a.place < b.place;
}
template <class T>
INLINE Found<T> found_in_cta(Found<T> mine, int least) {
  __shared__ Found<T> all[kCta];
  all[threadIdx.x] = mine;
  ONCE for (unsigned half = kCta / 2; half != 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half && before(all[threadIdx.x + half], all[threadIdx.x], least))
      all[threadIdx.x] = all[threadIdx.x + half];
  }
  return all[0];
}
template <class T, class R>
INLINE void search(int n, Vector<const T> x, int least, Found<R>* partial) {
  Found<R> best = {R(0), 0};
  FOR_EACH(i, n) {
    const Found<R> one = {magnitude(get(x[i])), static_cast<int>(i) + 1};
    if (before(one, best, least)) best = one;
  }
  best = found_in_cta(best, least);
  if (threadIdx.x == 0) partial[blockIdx.x] = best;
}
/// Its place in four bytes or in eight, or its magnitude, of which a scale is made.
template <class R>
INLINE void found(int count, const Found<R>* partial, int least, int* place, long long* wide_place, double* magnitude) {
  Found<R> best = {R(0), 0};
  ONCE for (int i = threadIdx.x; i < count; i += kCta)
    if (before(partial[i], best, least)) best = partial[i];
  best = found_in_cta(best, least);
  if (threadIdx.x != 0) return;
  if (place) *place = best.place;
  if (wide_place) *wide_place = best.place;
  if (magnitude) *magnitude = best.magnitude;
}

// ---- rotations

/// c, s and r of a and b, which become r and what c and s can be had from (rotg of the reference BLAS).
template <class T>
INLINE void rotg(T* a, T* b, T* c, T* s) {
  const T x = *a, y = *b, scale = magnitude(x) + magnitude(y);
  if (scale == 0) {
    *c = 1;
    *s = *a = *b = 0;
    return;
  }
  const T p = x / scale, q = y / scale;
  T r = scale * square_root(multiply_add(p, p, q * q));
  if ((magnitude(x) > magnitude(y) ? x : y) < 0) r = -r;
  *c = x / r;
  *s = y / r;
  *a = r;
  *b = magnitude(x) > magnitude(y) ? *s : *c != 0 ? 1 / *c : T(1);
}
template <class R>
INLINE R length(Complex<R> v) {
  const R scale = magnitude(v);
  if (scale == 0) return 0;
  const R p = v.re / scale, q = v.im / scale;
  return scale * square_root(multiply_add(p, p, q * q));
}
template <class R>
INLINE void rotg(Complex<R>* a, Complex<R>* b, R* c, Complex<R>* s) {
  const R of_a = length(*a), of_b = length(*b);
  if (of_a == 0) {
    *c = 0;
    *s = 1;
    *a = *b;
    return;
  }
  const R norm = length(Complex<R>(of_a, of_b));
  const Complex<R> turn = {a->re / of_a, a->im / of_a};
  *c = of_a / norm;
  *s = (1 / norm) * (turn * conjugate(*b));
  *a = norm * turn;
}

/// A modified rotation as BLAS has it: what form, then h11, h21, h12, h22.
template <class T>
struct Modified {
  T flag, h11, h21, h12, h22;
  INLINE void complete() {
    if (flag == 0) h11 = h22 = 1;
    if (flag == 1) h21 = -1, h12 = 1;
    if (flag == -2) h11 = h22 = 1, h21 = h12 = 0;
  }
};
template <class T>
INLINE void rotm(int n, Vector<T> x, Vector<T> y, Factor<Modified<T>> rotation) {
  Modified<T> h = rotation();
  if (h.flag == -2) return;
  h.complete();
  FOR_EACH(i, n) {
    const T a = x[i], b = y[i];
    x[i] = multiply_add(h.h11, a, h.h12 * b);
    y[i] = multiply_add(h.h21, a, h.h22 * b);
  }
}
/// rotmg of the reference BLAS (Hopkins, 1997); what the form does not need of `to` stays as it was.
template <class T>
INLINE void rotmg(T* d1, T* d2, T* x1, const T* y1, T* to) {
  constexpr T kScale = 4096, kGreatest = kScale * kScale, kLeast = 1 / kGreatest;
  T a = *d1, b = *d2, x = *x1;
  const T y = *y1;
  Modified<T> h = {-1, 0, 0, 0, 0};
  const T p2 = b * y;
  if (a >= 0 && p2 == 0) {
    to[0] = -2;
    return;
  }
  const T p1 = a * x, q2 = p2 * y, q1 = p1 * x;
  bool zero = a < 0;
  if (!zero) {
    if (magnitude(q1) > magnitude(q2)) {
      h.h21 = -y / x;
      h.h12 = p2 / p1;
      const T u = 1 - h.h12 * h.h21;
      zero = !(u > 0);
      if (!zero) h.flag = 0, a = a / u, b = b / u, x = x * u;
    } else if (q2 < 0) {
      zero = true;
    } else {
      h.flag = 1;
      h.h11 = p1 / p2;
      h.h22 = x / y;
      const T u = 1 + h.h11 * h.h22, was = a;
      a = b / u;
      b = was / u;
      x = y * u;
    }
  }
  if (zero) {
    h = {-1, 0, 0, 0, 0};
    a = b = x = 0;
  } else {
    const T beyond = __builtin_inf();
    ONCE while (a != 0 && a != beyond && (a <= kLeast || a >= kGreatest)) {
      h.complete();
      h.flag = -1;
      const bool up = a <= kLeast;
      const T by = up ? kScale : 1 / kScale;
      a = a * (by * by);
      x = x / by;
      h.h11 = h.h11 / by;
      h.h12 = h.h12 / by;
    }
    ONCE while (b != 0 && magnitude(b) != beyond && (magnitude(b) <= kLeast || magnitude(b) >= kGreatest)) {
      h.complete();
      h.flag = -1;
      const bool up = magnitude(b) <= kLeast;
      const T by = up ? kScale : 1 / kScale;
      b = b * (by * by);
      h.h21 = h.h21 / by;
      h.h22 = h.h22 / by;
    }
  }
  *d1 = a;
  *d2 = b;
  *x1 = x;
  to[0] = h.flag;
  if (h.flag != 0) to[1] = h.h11, to[4] = h.h22;
  if (h.flag != 1) to[2] = h.h21, to[3] = h.h12;
}

// A factor of a complex function that is real, or is wanted conjugated, where it lies on the device.
template <class T, class By>
INLINE void factor_on_device(const By* from, T* to, int conjugated) {
  *to = conjugate(T(*from), conjugated != 0);
}

#define OF_ANY(name, T, By, R)                                                                                            \
  extern "C" __global__ void axpy_##name(int n, Factor<By> alpha, Vector<const T> x, Vector<T> y) {                      \
    axpy<T, By>(n, alpha, x, y);                                                                                         \
  }                                                                                                                      \
  extern "C" __global__ void scal_##name(int n, Factor<By> alpha, Vector<T> x) { scal<T, By>(n, alpha, x); }             \
  extern "C" __global__ void copy_##name(int n, Vector<const T> x, Vector<T> y) { copy<T>(n, x, y); }                    \
  extern "C" __global__ void swap_##name(int n, Vector<T> x, Vector<T> y) { swap<T>(n, x, y); }                          \
  extern "C" __global__ void reduce_##name(int n, Vector<const T> x, Vector<const T> y, int what, const double* scale,   \
                                           Sum<T>* partial) {                                                            \
    reduce<T>(n, x, y, what, scale, partial);                                                                            \
  }                                                                                                                      \
  extern "C" __global__ void finish_##name(int count, const Sum<T>* partial, int what, const double* scale, T* result) { \
    finish<T, R>(count, partial, what, scale, result);                                                                   \
  }                                                                                                                      \
  extern "C" __global__ void search_##name(int n, Vector<const T> x, int least, Found<Real<By>>* partial) {              \
    search<T>(n, x, least, partial);                                                                                     \
  }                                                                                                                      \
  extern "C" __global__ void found_##name(int count, const Found<Real<By>>* partial, int least, int* place,              \
                                          long long* wide_place, double* magnitude) {                                    \
    found(count, partial, least, place, wide_place, magnitude);                                                          \
  }
OF_ANY(s, float, float, float)
OF_ANY(d, double, double, double)
OF_ANY(h, _Float16, float, _Float16)
OF_ANY(b, Bf16, float, Bf16)
OF_ANY(c, Complex<float>, Complex<float>, float)
OF_ANY(z, Complex<double>, Complex<double>, double)

#define ROTATIONS(name, T, S)                                                                                              \
  extern "C" __global__ void rot_##name(int n, Vector<T> x, Vector<T> y, Factor<Real<T>> c, Factor<S> s) {               \
    rot<T, S>(n, x, y, c, s);                                                                                            \
  }
ROTATIONS(s, float, float)
ROTATIONS(d, double, double)
ROTATIONS(c, Complex<float>, Complex<float>)
ROTATIONS(z, Complex<double>, Complex<double>)
ROTATIONS(cs, Complex<float>, float)
ROTATIONS(zd, Complex<double>, double)
#define GIVENS(name, T)                                                                                                  \
  extern "C" __global__ void rotg_##name(T* a, T* b, Real<T>* c, T* s) { rotg(a, b, c, s); }
GIVENS(s, float)
GIVENS(d, double)
GIVENS(c, Complex<float>)
GIVENS(z, Complex<double>)
#define MODIFIED(name, T)                                                                                                \
  extern "C" __global__ void rotm_##name(int n, Vector<T> x, Vector<T> y, Factor<Modified<T>> h) { rotm<T>(n, x, y, h); } \
  extern "C" __global__ void rotmg_##name(T* d1, T* d2, T* x1, const T* y1, T* h) { rotmg<T>(d1, d2, x1, y1, h); }
MODIFIED(s, float)
MODIFIED(d, double)

#define OF_COMPLEX(name, T)                                                                                              \
  extern "C" __global__ void scal_real_##name(int n, Factor<Real<T>> alpha, Vector<T> x) { scal(n, alpha, x); }          \
  extern "C" __global__ void factor_##name(const T* from, T* to, int conjugated) {                                       \
    factor_on_device(from, to, conjugated);                                                                              \
  }                                                                                                                      \
  extern "C" __global__ void factor_real_##name(const Real<T>* from, T* to, int conjugated) {                            \
    factor_on_device(from, to, conjugated);                                                                              \
  }
OF_COMPLEX(c, Complex<float>)
OF_COMPLEX(z, Complex<double>)
