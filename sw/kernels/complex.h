#pragma once
// Complex numbers as kernels and the host lay them out.

template <class R>
struct Complex {
  R re, im;
  Complex() = default;
  constexpr Complex(R real, R imaginary = R(0)) : re(real), im(imaginary) {}
};

template <class T>
constexpr bool kComplex = false;
template <class R>
constexpr bool kComplex<Complex<R>> = true;

/// The type of the parts of a complex number; of a real one its own.
template <class T>
struct Parts {
  using Real = T;
};
template <class R>
struct Parts<Complex<R>> {
  using Real = R;
};
template <class T>
using Real = typename Parts<T>::Real;
