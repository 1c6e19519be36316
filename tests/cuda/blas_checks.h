#pragma once
// What a program that calls cuBLAS checks it with: the same computed on the CPU in double precision.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/cuda/blas_functions.h"
#include "tests/cuda/on_device.h"

namespace warpvp::test {

inline void ok(cublasStatus_t status, const std::string& what) {
  expect(status == CUBLAS_STATUS_SUCCESS, what + ": " + cublasGetStatusName(status));
}

/// The functions of a type.
template <class T>
struct Api;
#define API(S, I, T)                                                \
  template <>                                                       \
  struct Api<T> {                                                   \
    static constexpr const char* kName = #T;                        \
    static constexpr auto axpy = cublas##S##axpy_v2;                \
    static constexpr auto scal = cublas##S##scal_v2;                \
    static constexpr auto copy = cublas##S##copy_v2;                \
    static constexpr auto swap = cublas##S##swap_v2;                \
    static constexpr auto rot = cublas##S##rot_v2;                  \
    static constexpr auto dot = cublas##S##dot_v2;                  \
    static constexpr auto nrm2 = cublas##S##nrm2_v2;                \
    static constexpr auto asum = cublas##S##asum_v2;                \
    static constexpr auto amax = cublasI##I##amax_v2;               \
    static constexpr auto amin = cublasI##I##amin_v2;               \
    static constexpr auto gemv = cublas##S##gemv_v2;                \
    static constexpr auto ger = cublas##S##ger_v2;                  \
    static constexpr auto syr = cublas##S##syr_v2;                  \
    static constexpr auto symv = cublas##S##symv_v2;                \
    static constexpr auto trsv = cublas##S##trsv_v2;                \
    static constexpr auto gemm = cublas##S##gemm_v2;                \
    static constexpr auto gemm_list = cublas##S##gemmBatched;       \
    static constexpr auto gemm_row = cublas##S##gemmStridedBatched; \
    static constexpr auto symm = cublas##S##symm_v2;                \
    static constexpr auto syrk = cublas##S##syrk_v2;                \
    static constexpr auto trmm = cublas##S##trmm_v2;                \
    static constexpr auto trsm = cublas##S##trsm_v2;                \
    static constexpr auto geam = cublas##S##geam;                   \
    static constexpr auto dgmm = cublas##S##dgmm;                   \
    static constexpr auto gemv_row = cublas##S##gemvStridedBatched; \
    static constexpr auto trsm_list = cublas##S##trsmBatched;       \
    static constexpr auto getrf = cublas##S##getrfBatched;          \
    static constexpr auto getri = cublas##S##getriBatched;          \
    static constexpr auto getrs = cublas##S##getrsBatched;          \
  }
API(S, s, float);
API(D, d, double);

inline std::mt19937 numbers(7);
template <class T>
std::vector<T> random_values(int count) {
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& v : values) v = static_cast<T>(any(numbers));
  return values;
}

/// `got` is `wanted` but for what sums of `terms` numbers of the type may lose; where `wanted` is no number
/// nothing was to be written, and `before` is there.
template <class T>
void compare(const std::vector<T>& got, const std::vector<double>& wanted, const std::vector<T>& before,
             double terms, const std::string& what) {
  const double tolerance = 4 * (terms + 4) * std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool right = std::isnan(wanted[i]) ? std::memcmp(&got[i], &before[i], sizeof(T)) == 0
                                             : std::fabs(static_cast<double>(got[i]) - wanted[i]) <=
                                                   tolerance * std::max(1.0, std::fabs(wanted[i]));
    if (right) continue;
    expect(false, std::string(Api<T>::kName) + " " + what + ": element " + std::to_string(i) + " is " +
                      std::to_string(static_cast<double>(got[i])) + ", not " + std::to_string(wanted[i]));
    return;
  }
}
inline const double kNothing = std::nan("");

/// The element at a place that is counted in int, as sizes of BLAS are.
template <class V>
auto& item(V& values, int i) {
  return values[static_cast<std::size_t>(i)];
}

// ---- references: elements by row and column

template <class T>
std::vector<double> doubles(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}
/// A matrix as BLAS takes it: operation, symmetry or triangle applied.
struct View {
  std::vector<double> values;
  int leading;
  bool transposed = false, symmetric = false, triangular = false, lower = false, unit = false;
  double operator()(int i, int j) const {
    if (transposed) std::swap(i, j);
    if (triangular && unit && i == j) return 1;
    const bool there = i == j || (i > j) == lower;
    if (triangular && !there) return 0;
    if (symmetric && !there) std::swap(i, j);
    return values[static_cast<std::size_t>(i) +
                  static_cast<std::size_t>(j) * static_cast<std::size_t>(leading)];
  }
};
/// What is expected of a matrix of so many rows and columns in `total` elements: `f` where it is one, else
/// nothing.
template <class F>
std::vector<double> filled(std::size_t total, int rows, int columns, int leading, F&& f) {
  std::vector<double> all(total, kNothing);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      all[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * static_cast<std::size_t>(leading)] =
          f(i, j);
  return all;
}
template <class A, class B>
double product(const A& a, const B& b, int i, int j, int k) {
  double sum = 0;
  for (int p = 0; p < k; ++p) sum += a(i, p) * b(p, j);
  return sum;
}

inline cublasHandle_t handle = nullptr;
inline constexpr cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
inline constexpr cublasFillMode_t kFills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
inline constexpr cublasSideMode_t kSides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
inline constexpr cublasDiagType_t kDiagonals[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};
inline std::string words(std::initializer_list<int> numbers_of_it) {
  std::string text;
  for (const int n : numbers_of_it) text += " " + std::to_string(n);
  return text;
}

/// A vector with its step; negative ones begin at the end.
template <class T>
struct Steps {
  int n, step;
  std::size_t at(int i) const { return static_cast<std::size_t>(step > 0 ? i * step : (i - n + 1) * step); }
  std::size_t total() const { return static_cast<std::size_t>(n * std::abs(step) + 3); }
};

// The cases.
void vectors();
void matrices_with_vectors();
void products();
void other_products();
void types();
void factors();
void described_products();
void described_types();
void described_epilogues();
void described_orders();
void algorithms();
void batches();
void complex_numbers();
void stored_matrices();
void other_functions();
void first_interface();

}  // namespace warpvp::test
