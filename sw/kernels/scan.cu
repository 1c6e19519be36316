// Inclusive prefix sum of unsigned integers in three launches: each CTA scans kItems elements and writes its total,
// one CTA scans the totals, and the last kernel adds what lies before each CTA.

constexpr unsigned kItems = 256;  // threads a CTA, one element each

__device__ __forceinline__ unsigned scan_block(unsigned value) {
  __shared__ unsigned of_warp[kItems / 32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (unsigned delta = 1; delta < 32; delta *= 2) {
    const unsigned below = __shfl_up_sync(~0u, static_cast<int>(value), delta);
    if (lane >= delta) value += below;
  }
  if (lane == 31) of_warp[warp] = value;
  __syncthreads();
  unsigned before = 0;
  for (unsigned w = 0; w < warp; ++w) before += of_warp[w];
  return value + before;
}

extern "C" __global__ void __launch_bounds__(kItems)
    scan_blocks(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned* __restrict__ totals, unsigned n) {
  const unsigned i = blockIdx.x * kItems + threadIdx.x;
  const unsigned sum = scan_block(i < n ? in[i] : 0);
  if (i < n) out[i] = sum;
  if (threadIdx.x == kItems - 1) totals[blockIdx.x] = sum;
}

// One CTA; turns `count` totals into the sums of all totals before each.
extern "C" __global__ void __launch_bounds__(kItems) scan_totals(unsigned* totals, unsigned count) {
  __shared__ unsigned carry;
  if (threadIdx.x == 0) carry = 0;
  for (unsigned first = 0; first < count; first += kItems) {
    const unsigned i = first + threadIdx.x;
    const unsigned own = i < count ? totals[i] : 0;
    __syncthreads();
    const unsigned sum = scan_block(own) + carry;
    if (i < count) totals[i] = sum - own;
    __syncthreads();
    if (threadIdx.x == kItems - 1) carry = sum;
  }
}

extern "C" __global__ void __launch_bounds__(kItems)
    scan_add(unsigned* __restrict__ out, const unsigned* __restrict__ before, unsigned n) {
  const unsigned i = blockIdx.x * kItems + threadIdx.x;
  if (i < n) out[i] += before[blockIdx.x];
}
