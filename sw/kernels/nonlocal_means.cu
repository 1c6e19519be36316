// Non-local means of an image, as the NLM kernel of the CUDA samples' imageDenoising: a pixel becomes the mean of the 7 x 7
// pixels around it, each weighted by how much the 7 x 7 pixels around that one look like those around the pixel. Texels are
// colours of four bytes, read as numbers from 0 to 1.

constexpr int kWindow = 3, kPatch = 3;
constexpr float kPerWindow = 1.0f / ((2 * kWindow + 1) * (2 * kWindow + 1));
// A pixel counts as alike from a weight of 0.1 on, asked of the exponent, which the host computes to the same bit. Where
// more than this share of the window is alike, the mean counts more than the pixel.
constexpr float kAlikeBelow = 2.30258509f, kManyAlike = 0.1f;

__device__ __forceinline__ float square_distance(float4 a, float4 b) {
  const float red = b.x - a.x, green = b.y - a.y, blue = b.z - a.z;
  return fmaf(blue, blue, fmaf(green, green, red * red));
}

__device__ __forceinline__ float blend(float a, float b, float share) { return fmaf(b - a, share, a); }

/// `sharpness` is the inverse square of the filter's width; `keep` the share of the pixel itself where many are alike, and
/// that of the mean where few are.
extern "C" __global__ void nonlocal_means(unsigned* out, texture_object image, unsigned width, unsigned height,
                                          float sharpness, float keep) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  const float x = static_cast<float>(column) + 0.5f, y = static_cast<float>(row) + 0.5f;
  float alike = 0.0f, weights = 0.0f, red = 0.0f, green = 0.0f, blue = 0.0f;
#pragma unroll 1
  for (int i = -kWindow; i <= kWindow; ++i) {
#pragma unroll 1
    for (int j = -kWindow; j <= kWindow; ++j) {
      const float there_x = x + static_cast<float>(j), there_y = y + static_cast<float>(i);
      float distance = 0.0f;
#pragma unroll 1
      for (int n = -kPatch; n <= kPatch; ++n) {
#pragma unroll
        for (int m = -kPatch; m <= kPatch; ++m) {
          const float dx = static_cast<float>(m), dy = static_cast<float>(n);
          distance += square_distance(tex2D_float4(image, there_x + dx, there_y + dy), tex2D_float4(image, x + dx, y + dy));
        }
      }
      const float unlike = fmaf(distance, sharpness, static_cast<float>(i * i + j * j) * kPerWindow);
      const float weight = exp2_approx(-1.44269504f * unlike);
      const float4 there = tex2D_float4(image, there_x, there_y);
      red = fmaf(there.x, weight, red);
      green = fmaf(there.y, weight, green);
      blue = fmaf(there.z, weight, blue);
      weights += weight;
      alike += unlike < kAlikeBelow ? kPerWindow : 0.0f;
    }
  }
  const float scale = div_full(1.0f, weights), share = alike > kManyAlike ? keep : 1.0f - keep;
  const float4 here = tex2D_float4(image, x, y);
  const float channel[3] = {blend(red * scale, here.x, share), blend(green * scale, here.y, share),
                            blend(blue * scale, here.z, share)};
  unsigned pixel = 0;
#pragma unroll
  for (int c = 0; c < 3; ++c) pixel |= static_cast<unsigned>(channel[c] * 255.0f) << (8 * c);
  out[row * width + column] = pixel;
}
