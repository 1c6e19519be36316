#pragma once
// Elements of types and orders that are known when a kernel runs: what cuBLASLt's descriptors say.

#include "blas/lt_arguments.h"
#include "blas/types.h"

// cudaDataType.
enum : int {
  kF32 = 0,
  kF64 = 1,
  kF16 = 2,
  kI8 = 3,
  kComplexF32 = 4,
  kComplexF64 = 5,
  kComplexF16 = 6,
  kI32 = 10,
  kBf16 = 14,
  kComplexBf16 = 15,
  kE4m3 = 28,
  kE5m2 = 29,
  kE2m1 = 33
};

// ---- numbers of eight bits and fewer: sign, exponent, fraction (OCP 8-bit Floating Point Specification, 1.0, table 1)

INLINE float as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
INLINE unsigned as_bits(float v) { return __builtin_bit_cast(unsigned, v); }
INLINE float with_sign(float v, unsigned negative) { return as_float(as_bits(v) | negative << 31); }
// Fields moved to where a float has them, and the difference of the exponents' biases as a factor: exact, subnormal
// numbers too.
INLINE float from_e4m3(unsigned v) {
  const unsigned rest = v & 0x7f;
  return with_sign(rest == 0x7f ? as_float(0x7fffffff) : as_float(rest << 20) * 0x1p120f, v >> 7);
}
INLINE float from_e5m2(unsigned v) {
  const unsigned rest = v & 0x7f;
  const float magnitude = rest >= 0x7c ? as_float(0x7f800000 | (rest & 3) << 21) : as_float(rest << 21) * 0x1p112f;
  return with_sign(magnitude, v >> 7);
}
INLINE float from_e2m1(unsigned v) { return with_sign(as_float((v & 7) << 22) * 0x1p126f, v >> 3 & 1); }
/// A power of two (OCP Microscaling Formats, 1.0, 5.4.1).
INLINE float from_ue8m0(unsigned v) { return v == 255 ? as_float(0x7fffffff) : v == 0 ? 0x1p-127f : as_float(v << 23); }
/// To the nearest, ties to the even one, at most the greatest finite one; a NaN stays one.
template <int kFraction, int kBias, unsigned kGreatest>
INLINE unsigned to_f8(float v) {
  const unsigned sign = as_bits(v) >> 31 << 7, magnitude = as_bits(v) & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7f;
  constexpr unsigned kShift = 23 - kFraction, kLeastNormal = (128u - kBias) << 23;
  unsigned made;
  if (magnitude < kLeastNormal) {
    // The unit of the last place of this sum is that of subnormal numbers.
    constexpr unsigned kUnit = (128u - kBias + kShift) << 23;
    made = as_bits(as_float(magnitude) + as_float(kUnit)) - kUnit;
  } else {
    made = ((magnitude + (1u << (kShift - 1)) - 1 + (magnitude >> kShift & 1)) >> kShift) - ((127u - kBias) << kFraction);
  }
  return sign | (made > kGreatest ? kGreatest : made);
}
INLINE unsigned to_e4m3(float v) { return to_f8<3, 7, 0x7e>(v); }
INLINE unsigned to_e5m2(float v) { return to_f8<2, 15, 0x7b>(v); }
/// To the nearest, ties to the even one, within [-2^(bits - 1), 2^(bits - 1)).
template <int kBits>
INLINE int to_integer(double v) {
  constexpr double kLimit = static_cast<double>(1ll << (kBits - 1));
  if (v != v) return 0;
  return static_cast<int>(__builtin_rint(v < -kLimit ? -kLimit : v > kLimit - 1 ? kLimit - 1 : v));
}

template <class T>
constexpr bool kInteger = false;
template <>
constexpr bool kInteger<int> = true;

// ---- an element by its number in a matrix

template <class T>
INLINE const T* typed(const void* at) {
  return static_cast<const T*>(at);
}
/// Of f32, f16 and bf16, a number or a part of a complex one.
INLINE float part_at(const void* at, long long i, int type) {
  if (type == kF32 || type == kComplexF32) return typed<float>(at)[i];
  const unsigned short bits = typed<unsigned short>(at)[i];
  if (type == kF16 || type == kComplexF16) return static_cast<float>(__builtin_bit_cast(_Float16, bits));
  return from_bf16(bits);
}
INLINE float real_at(const void* at, long long i, int type) {
  switch (type) {
    case kI8:
      return typed<signed char>(at)[i];
    case kI32:
      return static_cast<float>(typed<int>(at)[i]);
    case kE4m3:
      return from_e4m3(typed<unsigned char>(at)[i]);
    case kE5m2:
      return from_e5m2(typed<unsigned char>(at)[i]);
    case kE2m1:
      return from_e2m1(typed<unsigned char>(at)[i / 2] >> (i & 1) * 4);
    default:
      return part_at(at, i, type);
  }
}
/// As a number of type Acc.
template <class Acc>
INLINE Acc element_at(const void* at, long long i, int type, long long plane) {
  if constexpr (kComplex<Acc>) {
    const auto part = [&](const void* from, long long n) -> Real<Acc> {
      if constexpr (sizeof(Real<Acc>) == sizeof(double)) return typed<double>(from)[n];
      return part_at(from, n, type);
    };
    if (plane == 0) return {part(at, 2 * i), part(at, 2 * i + 1)};
    return {part(at, i), part(typed<char>(at) + plane, i)};
  } else if constexpr (sizeof(Acc) == sizeof(double)) {
    return type == kF64 ? typed<double>(at)[i] : typed<int>(at)[i];
  } else if constexpr (kInteger<Acc>) {
    return type == kI8 ? typed<signed char>(at)[i] : typed<int>(at)[i];
  } else {
    return real_at(at, i, type);
  }
}

