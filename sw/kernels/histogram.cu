// 256-bin histogram of bytes, four packed in a word ("his" of QAWS Table I). Each CTA counts in shared memory with
// atomics and adds its bins to the global ones at the end; `histogram_global` uses global atomics alone.

constexpr unsigned kBins = 256;

__device__ __forceinline__ void clear_bins(unsigned* bins) {
  for (unsigned i = threadIdx.x; i < kBins; i += blockDim.x) bins[i] = 0;
  __syncthreads();
}

__device__ __forceinline__ void merge_bins(const unsigned* bins, unsigned* result) {
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kBins; i += blockDim.x) {
    if (bins[i] != 0) atomicAdd(&result[i], bins[i]);
  }
}

__device__ __forceinline__ void count_cta(unsigned cta, const unsigned* words, unsigned* bins, unsigned n) {
  const unsigned i = cta * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned word = words[i];
  atomicAdd(&bins[word & 255], 1u);
  atomicAdd(&bins[word >> 8 & 255], 1u);
  atomicAdd(&bins[word >> 16 & 255], 1u);
  atomicAdd(&bins[word >> 24], 1u);
}

extern "C" __global__ void histogram(const unsigned* __restrict__ words, unsigned* __restrict__ result, unsigned n) {
  __shared__ unsigned bins[kBins];
  clear_bins(bins);
  count_cta(blockIdx.x, words, bins, n);
  merge_bins(bins, result);
}

extern "C" __global__ void histogram_persistent(const unsigned* __restrict__ words, unsigned* __restrict__ result,
                                                unsigned n, unsigned work) {
  __shared__ unsigned bins[kBins];
  clear_bins(bins);
  for (unsigned cta = blockIdx.x; cta < work; cta += gridDim.x) count_cta(cta, words, bins, n);
  merge_bins(bins, result);
}

extern "C" __global__ void histogram_global(const unsigned* __restrict__ words, unsigned* __restrict__ result,
                                            unsigned n) {
  count_cta(blockIdx.x, words, result, n);
}
