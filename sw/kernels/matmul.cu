// C = A B in fp32, row-major, A is m x k, B is k x n. `matmul` works on 16x16 tiles held in shared memory ("mm" of
// QAWS Table I); `matmul_naive` reads every operand from global memory. Products are added with fmaf in order of k.

constexpr unsigned kTile = 16;
#include "matmul.h"

extern "C" __global__ void matmul_naive(const float* __restrict__ a, const float* __restrict__ b,
                                        float* __restrict__ c, unsigned m, unsigned n, unsigned k) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned i = 0; i < k; ++i) sum = fmaf(a[row * k + i], b[i * n + column], sum);
  c[row * n + column] = sum;
}
