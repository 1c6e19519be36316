// Transposes a rows x columns matrix of 32-bit words. `transpose` goes through a shared tile padded by one column,
// so that neither side conflicts; `transpose_conflicts` leaves the padding out and meets 32-way bank conflicts;
// `transpose_naive` writes uncoalesced. Blocks are 32 x 8 threads, a tile is 32 x 32.

constexpr unsigned kTile = 32, kRows = 8;

template <unsigned kPitch>
__device__ __forceinline__ void through_tile(const unsigned* in, unsigned* out, unsigned rows, unsigned columns) {
  __shared__ unsigned tile[kTile * kPitch];
  unsigned x = blockIdx.x * kTile + threadIdx.x;
  unsigned y = blockIdx.y * kTile + threadIdx.y;
  for (unsigned j = 0; j < kTile; j += kRows) {
    if (x < columns && y + j < rows) tile[(threadIdx.y + j) * kPitch + threadIdx.x] = in[(y + j) * columns + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (unsigned j = 0; j < kTile; j += kRows) {
    if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x * kPitch + threadIdx.y + j];
  }
}

extern "C" __global__ void transpose(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned rows,
                                     unsigned columns) {
  through_tile<kTile + 1>(in, out, rows, columns);
}

extern "C" __global__ void transpose_conflicts(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                               unsigned rows, unsigned columns) {
  through_tile<kTile>(in, out, rows, columns);
}

extern "C" __global__ void transpose_naive(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned rows,
                                           unsigned columns) {
  const unsigned x = blockIdx.x * kTile + threadIdx.x;
  for (unsigned y = blockIdx.y * kTile + threadIdx.y; y < (blockIdx.y + 1) * kTile && y < rows; y += kRows) {
    if (x < columns) out[x * rows + y] = in[y * columns + x];
  }
}
