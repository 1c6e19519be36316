// y = A x for a sparse matrix in compressed rows: a thread per row, so that lengths diverge and x is gathered.

extern "C" __global__ void spmv_rows(const unsigned* __restrict__ row_start, const unsigned* __restrict__ column,
                                     const float* __restrict__ value, const float* __restrict__ x,
                                     float* __restrict__ y, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned k = row_start[row]; k < row_start[row + 1]; ++k) sum = fmaf(value[k], x[column[k]], sum);
  y[row] = sum;
}

// A warp per row; the lanes' partial sums are added by a butterfly of shuffles.
extern "C" __global__ void spmv_warps(const unsigned* __restrict__ row_start, const unsigned* __restrict__ column,
                                      const float* __restrict__ value, const float* __restrict__ x,
                                      float* __restrict__ y, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned k = row_start[row] + lane; k < row_start[row + 1]; k += 32) sum = fmaf(value[k], x[column[k]], sum);
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
  if (lane == 0) y[row] = sum;
}

// Rows sorted by length and stored by jagged diagonals, as Parboil's spmv: element k of all rows that have one lies together
// at start[k], so that a warp reads neighbours, and only x is gathered. `row` tells where a sorted row belongs.
extern "C" __global__ void spmv_diagonals(const unsigned* __restrict__ start, const unsigned* __restrict__ length,
                                          const unsigned* __restrict__ row, const unsigned* __restrict__ column,
                                          const float* __restrict__ value, const float* __restrict__ x,
                                          float* __restrict__ y, unsigned rows) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = 0.0f;
  const unsigned bound = length[i];
#pragma unroll 1
  for (unsigned k = 0; k < bound; ++k) {
    const unsigned at = start[k] + i;
    sum = fmaf(value[at], x[column[at]], sum);
  }
  y[row[i]] = sum;
}
