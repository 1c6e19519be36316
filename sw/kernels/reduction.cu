// Sum of n floats to one partial sum a CTA: grid-stride loop, warp shuffles, then one value a warp through shared
// memory. The order of additions is fixed by n, grid and block; blocks are whole warps.

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (unsigned delta = 16; delta > 0; delta /= 2) v += __shfl_down_sync(~0u, v, delta);
  return v;
}

extern "C" __global__ void reduce_sum(const float* __restrict__ in, float* __restrict__ partial, unsigned n) {
  __shared__ float of_warp[32];
  float sum = 0.0f;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = warp_sum(sum);
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? of_warp[lane] : 0.0f;
    sum = warp_sum(sum);
    if (lane == 0) partial[blockIdx.x] = sum;
  }
}

// How many elements equal `wanted`: a ballot and one atomic a warp, made by the first lane that found one.
extern "C" __global__ void count_equal(const int* __restrict__ in, unsigned n, int wanted,
                                       unsigned* __restrict__ count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned equal = __ballot_sync(~0u, i < n && in[i] == wanted);
  if (equal != 0 && lane_id() == static_cast<unsigned>(__ffs(equal)) - 1) atomicAdd(count, __popc(equal));
}
