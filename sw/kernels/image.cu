// An image turned about its centre: read through a texture object with linear filtering and coordinates from 0 to
// 1, written through a surface object, one pixel of four bytes a thread.

extern "C" __global__ void image_turn(texture_object source, surface_object target, unsigned width, unsigned height,
                                      float sine, float cosine) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = (static_cast<float>(x) + 0.5f) / static_cast<float>(width) - 0.5f;
  const float v = (static_cast<float>(y) + 0.5f) / static_cast<float>(height) - 0.5f;
  const float4 c = tex2D_float4(source, u * cosine - v * sine + 0.5f, v * cosine + u * sine + 0.5f);
  const float channel[4] = {c.x, c.y, c.z, c.w};
  unsigned pixel = 0;
  for (int k = 0; k < 4; ++k) pixel |= static_cast<unsigned>(channel[k] * 255.0f + 0.5f) << (8 * k);
  surf2D_write(pixel, target, static_cast<int>(4 * x), static_cast<int>(y));
}
