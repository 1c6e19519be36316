#pragma once
// Types of the elements of matrices and vectors (docs/cuda.md, cuBLAS), and what is computed in.

#include "arithmetic.h"

/// bfloat16: the upper half of a float.
struct Bf16 {
  unsigned short bits;
};

__device__ __forceinline__ float get(float v) { return v; }
__device__ __forceinline__ double get(double v) { return v; }
__device__ __forceinline__ float get(_Float16 v) { return static_cast<float>(v); }
__device__ __forceinline__ float get(Bf16 v) { return from_bf16(v.bits); }
__device__ __forceinline__ int get(signed char v) { return v; }
__device__ __forceinline__ int get(int v) { return v; }

__device__ __forceinline__ void put(float& to, float v) { to = v; }
__device__ __forceinline__ void put(double& to, double v) { to = v; }
__device__ __forceinline__ void put(_Float16& to, float v) { to = static_cast<_Float16>(v); }
__device__ __forceinline__ void put(int& to, int v) { to = v; }
__device__ __forceinline__ void put(Bf16& to, float v) { to.bits = to_bf16(v); }

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
