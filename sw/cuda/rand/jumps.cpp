#include "sw/cuda/rand/jumps.h"

namespace warpvp::cuda::rand {

Xorwow xorwow_of(std::uint64_t seed) {
  const Word s0 = static_cast<Word>(seed) ^ 0xaad26b49u, s1 = static_cast<Word>(seed >> 32) ^ 0xf7dcefddu;
  const Word t0 = 1099087573u * s0, t1 = 2591861531u * s1;
  return {{123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0},
          6615241u + t1 + t0};
}
Mrg mrg_of(std::uint64_t seed) {
  Mrg mrg = {{12345, 12345, 12345}, {12345, 12345, 12345}};
  if (seed == 0) return mrg;
  const Wide x1 = static_cast<Word>(seed) ^ 0x55555555u, x2 = static_cast<Word>(seed >> 32) ^ 0xAAAAAAAAu;
  for (int i = 0; i < 3; ++i) {
    mrg.s1[i] = static_cast<Word>((i == 1 ? x2 : x1) * mrg.s1[i] % Mrg::kMod1);
    mrg.s2[i] = static_cast<Word>((i == 1 ? x1 : x2) * mrg.s2[i] % Mrg::kMod2);
  }
  return mrg;
}

// ---- XORWOW

XorwowJump::Vector XorwowJump::times(const Vector& x) const {
  Vector y{};
  for (unsigned bit = 0; bit < 160; ++bit)
    if ((x[bit / 32] >> bit % 32 & 1) != 0)
      for (unsigned i = 0; i < 5; ++i) y[i] ^= columns_[bit][i];
  return y;
}
XorwowJump XorwowJump::one() {
  XorwowJump jump;
  for (unsigned bit = 0; bit < 160; ++bit) {
    Xorwow x{};
    x.v[bit / 32] = 1u << bit % 32;
    x.next();
    for (unsigned i = 0; i < 5; ++i) jump.columns_[bit][i] = x.v[i];
  }
  Xorwow counter{};
  counter.next();
  jump.added_ = counter.d;
  return jump;
}
XorwowJump XorwowJump::squared() const {
  XorwowJump jump;
  for (unsigned bit = 0; bit < 160; ++bit) jump.columns_[bit] = times(columns_[bit]);
  jump.added_ = 2 * added_;
  return jump;
}
XorwowJump XorwowJump::power_of_two(unsigned log2) {
  XorwowJump jump = one();
  for (unsigned i = 0; i < log2; ++i) jump = jump.squared();
  return jump;
}
XorwowJump XorwowJump::by(std::uint64_t n) {
  XorwowJump jump, power = one();
  for (unsigned bit = 0; bit < 160; ++bit) jump.columns_[bit][bit / 32] = 1u << bit % 32;
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) {
      for (Vector& column : jump.columns_) column = power.times(column);
      jump.added_ += power.added_;
    }
    if (n > 1) power = power.squared();
  }
  return jump;
}
Xorwow XorwowJump::operator()(const Xorwow& from) const {
  const Vector v = times({from.v[0], from.v[1], from.v[2], from.v[3], from.v[4]});
  return {{v[0], v[1], v[2], v[3], v[4]}, from.d + added_};
}

// ---- MRG32k3a

MrgJump::Matrix MrgJump::product(const Matrix& a, const Matrix& b, Wide modulus) {
  Matrix c{};
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned j = 0; j < 3; ++j)
      for (unsigned k = 0; k < 3; ++k) c[i][j] = (c[i][j] + a[i][k] * b[k][j] % modulus) % modulus;
  return c;
}
MrgJump MrgJump::one() {
  MrgJump jump;
  jump.first_ = {{{0, 1, 0}, {0, 0, 1}, {Mrg::kMod1 - 810728, 1403580, 0}}};
  jump.second_ = {{{0, 1, 0}, {0, 0, 1}, {Mrg::kMod2 - 1370589, 0, 527612}}};
  return jump;
}
MrgJump MrgJump::squared() const {
  MrgJump jump;
  jump.first_ = product(first_, first_, Mrg::kMod1);
  jump.second_ = product(second_, second_, Mrg::kMod2);
  return jump;
}
MrgJump MrgJump::power_of_two(unsigned log2) {
  MrgJump jump = one();
  for (unsigned i = 0; i < log2; ++i) jump = jump.squared();
  return jump;
}
MrgJump MrgJump::by(std::uint64_t n) {
  MrgJump jump, power = one();
  jump.first_ = jump.second_ = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (; n != 0; n >>= 1, power = power.squared()) {
    if ((n & 1) == 0) continue;
    jump.first_ = product(power.first_, jump.first_, Mrg::kMod1);
    jump.second_ = product(power.second_, jump.second_, Mrg::kMod2);
  }
  return jump;
}
Mrg MrgJump::operator()(const Mrg& from) const {
  Mrg to;
  for (unsigned i = 0; i < 3; ++i) {
    Wide a = 0, b = 0;
    for (unsigned k = 0; k < 3; ++k) {
      a = (a + first_[i][k] * from.s1[k] % Mrg::kMod1) % Mrg::kMod1;
      b = (b + second_[i][k] * from.s2[k] % Mrg::kMod2) % Mrg::kMod2;
    }
    to.s1[i] = static_cast<Word>(a);
    to.s2[i] = static_cast<Word>(b);
  }
  return to;
}

}  // namespace warpvp::cuda::rand
