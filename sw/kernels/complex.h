#pragma once
// Complex numbers as kernels and the host lay them out.

template <class R>
struct Complex {
  R re, im;
  Complex() = default;
  constexpr Complex(R real, R imaginary = R(0)) : re(real), im(imaginary) {}
};
