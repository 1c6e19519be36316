// c = a + b over n floats, one element a thread. Memory-bound ("vec" of QAWS Table I).

__device__ __forceinline__ void add_cta(unsigned cta, const float* a, const float* b, float* c, unsigned n) {
  const unsigned i = cta * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void vector_add(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c, unsigned n) {
  add_cta(blockIdx.x, a, b, c, n);
}

extern "C" __global__ void vector_add_persistent(const float* __restrict__ a, const float* __restrict__ b,
                                                 float* __restrict__ c, unsigned n, unsigned work) {
  for (unsigned cta = blockIdx.x; cta < work; cta += gridDim.x) add_cta(cta, a, b, c, n);
}
