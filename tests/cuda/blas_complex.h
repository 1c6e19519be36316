#pragma once
// What functions of cuBLAS are checked with that take real and complex numbers alike: references are of
// std::complex<double>, in matrices all of whose elements are there, and are packed as each function wants
// them.

#include <complex>
#include <cstdint>
#include <functional>

#include "sw/kernels/complex.h"
#include "tests/cuda/blas_checks.h"

using ComplexFloat = Complex<float>;
using ComplexDouble = Complex<double>;

namespace warpvp::test {

using Z = std::complex<double>;

template <class T>
Z wide(T v) {
  if constexpr (kComplex<T>)
    return {v.re, v.im};
  else
    return static_cast<double>(v);
}
template <class T>
T narrow(Z v) {
  if constexpr (kComplex<T>)
    return {static_cast<Real<T>>(v.real()), static_cast<Real<T>>(v.imag())};
  else
    return static_cast<T>(v.real());
}
template <class T>
Z random_number() {
  std::uniform_real_distribution<double> any(-1, 1);
  const double re = any(numbers);
  return wide(narrow<T>(kComplex<T> ? Z(re, any(numbers)) : Z(re)));
}
template <class T>
std::vector<T> random_elements(std::size_t count) {
  std::vector<T> all(count);
  for (T& v : all) v = narrow<T>(random_number<T>());
  return all;
}
inline Z conjugate_if(bool conjugated, Z v) { return conjugated ? std::conj(v) : v; }

/// A matrix all of whose elements are there.
struct Whole {
  int rows, columns;
  std::vector<Z> values;
  Whole(int m, int n)
      : rows(m), columns(n), values(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)) {}
  Z& operator()(int i, int j) { return values[static_cast<std::size_t>(i + j * rows)]; }
  Z operator()(int i, int j) const { return values[static_cast<std::size_t>(i + j * rows)]; }
};
template <class F>
Whole whole(int m, int n, F&& f) {
  Whole all(m, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) all(i, j) = f(i, j);
  return all;
}
template <class T>
Whole random_whole(int m, int n) {
  return whole(m, n, [](int, int) { return random_number<T>(); });
}
inline Whole after(cublasOperation_t operation, const Whole& a) {
  if (operation == CUBLAS_OP_N) return a;
  return whole(a.columns, a.rows,
               [&](int i, int j) { return conjugate_if(operation == CUBLAS_OP_C, a(j, i)); });
}
inline Whole times(const Whole& a, const Whole& b) {
  return whole(a.rows, b.columns, [&](int i, int j) {
    Z sum = 0;
    for (int k = 0; k < a.columns; ++k) sum += a(i, k) * b(k, j);
    return sum;
  });
}
inline Whole sum(Z alpha, const Whole& a, Z beta, const Whole& b) {
  return whole(a.rows, a.columns, [&](int i, int j) { return alpha * a(i, j) + beta * b(i, j); });
}
/// Symmetric, or Hermitian.
template <class T>
Whole random_symmetric(int n, bool hermitian) {
  Whole a = random_whole<T>(n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < j; ++i) a(i, j) = conjugate_if(hermitian, a(j, i));
    if (hermitian) a(j, j) = a(j, j).real();
  }
  return a;
}
/// Of a triangle `k` diagonals beside the main one, the rest zeros; not far from the identity.
template <class T>
Whole random_triangle(int n, int k, bool lower, bool unit) {
  return whole(n, n, [&](int i, int j) -> Z {
    if (i == j) return unit ? Z(1) : Z(2) + 0.25 * random_number<T>();
    const bool there = (i > j) == lower && std::abs(i - j) <= k;
    return there ? wide(narrow<T>(random_number<T>() / double(n))) : Z(0);
  });
}

// ---- packing; what is not to be read is garbage

