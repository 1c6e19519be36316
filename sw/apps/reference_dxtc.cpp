// DXT1 compression on the CPU, with the arithmetic of sw/kernels/dxtc.cu, and decompression by the format's
// rules.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sw/apps/reference.h"

namespace warpvp::apps::reference {
namespace {

using Colour = std::array<std::int32_t, 3>;

std::int32_t round_to_bits(float v, int bits) {
  const int levels = (1 << bits) - 1;
  const float clamped = std::min(std::max(v, 0.0f), 255.0f);
  const auto q = static_cast<std::int32_t>(std::fma(clamped, static_cast<float>(levels) / 255.0f, 0.5f));
  return q << (8 - bits) | q >> (2 * bits - 8);
}

struct Fit {
  Colour a{}, b{};
  std::int32_t error = 0;
};

/// Weighted least squares for pixel weights 3, 2, 1, 0 (of end point a) in the order's four stretches.
Fit fit(const std::array<Colour, 16>& ordered, unsigned i, unsigned j, unsigned k) {
  std::int32_t aa = 0, bb = 0, ab = 0;
  Colour ax{}, bx{}, total{};
  for (unsigned place = 0; place < 16; ++place) {
    const std::int32_t wa = place < i ? 3 : place < j ? 2 : place < k ? 1 : 0, wb = 3 - wa;
    aa += wa * wa;
    bb += wb * wb;
    ab += wa * wb;
    for (unsigned c = 0; c < 3; ++c) {
      ax[c] += 3 * wa * ordered[place][c];
      bx[c] += 3 * wb * ordered[place][c];
      total[c] += ordered[place][c];
    }
  }
  const std::int32_t determinant = aa * bb - ab * ab;
  Fit f;
  for (unsigned c = 0; c < 3; ++c) {
    const int bits = c == 1 ? 6 : 5;
    float a = static_cast<float>(total[c]) * 0.0625f, b = a;
    if (determinant != 0) {
      a = static_cast<float>(ax[c] * bb - bx[c] * ab) / static_cast<float>(determinant);
      b = static_cast<float>(bx[c] * aa - ax[c] * ab) / static_cast<float>(determinant);
    }
    f.a[c] = round_to_bits(a, bits);
    f.b[c] = round_to_bits(b, bits);
    f.error += aa * f.a[c] * f.a[c] + bb * f.b[c] * f.b[c] +
               2 * (ab * f.a[c] * f.b[c] - ax[c] * f.a[c] - bx[c] * f.b[c]);
  }
  return f;
}

std::uint32_t pack565(const Colour& c) {
  return static_cast<std::uint32_t>(c[0] >> 3 << 11 | c[1] >> 2 << 5 | c[2] >> 3);
}

/// Direction along which the colours vary most, by eight rounds of power iteration.
std::array<float, 3> principal_axis(const std::array<Colour, 16>& colours) {
  Colour sum{};
  for (const Colour& colour : colours) {
    for (unsigned c = 0; c < 3; ++c) sum[c] += colour[c];
  }
  std::int32_t cov[3][3] = {};
  for (const Colour& colour : colours) {
    for (unsigned p = 0; p < 3; ++p) {
      for (unsigned q = 0; q < 3; ++q) cov[p][q] += (16 * colour[p] - sum[p]) * (16 * colour[q] - sum[q]);
    }
  }
  std::array<float, 3> axis{1.0f, 1.0f, 1.0f};
  for (int round = 0; round < 8; ++round) {
    std::array<float, 3> next{};
    float largest = 0.0f;
    for (unsigned p = 0; p < 3; ++p) {
      next[p] =
          std::fma(static_cast<float>(cov[p][2]), axis[2],
                   std::fma(static_cast<float>(cov[p][1]), axis[1], static_cast<float>(cov[p][0]) * axis[0]));
      largest = std::max(largest, std::fabs(next[p]));
    }
    if (largest == 0.0f) break;
    const float scale = 1.0f / largest;
    for (unsigned p = 0; p < 3; ++p) axis[p] = next[p] * scale;
  }
  return axis;
}

std::array<std::uint32_t, 2> compress(const std::array<Colour, 16>& colours) {
  const std::array<float, 3> axis = principal_axis(colours);
  std::array<float, 16> along{};
  std::array<unsigned, 16> pixel_at{};
  for (unsigned p = 0; p < 16; ++p) {
    pixel_at[p] = p;
    along[p] = std::fma(
        static_cast<float>(colours[p][2]), axis[2],
        std::fma(static_cast<float>(colours[p][1]), axis[1], static_cast<float>(colours[p][0]) * axis[0]));
  }
  std::stable_sort(pixel_at.begin(), pixel_at.end(),
                   [&](unsigned p, unsigned q) { return along[p] < along[q]; });
  std::array<Colour, 16> ordered;
  for (unsigned place = 0; place < 16; ++place) ordered[place] = colours[pixel_at[place]];

  Fit best;
  best.error = std::numeric_limits<std::int32_t>::max();
  unsigned cut[3] = {0, 0, 0};
  for (unsigned i = 0; i <= 16; ++i) {
    for (unsigned j = i; j <= 16; ++j) {
      for (unsigned k = j; k <= 16; ++k) {
        const Fit f = fit(ordered, i, j, k);
        if (f.error >= best.error) continue;
        best = f;
        cut[0] = i;
        cut[1] = j;
        cut[2] = k;
      }
    }
  }
  const std::uint32_t a = pack565(best.a), b = pack565(best.b);
  const std::uint32_t flip = a < b ? 1 : 0;
  std::uint32_t indices = 0;
  for (unsigned place = 0; place < 16 && a != b; ++place) {
    const std::uint32_t entry = place < cut[0] ? 0 : place < cut[1] ? 2 : place < cut[2] ? 3 : 1;
    indices |= (entry ^ flip) << 2 * pixel_at[place];
  }
  return {std::max(a, b) | std::min(a, b) << 16, indices};
}

}  // namespace

std::vector<std::uint32_t> dxtc(const std::vector<std::uint32_t>& image, std::uint32_t width,
                                std::uint32_t height) {
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t y = 0; y < height; y += 4) {
    for (std::uint32_t x = 0; x < width; x += 4) {
      std::array<Colour, 16> colours;
      for (unsigned p = 0; p < 16; ++p) {
        const std::uint32_t rgb = image[static_cast<std::size_t>(y + p / 4) * width + x + p % 4];
        for (unsigned c = 0; c < 3; ++c) colours[p][c] = static_cast<std::int32_t>(rgb >> 8 * c & 255);
      }
      const auto block = compress(colours);
      blocks.insert(blocks.end(), block.begin(), block.end());
    }
  }
  return blocks;
}

