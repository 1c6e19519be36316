#pragma once
// What cases of cuBLASLt have in common: matrices of any type and order, whose elements are read and written
// as the definitions of types and orders have it, and operations.

#include <functional>
#include <memory>

#include "tests/cuda/blas_checks.h"

namespace warpvp::test {

// ---- types: how many bits of exponent and fraction; integers have none

struct Format {
  cudaDataType type;
  int bits, exponent, fraction;
  bool complex, infinities;
};
inline constexpr Format kFormats[] = {
    {CUDA_R_32F, 32, 8, 23, false, true},    {CUDA_R_64F, 64, 11, 52, false, true},
    {CUDA_R_16F, 16, 5, 10, false, true},    {CUDA_R_16BF, 16, 8, 7, false, true},
    {CUDA_R_8F_E4M3, 8, 4, 3, false, false}, {CUDA_R_8F_E5M2, 8, 5, 2, false, true},
    {CUDA_R_4F_E2M1, 4, 2, 1, false, false}, {CUDA_R_8I, 8, 0, 0, false, false},
    {CUDA_R_32I, 32, 0, 0, false, false},    {CUDA_C_32F, 32, 8, 23, true, true},
    {CUDA_C_64F, 64, 11, 52, true, true},    {CUDA_C_16F, 16, 5, 10, true, true},
    {CUDA_C_16BF, 16, 8, 7, true, true}};
inline const Format& format_of(cudaDataType type) {
  for (const Format& format : kFormats)
    if (format.type == type) return format;
  std::abort();
}
inline int bias_of(const Format& f) { return (1 << (f.exponent - 1)) - 1; }
inline double decode(const Format& f, std::uint64_t bits) {
  if (f.exponent == 0) return f.bits == 8 ? static_cast<std::int8_t>(bits) : static_cast<std::int32_t>(bits);
  const int exponent = static_cast<int>(bits >> f.fraction) & ((1 << f.exponent) - 1);
  const double fraction = static_cast<double>(bits & ((std::uint64_t{1} << f.fraction) - 1));
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, 1 - bias_of(f) - f.fraction)
                    : std::ldexp(std::ldexp(1, f.fraction) + fraction, exponent - bias_of(f) - f.fraction);
  return bits >> (f.bits - 1) & 1 ? -magnitude : magnitude;
}
/// The distance to the next number.
inline double unit(const Format& f, double v) {
  if (f.exponent == 0) return 1;
  return std::ldexp(1, std::max(v == 0 ? -9999 : std::ilogb(v), 1 - bias_of(f)) - f.fraction);
}
/// To the nearest; what is asked for is in range.
inline std::uint64_t encode(const Format& f, double v) {
  if (f.exponent == 0)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::nearbyint(v))) & ((1ull << f.bits) - 1);
  const double rounded = std::nearbyint(std::fabs(v) / unit(f, v)) * unit(f, v);
  std::uint64_t bits = static_cast<std::uint64_t>(rounded / unit(f, rounded));
  if (rounded >= std::ldexp(1, 1 - bias_of(f)))
    bits += (static_cast<std::uint64_t>(std::ilogb(rounded) + bias_of(f)) - 1) << f.fraction;
  return bits | static_cast<std::uint64_t>(v < 0) << (f.bits - 1);
}

// ---- matrices

enum Order { kColumns, kRows, kGroups, kGroupsOf8, kGroupsOf32 };
inline int rounded_up(int n, int to) { return (n + to - 1) / to * to; }

/// Where an element lies in a tile of 8 rows and 32 columns: even rows before odd ones, of each eight columns
/// four before four.
inline int place_in_tile_of_8(int i, int j) {
  static const std::vector<int> places = [] {
    std::vector<int> made(8 * 32);
    int at = 0;
    for (int odd = 0; odd < 2; ++odd)
      for (int eight = 0; eight < 4; ++eight)
        for (int half = 0; half < 2; ++half)
          for (int pair = 0; pair < 4; ++pair)
            for (int column = 0; column < 4; ++column)
              item(made, (pair * 2 + odd) * 32 + eight * 8 + half * 4 + column) = at++;
    return made;
  }();
  return item(places, i * 32 + j);
}

