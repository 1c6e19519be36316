// 3x3 convolution of a rows x columns image with fixed coefficients; the border of the result is left alone.
// One pixel a thread, neighbours through the L1 ("2dc" of QAWS Table I).

__device__ __forceinline__ void convolve_cta(unsigned cta_x, unsigned cta_y, const float* in, float* out,
                                             unsigned rows, unsigned columns) {
  const unsigned x = cta_x * blockDim.x + threadIdx.x;
  const unsigned y = cta_y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x + 1 >= columns || y + 1 >= rows) return;
  const float* p = in + (y - 1) * columns + x - 1;
  float sum = 0.2f * p[0];
  sum = fmaf(-0.3f, p[1], sum);
  sum = fmaf(0.4f, p[2], sum);
  p += columns;
  sum = fmaf(0.5f, p[0], sum);
  sum = fmaf(0.6f, p[1], sum);
  sum = fmaf(0.7f, p[2], sum);
  p += columns;
  sum = fmaf(-0.8f, p[0], sum);
  sum = fmaf(-0.9f, p[1], sum);
  sum = fmaf(0.1f, p[2], sum);
  out[y * columns + x] = sum;
}

extern "C" __global__ void conv2d(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                  unsigned columns) {
  convolve_cta(blockIdx.x, blockIdx.y, in, out, rows, columns);
}

extern "C" __global__ void conv2d_persistent(const float* __restrict__ in, float* __restrict__ out, unsigned rows,
                                             unsigned columns, unsigned ctas_x, unsigned work) {
  for (unsigned cta = blockIdx.x; cta < work; cta += gridDim.x) {
    convolve_cta(cta % ctas_x, cta / ctas_x, in, out, rows, columns);
  }
}
