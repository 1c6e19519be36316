#pragma once
// The product of two small square matrices.

#include "task_arguments.h"
#include "task_block.h"

struct Matmul {
  using Arguments = MatmulArguments;

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    const unsigned stride = block.threads() * block.blocks();
    for (unsigned e = block.block() * block.threads() + block.thread(); e < a.size * a.size; e += stride) {
      const float* row = a.a + e / a.size * a.size;
      const float* column = a.b + e % a.size;
      float sum = 0.0f;
      for (unsigned k = 0; k < a.size; ++k) sum = fmaf(row[k], column[k * a.size], sum);
      a.c[e] = sum;
    }
  }
};

/// By tiles of 16 x 16 in shared memory: of a, of b, and the sums so far, as a thread may have several. 3 KiB.
struct MatmulShared {
  using Arguments = MatmulArguments;
  static constexpr unsigned kSide = 16, kTile = kSide * kSide;

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    float* const tile_a = reinterpret_cast<float*>(block.shared());
    float* const tile_b = tile_a + kTile;
    float* const sums = tile_b + kTile;
    const unsigned across = a.size / kSide;
    for (unsigned tile = block.block(); tile < across * across; tile += block.blocks()) {
      const unsigned top = tile / across * kSide, left = tile % across * kSide;
      for (unsigned e = block.thread(); e < kTile; e += block.threads()) sums[e] = 0.0f;
      for (unsigned from = 0; from < a.size; from += kSide) {
        for (unsigned e = block.thread(); e < kTile; e += block.threads()) {
          const unsigned row = e / kSide, column = e % kSide;
          tile_a[e] = a.a[(top + row) * a.size + from + column];
          tile_b[e] = a.b[(from + row) * a.size + left + column];
        }
        block.sync();
        for (unsigned e = block.thread(); e < kTile; e += block.threads()) {
          float sum = sums[e];
          for (unsigned k = 0; k < kSide; ++k) sum = fmaf(tile_a[e / kSide * kSide + k], tile_b[k * kSide + e % kSide], sum);
          sums[e] = sum;
        }
        block.sync();
      }
      for (unsigned e = block.thread(); e < kTile; e += block.threads())
        a.c[(top + e / kSide) * a.size + left + e % kSide] = sums[e];
    }
  }
};
