// Memory bandwidth: reads, copies and scales of float4 with grid-stride loops.

extern "C" __global__ void stream_read(const uint4* __restrict__ in, unsigned* __restrict__ folded, unsigned n) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned fold = 0;
  for (unsigned i = thread; i < n; i += gridDim.x * blockDim.x) {
    const uint4 v = in[i];
    fold ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  folded[thread] = fold;
}

extern "C" __global__ void stream_copy(const uint4* __restrict__ in, uint4* __restrict__ out, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}

extern "C" __global__ void stream_scale(const float4* __restrict__ in, float4* __restrict__ out, float factor,
                                        unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 v = in[i];
    v.x *= factor;
    v.y *= factor;
    v.z *= factor;
    v.w *= factor;
    out[i] = v;
  }
}
