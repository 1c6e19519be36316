// Distribution of numbers over 1024 buckets, the first part of Rodinia's hybridsort: histogram, count, offsets, scatter.

constexpr unsigned kLogBuckets = 10, kBuckets = 1u << kLogBuckets, kThreads = 32;
constexpr unsigned kHistogramThreads = 96;

// Numbers in each of 1024 equal parts of [low, low + 1024 / scale). Each warp has bins of its own, without atomics: a lane
// writes the new count with its own number above it, and again if another lane's has come to stand there.
extern "C" __global__ void __launch_bounds__(kHistogramThreads)
    bucket_histogram(const float* __restrict__ numbers, unsigned* __restrict__ result, float low, float scale, unsigned n) {
  __shared__ unsigned bins[kHistogramThreads / 32 * kBuckets];
  for (unsigned i = threadIdx.x; i < kHistogramThreads / 32 * kBuckets; i += kHistogramThreads) bins[i] = 0;
  __syncthreads();
  volatile unsigned* own = bins + threadIdx.x / 32 * kBuckets;
  constexpr unsigned kCount = (1u << 27) - 1;
  const unsigned tag = threadIdx.x << 27;
#pragma unroll 1
  for (unsigned i = blockIdx.x * kHistogramThreads + threadIdx.x; i < n; i += gridDim.x * kHistogramThreads) {
    const unsigned bin = static_cast<unsigned>((numbers[i] - low) * scale);
    unsigned count;
    do {
      count = tag | ((own[bin] & kCount) + 1);
      own[bin] = count;
    } while (own[bin] != count);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kBuckets; i += kHistogramThreads) {
    unsigned sum = 0;
#pragma unroll
    for (unsigned warp = 0; warp < kHistogramThreads / 32; ++warp) sum += bins[warp * kBuckets + i] & kCount;
    atomicAdd(&result[i], sum);
  }
}

// From here on a CTA is a warp and takes `band` numbers a lane; its counts are in shared memory.

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
