#pragma once
// Level 2: matrices with vectors. Matrices of which a part is stored, as sw/kernels/blas/level2.cu has them.

#include <algorithm>

#include "sw/cuda/blas/gemm.h"

namespace warpvp::cuda::blas {

inline constexpr Grid kLine = {256, 1, 1}, kSquare = {16, 16, 1};  ///< threads; kLine: kCta of the kernels

enum Storage : int { kFull = 0, kBand = 1, kPacked = 2 };
template <class T>
struct Stored {
  T* first;
  int storage, leading, shape;
  int below, above;  ///< diagonals beside the main one that have elements
  int order;         ///< of a triangle
};
/// The triangle of a matrix of order n, in columns.
template <class T>
Stored<T> triangle(T* a, int leading, cublasFillMode_t fill, int n, int shape) {
  const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
  return {a, kFull, leading, shape | shape_of(fill), lower ? n : 0, lower ? 0 : n, n};
}
template <class T>
Stored<T> packed(T* a, cublasFillMode_t fill, int n, int shape) {
  Stored<T> made = triangle(a, 0, fill, n, shape);
  made.storage = kPacked;
  return made;
}
/// k diagonals beside the main one.
template <class T>
Stored<T> band(T* a, int leading, cublasFillMode_t fill, int n, int k, int shape) {
  Stored<T> made = triangle(a, leading, fill, n, shape);
  made.storage = kBand;
  (fill == CUBLAS_FILL_MODE_LOWER ? made.below : made.above) = k;
  return made;
}
inline int triangular_shape(cublasOperation_t operation, cublasDiagType_t diagonal) {
  return kTriangular | shape_of(operation) | shape_of(diagonal);
}

}  // namespace warpvp::cuda::blas