std::vector<std::uint32_t> dxt1_decode(const std::vector<std::uint32_t>& blocks, std::uint32_t width,
                                       std::uint32_t height) {
  std::vector<std::uint32_t> image(static_cast<std::size_t>(width) * height);
  for (std::uint32_t y = 0; y < height; y += 4) {
    for (std::uint32_t x = 0; x < width; x += 4) {
      const std::size_t block = 2 * (static_cast<std::size_t>(y / 4) * (width / 4) + x / 4);
      std::uint32_t palette[4][3];
      for (unsigned end = 0; end < 2; ++end) {
        const std::uint32_t packed = blocks[block] >> 16 * end & 0xffff;
        const std::uint32_t r = packed >> 11, g = packed >> 5 & 63, b = packed & 31;
        palette[end][0] = r << 3 | r >> 2;
        palette[end][1] = g << 2 | g >> 4;
        palette[end][2] = b << 3 | b >> 2;
      }
      for (unsigned c = 0; c < 3; ++c) {
        palette[2][c] = (2 * palette[0][c] + palette[1][c]) / 3;
        palette[3][c] = (palette[0][c] + 2 * palette[1][c]) / 3;
      }
      for (unsigned p = 0; p < 16; ++p) {
        const std::uint32_t* colour = palette[blocks[block + 1] >> 2 * p & 3];
        image[static_cast<std::size_t>(y + p / 4) * width + x + p % 4] =
            colour[0] | colour[1] << 8 | colour[2] << 16;
      }
    }
  }
  return image;
}

}  // namespace warpvp::apps::reference
