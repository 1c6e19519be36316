#include "sw/apps/reference_darsie.h"

#include <algorithm>
#include <cmath>

namespace warpvp::apps::reference {

std::vector<float> swaption_paths(const SwaptionMarket& market, const std::vector<float>& normals,
                                  std::uint32_t paths) {
  const double delta = market.delta;
  const std::size_t per_step = normals.size() / std::max(market.steps, 1u);
  std::vector<float> out;
  for (std::uint32_t path = 0; path < paths; ++path) {
    std::vector<double> rate(market.rates, market.first_rate);
    for (std::uint32_t n = 0; n < market.steps; ++n) {
      const double shock = std::sqrt(delta) * normals[n * per_step + path % per_step];
      double drift = 0;
      for (std::uint32_t i = n + 1; i < market.rates; ++i) {
        const double sigma = market.volatility[i - n - 1];
        drift += sigma * delta * rate[i] / (1 + delta * rate[i]);
        rate[i] *= std::exp(sigma * (drift * delta + shock) - 0.5 * sigma * sigma * delta);
      }
    }
    // Bonds of the last step on; a swap of so many bonds pays its rate on each and the difference of the last
    // to 1.
    std::vector<double> bond;
    double discount = 1;
    for (std::uint32_t n = market.steps; n < market.rates; ++n)
      bond.push_back(discount /= 1 + delta * rate[n]);
    double value = 0;
    for (std::size_t i = 0; i < market.maturity.size(); ++i) {
      double swap = bond[market.maturity[i] - 1] - 1;
      for (std::uint32_t b = 0; b < market.maturity[i]; ++b) swap += market.swap_rate[i] * delta * bond[b];
      value += 100 * std::max(-swap, 0.0);
    }
    for (std::uint32_t n = 0; n < market.steps; ++n) value /= 1 + delta * rate[n];
    out.push_back(static_cast<float>(value));
  }
  return out;
}

std::vector<float> nonlocal_means(const std::vector<std::uint32_t>& pixels, std::uint32_t width,
                                  std::uint32_t height, float sharpness, float keep) {
  constexpr int kWindow = 3, kPatch = 3, kSide = 2 * kWindow + 1;
  constexpr float kPerWindow = 1.0f / (kSide * kSide);
  const auto channel = [&](std::int64_t x, std::int64_t y, unsigned c) {
    const auto column = static_cast<std::size_t>(std::clamp<std::int64_t>(x, 0, std::int64_t{width} - 1));
    const auto row = static_cast<std::size_t>(std::clamp<std::int64_t>(y, 0, std::int64_t{height} - 1));
    return static_cast<float>(pixels[row * width + column] >> (8 * c) & 0xff) / 255.0f;
  };
  std::vector<float> out;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      float alike = 0.0f;
      double weights = 0, sum[3] = {};
      for (int i = -kWindow; i <= kWindow; ++i) {
        for (int j = -kWindow; j <= kWindow; ++j) {
          float distance = 0.0f;
          for (int n = -kPatch; n <= kPatch; ++n) {
            for (int m = -kPatch; m <= kPatch; ++m) {
              float d[3];
              for (unsigned c = 0; c < 3; ++c)
                d[c] = channel(x + m, y + n, c) - channel(x + j + m, y + i + n, c);
              distance += std::fma(d[2], d[2], std::fma(d[1], d[1], d[0] * d[0]));
            }
          }
          const float unlike = std::fma(distance, sharpness, static_cast<float>(i * i + j * j) * kPerWindow);
          const double weight = std::exp(-static_cast<double>(unlike));
          weights += weight;
          for (unsigned c = 0; c < 3; ++c) sum[c] += weight * channel(x + j, y + i, c);
          if (unlike < 2.30258509f) alike += kPerWindow;
        }
      }
      const double share = alike > 0.1f ? keep : 1.0f - keep;
      for (unsigned c = 0; c < 3; ++c)
        out.push_back(static_cast<float>(
            255 * ((1 - share) * sum[c] / weights + share * static_cast<double>(channel(x, y, c)))));
    }
  }
  return out;
}

std::vector<std::int32_t> shortest_paths(const std::vector<std::int32_t>& edge, std::uint32_t size) {
  std::vector<std::int32_t> out;
  for (std::uint32_t from = 0; from < size; ++from) {
    std::vector<std::int32_t> length(size, kNoPath);
    std::vector<bool> final(size, false);
    length[from] = 0;
    for (std::uint32_t turn = 0; turn < size; ++turn) {
      std::uint32_t next = size;
      for (std::uint32_t v = 0; v < size; ++v)
        if (!final[v] && (next == size || length[v] < length[next])) next = v;
      if (length[next] == kNoPath) break;
      final[next] = true;
      const std::int32_t* const edges = &edge[std::size_t{next} * size];
      for (std::uint32_t v = 0; v < size; ++v)
        if (edges[v] != kNoPath) length[v] = std::min(length[v], length[next] + edges[v]);
    }
    out.insert(out.end(), length.begin(), length.end());
  }
  return out;
}

std::vector<float> coulomb(const std::vector<PointCharge>& charges, std::uint32_t columns, std::uint32_t rows,
                           float spacing) {
  std::vector<float> out;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; ++column) {
      double sum = 0;
      for (const PointCharge& c : charges) {
        const double dx = double{spacing} * column - c.x, dy = double{spacing} * row - c.y;
        sum += c.charge / std::sqrt(dx * dx + dy * dy + c.z_squared);
      }
      out.push_back(static_cast<float>(sum));
    }
  }
  return out;
}

namespace {

std::vector<float> convolve(const std::vector<float>& image, std::int64_t width, std::int64_t height,
                            const std::vector<float>& taps, std::int64_t step_x, std::int64_t step_y) {
  const auto radius = static_cast<std::int64_t>(taps.size() / 2);
  std::vector<float> out;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      float sum = 0.0f;
      for (std::int64_t k = -radius; k <= radius; ++k) {
        const std::int64_t column = std::clamp<std::int64_t>(x + k * step_x, 0, width - 1);
        const std::int64_t row = std::clamp<std::int64_t>(y + k * step_y, 0, height - 1);
        sum = std::fma(image[static_cast<std::size_t>(row * width + column)],
                       taps[static_cast<std::size_t>(radius - k)], sum);
      }
      out.push_back(sum);
    }
  }
  return out;
}

}  // namespace

std::vector<float> convolve_rows(const std::vector<float>& image, std::uint32_t width, std::uint32_t height,
                                 const std::vector<float>& taps) {
  return convolve(image, width, height, taps, 1, 0);
}

std::vector<float> convolve_columns(const std::vector<float>& image, std::uint32_t width,
                                    std::uint32_t height, const std::vector<float>& taps) {
  return convolve(image, width, height, taps, 0, 1);
}

}  // namespace warpvp::apps::reference
