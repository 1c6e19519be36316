#pragma once
// What the microbenchmarks have in common: those of this folder and those whose PTX sw/apps/micro_code.h
// makes. Every entry takes the same parameters, so that one host program (sw/apps/micro.cpp, or any other
// with a launch and two copies) runs them all:
//
//   rounds  how often the measured instructions are repeated
//   stride  bytes between the addresses of neighbouring lanes or steps, where the entry says so
//   memory  buffer of zeros for entries that need memory
//   times   two words a warp: clock before and after
//   sink    a word a thread: what was computed, so that nothing can be left out
//
// A round is 128 measured instructions, but where the entry says otherwise. The instructions are volatile
// assembly: compilers keep their number and order, and the sequences are such that an assembler finds nothing
// to cancel in them. Warps start together behind a barrier and go through one round to fill the instruction
// caches; clocks are those of the SM. The loop's own three instructions are in the time.

#define MICRO_PARAMETERS                                                                            \
  [[maybe_unused]] unsigned rounds, [[maybe_unused]] unsigned stride, [[maybe_unused]] uint64_t memory, \
      uint64_t *times, unsigned *sink

/// Runs `round` and writes what it took.
template <class Round>
__device__ __forceinline__ void measure(unsigned rounds, uint64_t* times, Round round) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint64_t start = 0, end = 0;
  unsigned more = 1;
#pragma unroll 1
  for (unsigned pass = 0; pass < 2; ++pass) {
    __syncthreads();
    start = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < more; ++i) round();
    end = clock64();
    more = rounds;
  }
  if ((threadIdx.x & 31) == 0) {
    times[thread / 32 * 2] = start;
    times[thread / 32 * 2 + 1] = end;
  }
}

__device__ __forceinline__ unsigned this_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Sixteen times; 128 times.
#define MICRO_16(x) x x x x x x x x x x x x x x x x
#define MICRO_ALL(x) \
  MICRO_16(x) MICRO_16(x) MICRO_16(x) MICRO_16(x) MICRO_16(x) MICRO_16(x) MICRO_16(x) MICRO_16(x)
