#pragma once
// Types of the elements of matrices and vectors (docs/cuda.md, cuBLAS), and what is computed in.

/// Loops stay loops, so that the code is short.
#define ONCE _Pragma("unroll 1")

/// bfloat16: the upper half of a float.
struct Bf16 {
  unsigned short bits;
};

__device__ __forceinline__ float get(float v) { return v; }
__device__ __forceinline__ double get(double v) { return v; }
__device__ __forceinline__ float get(_Float16 v) { return static_cast<float>(v); }
__device__ __forceinline__ float get(Bf16 v) {
  return __builtin_bit_cast(float, static_cast<unsigned>(v.bits) << 16);
}
__device__ __forceinline__ int get(signed char v) { return v; }
__device__ __forceinline__ int get(int v) { return v; }

__device__ __forceinline__ void put(float& to, float v) { to = v; }
__device__ __forceinline__ void put(double& to, double v) { to = v; }
__device__ __forceinline__ void put(_Float16& to, float v) { to = static_cast<_Float16>(v); }
__device__ __forceinline__ void put(int& to, int v) { to = v; }
/// To the nearest, ties to the even one; a NaN stays one.
__device__ __forceinline__ void put(Bf16& to, float v) {
  const unsigned bits = __builtin_bit_cast(unsigned, v);
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  to.bits = static_cast<unsigned short>(nan ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

__device__ __forceinline__ float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__device__ __forceinline__ double multiply_add(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
__device__ __forceinline__ int multiply_add(int a, int b, int c) { return a * b + c; }

__device__ __forceinline__ float magnitude(float v) { return __builtin_fabsf(v); }
__device__ __forceinline__ double magnitude(double v) { return __builtin_fabs(v); }

/// A factor: there at the address, or itself where that is null.
template <class T>
struct Factor {
  const T* at;
  T value;
  __device__ __forceinline__ T operator()() const { return at ? *at : value; }
};

/// Matrices of a batch, in columns: one list of addresses, or `stride` elements from each to the next.
template <class T>
struct Matrices {
  T* first;
  T* const* list;  // null: there is none
  long long stride;
  int leading;  // from a column to the next
  int shape;    // of an operand of gemm
  __device__ __forceinline__ T* of(unsigned batch) const {
    return list ? list[batch] : first + batch * stride;
  }
};
