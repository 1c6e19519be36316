// Sums of absolute differences between a frame and a reference frame, for motion estimation as in H.264 (Parboil's sad):
// for each macroblock of 16 x 16 pixels, all its blocks of seven shapes, and each of 33 x 33 displacements. Sums have 16
// bits; the places of a block lie beside each other, padded, and are handled in pairs where blocks are put together.

constexpr int kRange = 16, kSide = 2 * kRange + 1, kPlaces = kSide * kSide;
constexpr unsigned kPairs = 548;           // words of a block's sums: kPlaces rounded up to a multiple of 8, halved
constexpr int kEach = 18, kThreads = 61;  // displacements a thread

// Block b of a macroblock of 4 x 4 pixels: quarter by quarter, row by row in each.
__device__ __forceinline__ int block_x(unsigned b) { return static_cast<int>((b >> 2 & 1) * 8 + (b & 1) * 4); }
__device__ __forceinline__ int block_y(unsigned b) { return static_cast<int>((b >> 3) * 8 + (b >> 1 & 1) * 4); }

// Blocks of 4 x 4 pixels: a CTA a block. Pixels beyond the reference frame's edge are those of the edge.
extern "C" __global__ void __launch_bounds__(kThreads)
    sad_blocks(const uint8_t* __restrict__ frame, const uint8_t* __restrict__ reference, uint16_t* __restrict__ sums,
               unsigned width, unsigned height) {
  const unsigned macroblock = blockIdx.x / 16, b = blockIdx.x % 16;
  const int across = static_cast<int>(width) / 16;
  const int x0 = static_cast<int>(macroblock) % across * 16 + block_x(b);
  const int y0 = static_cast<int>(macroblock) / across * 16 + block_y(b);
  __shared__ int own[16];
  if (threadIdx.x < 16) {
    own[threadIdx.x] = frame[(y0 + static_cast<int>(threadIdx.x) / 4) * static_cast<int>(width) + x0 + static_cast<int>(threadIdx.x) % 4];
  }
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < kEach; ++k) {
    const int place = static_cast<int>(threadIdx.x) * kEach + k;
    if (place >= kPlaces) return;
    const int dx = place % kSide - kRange, dy = place / kSide - kRange;
    int sum = 0;
#pragma unroll
    for (int p = 0; p < 16; ++p) {
      const int x = min(max(x0 + p % 4 + dx, 0), static_cast<int>(width) - 1);
      const int y = min(max(y0 + p / 4 + dy, 0), static_cast<int>(height) - 1);
      const int difference = own[p] - reference[y * static_cast<int>(width) + x];
      sum += difference < 0 ? -difference : difference;
    }
    sums[blockIdx.x * 2 * kPairs + place] = static_cast<uint16_t>(sum);
  }
}

// Blocks of 8 x 4, 4 x 8 and 8 x 8 pixels: a CTA a macroblock, a warp a quarter of it. No sum of two 16-bit halves carries.
extern "C" __global__ void __launch_bounds__(128)
    sad_eights(const unsigned* __restrict__ fours, unsigned* __restrict__ wide, unsigned* __restrict__ high,
               unsigned* __restrict__ eights) {
  const unsigned quarter = blockIdx.x * 4 + threadIdx.y;
  const unsigned* from = fours + quarter * 4 * kPairs;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < kPairs; i += 32) {
    const unsigned a = from[i], b = from[kPairs + i], c = from[2 * kPairs + i], d = from[3 * kPairs + i];
    wide[quarter * 2 * kPairs + i] = a + b;
    wide[(quarter * 2 + 1) * kPairs + i] = c + d;
    high[quarter * 2 * kPairs + i] = a + c;
    high[(quarter * 2 + 1) * kPairs + i] = b + d;
    eights[quarter * kPairs + i] = a + b + c + d;
  }
}

// Blocks of 16 x 8, 8 x 16 and 16 x 16 pixels: a CTA of a warp a macroblock.
extern "C" __global__ void __launch_bounds__(32)
    sad_sixteens(const unsigned* __restrict__ eights, unsigned* __restrict__ wide, unsigned* __restrict__ high,
                 unsigned* __restrict__ sixteens) {
  const unsigned macroblock = blockIdx.x;
  const unsigned* from = eights + macroblock * 4 * kPairs;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < kPairs; i += 32) {
    const unsigned a = from[i], b = from[kPairs + i], c = from[2 * kPairs + i], d = from[3 * kPairs + i];
    wide[macroblock * 2 * kPairs + i] = a + b;
    wide[(macroblock * 2 + 1) * kPairs + i] = c + d;
    high[macroblock * 2 * kPairs + i] = a + c;
    high[(macroblock * 2 + 1) * kPairs + i] = b + d;
    sixteens[macroblock * kPairs + i] = a + b + c + d;
  }
}