/// As part_at.
INLINE void put_part(void* to, long long i, int type, float v) {
  if (type == kF32 || type == kComplexF32) {
    static_cast<float*>(to)[i] = v;
  } else {
    const bool half = type == kF16 || type == kComplexF16;
    static_cast<unsigned short*>(to)[i] =
        half ? __builtin_bit_cast(unsigned short, static_cast<_Float16>(v)) : to_bf16(v);
  }
}
INLINE void put_real(void* to, long long i, int type, float v) {
  switch (type) {
    case kI8:
      static_cast<signed char*>(to)[i] = static_cast<signed char>(to_integer<8>(v));
      break;
    case kI32:
      static_cast<int*>(to)[i] = to_integer<32>(v);
      break;
    case kE4m3:
      static_cast<unsigned char*>(to)[i] = static_cast<unsigned char>(to_e4m3(v));
      break;
    case kE5m2:
      static_cast<unsigned char*>(to)[i] = static_cast<unsigned char>(to_e5m2(v));
      break;
    default:
      put_part(to, i, type, v);
  }
}
template <class Acc>
INLINE void put_element(void* to, long long i, int type, long long plane, Acc v) {
  if constexpr (kComplex<Acc>) {
    const auto put = [&](void* at, long long n, Real<Acc> part) {
      if constexpr (sizeof(part) == sizeof(double))
        static_cast<double*>(at)[n] = part;
      else
        put_part(at, n, type, part);
    };
    put(to, plane ? i : 2 * i, v.re);
    put(plane ? static_cast<char*>(to) + plane : to, plane ? i : 2 * i + 1, v.im);
  } else if constexpr (kInteger<Acc>) {
    static_cast<int*>(to)[i] = v;
  } else if constexpr (sizeof(Acc) == sizeof(double)) {
    if (type == kF64)
      static_cast<double*>(to)[i] = v;
    else
      static_cast<int*>(to)[i] = to_integer<32>(v);
  } else {
    put_real(to, i, type, v);
  }
}

// ---- matrices

/// Of the element in row i and column j as it is stored in columns or rows.
INLINE long long number_of(const LtMatrix& matrix, int i, int j) { return i * matrix.row + j * matrix.column; }
/// The same in any order.
INLINE long long number_in_order(const LtMatrix& matrix, int i, int j) {
  const long long group = (j >> 5) * matrix.column;
  const int column = j & 31;
  switch (matrix.order) {
    case kGroups:  // in rows
      return group + i * 32ll + column;
    case kGroupsOf8:  // groups of 8 rows; in them even rows, then odd ones; in those groups of 8 columns: 4 x 4, and the other 4 x 4
      return group + (i >> 3) * 256ll + ((i & 1) << 7) + (column >> 3 << 5) + ((column >> 2 & 1) << 4) + ((i & 7) >> 1 << 2) +
             (column & 3);
    case kGroupsOf32:  // groups of 32 rows, in an order of their own
      return group + (i >> 5) * 1024ll + (((((i & 7) >> 1) * 4 + ((i & 31) >> 3)) * 2 + (i & 1)) << 5) + column;
    default:
      return number_of(matrix, i, j);
  }
}
INLINE const void* matrix_of(const LtMatrix& matrix, unsigned batch, int bytes_for_two) {
  if (matrix.list) return matrix.list[batch];
  return typed<char>(matrix.first) + batch * matrix.stride * bytes_for_two / 2;
}
/// Of two elements, as some have half a byte.
INLINE int bytes_of_two(int type) {
  switch (type) {
    case kF64:
    case kComplexF32:
      return 16;
    case kComplexF64:
      return 32;
    case kF32:
    case kI32:
    case kComplexF16:
    case kComplexBf16:
      return 8;
    case kF16:
    case kBf16:
      return 4;
    case kE2m1:
      return 1;
    default:
      return 2;
  }
}
INLINE const void* matrix_of(const LtMatrix& matrix, unsigned batch) {
  // Of complex ones in planes the stride counts parts.
  return matrix_of(matrix, batch, bytes_of_two(matrix.type) / (matrix.plane ? 2 : 1));
}
/// The factor of the block with the element `along` the sum and `across` it, of a matrix of so many of both.
INLINE float block_factor(const LtMatrix& matrix, int along, int across, int all_along, int all_across) {
  if (matrix.scale_mode == kBlocks128) return typed<float>(matrix.scales)[(along >> 7) * static_cast<long long>(all_across) + across];
  if (matrix.scale_mode == kSquares128) {
    const long long column = (((all_along + 127) >> 7) + 3) & ~3;
    return typed<float>(matrix.scales)[(along >> 7) + (across >> 7) * column];
  }
  // Tiles of 128 x 4 factors: 32 times 4 rows 32 apart.
  const int each = matrix.scale_mode == kBlocks16 ? 16 : 32;
  const int block = along / each, tiles = (all_along + 4 * each - 1) / (4 * each);
  const long long tile = (across >> 7) * static_cast<long long>(tiles) + (block >> 2);
  const unsigned factor =
      typed<unsigned char>(matrix.scales)[tile * 512 + (across & 31) * 16 + (across >> 5 & 3) * 4 + (block & 3)];
  return matrix.scale_mode == kBlocks16 ? from_e4m3(factor & 0x7f) : from_ue8m0(factor);
}
template <class Acc>
INLINE Acc factor_of(const LtFactor& factor, int row, unsigned batch) {
  const long long i = row * static_cast<long long>(factor.per_row) + batch * factor.per_batch;
  if (factor.at) return element_at<Acc>(factor.at, i, factor.type, 0);
  if constexpr (kComplex<Acc>) return {static_cast<Real<Acc>>(factor.re), static_cast<Real<Acc>>(factor.im)};
  return Acc(factor.re);
}
