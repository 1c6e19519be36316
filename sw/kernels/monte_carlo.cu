// Points in a quarter circle from an integer generator (xorshift), counted exactly: each thread throws `throws`
// points of 16-bit coordinates and adds its hits to one 64-bit counter.

extern "C" __global__ void monte_carlo(unsigned seed, unsigned throws, uint64_t* __restrict__ hits) {
  unsigned state = seed ^ ((blockIdx.x * blockDim.x + threadIdx.x + 1) * 2654435761u);
  if (state == 0) state = 1;
  unsigned inside = 0;
#pragma unroll 1
  for (unsigned k = 0; k < throws; ++k) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    const unsigned x = state & 0xffff, y = state >> 16;
    // 65535 squared twice passes 32 bits, so the sum is 64 bits wide.
    if (static_cast<uint64_t>(x * x) + y * y < 0x100000000ull) ++inside;
  }
  atomicAdd(hits, static_cast<uint64_t>(inside));
}
