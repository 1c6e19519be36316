#pragma once
// Sums over a CTA and over a warp, in double precision, for kernels of cuSOLVER: CTAs of
// kThreads threads.

#include "arithmetic.h"

constexpr int kThreads = 256, kWarps = kThreads / 32;

/// The sum over all threads of the CTA, in each of them. `room`: shared, kThreads of it.
INLINE double sum_of_all(double mine, double* room) {
  const int thread = threadIdx.x;
  room[thread] = mine;
  __syncthreads();
  ONCE for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread < half) room[thread] += room[thread + half];
    __syncthreads();
  }
  const double sum = room[0];
  __syncthreads();
  return sum;
}
/// The same over the threads of a warp.
INLINE double sum_of_warp(double mine, double* room) {
  const int thread = threadIdx.x, lane = thread % 32;
  room[thread] = mine;
  __syncwarp();
  ONCE for (int half = 16; half > 0; half /= 2) {
    if (lane < half) room[thread] += room[thread + half];
    __syncwarp();
  }
  const double sum = room[thread - lane];
  __syncwarp();
  return sum;
}
