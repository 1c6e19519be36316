// Distribution of numbers over 1024 buckets, the first part of Rodinia's hybridsort: count, offsets, scatter. A CTA is a
// warp and takes `band` numbers a lane; its counts are in shared memory.

constexpr unsigned kLogBuckets = 10, kBuckets = 1u << kLogBuckets, kThreads = 32;

// Bucket of each number, by binary search among the pivots, and how many of its CTA were there before it.
extern "C" __global__ void __launch_bounds__(kThreads)
    bucket_count(const float* __restrict__ numbers, const float* __restrict__ pivots, unsigned* __restrict__ places,
                 unsigned* __restrict__ counts, unsigned n) {
  __shared__ unsigned count[kBuckets];
  for (unsigned i = threadIdx.x; i < kBuckets; i += kThreads) count[i] = 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
    const float number = numbers[i];
    unsigned bucket = kBuckets / 2 - 1;
    float pivot = pivots[bucket];
#pragma unroll 1
    for (unsigned jump = kBuckets / 4; jump > 0; jump /= 2) {
      bucket = number < pivot ? bucket - jump : bucket + jump;
      pivot = pivots[bucket];
    }
    if (!(number < pivot)) ++bucket;
    places[i] = (atomicAdd(&count[bucket], 1u) << kLogBuckets) + bucket;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kBuckets; i += kThreads) counts[blockIdx.x * kBuckets + i] = count[i];
}

// Counts of CTAs become the numbers before them in the bucket: a thread a bucket.
extern "C" __global__ void bucket_offsets(unsigned* __restrict__ counts, unsigned* __restrict__ totals, unsigned ctas) {
  const unsigned bucket = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned cta = 0; cta < ctas; ++cta) {
    const unsigned here = counts[cta * kBuckets + bucket];
    counts[cta * kBuckets + bucket] = sum;
    sum += here;
  }
  totals[bucket] = sum;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    bucket_scatter(const float* __restrict__ numbers, const unsigned* __restrict__ places,
                   const unsigned* __restrict__ before, const unsigned* __restrict__ starts, float* __restrict__ sorted,
                   unsigned n) {
  __shared__ unsigned offset[kBuckets];
  for (unsigned i = threadIdx.x; i < kBuckets; i += kThreads) offset[i] = starts[i] + before[blockIdx.x * kBuckets + i];
  __syncthreads();
#pragma unroll 1
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
    const float number = numbers[i];
    const unsigned place = places[i];
    sorted[offset[place % kBuckets] + (place >> kLogBuckets)] = number;
  }
}
