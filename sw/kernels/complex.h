#pragma once
// Complex numbers as kernels and the host lay them out.

template <class R>
struct Complex {
  R re, im;
};
