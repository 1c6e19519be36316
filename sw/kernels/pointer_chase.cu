// Memory latency: one thread follows `steps` pointers round a ring; each element holds the address of the next.
// The loads are written in PTX so that a step is one load and nothing else that the next load waits for. Cycles
// taken and the address reached are written out. A loop takes some twenty cycles a turn (its condition, its branch), more
// than a step in the nearest memories, so a turn has eight steps.

template <class Load>
__device__ __forceinline__ void chase(uint64_t at, unsigned steps, uint64_t* cycles, uint64_t* reached, Load load) {
  const uint64_t start = clock64();
#pragma unroll 1
  for (unsigned k = steps / 8; k != 0; --k) at = load(load(load(load(load(load(load(load(at))))))));
#pragma unroll 1
  for (unsigned k = steps % 8; k != 0; --k) at = load(at);
  // The clock is read after the last load has come back: the branch needs its value, and no address is 0.
  if (at == 0) return;
  const uint64_t end = clock64();
  *cycles = end - start;
  *reached = at;
}

extern "C" __global__ void pointer_chase(uint64_t first, unsigned steps, uint64_t* cycles, uint64_t* reached) {
  chase(first, steps, cycles, reached, [](uint64_t at) {
    __asm__ volatile("ld.global.u64 %0, [%0];" : "+l"(at));
    return at;
  });
}

// Past the L1: ld.cg caches in the L2 only.
extern "C" __global__ void pointer_chase_l2(uint64_t first, unsigned steps, uint64_t* cycles, uint64_t* reached) {
  chase(first, steps, cycles, reached, [](uint64_t at) {
    __asm__ volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
    return at;
  });
}

// In shared memory: a ring of one element.
extern "C" __global__ void pointer_chase_shared(unsigned steps, uint64_t* cycles, uint64_t* reached) {
  __shared__ uint64_t ring[16];
  uint64_t home;
  __asm__ volatile("cvta.to.shared.u64 %0, %1;" : "=l"(home) : "l"(&ring[1]));
  ring[1] = home;
  __syncthreads();
  chase(home, steps, cycles, reached, [](uint64_t at) {
    __asm__ volatile("ld.shared.u64 %0, [%0];" : "+l"(at)::"memory");
    return at;
  });
}
