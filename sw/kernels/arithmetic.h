#pragma once
// What kernels of CUDA's libraries (docs/cuda.md) compute with: loops over all elements, products with one
// rounding, complex numbers, bfloat16.

#include "complex.h"

/// Loops stay loops, so that the code is short.
#define ONCE _Pragma("unroll 1")
/// Shares the numbers below n among all threads of the launch.
#define FOR_EACH(i, n)                                                                            \
  ONCE for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < (n); \
            i += static_cast<long long>(gridDim.x) * blockDim.x)
#define INLINE __device__ __forceinline__

INLINE float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
INLINE int multiply_add(int a, int b, int c) { return a * b + c; }

INLINE float square_root(float v) { return __nvvm_sqrt_rn_f(v); }
INLINE double square_root(double v) { return __nvvm_sqrt_rn_d(v); }

template <class R>
INLINE Complex<R> operator+(Complex<R> a, Complex<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class R>
INLINE Complex<R> operator-(Complex<R> a, Complex<R> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class R>
INLINE Complex<R> operator-(Complex<R> a) {
  return {-a.re, -a.im};
}
template <class R>
INLINE Complex<R> operator*(Complex<R> a, Complex<R> b) {
  return {multiply_add(a.re, b.re, -(a.im * b.im)), multiply_add(a.re, b.im, a.im * b.re)};
}
template <class R>
INLINE Complex<R> operator*(R a, Complex<R> b) {
  return {a * b.re, a * b.im};
}
template <class R>
INLINE Complex<R> multiply_add(Complex<R> a, Complex<R> b, Complex<R> c) {
  return {multiply_add(a.re, b.re, multiply_add(-a.im, b.im, c.re)), multiply_add(a.re, b.im, multiply_add(a.im, b.re, c.im))};
}
INLINE float magnitude(float v) { return __builtin_fabsf(v); }
INLINE double magnitude(double v) { return __builtin_fabs(v); }
/// As BLAS has it, of the sum of the parts' magnitudes.
template <class R>
INLINE R magnitude(Complex<R> v) {
  return magnitude(v.re) + magnitude(v.im);
}
/// Smith's algorithm (1962): the quotient of the parts of the divisor keeps squares in range.
template <class R>
INLINE Complex<R> operator/(Complex<R> a, Complex<R> b) {
  if (magnitude(b.re) >= magnitude(b.im)) {
    const R ratio = b.im / b.re, by = multiply_add(b.im, ratio, b.re);
    return {multiply_add(a.im, ratio, a.re) / by, multiply_add(-a.re, ratio, a.im) / by};
  }
  const R ratio = b.re / b.im, by = multiply_add(b.re, ratio, b.im);
  return {multiply_add(a.re, ratio, a.im) / by, multiply_add(a.im, ratio, -a.re) / by};
}
template <class R>
INLINE Complex<R>& operator+=(Complex<R>& a, Complex<R> b) {
  return a = a + b;
}
template <class R>
INLINE bool operator==(Complex<R> a, Complex<R> b) {
  return a.re == b.re && a.im == b.im;
}
template <class R>
INLINE bool operator!=(Complex<R> a, Complex<R> b) {
  return !(a == b);
}

/// The conjugate of a complex number where `wanted`; a real one is its own.
template <class T>
INLINE T conjugate(T v, bool wanted = true) {
  if constexpr (kComplex<T>) {
    if (wanted) v.im = -v.im;
  }
  return v;
}

/// bfloat16 is the upper half of a float.
INLINE float from_bf16(unsigned short bits) {
  return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
}
/// To the nearest, ties to the even one; a NaN stays one.
INLINE unsigned short to_bf16(float v) {
  const unsigned bits = __builtin_bit_cast(unsigned, v);
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  return static_cast<unsigned short>(nan ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
