// Separable convolution of an image, as the CUDA samples' convolutionTexture: a pass along the rows and one along the
// columns, each reading 17 texels of its image and weighting them with constants. Beyond the edge lies the edge.

constexpr int kRadius = 8;
__constant__ float taps[2 * kRadius + 1];

__device__ __forceinline__ void convolve(float* out, texture_object image, unsigned width, unsigned height, float step_x,
                                         float step_y) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  const float x = static_cast<float>(column) + 0.5f, y = static_cast<float>(row) + 0.5f;
  float sum = 0.0f;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k) {
    const float distance = static_cast<float>(k);
    sum = fmaf(tex2D_float4(image, x + step_x * distance, y + step_y * distance).x, taps[kRadius - k], sum);
  }
  out[row * width + column] = sum;
}

extern "C" __global__ void convolution_rows(float* out, texture_object image, unsigned width, unsigned height) {
  convolve(out, image, width, height, 1.0f, 0.0f);
}

extern "C" __global__ void convolution_columns(float* out, texture_object image, unsigned width, unsigned height) {
  convolve(out, image, width, height, 0.0f, 1.0f);
}
