#pragma once
// Cheapest path down a grid of costs by dynamic programming, several rows a launch. A CTA of kThreads threads
// loads kThreads columns and computes `steps` rows in shared memory; the halo of valid columns shrinks by one
// on each side at every row, so kThreads - 2 * steps columns come out. Who includes this says what kThreads
// is, the only block size the kernels accept.

__device__ __forceinline__ void path_cta(unsigned cta, const int* wall, const int* source, int* result,
                                         unsigned columns, unsigned first_row, unsigned steps) {
  __shared__ int above[kThreads];
  __shared__ int here[kThreads];
  const int t = static_cast<int>(threadIdx.x);
  const int useful = static_cast<int>(kThreads - 2 * steps);
  const int column = static_cast<int>(cta) * useful - static_cast<int>(steps) + t;
  const int last = static_cast<int>(columns) - 1;
  const bool inside = column >= 0 && column <= last;
  if (inside) above[t] = source[column];
  __syncthreads();
  for (int step = 0; step < static_cast<int>(steps); ++step) {
    // Neighbours outside the grid are replaced by the nearest column of the grid.
    const bool valid = inside && t > step && t < static_cast<int>(kThreads) - 1 - step;
    if (valid) {
      const int left = column > 0 ? t - 1 : t;
      const int right = column < last ? t + 1 : t;
      const int best = min(above[left], min(above[t], above[right]));
      here[t] = best + wall[static_cast<uint64_t>(first_row + step) * columns + column];
    }
    __syncthreads();
    if (valid) above[t] = here[t];
    __syncthreads();
  }
  if (inside && t >= static_cast<int>(steps) && t < static_cast<int>(kThreads - steps))
    result[column] = above[t];
}

extern "C" __global__ void __launch_bounds__(kThreads)
    pathfinder(const int* __restrict__ wall, const int* __restrict__ source, int* __restrict__ result,
               unsigned columns, unsigned first_row, unsigned steps) {
  path_cta(blockIdx.x, wall, source, result, columns, first_row, steps);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    pathfinder_persistent(const int* __restrict__ wall, const int* __restrict__ source,
                          int* __restrict__ result, unsigned columns, unsigned first_row, unsigned steps,
                          unsigned work) {
  for (unsigned cta = blockIdx.x; cta < work; cta += gridDim.x) {
    path_cta(cta, wall, source, result, columns, first_row, steps);
    __syncthreads();
  }
}
