#pragma once
// Generators far ahead in their sequences: where they begin, and states after many numbers.

#include <array>
#include <cstdint>

#include "sw/kernels/rand/engines.h"

namespace warpvp::cuda::rand {

using namespace rand_kernels;

/// As cuRAND begins with a seed.
Xorwow xorwow_of(std::uint64_t seed);
Mrg mrg_of(std::uint64_t seed);

/// Numbers ahead in a sequence, as the linear map of its state that they are: over bits for XORWOW, modulo
/// two primes for MRG32k3a. A map of 2 to the `log2` numbers, or of `n`.
class XorwowJump {
 public:
  static XorwowJump power_of_two(unsigned log2);
  static XorwowJump by(std::uint64_t n);
  Xorwow operator()(const Xorwow& from) const;

 private:
  using Vector = std::array<Word, 5>;
  Vector times(const Vector& x) const;
  XorwowJump squared() const;
  static XorwowJump one();
  std::array<Vector, 160> columns_{};  ///< what becomes of each bit
  Word added_ = 0;                     ///< to the counter beside it
};
class MrgJump {
 public:
  static MrgJump power_of_two(unsigned log2);
  static MrgJump by(std::uint64_t n);
  Mrg operator()(const Mrg& from) const;

 private:
  using Matrix = std::array<std::array<Wide, 3>, 3>;
  static Matrix product(const Matrix& a, const Matrix& b, Wide modulus);
  static MrgJump one();
  MrgJump squared() const;
  Matrix first_{}, second_{};
};

}  // namespace warpvp::cuda::rand
