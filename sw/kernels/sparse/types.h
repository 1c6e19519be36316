#pragma once
// Arithmetic of cuSPARSE's kernels: what is computed in is float, double, a complex number of these, or int;
// what lies in memory may be shorter.

#include "arithmetic.h"
#include "sparse/views.h"

using namespace sparse_kernels;

using ComplexFloat = Complex<float>;
using ComplexDouble = Complex<double>;

template <class T>
INLINE bool is_zero(T v) {
  return v == T(0);
}
template <class R>
INLINE bool is_zero(Complex<R> v) {
  return v.re == R(0) && v.im == R(0);
}
INLINE double modulus(float v) { return __builtin_fabs(static_cast<double>(v)); }
INLINE double modulus(double v) { return __builtin_fabs(v); }
template <class R>
INLINE double modulus(Complex<R> v) {
  return __nvvm_sqrt_rn_d(static_cast<double>(v.re) * v.re + static_cast<double>(v.im) * v.im);
}
/// Of a number whose imaginary part is 0.
template <class R>
INLINE Complex<R> square_root(Complex<R> v) {
  return {square_root(v.re), R(0)};
}

/// The sum over `lanes` neighbouring lanes, a power of two.
INLINE int exchanged(int v, int with) { return __shfl_xor_sync(~0u, v, with); }
INLINE float exchanged(float v, int with) { return __shfl_xor_sync(~0u, v, with); }
INLINE double exchanged(double v, int with) {
  const auto bits = __builtin_bit_cast(long long, v);
  const unsigned low = static_cast<unsigned>(exchanged(static_cast<int>(bits), with));
  return __builtin_bit_cast(
      double, static_cast<long long>(exchanged(static_cast<int>(bits >> 32), with)) << 32 | low);
}
template <class R>
INLINE Complex<R> exchanged(Complex<R> v, int with) {
  return {exchanged(v.re, with), exchanged(v.im, with)};
}

// ---- memory

/// cudaDataType.
enum Type {
  kFloat = 0,
  kDouble = 1,
  kHalf = 2,
  kByte = 3,
  kComplexFloat = 4,
  kComplexDouble = 5,
  kInt = 10,
  kBf16 = 14
};

INLINE void load(const Values& v, long long i, float& to) {
  switch (v.type) {
    case kHalf:
      to = static_cast<float>(static_cast<const _Float16*>(v.at)[i]);
      return;
    case kBf16:
      to = from_bf16(static_cast<const uint16_t*>(v.at)[i]);
      return;
    case kByte:
      to = static_cast<const signed char*>(v.at)[i];
      return;
    default:
      to = static_cast<const float*>(v.at)[i];
  }
}
INLINE void load(const Values& v, long long i, double& to) {
  to = v.type == kFloat ? static_cast<double>(static_cast<const float*>(v.at)[i])
                        : static_cast<const double*>(v.at)[i];
}
INLINE void load(const Values& v, long long i, int& to) {
  to = v.type == kByte ? static_cast<const signed char*>(v.at)[i] : static_cast<const int*>(v.at)[i];
}
/// Real numbers too.
INLINE void load(const Values& v, long long i, ComplexFloat& to) {
  if (v.type == kComplexFloat) {
    to = static_cast<const ComplexFloat*>(v.at)[i];
  } else {
    to = {static_cast<const float*>(v.at)[i], 0};
  }
}
INLINE void load(const Values& v, long long i, ComplexDouble& to) {
  if (v.type == kComplexDouble) {
    to = static_cast<const ComplexDouble*>(v.at)[i];
  } else {
    to = {static_cast<const double*>(v.at)[i], 0};
  }
}
template <class T>
INLINE T load(const Values& v, long long i) {
  T value;
  load(v, i, value);
  return value;
}

INLINE void store(const Values& v, long long i, float value) {
  switch (v.type) {
    case kHalf:
      static_cast<_Float16*>(v.at)[i] = static_cast<_Float16>(value);
      return;
    case kBf16:
      static_cast<uint16_t*>(v.at)[i] = to_bf16(value);
      return;
    default:
      static_cast<float*>(v.at)[i] = value;
  }
}
template <class T>
INLINE void store(const Values& v, long long i, T value) {
  static_cast<T*>(v.at)[i] = value;
}

/// Counted from 0.
INLINE long long get(const Indices& all, long long i) {
  return (all.bits == 32 ? static_cast<const int*>(all.at)[i] : static_cast<const long long*>(all.at)[i]) -
         all.base;
}
INLINE void put(const Indices& all, long long i, long long index) {
  if (all.bits == 32) {
    static_cast<int*>(all.at)[i] = static_cast<int>(index + all.base);
  } else {
    static_cast<long long*>(all.at)[i] = index + all.base;
  }
}

template <class T>
INLINE T value_of(const Factor<T>& f) {
  return f.at ? *f.at : f.value;
}

/// The first of `n` rising indices that is not below `bound`.
INLINE long long lower_bound(const Indices& all, long long n, long long bound) {
  long long from = 0;
  ONCE while (n > 0) {
    const long long half = n / 2;
    if (get(all, from + half) < bound) {
      from += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return from;
}
/// Where a line's entries begin; that of the line behind the last is their end.
INLINE long long start_of(const Sparse& a, long long line) {
  return a.starts.at ? get(a.starts, line) : lower_bound(a.line, a.entries, line);
}
/// An entry's line.
INLINE long long line_of(const Sparse& a, long long entry) {
  return a.starts.at ? lower_bound(a.starts, a.lines + 1, entry + 1) - 1 : get(a.line, entry);
}
template <class T>
INLINE T value_of(const Sparse& a, long long entry) {
  return load<T>(a.values, a.source ? a.source[entry] : entry);
}

INLINE Indices moved(Indices all, long long by) {
  all.at = static_cast<char*>(all.at) + by * (all.bits / 8);
  return all;
}
/// Bytes of a number in memory.
INLINE int size_of(int type) {
  return type == kHalf || type == kBf16             ? 2
         : type == kByte                            ? 1
         : type == kDouble || type == kComplexFloat ? 8
         : type == kComplexDouble                   ? 16
                                                    : 4;
}
INLINE Values moved(Values all, long long by) {
  all.at = static_cast<char*>(all.at) + by * size_of(all.type);
  return all;
}
INLINE Sparse of_batch(Sparse a, long long batch) {
  if (a.starts.at) a.starts = moved(a.starts, batch * a.starts_stride);
  if (a.line.at) a.line = moved(a.line, batch * a.entries_stride);
  a.other = moved(a.other, batch * a.entries_stride);
  a.values = moved(a.values, batch * a.entries_stride);
  return a;
}
template <class T>
INLINE T element(const Dense& d, long long row, long long column) {
  return load<T>(d.values, row * d.row_step + column * d.column_step);
}
INLINE Dense of_batch(Dense d, long long batch) {
  d.values = moved(d.values, batch * d.batch_step);
  return d;
}

/// Each kernel for what it computes in: NAME_s, NAME_d, NAME_c, NAME_z.
#define FOR_FLOATING(DEFINE) \
  DEFINE(s, float) DEFINE(d, double) DEFINE(c, ComplexFloat) DEFINE(z, ComplexDouble)
#define FOR_ALL_TYPES(DEFINE) FOR_FLOATING(DEFINE) DEFINE(i, int)