inline constexpr double kGarbage = 1000;
template <class T>
std::vector<T> in_columns(const Whole& a, int leading, const std::function<bool(int, int)>& there = nullptr) {
  std::vector<T> all(static_cast<std::size_t>(leading * a.columns + 1), narrow<T>(Z(kGarbage, kGarbage)));
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i)
      if (!there || there(i, j)) item(all, i + j * leading) = narrow<T>(a(i, j));
  return all;
}
template <class T>
std::vector<T> in_band(const Whole& a, int below, int above, int leading) {
  std::vector<T> all(static_cast<std::size_t>(leading * a.columns + 1), narrow<T>(Z(kGarbage, kGarbage)));
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows; ++i)
      if (i - j <= below && j - i <= above) item(all, above + i - j + j * leading) = narrow<T>(a(i, j));
  return all;
}
/// One column of the triangle after the other.
template <class T>
std::vector<T> in_line(const Whole& a, bool lower) {
  std::vector<T> all;
  for (int j = 0; j < a.columns; ++j)
    for (int i = lower ? j : 0; i < (lower ? a.rows : j + 1); ++i) all.push_back(narrow<T>(a(i, j)));
  return all;
}
inline std::function<bool(int, int)> triangle_of(bool lower, bool with_diagonal = true) {
  return [=](int i, int j) { return i == j ? with_diagonal : (i > j) == lower; };
}
/// With imaginary parts on the diagonal, which functions of Hermitian matrices do not read.
inline Whole spoilt(Whole a, bool spoil) {
  for (int i = 0; spoil && i < a.columns; ++i) a(i, i) += Z(0, kGarbage);
  return a;
}

// ---- vectors

template <class T>
struct Line {
  Steps<T> steps;
  std::vector<T> values;
  Line(int n, int step) : steps{n, step}, values(random_elements<T>(steps.total())) {}
  Whole column() const {
    return whole(steps.n, 1, [&](int i, int) { return wide(values[steps.at(i)]); });
  }
};

/// `got` is `wanted` but for what sums of `terms` numbers may lose; elsewhere it is as before.
template <class T, class Place>
void compare_places(const std::vector<T>& got, const std::vector<T>& before, const Whole& wanted,
                    Place&& place, double terms, const std::string& what) {
  const double tolerance = 8 * (terms + 4) * static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
  std::vector<bool> known(got.size());
  for (int j = 0; j < wanted.columns; ++j) {
    for (int i = 0; i < wanted.rows; ++i) {
      const std::ptrdiff_t at = place(i, j);
      if (at < 0) continue;
      known[static_cast<std::size_t>(at)] = true;
      const Z v = wide(got[static_cast<std::size_t>(at)]);
      if (std::abs(v - wanted(i, j)) <= tolerance * std::max(1.0, std::abs(wanted(i, j)))) continue;
      expect(false, what + ": element " + words({i, j}) + " is " + std::to_string(v.real()) + " " +
                        std::to_string(v.imag()) + "i, not " + std::to_string(wanted(i, j).real()) + " " +
                        std::to_string(wanted(i, j).imag()) + "i");
      return;
    }
  }
  for (std::size_t at = 0; at < got.size(); ++at)
    if (!known[at] && std::memcmp(&got[at], &before[at], sizeof(T)) != 0) {
      expect(false, what + ": writes beyond its place, at " + std::to_string(at));
      return;
    }
}
template <class T>
void compare_line(const std::vector<T>& got, const Line<T>& before, const Whole& wanted, double terms,
                  const std::string& what) {
  compare_places(
      got, before.values, wanted, [&](int i, int) { return static_cast<std::ptrdiff_t>(before.steps.at(i)); },
      terms, what);
}
template <class T>
void compare_columns(const std::vector<T>& got, const std::vector<T>& before, const Whole& wanted,
                     int leading, double terms, const std::string& what,
                     const std::function<bool(int, int)>& there = nullptr) {
  compare_places(
      got, before, wanted,
      [&](int i, int j) { return !there || there(i, j) ? i + std::ptrdiff_t{j} * leading : -1; }, terms,
      what);
}

/// As names of functions begin.
template <class T>
inline constexpr const char* kLetter = kComplex<T> ? (sizeof(T) == 8 ? "C" : "Z")
                                                   : (sizeof(T) == 4 ? "S" : "D");

}  // namespace warpvp::test
