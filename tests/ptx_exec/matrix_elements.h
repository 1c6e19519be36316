#pragma once
// Elements of matrices: what their bits are worth, and how a lane's registers hold them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/ptx_exec/op_harness.h"
#include "tests/ptx_reference/soft_float.h"

namespace warpvp::ptx::testing {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using reference::Round;

/// What a type of element is in a register, and what it is worth.
struct Element {
  unsigned bits;
  std::function<double(u64)> value;
};
inline double value_of(reference::Format f, u64 bits) {
  const u64 d = reference::pack(reference::kF64, reference::unpack(f, bits), Round::kZero);
  double v;
  std::memcpy(&v, &d, sizeof v);
  return v;
}
inline const reference::Format kHalfFormat{10, 5}, kBrainFormat{7, 8}, kE4m3Format{3, 4}, kE5m2Format{2, 5};
inline Element element(const std::string& type) {
  if (type == "f16") return {16, [](u64 v) { return value_of(kHalfFormat, v); }};
  if (type == "bf16") return {16, [](u64 v) { return value_of(kBrainFormat, v); }};
  if (type == "e4m3") return {8, [](u64 v) { return value_of(kE4m3Format, v); }};  // of numbers below 256
  if (type == "e5m2") return {8, [](u64 v) { return value_of(kE5m2Format, v); }};
  if (type == "tf32") return {32, [](u64 v) { return double(f32(v & 0xffffe000)); }};
  if (type == "f32") return {32, [](u64 v) { return double(f32(v)); }};
  if (type == "f64") return {64, [](u64 v) { return f64(v); }};
  if (type == "s8") return {8, [](u64 v) { return double(static_cast<std::int8_t>(v)); }};
  if (type == "u8") return {8, [](u64 v) { return double(v); }};
  if (type == "s4") return {4, [](u64 v) { return double(static_cast<int>(v) - (v >= 8 ? 16 : 0)); }};
  if (type == "u4") return {4, [](u64 v) { return double(v); }};
  if (type == "b1") return {1, [](u64 v) { return double(v); }};
  return {32, [](u64 v) { return double(static_cast<std::int32_t>(v)); }};
}

inline std::vector<std::string> types_of(const std::string& name) {
  std::vector<std::string> parts;
  std::string word;
  for (const char c : name + ".") {
    if (c != '.') {
      word += c;
    } else {
      if (element(word).bits != 32 || word == "tf32" || word == "f32" || word == "s32") parts.push_back(word);
      word.clear();
    }
  }
  return parts;
}

/// The registers of all lanes for elements that `bits(lane, i)` gives.
inline std::vector<u32> registers_of(unsigned elements, unsigned bits,
                                     const std::function<u64(unsigned, unsigned)>& of) {
  const unsigned words = elements * bits / 32;
  std::vector<u32> all(32 * words);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < elements; ++i)
      for (unsigned bit = 0; bit < bits; ++bit)
        all[lane * words + (i * bits + bit) / 32] |= static_cast<u32>(of(lane, i) >> bit & 1)
                                                     << ((i * bits + bit) % 32);
  return all;
}
inline u64 element_of(const std::vector<u32>& registers, unsigned elements, unsigned bits, unsigned lane,
                      unsigned i) {
  const unsigned words = elements * bits / 32;
  u64 v = 0;
  for (unsigned bit = 0; bit < bits; ++bit)
    v |= u64{registers[lane * words + (i * bits + bit) / 32] >> ((i * bits + bit) % 32) & 1} << bit;
  return v;
}

inline u64 bits_of_value(const std::string& type, double v) {
  u64 d;
  std::memcpy(&d, &v, sizeof d);
  const reference::Format f = type == "f16"    ? kHalfFormat
                              : type == "bf16" ? kBrainFormat
                              : type == "e4m3" ? kE4m3Format
                              : type == "e5m2" ? kE5m2Format
                                               : reference::kF32;
  return reference::pack(f, reference::unpack(reference::kF64, d), Round::kNearestEven);
}

/// Toward zero, as a chip's sums become single precision.
inline float toward_zero(__float128 v) {
  auto f = static_cast<float>(v);
  if (f > 0 ? f > v : f < v) f = std::nextafter(f, 0.0f);
  return f;
}

/// c and products, of normal numbers, as a GH100 adds them to f32 or f16: all at once, each cut toward zero
/// 25 places below the top bit of the largest one (an element is at least its exponent's power of two, so a
/// product may have one bit more).
inline double gh100_sum(bool half, double c, const std::vector<std::pair<double, double>>& products) {
  int highest = c == 0 ? -100000 : std::ilogb(c);
  for (const auto& [x, y] : products)
    if (x != 0 && y != 0) highest = std::max(highest, std::ilogb(x) + std::ilogb(y));
  if (highest == -100000) return 0;
  const double unit = std::ldexp(1.0, highest - 25);
  auto sum = static_cast<std::int64_t>(c / unit);
  for (const auto& [x, y] : products) sum += static_cast<std::int64_t>(static_cast<__float128>(x) * y / unit);
  const double exact = static_cast<double>(sum) * unit;
  return half ? value_of(kHalfFormat, bits_of_value("f16", exact)) : toward_zero(exact);
}
/// The same of a whole row and column. Elements of 8 bits make two products, the first two of each four
/// elements first, and the accumulator is added to them in the end, rounded to nearest.
inline double gh100_product(const std::string& type_d, const std::string& type_a, double c,
                            const std::vector<std::pair<double, double>>& products) {
  const bool half = type_d == "f16";
  if (type_a[0] != 'e') return gh100_sum(half, c, products);
  double sum = 0;
  for (const unsigned part : {0u, 1u}) {
    std::vector<std::pair<double, double>> some;
    for (std::size_t k = 0; k < products.size(); ++k)
      if (k % 4 / 2 == part) some.push_back(products[k]);
    sum = gh100_sum(half, sum, some);
  }
  if (half) return value_of(kHalfFormat, bits_of_value("f16", sum + c));
  return static_cast<float>(sum) + static_cast<float>(c);
}

}  // namespace warpvp::ptx::testing
