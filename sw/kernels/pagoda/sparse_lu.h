#pragma once
// The four steps of a sparse LU decomposition by square sub-matrices (sparselu of the Barcelona OpenMP Tasks Suite;
// Duran et al., ICPP 2009). A step of elimination of sub-matrix k: `lu0` of the one on the diagonal, `fwd` of those right
// of it, `bdiv` of those below, `bmod` of all that lie right and below of both. No step needs a barrier: lu0 is the work
// of one warp, fwd has a thread for each column, bdiv for each row, bmod for each element.

#include "task_arguments.h"
#include "task_block.h"

/// target = L and U of itself, in one matrix.
struct SparseLuDiagonal {
  using Arguments = SparseLuArguments;

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    if (block.block() != 0 || block.thread() >= 32) return;
    float* const d = a.target;
    for (unsigned k = 0; k < a.size; ++k) {
      for (unsigned i = k + 1 + block.thread(); i < a.size; i += 32) {
        const float factor = d[i * a.size + k] / d[k * a.size + k];
        d[i * a.size + k] = factor;
        for (unsigned j = k + 1; j < a.size; ++j) d[i * a.size + j] = fmaf(-factor, d[k * a.size + j], d[i * a.size + j]);
      }
      __syncwarp();
    }
  }
};

/// target = L^-1 target, with L of `first`.
struct SparseLuForward {
  using Arguments = SparseLuArguments;

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    for (unsigned j = block.block() * block.threads() + block.thread(); j < a.size; j += block.threads() * block.blocks()) {
      for (unsigned k = 0; k < a.size; ++k) {
        const float x = a.target[k * a.size + j];
        for (unsigned i = k + 1; i < a.size; ++i)
          a.target[i * a.size + j] = fmaf(-a.first[i * a.size + k], x, a.target[i * a.size + j]);
      }
    }
  }
};

/// target = target U^-1, with U of `first`.
struct SparseLuDivide {
  using Arguments = SparseLuArguments;

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    for (unsigned i = block.block() * block.threads() + block.thread(); i < a.size; i += block.threads() * block.blocks()) {
      float* const row = a.target + i * a.size;
      for (unsigned k = 0; k < a.size; ++k) {
        const float x = row[k] / a.first[k * a.size + k];
        row[k] = x;
        for (unsigned j = k + 1; j < a.size; ++j) row[j] = fmaf(-x, a.first[k * a.size + j], row[j]);
      }
    }
  }
};

/// target -= first * second.
struct SparseLuModify {
  using Arguments = SparseLuArguments;

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    const unsigned stride = block.threads() * block.blocks();
    for (unsigned e = block.block() * block.threads() + block.thread(); e < a.size * a.size; e += stride) {
      const float* const row = a.first + e / a.size * a.size;
      const float* const column = a.second + e % a.size;
      float sum = a.target[e];
      for (unsigned k = 0; k < a.size; ++k) sum = fmaf(-row[k], column[k * a.size], sum);
      a.target[e] = sum;
    }
  }
};
