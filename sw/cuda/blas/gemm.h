#pragma once
// Products of matrices: the kernels of sw/kernels/blas/gemm.cu, of which levels 2 and 3 are made too.

#include <algorithm>
#include <string>

#include "sw/cuda/blas/handle.h"

namespace warpvp::cuda::blas {

/// Which part of the result is written; with kHermitian its diagonal as that of such a matrix.
enum Triangle : int { kAll = 0, kLowerOne = 1, kUpperOne = 2 };

/// There is a kernel for larger tiles too, with `_large` behind its name.
template <class Acc, class T>
inline constexpr bool kHasLarge = std::is_same_v<Acc, int> ||
                                  (std::is_same_v<Acc, T> && !std::is_same_v<Acc, Complex<double>>) ||
                                  std::is_same_v<T, Half> || std::is_same_v<T, Bf16>;

/// D = alpha A B + beta C for `batches` of them, by the kernel of this name. T: of the operands, U: of C and
/// D; A has m rows and k columns, B n columns. Operands are by their shapes what the kernel takes them for.
template <class Acc, class T, class U>
cublasStatus_t multiply(const Handle& handle, const char* kernel, int m, int n, int k, Factor<Acc> alpha,
                        Matrices<const T> a, Matrices<const T> b, Factor<Acc> beta, Matrices<const U> c,
                        Matrices<U> d, int batches, int triangle = kAll) {
  constexpr unsigned kThreads = 16;
  constexpr int kMostBatches = 65535;
  const unsigned tile = kHasLarge<Acc, T> ? tile_of(m, n, batches) : kSmallTile;
  const std::string name = std::string(kernel) + (tile == kLargeTile ? "_large" : "");
  for (int from = 0; from < batches; from += kMostBatches) {
    const auto count = static_cast<unsigned>(std::min(batches - from, kMostBatches));
    const Grid grid = {parts(m, tile), parts(n, tile), count};
    if (const auto status = launch(handle, name.c_str(), grid, {kThreads, kThreads, 1}, m, n, k, alpha, a, b,
                                   beta, c, d, triangle))
      return status;
    const auto next = [](auto& matrices) {
      if (matrices.list)
        matrices.list += kMostBatches;
      else
        matrices.first += kMostBatches * matrices.stride;
    };
    next(a);
    next(b);
    next(c);
    next(d);
  }
  return CUBLAS_STATUS_SUCCESS;
}
template <class U>
Matrices<const U> to_read(const Matrices<U>& c) {
  return {c.first, c.list, c.stride, c.leading, c.shape};
}

/// Sizes of a product as callers give them.
struct Sizes {
  cublasOperation_t of_a, of_b;
  int m, n, k, batches;
  bool valid(int lda, int ldb, int ldc) const {
    return is_operation(of_a) && is_operation(of_b) && m >= 0 && n >= 0 && k >= 0 && batches >= 0 &&
           lda >= std::max(1, transposes(of_a) ? k : m) && ldb >= std::max(1, transposes(of_b) ? n : k) &&
           ldc >= std::max(1, m);
  }
};
/// Where a matrix of a batch lies: a list on the device, or the first and the way to the next.
struct Place {
  const void* first;
  const void* const* list;
  long long stride;
  int leading;
};
/// A product of any of the types that there are, whose result takes the place of C.
struct Product {
  Sizes sizes;
  const void* alpha;
  Place a;
  cudaDataType a_type;
  Place b;
  cudaDataType b_type;
  const void* beta;
  Place c;
  cudaDataType c_type;
  cublasComputeType_t computed_in;
};
cublasStatus_t multiply(const Handle& handle, const Product& product);
/// The kernel that multiplies such elements, whose results are of the type that they are summed in.
template <class T>
const char* gemm_kernel() {
  if (std::is_same_v<T, float>) return "gemm_s";
  if (std::is_same_v<T, double>) return "gemm_d";
  if (std::is_same_v<T, Complex<float>>) return "gemm_c";
  return std::is_same_v<T, Complex<double>> ? "gemm_z" : "gemm_ci";
}

}  // namespace warpvp::cuda::blas
