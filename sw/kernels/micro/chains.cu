// Few warps in long dependent chains: each element is an integer that becomes a uniform number, and that a normal one by
// Moro's approximation of the inverse normal distribution ("The full monte", Risk, 1995): a quotient of polynomials in the
// middle, a polynomial of the logarithm of a logarithm in the tails, the lanes of a warp in both. Beside the whole, its
// parts alone. A round is eight elements, each of which needs the one before.

#include "micro.h"

constexpr unsigned kElements = 8;

__device__ __forceinline__ float logarithm(float x) {
  float y;
  __asm__ volatile("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y * 0.69314718f;
}

__device__ __forceinline__ float middle(float y) {
  const float z = y * y;
  const float above = fmaf(z, fmaf(z, fmaf(z, -25.44106049637f, 41.39119773534f), -18.61500062529f), 2.50662823884f);
  const float below = fmaf(
      z, fmaf(z, fmaf(z, fmaf(z, 3.13082909833f, -21.06224101826f), 23.08336743743f), -8.4735109309f), 1.0f);
  return y * above / below;
}

__device__ __forceinline__ float tail(float x) {
  const float z = logarithm(-logarithm(x));
  float sum = 0.0000003960315187f;
  sum = fmaf(z, sum, 0.0000002888167364f);
  sum = fmaf(z, sum, 0.0000321767881768f);
  sum = fmaf(z, sum, 0.0003951896511919f);
  sum = fmaf(z, sum, 0.0038405729373609f);
  sum = fmaf(z, sum, 0.0276438810333863f);
  sum = fmaf(z, sum, 0.1607979714918209f);
  sum = fmaf(z, sum, 0.9761690190917186f);
  return fmaf(z, sum, 0.3374754822726147f);
}

__device__ __forceinline__ float uniform(unsigned i) {
  return fmaf(static_cast<float>(i >> 1), 4.6566129e-10f, 2.3283064e-10f);
}

// The next integer: another for each lane, and it needs the result.
__device__ __forceinline__ unsigned next(unsigned i, float normal) {
  unsigned bits;
  __asm__("mov.b32 %0, %1;" : "=r"(bits) : "f"(normal));
  return i * 1664525u + (bits | 1u);
}

// Nothing, but no compiler knows.
__device__ __forceinline__ unsigned none_of(unsigned i) {
  unsigned none;
  __asm__("and.b32 %0, %1, 0;" : "=r"(none) : "r"(i));
  return none;
}

#define MICRO_CHAIN(name, element)                                 \
  extern "C" __global__ void name(MICRO_PARAMETERS) {              \
    unsigned i = this_thread() * 2654435761u;                      \
    measure(rounds, times, [&] {                                   \
      _Pragma("unroll 1") for (unsigned e = 0; e < kElements; ++e) { \
        const float x = uniform(i);                                \
        float normal;                                              \
        element;                                                   \
        i = next(i, normal);                                       \
      }                                                            \
    });                                                            \
    sink[this_thread()] = none_of(i);                              \
  }

MICRO_CHAIN(chain_uniform, normal = x)
MICRO_CHAIN(chain_middle, normal = middle(x - 0.5f))
MICRO_CHAIN(chain_tail, normal = tail(x < 0.5f ? x : 1.0f - x))
// Lanes on both ways, as 42 of 100 numbers lie in the middle.
MICRO_CHAIN(chain_normal, {
  const float y = x - 0.5f;
  if (fabsf(y) < 0.42f) {
    normal = middle(y);
  } else {
    const float r = tail(y < 0.0f ? x : 1.0f - x);
    normal = y < 0.0f ? -r : r;
  }
})
