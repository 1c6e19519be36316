#pragma once
// C = A B in fp32, row-major, A is m x k, B is k x n, on tiles held in shared memory, by CTAs of kTile x
// kTile threads. Products are added with fmaf in order of k. Who includes this says what kTile is.

__device__ __forceinline__ void tile_cta(unsigned cta_x, unsigned cta_y, const float* a, const float* b,
                                         float* c, unsigned m, unsigned n, unsigned k) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned column = cta_x * kTile + tx;
  const unsigned row = cta_y * kTile + ty;
  float sum = 0.0f;
  for (unsigned first = 0; first < k; first += kTile) {
    tile_a[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0.0f;
    tile_b[ty][tx] = column < n && first + ty < k ? b[(first + ty) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kTile; ++i) sum = fmaf(tile_a[ty][i], tile_b[i][tx], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

extern "C" __global__ void __launch_bounds__(kTile* kTile)
    matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, unsigned m,
           unsigned n, unsigned k) {
  tile_cta(blockIdx.x, blockIdx.y, a, b, c, m, n, k);
}

extern "C" __global__ void __launch_bounds__(kTile* kTile)
    matmul_persistent(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                      unsigned m, unsigned n, unsigned k, unsigned ctas_x, unsigned work) {
  for (unsigned cta = blockIdx.x; cta < work; cta += gridDim.x) {
    tile_cta(cta % ctas_x, cta / ctas_x, a, b, c, m, n, k);
  }
}
