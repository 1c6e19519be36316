// Niederreiter's quasirandom sequence in three dimensions, as the CUDA samples' quasirandomGenerator: number `i` is the
// exclusive or of the table's words where `i` has ones. Threads run along the numbers with the grid's stride; threadIdx.y
// is the dimension.

constexpr unsigned kDimensions = 3, kBits = 31;

__constant__ unsigned directions[kDimensions][kBits];

extern "C" __global__ void quasirandom(float* out, unsigned seed, unsigned count) {
  const unsigned stride = blockDim.x * gridDim.x;
  unsigned word[kBits];  // read once
#pragma unroll
  for (unsigned bit = 0; bit < kBits; ++bit) word[bit] = directions[threadIdx.y][bit];
  for (unsigned i = blockDim.x * blockIdx.x + threadIdx.x; i < count; i += stride) {
    unsigned result = 0, data = seed + i;
#pragma unroll
    for (unsigned bit = 0; bit < kBits; ++bit, data >>= 1) {
      if (data & 1) result ^= word[bit];
    }
    out[threadIdx.y * count + i] = static_cast<float>(result + 1) * (1.0f / static_cast<float>(0x80000001u));
  }
}
