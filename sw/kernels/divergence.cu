// Branch divergence: the lanes of a warp split into `ways` groups (a power of two, 1 to 32), each of which takes an
// arm of its own, so that a warp runs `ways` arms one after the other and then converges.

__device__ __noinline__ unsigned arm(unsigned value, unsigned rounds, unsigned salt) {
#pragma unroll 1
  for (unsigned k = 0; k < rounds; ++k) value = value * 2891336453u + salt;
  return value;
}

extern "C" __global__ void divergence(unsigned* __restrict__ out, unsigned ways, unsigned rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned group = threadIdx.x & (ways - 1);
  unsigned value = i;
#pragma unroll 1
  for (unsigned g = 0; g < ways; ++g) {
    if (g == group) value = arm(value, rounds, g + 1);
    __syncwarp();
  }
  out[i] = value;
}

// Nested branches and a loop whose trip count differs from lane to lane: the Collatz sequence of i + 1, cut at `limit`.
extern "C" __global__ void collatz(unsigned* __restrict__ steps, unsigned n, unsigned limit) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned value = i + 1, count = 0;
  while (value != 1 && count < limit) {
    if (value & 1) {
      value = 3 * value + 1;
    } else {
      value /= 2;
    }
    ++count;
  }
  steps[i] = count;
}
