// DXT1 texture compression ("dxtc" of QAWS Table I): a CTA of 64 threads a tile of 4x4 pixels. The colours are put
// in order along their principal axis; every way to cut the order into the four steps of the palette (969 of
// them) is fitted by least squares, and the one with the least error after rounding to 5:6:5 bits wins.

constexpr unsigned kThreads = 64;  // the only block size these kernels accept
constexpr unsigned kPixels = 16;
constexpr unsigned kCuts = 969;  // 0 <= i <= j <= k <= 16

struct Cut {
  uint8_t i, j, k, unused;
};
struct CutTable {
  Cut cut[kCuts];
};
constexpr CutTable all_cuts() {
  CutTable table{};
  unsigned at = 0;
  for (unsigned i = 0; i <= kPixels; ++i) {
    for (unsigned j = i; j <= kPixels; ++j) {
      for (unsigned k = j; k <= kPixels; ++k) {
        table.cut[at++] = {static_cast<uint8_t>(i), static_cast<uint8_t>(j), static_cast<uint8_t>(k), 0};
      }
    }
  }
  return table;
}
__constant__ CutTable cuts = all_cuts();

/// End points of one cut, rounded as they will be stored, and the fit's error less the sum of squared colours.
struct Fit {
  int a[3], b[3];
  int error;
};

__device__ __forceinline__ int quantise(float v, int bits) {
  const int levels = (1 << bits) - 1;
  const float clamped = fminf(fmaxf(v, 0.0f), 255.0f);
  return static_cast<int>(fmaf(clamped, static_cast<float>(levels) / 255.0f, 0.5f));
}
__device__ __forceinline__ int expand(int q, int bits) { return q << (8 - bits) | q >> (2 * bits - 8); }

// `below[n]` holds the sum of the first n colours in order. The weights of end point a are 3, 2, 1, 0 in the four
// stretches and those of b 0, 1, 2, 3, so that all sums are integers and exact in fp32.
__device__ __forceinline__ Fit fit(unsigned index, const int (*below)[3]) {
  const Cut cut = cuts.cut[index];
  const int n0 = cut.i, n1 = cut.j - cut.i, n2 = cut.k - cut.j, n3 = static_cast<int>(kPixels) - cut.k;
  const int aa = 9 * n0 + 4 * n1 + n2, bb = 9 * n3 + 4 * n2 + n1, ab = 2 * (n1 + n2);
  const int determinant = aa * bb - ab * ab;
  Fit f;
  f.error = 0;
#pragma unroll
  for (int channel = 0; channel < 3; ++channel) {
    const int bits = channel == 1 ? 6 : 5;
    const int s0 = below[cut.i][channel], s1 = below[cut.j][channel] - s0;
    const int s2 = below[cut.k][channel] - below[cut.j][channel];
    const int s3 = below[kPixels][channel] - below[cut.k][channel];
    const int ax = 3 * (3 * s0 + 2 * s1 + s2), bx = 3 * (3 * s3 + 2 * s2 + s1);
    float a, b;
    if (determinant != 0) {
      const float d = static_cast<float>(determinant);
      a = static_cast<float>(ax * bb - bx * ab) / d;
      b = static_cast<float>(bx * aa - ax * ab) / d;
    } else {  // all in one stretch
      a = b = static_cast<float>(below[kPixels][channel]) * 0.0625f;
    }
    const int qa = expand(quantise(a, bits), bits), qb = expand(quantise(b, bits), bits);
    f.a[channel] = qa;
    f.b[channel] = qb;
    f.error += aa * qa * qa + bb * qb * qb + 2 * (ab * qa * qb - ax * qa - bx * qb);
  }
  return f;
}

__device__ __forceinline__ unsigned pack565(const int* c) {
  return static_cast<unsigned>(c[0] >> 3 << 11 | c[1] >> 2 << 5 | c[2] >> 3);
}

