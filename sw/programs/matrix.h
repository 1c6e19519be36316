#pragma once
// Square matrices, and their product as kernel `matmul` (sw/kernels/matmul.h) computes it, bit for bit.

#include <cmath>
#include <cstddef>
#include <vector>

namespace programs {

/// n x n numbers between -1 and 1 that `seed` settles.
inline std::vector<float> matrix(unsigned n, unsigned seed) {
  std::vector<float> values(std::size_t{n} * n);
  unsigned state = seed * 2654435761u + 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(state >> 16) - 32768) / 32768.0f;
  }
  return values;
}

inline std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, unsigned n) {
  std::vector<float> c(std::size_t{n} * n, 0.0f);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t column = 0; column < n; ++column)
        c[row * n + column] = std::fma(a[row * n + k], b[k * n + column], c[row * n + column]);
  return c;
}

/// How many differ.
template <class T>
std::size_t differing(const std::vector<T>& got, const std::vector<T>& expected) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != expected[i];
  return wrong;
}

}  // namespace programs
