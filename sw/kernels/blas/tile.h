#pragma once
// The part of a product that a CTA makes: a tile of 32 x 32 or 64 x 64 by 16 x 16 threads, each with 2 x 2 or 4 x 4 elements; tiles
// of the operands pass through shared memory, 16 columns at a time. The larger one loads half as much for each product.

#include "blas/types.h"

constexpr int kDepth = 16, kThreads = 16;

/// Adds to `sum` the products of the CTA's rows and columns: sum[p][q] is the element at row + x + 16 p and column + y + 16 q.
/// `a(i, p)` and `b(p, j)` give elements below m, n and k. With a_along threads beside each other read elements of A beside each other
/// along the sum, else across it; with b_across those of B across it.
template <int kEach, class Acc, class A, class B>
INLINE void add_products(int m, int n, int k, bool a_along, bool b_across, A&& a, B&& b, Acc (&sum)[kEach][kEach]) {
  constexpr int kTile = kEach * kThreads;
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
#pragma unroll 4
    for (int p = 0; p < kDepth; ++p) {
      Acc of_a[kEach], of_b[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        of_a[i] = tile_a[p][x + i * kThreads];
        of_b[i] = tile_b[p][y + i * kThreads];
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum[i][j] = multiply_add(of_a[i], of_b[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
}
