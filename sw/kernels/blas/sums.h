#pragma once
// Sums over CTAs of kCta threads.

#include "blas/types.h"

constexpr int kCta = 256;

/// The sum over the CTA, for its first thread.
template <class Acc>
INLINE Acc sum_of_cta(Acc mine) {
  __shared__ Acc sums[kCta];
  sums[threadIdx.x] = mine;
  ONCE for (unsigned half = kCta / 2; half != 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  return sums[0];
}