class Matrix {
 public:
  Matrix(cudaDataType type, int rows, int columns, Order order = kColumns, int batches = 1, bool list = false,
         bool planes = false)
      : format_(format_of(type)),
        rows_(rows),
        columns_(columns),
        batches_(batches),
        order_(order),
        planes_(planes) {
    switch (order) {
      case kColumns:
        leading_ = rounded_up(rows, 2) + 2;
        stride_ = leading_ * columns + 4;
        break;
      case kRows:
        leading_ = rounded_up(columns, 2) + 2;
        stride_ = leading_ * rows + 4;
        break;
      default:
        leading_ = 32 * rounded_up(rows, order == kGroups ? 1 : order == kGroupsOf8 ? 8 : 32);
        stride_ = leading_ * (rounded_up(columns, 32) / 32);
    }
    parts_ = format_.complex ? 2 : 1;
    bytes_.resize(static_cast<std::size_t>(stride_ * batches * parts_ * format_.bits / 8));
    there_ = std::make_unique<OnDevice<unsigned char>>(bytes_);
    ok(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows),
                                  static_cast<std::uint64_t>(columns), leading_),
       "LayoutCreate");
    set(1, static_cast<std::int32_t>(order));
    set(5, static_cast<std::int32_t>(batches));
    set(6, static_cast<std::int64_t>(stride_));
    if (planes) set(7, static_cast<std::int64_t>(plane_bytes()));
    if (list) {
      set(8, std::int32_t{1});
      std::vector<const void*> all;
      for (int batch = 0; batch < batches; ++batch)
        all.push_back(*there_ + batch * stride_ * format_.bits / 8);
      list_ = std::make_unique<OnDevice<const void*>>(all);
    }
  }
  Matrix(const Matrix&) = delete;
  ~Matrix() { cublasLtMatrixLayoutDestroy(layout); }

  void fill(double range = 2) {
    std::uniform_real_distribution<double> any(-range, range);
    for (int at = 0; at < stride_ * batches_ * parts_; ++at) write(at, encode(format_, any(numbers)));
    there_->put(bytes_);
  }
  void read() { bytes_ = there_->get(); }
  void* place() const {
    return list_ ? static_cast<void*>(static_cast<const void**>(*list_))
                 : static_cast<void*>(static_cast<unsigned char*>(*there_));
  }
  double at(int batch, int i, int j, int part = 0) const {
    const int n = batch * stride_ + number(i, j);
    const int there = planes_ ? n + part * stride_ * batches_ : n * parts_ + part;
    const int bit = there * format_.bits;
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes_.data() + bit / 8, static_cast<std::size_t>(std::max(1, format_.bits / 8)));
    return decode(format_, format_.bits < 8 ? bits >> bit % 8 & 15 : bits);
  }
  const Format& format() const { return format_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  LtWords* layout = nullptr;

 private:
  template <class T>
  void set(int attribute, T value) {
    ok(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value), "a layout's attribute");
  }
  int plane_bytes() const { return stride_ * batches_ * format_.bits / 8; }
  int number(int i, int j) const {
    const int group = j / 32 * leading_, column = j % 32, row = i % 32;
    switch (order_) {
      case kColumns:
        return i + j * leading_;
      case kRows:
        return i * leading_ + j;
      case kGroups:
        return group + i * 32 + column;
      case kGroupsOf8:
        return group + i / 8 * 256 + place_in_tile_of_8(i % 8, column);
      case kGroupsOf32:
        return group + i / 32 * 1024 + (((row % 8) / 2 * 4 + row / 8) * 2 + row % 2) * 32 + column;
    }
    return 0;
  }
  void write(int at, std::uint64_t bits) {
    const auto byte = static_cast<std::size_t>(at * format_.bits / 8);
    if (format_.bits >= 8) {
      std::memcpy(bytes_.data() + byte, &bits, static_cast<std::size_t>(format_.bits / 8));
    } else {
      bytes_[byte] =
          static_cast<unsigned char>(at % 2 ? (bytes_[byte] & 15) | bits << 4 : (bytes_[byte] & 240) | bits);
    }
  }
  const Format& format_;
  int rows_, columns_, batches_, leading_ = 0, stride_ = 0, parts_ = 1;
  Order order_;
  bool planes_;
  std::vector<unsigned char> bytes_;
  std::unique_ptr<OnDevice<unsigned char>> there_;
  std::unique_ptr<OnDevice<const void*>> list_;
};

