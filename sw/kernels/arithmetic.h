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
INLINE Complex<R> operator*(Complex<R> a, Complex<R> b) {
  return {multiply_add(a.re, b.re, -(a.im * b.im)), multiply_add(a.re, b.im, a.im * b.re)};
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
