// C = A B in fp32, row-major, A is m x k, B is k x n: a thread a result, every operand from global memory. Lanes run
// down a column of C, so that a warp's reads of A and writes of C fall into as many rows (SWaS paper, section VI-B1).

extern "C" __global__ void sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                 unsigned m, unsigned n, unsigned k) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned i = 0; i < k; ++i) sum = fmaf(a[row * k + i], b[i * n + column], sum);
  c[row * n + column] = sum;
}
