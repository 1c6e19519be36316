#pragma once
// Types of the elements of matrices and vectors (docs/cuda.md, cuBLAS), and what is computed in.

#include "arithmetic.h"

/// bfloat16: the upper half of a float.
struct Bf16 {
  unsigned short bits;
};

INLINE float get(float v) { return v; }
INLINE double get(double v) { return v; }
INLINE float get(_Float16 v) { return static_cast<float>(v); }
INLINE float get(Bf16 v) { return from_bf16(v.bits); }
INLINE int get(signed char v) { return v; }
INLINE int get(int v) { return v; }
template <class R>
INLINE Complex<R> get(Complex<R> v) {
  return v;
}
INLINE Complex<float> get(Complex<signed char> v) { return {static_cast<float>(v.re), static_cast<float>(v.im)}; }

INLINE void put(float& to, float v) { to = v; }
INLINE void put(double& to, double v) { to = v; }
INLINE void put(_Float16& to, float v) { to = static_cast<_Float16>(v); }
INLINE void put(int& to, int v) { to = v; }
INLINE void put(Bf16& to, float v) { to.bits = to_bf16(v); }
template <class R>
INLINE void put(Complex<R>& to, Complex<R> v) {
  to = v;
}

template <class T>
struct PlainOf {
  using Type = T;
};
template <class T>
struct PlainOf<const T> {
  using Type = T;
};
/// Without const.
template <class T>
using Plain = typename PlainOf<T>::Type;

/// With nothing imaginary, as Hermitian matrices have their diagonals.
template <class T>
INLINE T real_part(T v) {
  if constexpr (kComplex<T>) v.im = 0;
  return v;
}

/// A factor: there at the address, or itself where that is null.
template <class T>
struct Factor {
  const T* at;
  T value;
  INLINE T operator()() const { return at ? *at : value; }
};

/// Matrices of a batch, in columns: one list of addresses, or `stride` elements from each to the next.
template <class T>
struct Matrices {
  T* first;
  T* const* list;  // null: there is none
  long long stride;
  int leading;  // from a column to the next
  int shape;    // of an operand
  INLINE T* of(unsigned batch) const { return list ? list[batch] : first + batch * stride; }
};

/// A vector: `step` elements from one to the next, from `at` on, which the caller has moved to the first one.
template <class T>
struct Vector {
  T* at;
  long long step;
  INLINE T& operator[](long long i) const { return at[i * step]; }
};

// What an operand is, in bits; sw/cuda/blas/handle.h has the same ones.
constexpr int kTransposed = 1, kSymmetric = 2, kTriangular = 4, kLower = 8, kUnit = 16, kConjugated = 32, kHermitian = 64;

/// The element in row i and column j of op(A), where `at(i, j)` has those of A that are stored.
template <class Acc, class At>
INLINE Acc element(int i, int j, int shape, At&& at) {
  if (shape & kTransposed) {
    const int k = i;
    i = j;
    j = k;
  }
  bool conjugated = kComplex<Acc> && (shape & kConjugated);
  if ((shape & (kSymmetric | kTriangular)) && i != j && (i > j) != ((shape & kLower) != 0)) {
    if (shape & kTriangular) return Acc(0);
    const int k = i;
    i = j;
    j = k;
    conjugated = conjugated != ((shape & kHermitian) != 0);
  }
  if (i == j && (shape & kUnit)) return Acc(1);
  const Acc v = Acc(at(i, j));
  if constexpr (kComplex<Acc>) {
    if (i == j && (shape & kHermitian)) return real_part(v);
    return conjugate(v, conjugated);
  }
  return v;
}