/// `got` is the number of its type next to `wanted`, but for what the sum may lose.
inline bool is_near(const Format& f, double got, double wanted, double lost) {
  return std::fabs(got - wanted) <= unit(f, wanted) * 0.5001 + lost;
}

// ---- products

struct Operation {
  LtWords* words = nullptr;
  Operation(cublasComputeType_t computed_in, cudaDataType scale) {
    ok(cublasLtMatmulDescCreate(&words, computed_in, scale), "DescCreate");
  }
  Operation(const Operation&) = delete;
  ~Operation() { cublasLtMatmulDescDestroy(words); }
  template <class T>
  void set(int attribute, T value) {
    ok(cublasLtMatmulDescSetAttribute(words, attribute, &value, sizeof value),
       "attribute " + std::to_string(attribute));
  }
};
// Attributes.
inline constexpr int kPointers = 2, kTransA = 3, kTransB = 4, kEpilogue = 7, kBias = 8, kAux = 11,
                     kAuxLeading = 12, kScaleA = 17, kScaleB = 18, kScaleC = 19, kScaleD = 20,
                     kGreatestD = 21, kFastSums = 25, kModeA = 31, kModeB = 32, kEmulation = 38;
// Epilogues.
inline constexpr std::uint32_t kRelu = 2, kWithBias = 4, kReluGradient = 8 | 128, kGelu = 32,
                               kGeluGradient = 64 | 128, kKept = 128, kOfBias = 16, kOfA = 256, kOfB = 512;

inline cublasLtHandle_t lt = nullptr;

inline cublasStatus_t multiply(const Operation& o, const void* alpha, const Matrix& a, const Matrix& b,
                               const void* beta, const Matrix& c, Matrix& d) {
  LtWords found{};
  int count = 0;
  const auto status = cublasLtMatmulAlgoGetHeuristic(lt, o.words, a.layout, b.layout, c.layout, d.layout,
                                                     nullptr, 1, &found, &count);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const auto done = cublasLtMatmul(lt, o.words, alpha, a.place(), a.layout, b.place(), b.layout, beta,
                                   c.place(), c.layout, d.place(), d.layout, &found, nullptr, 0, nullptr);
  d.read();
  return done;
}
using Factors = std::function<double(int outer, int along)>;
inline const Factors kOne = [](int, int) { return 1.0; };
/// The sum of products, its part `part`, of complex numbers too.
inline double sum_of(const Matrix& a, bool ta, const Matrix& b, bool tb, int batch, int i, int j, int k,
                     int part = 0, const Factors& of_a = kOne, const Factors& of_b = kOne) {
  double sum = 0;
  for (int p = 0; p < k; ++p) {
    const auto ea = [&](int which) { return ta ? a.at(batch, p, i, which) : a.at(batch, i, p, which); };
    const auto eb = [&](int which) { return tb ? b.at(batch, j, p, which) : b.at(batch, p, j, which); };
    if (!a.format().complex)
      sum += ea(0) * of_a(i, p) * eb(0) * of_b(j, p);
    else
      sum += part ? ea(0) * eb(1) + ea(1) * eb(0) : ea(0) * eb(0) - ea(1) * eb(1);
  }
  return sum;
}

}  // namespace warpvp::test
