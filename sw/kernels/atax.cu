// y = A^T (A x) in two kernels, A row-major rows x columns: first a thread per row, which reads A along its rows
// (uncoalesced), then a thread per column (coalesced). Latency-bound ("atax" of QAWS Table I).

__device__ __forceinline__ void row_of(unsigned row, const float* a, const float* x, float* tmp, unsigned rows,
                                       unsigned columns) {
  if (row >= rows) return;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned j = 0; j < columns; ++j) sum = fmaf(a[row * columns + j], x[j], sum);
  tmp[row] = sum;
}

__device__ __forceinline__ void column_of(unsigned column, const float* a, const float* tmp, float* y, unsigned rows,
                                          unsigned columns) {
  if (column >= columns) return;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned i = 0; i < rows; ++i) sum = fmaf(a[i * columns + column], tmp[i], sum);
  y[column] = sum;
}

extern "C" __global__ void atax_rows(const float* __restrict__ a, const float* __restrict__ x,
                                     float* __restrict__ tmp, unsigned rows, unsigned columns) {
  row_of(blockIdx.x * blockDim.x + threadIdx.x, a, x, tmp, rows, columns);
}

extern "C" __global__ void atax_columns(const float* __restrict__ a, const float* __restrict__ tmp,
                                        float* __restrict__ y, unsigned rows, unsigned columns) {
  column_of(blockIdx.x * blockDim.x + threadIdx.x, a, tmp, y, rows, columns);
}

extern "C" __global__ void atax_rows_persistent(const float* __restrict__ a, const float* __restrict__ x,
                                                float* __restrict__ tmp, unsigned rows, unsigned columns,
                                                unsigned work) {
  for (unsigned cta = blockIdx.x; cta < work; cta += gridDim.x) {
    row_of(cta * blockDim.x + threadIdx.x, a, x, tmp, rows, columns);
  }
}

extern "C" __global__ void atax_columns_persistent(const float* __restrict__ a, const float* __restrict__ tmp,
                                                   float* __restrict__ y, unsigned rows, unsigned columns,
                                                   unsigned work) {
  for (unsigned cta = blockIdx.x; cta < work; cta += gridDim.x) {
    column_of(cta * blockDim.x + threadIdx.x, a, tmp, y, rows, columns);
  }
}
