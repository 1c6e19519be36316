// C = alpha A B^T + beta C, matrices column by column, as Parboil's sgemm: a CTA of 16 x 8 threads computes 128 rows by 16
// columns, a thread one row of the tile in registers; stretches of B go through shared memory.

constexpr unsigned kColumns = 16, kDepth = 8, kRows = kColumns * kDepth;

extern "C" __global__ void sgemm_tall(const float* a, unsigned lda, const float* b, unsigned ldb, float* c, unsigned ldc,
                                      unsigned depth, float alpha, float beta) {
  __shared__ float b_tile[kDepth][kColumns];
  float sum[kColumns];
#pragma unroll
  for (unsigned i = 0; i < kColumns; ++i) sum[i] = 0.0f;
  const unsigned row = blockIdx.x * kRows + threadIdx.y * blockDim.x + threadIdx.x;
  const unsigned column = blockIdx.y * kColumns + threadIdx.x;
  for (unsigned first = 0; first < depth; first += kDepth) {
    b_tile[threadIdx.y][threadIdx.x] = b[column + (first + threadIdx.y) * ldb];
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < kDepth; ++j) {
      const float x = a[row + (first + j) * lda];
#pragma unroll
      for (unsigned i = 0; i < kColumns; ++i) sum[i] = fmaf(x, b_tile[j][i], sum[i]);
    }
    __syncthreads();
  }
  float* const own = c + ldc * blockIdx.y * kColumns + row;
#pragma unroll
  for (unsigned i = 0; i < kColumns; ++i) own[i * ldc] = fmaf(own[i * ldc], beta, alpha * sum[i]);
}
