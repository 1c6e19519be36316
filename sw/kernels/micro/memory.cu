// Shared memory by width and distance of the lanes' accesses, atomics, the barrier. Latencies of caches and DRAM are
// pointer_chase's, bandwidths stream's.

#include "micro.h"

constexpr unsigned kSharedBytes = 32768;
__shared__ __attribute__((aligned(16))) unsigned words[kSharedBytes / 4];

// The lanes' addresses, `stride` bytes apart; 0: all at one place.
__device__ __forceinline__ unsigned shared_offset(unsigned stride) { return (threadIdx.x & 31) * stride % kSharedBytes; }
__device__ __forceinline__ unsigned shared_base() {
  unsigned base;
  __asm__("{.reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a;}" : "=r"(base) : "l"(words));
  return base;
}

// Each lane's word holds its own address, so that every load needs the one before.
__device__ __forceinline__ unsigned shared_home(unsigned stride) {
  const unsigned home = shared_base() + shared_offset(stride);
  words[shared_offset(stride) / 4] = home;
  return home;
}

#define MICRO_SHARED(name, text)                                              \
  extern "C" __global__ void name(MICRO_PARAMETERS) {                         \
    const unsigned home = shared_home(stride);                                \
    unsigned at = home;                                                       \
    measure(rounds, times, [&] { MICRO_ALL(__asm__ volatile(text : "+r"(at)::"memory");) }); \
    sink[this_thread()] = at - home;                                          \
  }

MICRO_SHARED(shared_load_4, "ld.shared.u32 %0, [%0];")
MICRO_SHARED(shared_load_8, "{.reg .u32 u; ld.shared.v2.u32 {%0, u}, [%0];}")
MICRO_SHARED(shared_load_16, "{.reg .u32 u, v, w; ld.shared.v4.u32 {%0, u, v, w}, [%0];}")

// Loads of zeros that stay in the L1 (or in the L2, past the L1), lanes `stride` bytes apart; the next address depends on what came. Three instructions
// with conversion and addition, counted as one.
#define MICRO_GLOBAL(name, text)                                                                                       \
  extern "C" __global__ void name(MICRO_PARAMETERS) {                                                                  \
    uint64_t at = memory + static_cast<uint64_t>(this_thread()) * stride;                                              \
    measure(rounds, times, [&] {                                                                                       \
      MICRO_ALL(__asm__ volatile("{.reg .u32 u, v, w, x; .reg .u64 y;" text "cvt.u64.u32 y, u; add.s64 %0, %0, y;}"    \
                                 : "+l"(at)::"memory");)                                                              \
    });                                                                                                                \
    sink[this_thread()] = static_cast<unsigned>(at - memory - static_cast<uint64_t>(this_thread()) * stride);          \
  }

MICRO_GLOBAL(global_load_4, "ld.global.u32 u, [%0];")
MICRO_GLOBAL(global_load_16, "ld.global.v4.u32 {u, v, w, x}, [%0];")
MICRO_GLOBAL(l2_load_16, "ld.global.cg.v4.u32 {u, v, w, x}, [%0];")

// Adds zero to memory that holds zeros, lanes `stride` bytes apart; the next address depends on what came back.
extern "C" __global__ void global_atomic(MICRO_PARAMETERS) {
  uint64_t at = memory + static_cast<uint64_t>(this_thread()) * stride;
  measure(rounds, times, [&] {
    MICRO_ALL(
        __asm__ volatile("{.reg .u64 u; atom.global.add.u64 u, [%0], 0; add.s64 %0, %0, u;}" : "+l"(at)::"memory");)
  });
  sink[this_thread()] = static_cast<unsigned>(at - memory - static_cast<uint64_t>(this_thread()) * stride);
}

// The same without waiting for the old value.
extern "C" __global__ void global_reduction(MICRO_PARAMETERS) {
  const uint64_t at = memory + static_cast<uint64_t>(this_thread()) * stride;
  measure(rounds, times,
          [&] { MICRO_ALL(__asm__ volatile("red.global.add.u64 [%0], 0;" ::"l"(at) : "memory");) });
  sink[this_thread()] = 0;
}

extern "C" __global__ void shared_atomic(MICRO_PARAMETERS) {
  const unsigned home = shared_base() + shared_offset(stride);
  words[shared_offset(stride) / 4] = 0;
  unsigned at = home;
  measure(rounds, times, [&] {
    MICRO_ALL(
        __asm__ volatile("{.reg .u32 u; atom.shared.add.u32 u, [%0], 0; add.s32 %0, %0, u;}" : "+r"(at)::"memory");)
  });
  sink[this_thread()] = at - home;
}

extern "C" __global__ void barrier(MICRO_PARAMETERS) {
  measure(rounds, times, [&] { MICRO_ALL(__asm__ volatile("bar.sync 0;" ::: "memory");) });
  sink[this_thread()] = 0;
}
