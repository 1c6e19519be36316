// C = alpha A B + beta C for batches of matrices in columns, with operands that are transposed, conjugated, symmetric, Hermitian or
// triangular, and results of which a triangle is written: gemm, symm, hemm, syrk, herk and trmm of BLAS. A CTA of 16 x 16 threads makes a tile of 32 x 32,
// each thread four elements; tiles of the operands pass through shared memory, 16 columns at a time.

#include "blas/types.h"

constexpr int kTile = 32, kDepth = 16, kThreads = 16;

/// The same of a matrix in columns.
template <class Acc, class T>
INLINE Acc element(const T* a, long long leading, int i, int j, int shape) {
  return element<Acc>(i, j, shape, [=](int row, int column) { return get(a[row + column * leading]); });
}

/// What is made of a result before it is written (cuBLASLt's epilogues).
template <class U>
struct Epilogue {
  const U* bias;      // null: none; else one a row, or a column with `by_column`
  long long stride;   // from that of a matrix to that of the next
  int activation;     // 0 none, 1 the greater of it and zero (ReLU), 2 GELU by tanh
  int by_column;
};
// GELU by tanh (Hendrycks and Gimpel, 2016, section 2): x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
__device__ __forceinline__ float gelu(float x) {
  const float t = 0.79788456f * (x + 0.044715f * x * x * x);
  return x / (1.0f + __nvvm_ex2_approx_ftz_f(-2.88539008f * t));  // 2 / ln 2
}
__device__ __forceinline__ double gelu(double x) { return gelu(static_cast<float>(x)); }
__device__ __forceinline__ int gelu(int x) { return x; }

/// `triangle`: 1 the lower one alone is written, 2 the upper one; with kHermitian the diagonal as that of such a matrix.
template <class Acc, class T, class U>
__device__ __forceinline__ void gemm(int m, int n, int k, Factor<Acc> alpha, Matrices<const T> as, Matrices<const T> bs,
                                     Factor<Acc> beta, Matrices<const U> cs, Matrices<U> ds, int triangle,
                                     Epilogue<U> epilogue) {
  __shared__ Acc tile_a[kDepth][kTile + 1], tile_b[kDepth][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y, thread = y * kThreads + x;
  const int row = blockIdx.x * kTile, column = blockIdx.y * kTile;
  const bool hermitian = kComplex<Acc> && (triangle & kHermitian);
  triangle &= 3;
  // Tiles without an element of the triangle have nothing to do.
  if (triangle == 1 && row + kTile <= column) return;
  if (triangle == 2 && column + kTile <= row) return;
  const T* const a = as.of(blockIdx.z);
  const T* const b = bs.of(blockIdx.z);
  const Acc by = alpha(), keep = beta();
  if (by == Acc(0)) k = 0;  // operands are not read
  Acc sum[2][2] = {};
  for (int from = 0; from < k; from += kDepth) {
#pragma unroll 1
    for (int part = 0; part < kTile * kDepth; part += kThreads * kThreads) {
      // Threads beside each other read what lies beside each other.
      const int at = part + thread;
      int i = at % kTile, p = at / kTile;
      if (as.shape & kTransposed) {
        i = at / kDepth;
        p = at % kDepth;
      }
      tile_a[p][i] =
          row + i < m && from + p < k ? element<Acc>(a, as.leading, row + i, from + p, as.shape) : Acc(0);
      int j = at / kDepth;
      p = at % kDepth;
      if (bs.shape & kTransposed) {
        j = at % kTile;
        p = at / kTile;
      }
      tile_b[p][j] =
          column + j < n && from + p < k ? element<Acc>(b, bs.leading, from + p, column + j, bs.shape) : Acc(0);
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < kDepth; ++p) {
      const Acc a0 = tile_a[p][x], a1 = tile_a[p][x + kThreads];
      const Acc b0 = tile_b[p][y], b1 = tile_b[p][y + kThreads];
      sum[0][0] = multiply_add(a0, b0, sum[0][0]);
      sum[0][1] = multiply_add(a0, b1, sum[0][1]);
      sum[1][0] = multiply_add(a1, b0, sum[1][0]);
      sum[1][1] = multiply_add(a1, b1, sum[1][1]);
    }
    __syncthreads();
  }
  const U* const c = cs.of(blockIdx.z);
  U* const d = ds.of(blockIdx.z);
#pragma unroll
  for (int p = 0; p < 2; ++p) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      const int i = row + x + p * kThreads, j = column + y + q * kThreads;
      if (i >= m || j >= n || (triangle == 1 && i < j) || (triangle == 2 && i > j)) continue;
      // A factor of zero reads nothing: what is there may be no number.
      const Acc old = keep == Acc(0) ? Acc(0) : keep * Acc(get(c[i + static_cast<long long>(j) * cs.leading]));
      Acc v = multiply_add(by, sum[p][q], old);
      if (epilogue.bias)
        v += Acc(get(epilogue.bias[blockIdx.z * epilogue.stride + (epilogue.by_column ? j : i)]));
      if constexpr (!kComplex<Acc>) {
        if (epilogue.activation == 1) v = v > Acc(0) ? v : Acc(0);
        if (epilogue.activation == 2) v = gelu(v);
      } else if (hermitian && i == j) {
        v = real_part(v);
      }
      put(d[i + static_cast<long long>(j) * ds.leading], v);
    }
  }
}

#define GEMM(name, Acc, T, U)                                                                                      \
  extern "C" __global__ void __launch_bounds__(256) gemm_##name(                                                   \
      int m, int n, int k, Factor<Acc> alpha, Matrices<const T> a, Matrices<const T> b, Factor<Acc> beta,          \
      Matrices<const U> c, Matrices<U> d, int triangle, Epilogue<U> epilogue) {                                                          \
    gemm<Acc, T, U>(m, n, k, alpha, a, b, beta, c, d, triangle, epilogue);                                                   \
  }
GEMM(s, float, float, float)
GEMM(d, double, double, double)
GEMM(h, float, _Float16, _Float16)
GEMM(hs, float, _Float16, float)
GEMM(b, float, Bf16, Bf16)
GEMM(bs, float, Bf16, float)
GEMM(i, int, signed char, int)
GEMM(is, float, signed char, float)
GEMM(c, Complex<float>, Complex<float>, Complex<float>)
GEMM(z, Complex<double>, Complex<double>, Complex<double>)
GEMM(ci, Complex<float>, Complex<signed char>, Complex<float>)
