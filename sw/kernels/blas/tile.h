#pragma once
// The part of a product that a CTA makes: a tile of 32 x 32 by 16 x 16 threads, each with four elements; tiles of the operands
// pass through shared memory, 16 columns at a time.

#include "blas/types.h"

constexpr int kTile = 32, kDepth = 16, kThreads = 16;

/// Adds to `sum` the products of the CTA's rows and columns: sum[p][q] is the element at row + x + 16 p and column + y + 16 q.
/// `a(i, p)` and `b(p, j)` give elements below m, n and k. With a_along threads beside each other read elements of A beside each other
/// along the sum, else across it; with b_across those of B across it.
template <class Acc, class A, class B>
INLINE void add_products(int m, int n, int k, bool a_along, bool b_across, A&& a, B&& b, Acc (&sum)[2][2]) {
  __shared__ Acc tile_a[kDepth][kTile + 1], tile_b[kDepth][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y, thread = y * kThreads + x;
  const int row = blockIdx.x * kTile, column = blockIdx.y * kTile;
  for (int from = 0; from < k; from += kDepth) {
#pragma unroll 1
    for (int part = 0; part < kTile * kDepth; part += kThreads * kThreads) {
      const int at = part + thread;
      int i = at % kTile, p = at / kTile;
      if (a_along) {
        i = at / kDepth;
        p = at % kDepth;
      }
      tile_a[p][i] = row + i < m && from + p < k ? a(row + i, from + p) : Acc(0);
      int j = at / kDepth;
      p = at % kDepth;
      if (b_across) {
        j = at % kTile;
        p = at / kTile;
      }
      tile_b[p][j] = column + j < n && from + p < k ? b(from + p, column + j) : Acc(0);
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
}
