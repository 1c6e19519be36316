#pragma once
// What the microbenchmarks of this folder have in common. Every entry takes the same parameters, so that one host program
// (sw/apps/micro.cpp, or any other with a launch and two copies) runs them all:
//
//   rounds  how often the measured instructions are repeated
//   stride  bytes between the addresses of neighbouring lanes or steps, where the entry says so
//   memory  buffer of zeros for entries that need memory
//   times   two words a warp: clock before and after
//   sink    a word a thread: what was computed, so that nothing can be left out
//
// A round is kInstructions measured instructions, but where the entry says otherwise. The instructions are volatile assembly:
// compilers keep their number and order, and the sequences are such that an assembler finds nothing to cancel in them. Warps start together behind a barrier and go through one round to fill the
// instruction caches; clocks are those of the SM. The loop's own three instructions are in the time.

constexpr unsigned kInstructions = 128;

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

template <class T>
__device__ __forceinline__ unsigned folded(T value) {
  unsigned out = 0;
  for (unsigned i = 0; i < sizeof(T) / 4; ++i) out ^= reinterpret_cast<const unsigned*>(&value)[i];
  return out;
}
__device__ __forceinline__ unsigned folded(unsigned short value) { return value; }

/// Sixteen times; kInstructions times.
#define MICRO_16(x) x x x x x x x x x x x x x x x x
#define MICRO_ALL(x) MICRO_16(x) MICRO_16(x) MICRO_16(x) MICRO_16(x) MICRO_16(x) MICRO_16(x) MICRO_16(x) MICRO_16(x)

/// Two entries for an instruction of two source operands: NAME_chain, where each needs the result of the one before, and
/// NAME_rate, where it needs that of eight before. `text` has %0 for destination and first operand, %1 for the second.
#define MICRO_INSTRUCTION(name, type, constraint, first, second, text)                                                  \
  extern "C" __global__ void name##_chain(MICRO_PARAMETERS) {                                                           \
    type a = first, b = second;                                                                                         \
    measure(rounds, times, [&] {                                                                                        \
      MICRO_ALL(__asm__ volatile(text : "+" constraint(a) : constraint(b));)                                     \
    });                                                                                                                 \
    sink[this_thread()] = folded(a);                                                                                    \
  }                                                                                                                     \
  extern "C" __global__ void name##_rate(MICRO_PARAMETERS) {                                                            \
    type b = second, a0 = first, a1 = a0 + 1, a2 = a0 + 2, a3 = a0 + 3, a4 = a0 + 4, a5 = a0 + 5, a6 = a0 + 6, a7 = a0 + 7;                         \
    measure(rounds, times, [&] {                                                                                        \
      MICRO_16(__asm__ volatile(text : "+" constraint(a0) : constraint(b));                                              \
              __asm__ volatile(text : "+" constraint(a1) : constraint(b));                                              \
              __asm__ volatile(text : "+" constraint(a2) : constraint(b));                                              \
              __asm__ volatile(text : "+" constraint(a3) : constraint(b));                                              \
              __asm__ volatile(text : "+" constraint(a4) : constraint(b));                                              \
              __asm__ volatile(text : "+" constraint(a5) : constraint(b));                                              \
              __asm__ volatile(text : "+" constraint(a6) : constraint(b));                                              \
              __asm__ volatile(text : "+" constraint(a7) : constraint(b));)                                             \
    });                                                                                                                 \
    sink[this_thread()] =                                                                                               \
        folded(a0) ^ folded(a1) ^ folded(a2) ^ folded(a3) ^ folded(a4) ^ folded(a5) ^ folded(a6) ^ folded(a7); \
  }