__device__ __forceinline__ void tile_cta(unsigned cta, const unsigned* image, uint2* result, unsigned width) {
  __shared__ int colour[kPixels][3];
  __shared__ float along[kPixels];
  __shared__ int below[kPixels + 1][3];
  __shared__ unsigned pixel_at[kPixels];  // pixel that stands at a place of the order
  __shared__ int best_error[kThreads / 32];
  __shared__ unsigned best_cut[kThreads / 32];
  const unsigned t = threadIdx.x;

  const unsigned tiles_x = width / 4, tile_x = cta % tiles_x, tile_y = cta / tiles_x;
  if (t < kPixels) {
    const unsigned rgb = image[(tile_y * 4 + t / 4) * width + tile_x * 4 + t % 4];
    colour[t][0] = rgb & 255;
    colour[t][1] = rgb >> 8 & 255;
    colour[t][2] = rgb >> 16 & 255;
  }
  __syncthreads();

  // Covariance (times 256, exact) and its principal axis by power iteration; every thread does the same.
  int sum[3] = {0, 0, 0};
  for (unsigned p = 0; p < kPixels; ++p) {
    for (int c = 0; c < 3; ++c) sum[c] += colour[p][c];
  }
  int cov[6] = {0, 0, 0, 0, 0, 0};
#pragma unroll 1
  for (unsigned p = 0; p < kPixels; ++p) {
    const int r = 16 * colour[p][0] - sum[0], g = 16 * colour[p][1] - sum[1], b = 16 * colour[p][2] - sum[2];
    cov[0] += r * r;
    cov[1] += r * g;
    cov[2] += r * b;
    cov[3] += g * g;
    cov[4] += g * b;
    cov[5] += b * b;
  }
  float m[6];
  for (int c = 0; c < 6; ++c) m[c] = static_cast<float>(cov[c]);
  float x = 1.0f, y = 1.0f, z = 1.0f;
#pragma unroll 1
  for (int round = 0; round < 8; ++round) {
    const float nx = fmaf(m[2], z, fmaf(m[1], y, m[0] * x));
    const float ny = fmaf(m[4], z, fmaf(m[3], y, m[1] * x));
    const float nz = fmaf(m[5], z, fmaf(m[4], y, m[2] * x));
    const float largest = fmaxf(fabsf(nx), fmaxf(fabsf(ny), fabsf(nz)));
    if (largest == 0.0f) break;
    const float scale = 1.0f / largest;
    x = nx * scale;
    y = ny * scale;
    z = nz * scale;
  }

  if (t < kPixels) {
    along[t] = fmaf(static_cast<float>(colour[t][2]), z,
                    fmaf(static_cast<float>(colour[t][1]), y, static_cast<float>(colour[t][0]) * x));
  }
  __syncthreads();
  if (t < kPixels) {
    unsigned place = 0;
    for (unsigned p = 0; p < kPixels; ++p) {
      if (along[p] < along[t] || (along[p] == along[t] && p < t)) ++place;
    }
    pixel_at[place] = t;
  }
  __syncthreads();
  if (t <= kPixels) {
    int s[3] = {0, 0, 0};
    for (unsigned p = 0; p < t; ++p) {
      for (int c = 0; c < 3; ++c) s[c] += colour[pixel_at[p]][c];
    }
    for (int c = 0; c < 3; ++c) below[t][c] = s[c];
  }
  __syncthreads();

  int error = 0x7fffffff;
  unsigned winner = kCuts;
#pragma unroll 1
  for (unsigned index = t; index < kCuts; index += kThreads) {
    const int e = fit(index, below).error;
    if (e < error) {
      error = e;
      winner = index;
    }
  }
  // Least error, then least index.
#pragma unroll
  for (unsigned delta = 16; delta > 0; delta /= 2) {
    const int e = __shfl_down_sync(~0u, error, delta);
    const unsigned w = __shfl_down_sync(~0u, static_cast<int>(winner), delta);
    if (e < error || (e == error && w < winner)) {
      error = e;
      winner = w;
    }
  }
  if (t % 32 == 0) {
    best_error[t / 32] = error;
    best_cut[t / 32] = winner;
  }
  __syncthreads();
  if (t == 0) {
    const bool second = best_error[1] < error || (best_error[1] == error && best_cut[1] < winner);
    if (second) winner = best_cut[1];
    const Fit f = fit(winner, below);
    const Cut cut = cuts.cut[winner];
    const unsigned a = pack565(f.a), b = pack565(f.b);
    // The first end point must be the greater number, else the format means three colours and black. Palette
    // entries are a, b, nearer a, nearer b; exchanging a and b flips the lowest bit.
    const unsigned flip = a < b ? 1 : 0;
    unsigned indices = 0;
    if (a != b) {
      for (unsigned place = 0; place < kPixels; ++place) {
        const unsigned entry = place < cut.i ? 0 : place < cut.j ? 2 : place < cut.k ? 3 : 1;
        indices |= (entry ^ flip) << 2 * pixel_at[place];
      }
    }
    result[cta] = flip ? uint2{b | a << 16, indices} : uint2{a | b << 16, indices};
  }
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(kThreads)
    dxtc(const unsigned* __restrict__ image, uint2* __restrict__ result, unsigned width) {
  tile_cta(blockIdx.x, image, result, width);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    dxtc_persistent(const unsigned* __restrict__ image, uint2* __restrict__ result, unsigned width, unsigned work) {
  for (unsigned cta = blockIdx.x; cta < work; cta += gridDim.x) tile_cta(cta, image, result, width);
}
