// Kernels that go wrong on purpose, one way each, to see how the platform reports it.

extern "C" __global__ void out_of_bounds(unsigned* p, uint64_t offset) {
  if (blockIdx.x == 1 && threadIdx.x == 37) p[offset] = 1;
}

extern "C" __global__ void misaligned(unsigned char* p) {
  if (threadIdx.x == 5) *reinterpret_cast<unsigned*>(p + 2) = 1;
}

extern "C" __global__ void trapped(int limit) {
  if (static_cast<int>(threadIdx.x) > limit) __builtin_trap();
}

// Half of the grid's CTAs come before the one that traps.
extern "C" __global__ void trapped_midway() {
  if (blockIdx.x == gridDim.x / 2) __builtin_trap();
}

extern "C" __global__ void failed_assertion(int limit) { assert(static_cast<int>(threadIdx.x) <= limit); }

// The first warp waits at barrier 1 for 64 threads; the others never come.
extern "C" __global__ void deadlocked(unsigned* p) {
  if (threadIdx.x < 32) __asm__ volatile("bar.sync 1, 64;");
  p[threadIdx.x] = 1;
  if (threadIdx.x >= 32) __asm__ volatile("bar.sync 2, 96;");
}

extern "C" __global__ void endless(volatile unsigned* p) {
  while (*p == 0) {
  }
}
