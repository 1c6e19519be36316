// Fast Walsh transform of many short vectors, as fwtBatch1 of the CUDA samples' fastWalshTransform: a CTA transforms one
// vector of 2^log_size elements in shared memory by steps of radix 4, in place in global memory.

extern "C" __global__ void walsh(float* data, unsigned log_size) {
  extern __shared__ float v[];
  const unsigned size = 1u << log_size;
  float* const own = data + (size_t{blockIdx.x} << log_size);
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x) v[i] = own[i];
  const unsigned t = threadIdx.x;
  for (unsigned stride = size >> 2; stride > 0; stride >>= 2) {
    const unsigned low = t & (stride - 1);
    const unsigned i0 = ((t - low) << 2) + low, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
    __syncthreads();
    const float a = v[i0], b = v[i1], c = v[i2], d = v[i3];
    const float ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
    v[i0] = ac + bd;
    v[i1] = ac - bd;
    v[i2] = a_c + b_d;
    v[i3] = a_c - b_d;
  }
  if ((log_size & 1) != 0) {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < size / 2; i += blockDim.x) {
      const float a = v[2 * i], b = v[2 * i + 1];
      v[2 * i] = a + b;
      v[2 * i + 1] = a - b;
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x) own[i] = v[i];
}
