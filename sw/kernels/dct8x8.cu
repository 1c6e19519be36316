// The discrete cosine transform of 8 x 8 blocks of an image, in the two ways of the CUDA samples' dct8x8: as two matrix
// products, a thread a coefficient, and by a factored transform of whole rows and columns, a thread a vector of 8.

constexpr unsigned kSide = 8;

// Element [i][k] is the value of cosine k at sample i, normalised. The host writes it.
__constant__ float cosines[kSide * kSide];

extern "C" __global__ void dct_products(float* out, unsigned width, texture_object image) {
  __shared__ float pixels[kSide * kSide];
  __shared__ float half_done[kSide * kSide];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, place = ty * kSide + tx;
  const unsigned x = blockIdx.x * kSide + tx, y = blockIdx.y * kSide + ty;
  pixels[place] = tex2D_float4(image, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f).x;
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kSide; ++i) sum = fmaf(cosines[i * kSide + ty], pixels[i * kSide + tx], sum);
  half_done[place] = sum;
  __syncthreads();
  sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kSide; ++i) sum = fmaf(half_done[ty * kSide + i], cosines[i * kSide + tx], sum);
  pixels[place] = sum;
  __syncthreads();
  out[y * width + x] = pixels[place];
}

constexpr unsigned kTileWidth = 32, kTileHeight = 16, kPitch = kTileWidth + 1;
// sqrt(2) cos(k pi / 16) and 1 / sqrt(8)
constexpr float kA = 1.3870398453221475f, kB = 1.3065629648763766f, kC = 1.1758756024193588f, kD = 0.7856949583871022f,
                kE = 0.541196100146197f, kF = 0.2758993792829431f, kNorm = 0.3535533905932737f;

// In place, elements `step` apart.
__device__ __forceinline__ void transform(float* v, unsigned step) {
  const float p07 = v[0] + v[7 * step], p16 = v[step] + v[6 * step], p25 = v[2 * step] + v[5 * step],
              p34 = v[3 * step] + v[4 * step];
  const float m07 = v[0] - v[7 * step], m61 = v[6 * step] - v[step], m25 = v[2 * step] - v[5 * step],
              m43 = v[4 * step] - v[3 * step];
  const float even = p07 + p34, odd = p16 + p25, tilt = p07 - p34, bend = p16 - p25;
  v[0] = kNorm * (even + odd);
  v[2 * step] = kNorm * fmaf(kB, tilt, kE * bend);
  v[4 * step] = kNorm * (even - odd);
  v[6 * step] = kNorm * fmaf(kE, tilt, -(kB * bend));
  v[step] = kNorm * fmaf(-kF, m43, fmaf(kD, m25, fmaf(kA, m07, -(kC * m61))));
  v[3 * step] = kNorm * fmaf(kD, m43, fmaf(-kA, m25, fmaf(kC, m07, kF * m61)));
  v[5 * step] = kNorm * fmaf(-kC, m43, fmaf(kF, m25, fmaf(kD, m07, kA * m61)));
  v[7 * step] = kNorm * fmaf(kA, m43, fmaf(kC, m25, fmaf(kF, m07, kD * m61)));
}

extern "C" __global__ void dct_vectors(float* out, const float* in, unsigned width) {
  __shared__ float tile[kTileHeight * kPitch];
  const unsigned column = threadIdx.y * kSide + threadIdx.x, row = threadIdx.z * kSide;
  const unsigned first = (blockIdx.y * kTileHeight + row) * width + blockIdx.x * kTileWidth + column;
  in += first;
  out += first;
  float* const own = tile + row * kPitch + column;
#pragma unroll
  for (unsigned i = 0; i < kSide; ++i) own[i * kPitch] = in[i * width];
  __syncthreads();
  transform(tile + (row + threadIdx.x) * kPitch + threadIdx.y * kSide, 1);
  __syncthreads();
  transform(own, kPitch);
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kSide; ++i) out[i * width] = own[i * kPitch];
}
