// Purely compute ("pc" of QAWS section V-A): each thread makes one load and one store and loops over arithmetic
// in between, a mixture of dependent and independent fp32 and integer operations.

__device__ __forceinline__ void compute_cta(unsigned cta, const float* in, float* out, unsigned n,
                                            unsigned iterations) {
  const unsigned i = cta * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  float y = 0.5f;
  unsigned h = i;
#pragma unroll 1
  for (unsigned k = 0; k < iterations; ++k) {
    x = fmaf(x, 0.875f, y);
    y = fmaf(y, -0.5f, 0.25f);
    h = h * 1664525u + 1013904223u;
    x = fmaf(x, 0.75f, 0.125f);
    h ^= h >> 13;
    y = y + 0.0625f;
  }
  out[i] = x + y + static_cast<float>(h >> 16);
}

extern "C" __global__ void pure_compute(const float* __restrict__ in, float* __restrict__ out, unsigned n,
                                        unsigned iterations) {
  compute_cta(blockIdx.x, in, out, n, iterations);
}

extern "C" __global__ void pure_compute_persistent(const float* __restrict__ in, float* __restrict__ out, unsigned n,
                                                   unsigned iterations, unsigned work) {
  for (unsigned cta = blockIdx.x; cta < work; cta += gridDim.x) compute_cta(cta, in, out, n, iterations);
}
