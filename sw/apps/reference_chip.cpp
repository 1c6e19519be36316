#include "sw/apps/reference_chip.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warpvp::apps::reference {

namespace {
constexpr double kPi = 3.14159265358979323846;
}

std::vector<float> dct_cosines() {
  std::vector<float> out(64);
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned k = 0; k < 8; ++k)
      out[8 * i + k] =
          static_cast<float>((k == 0 ? std::sqrt(0.125) : 0.5) * std::cos((2 * i + 1) * k * kPi / 16));
  return out;
}

std::vector<float> dct8x8(const std::vector<float>& image, std::uint32_t width, std::uint32_t height) {
  double cosine[8][8];
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned k = 0; k < 8; ++k)
      cosine[i][k] = (k == 0 ? std::sqrt(0.125) : 0.5) * std::cos((2 * i + 1) * k * kPi / 16);
  std::vector<float> out(image.size());
  for (std::uint32_t top = 0; top < height; top += 8) {
    for (std::uint32_t left = 0; left < width; left += 8) {
      const auto at = [&](unsigned y, unsigned x) { return std::size_t{top + y} * width + left + x; };
      double columns[8][8] = {};
      for (unsigned k = 0; k < 8; ++k)
        for (unsigned x = 0; x < 8; ++x)
          for (unsigned i = 0; i < 8; ++i) columns[k][x] += cosine[i][k] * image[at(i, x)];
      for (unsigned k = 0; k < 8; ++k) {
        for (unsigned l = 0; l < 8; ++l) {
          double sum = 0;
          for (unsigned i = 0; i < 8; ++i) sum += columns[k][i] * cosine[i][l];
          out[at(k, l)] = static_cast<float>(sum);
        }
      }
    }
  }
  return out;
}

std::vector<float> layer_forward(BackpropLayer& layer) {
  const std::uint32_t hidden = layer.hidden, row = hidden + 1;
  std::vector<float> sums;
  for (std::uint32_t first = 1; first <= layer.inputs; first += 16) {
    const auto weight = [&](std::uint32_t y, std::uint32_t x) -> float& {
      return layer.weights[std::size_t{first + y} * row + x + 1];
    };
    for (std::uint32_t y = 0; y < 16; ++y)
      for (std::uint32_t x = 0; x < hidden; ++x) weight(y, x) *= layer.units[first + y];
    for (std::uint32_t span = 2; span <= 16; span *= 2)
      for (std::uint32_t y = 0; y < 16; y += span)
        for (std::uint32_t x = 0; x < hidden; ++x) weight(y, x) += weight(y + span / 2, x);
    for (std::uint32_t x = 0; x < hidden; ++x) sums.push_back(weight(0, x));
  }
  return sums;
}

void adjust_weights(BackpropLayer& layer) {
  constexpr double kRate = 0.3, kMomentum = 0.3;
  for (std::uint32_t y = 0; y <= layer.inputs; ++y) {
    for (std::uint32_t x = 1; x <= layer.hidden; ++x) {
      const std::size_t i = std::size_t{y} * (layer.hidden + 1) + x;
      const double rate = kRate * static_cast<double>(layer.delta[x]);
      const double unit = y == 0 ? 1.0 : static_cast<double>(layer.units[y]);
      const double change = std::fma(rate, unit, kMomentum * static_cast<double>(layer.old[i]));
      layer.weights[i] = static_cast<float>(static_cast<double>(layer.weights[i]) + change);
      layer.old[i] = static_cast<float>(change);
    }
  }
}

SradStep srad(const std::vector<float>& image, std::uint32_t rows, std::uint32_t columns, float speckle) {
  SradStep out;
  for (std::vector<float>* v : {&out.north, &out.south, &out.east, &out.west, &out.coefficient})
    v->resize(image.size());
  for (std::uint32_t column = 0; column < columns; ++column) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      const auto at = [&](std::uint32_t y, std::uint32_t x) { return image[y + std::size_t{rows} * x]; };
      const std::size_t here = row + std::size_t{rows} * column;
      const float centre = image[here];
      const float n = at(row == 0 ? 0 : row - 1, column) - centre;
      const float s = at(std::min(row + 1, rows - 1), column) - centre;
      const float w = at(row, column == 0 ? 0 : column - 1) - centre;
      const float e = at(row, std::min(column + 1, columns - 1)) - centre;
      const float gradient = std::fma(e, e, std::fma(w, w, std::fma(s, s, n * n))) / (centre * centre);
      const float laplacian = (n + s + w + e) / centre;
      const auto above = static_cast<float>(
          std::fma(-0.0625, static_cast<double>(laplacian * laplacian), 0.5 * static_cast<double>(gradient)));
      const auto below = static_cast<float>(std::fma(0.25, static_cast<double>(laplacian), 1.0));
      const float variation = above / (below * below);
      const float excess = (variation - speckle) / (speckle * (1.0f + speckle));
      const auto c = static_cast<float>(1.0 / (1.0 + static_cast<double>(excess)));
      out.north[here] = n;
      out.south[here] = s;
      out.west[here] = w;
      out.east[here] = e;
      out.coefficient[here] = c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
    }
  }
  return out;
}

std::vector<float> hotspot_tiles(std::vector<float> temperature, const std::vector<float>& power,
                                 const TilePackage& p, std::uint32_t rows, std::uint32_t columns,
                                 std::uint32_t steps) {
  const float step_per_capacity = p.step / p.capacity;
  const float gx = 1.0f / p.rx, gy = 1.0f / p.ry, gz = 1.0f / p.rz;
  std::vector<float> next(temperature.size());
  const auto at = [&](std::uint32_t y, std::uint32_t x) { return temperature[std::size_t{y} * columns + x]; };
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::uint32_t y = 0; y < rows; ++y) {
      for (std::uint32_t x = 0; x < columns; ++x) {
        const std::size_t here = std::size_t{y} * columns + x;
        const float t = temperature[here];
        const float around_y = at(std::min(y + 1, rows - 1), x) + at(y == 0 ? 0 : y - 1, x);
        const float around_x = at(y, std::min(x + 1, columns - 1)) + at(y, x == 0 ? 0 : x - 1);
        double flow = std::fma(std::fma(-2.0, static_cast<double>(t), static_cast<double>(around_y)),
                               static_cast<double>(gy), static_cast<double>(power[here]));
        flow = std::fma(std::fma(-2.0, static_cast<double>(t), static_cast<double>(around_x)),
                        static_cast<double>(gx), flow);
        flow += static_cast<double>((p.ambient - t) * gz);
        next[here] = static_cast<float>(
            std::fma(static_cast<double>(step_per_capacity), flow, static_cast<double>(t)));
      }
    }
    temperature.swap(next);
  }
  return temperature;
}

std::vector<float> quasirandom(const std::vector<std::uint32_t>& directions, std::uint32_t seed,
                               std::uint32_t count) {
  std::vector<float> out;
  for (std::size_t dimension = 0; dimension < directions.size() / 31; ++dimension) {
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint32_t result = 0;
      for (unsigned bit = 0; bit < 31; ++bit)
        if ((seed + i) >> bit & 1) result ^= directions[dimension * 31 + bit];
      out.push_back(static_cast<float>(result + 1) * (1.0f / static_cast<float>(0x80000001u)));
    }
  }
  return out;
}

void walsh(std::vector<float>& data, std::uint32_t log_size) {
  const std::size_t size = std::size_t{1} << log_size;
  for (std::size_t first = 0; first < data.size(); first += size) {
    float* const v = &data[first];
    for (std::size_t stride = size / 4; stride > 0; stride /= 4) {
      for (std::size_t t = 0; t < size / 4; ++t) {
        const std::size_t low = t % stride, i = (t - low) * 4 + low;
        const float a = v[i], b = v[i + stride], c = v[i + 2 * stride], d = v[i + 3 * stride];
        v[i] = (a + c) + (b + d);
        v[i + stride] = (a + c) - (b + d);
        v[i + 2 * stride] = (a - c) + (b - d);
        v[i + 3 * stride] = (a - c) - (b - d);
      }
    }
    if (log_size % 2 == 1) {
      for (std::size_t i = 0; i < size; i += 2) {
        const float a = v[i], b = v[i + 1];
        v[i] = a + b;
        v[i + 1] = a - b;
      }
    }
  }
}

void sgemm_tall(const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c,
                std::uint32_t m, std::uint32_t n, std::uint32_t k, float alpha, float beta) {
  std::vector<float> sum(m);
  for (std::uint32_t column = 0; column < n; ++column) {
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (std::uint32_t i = 0; i < k; ++i) {
      const float factor = b[column + std::size_t{i} * n];
      const float* const x = &a[std::size_t{i} * m];
      for (std::uint32_t row = 0; row < m; ++row) sum[row] = std::fma(x[row], factor, sum[row]);
    }
    for (std::uint32_t row = 0; row < m; ++row) {
      float& out = c[row + std::size_t{column} * m];
      out = std::fma(out, beta, alpha * sum[row]);
    }
  }
}

std::pair<std::vector<float>, std::vector<float>> mri_q(const std::vector<MriSample>& samples,
                                                        const std::vector<float>& x,
                                                        const std::vector<float>& y,
                                                        const std::vector<float>& z) {
  std::vector<float> real, imaginary;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double re = 0, im = 0;
    for (const MriSample& s : samples) {
      const float angle = 6.2831853071795864769f * std::fma(s.z, z[i], std::fma(s.y, y[i], s.x * x[i]));
      re += s.magnitude * std::cos(static_cast<double>(angle));
      im += s.magnitude * std::sin(static_cast<double>(angle));
    }
    real.push_back(static_cast<float>(re));
    imaginary.push_back(static_cast<float>(im));
  }
  return {real, imaginary};
}

TreeOption tree_option(double spot, double strike, double years, double rate, double volatility) {
  constexpr double kSteps = 2048;
  const double dt = years / kSteps, move = volatility * std::sqrt(dt);
  const double up = std::exp(move), down = std::exp(-move), growth = std::exp(rate * dt);
  const double p_up = (growth - down) / (up - down);
  return {static_cast<float>(spot), static_cast<float>(strike), static_cast<float>(move),
          static_cast<float>(p_up / growth), static_cast<float>((1 - p_up) / growth)};
}

std::vector<float> binomial_options(const std::vector<TreeOption>& options) {
  constexpr int kSteps = 2048;
  std::vector<float> out;
  std::vector<double> node(kSteps + 1);
  for (const TreeOption& o : options) {
    for (int i = 0; i <= kSteps; ++i)
      node[i] = std::max(0.0, o.spot * std::exp(static_cast<double>(o.move) * (2 * i - kSteps)) - o.strike);
    for (int level = kSteps; level > 0; --level)
      for (int i = 0; i < level; ++i)
        node[i] = static_cast<double>(o.up) * node[i + 1] + static_cast<double>(o.down) * node[i];
    out.push_back(static_cast<float>(node[0]));
  }
  return out;
}

namespace {

/// A level of a tree: how many entries each node has, and the least key below it.
struct BtreeLevel {
  std::vector<std::uint32_t> entries;
  std::vector<std::int32_t> least;

  /// Over things with these least keys, when only the last node grows and `kept` of them stay in one that
  /// gets more than `most`.
  BtreeLevel(const std::vector<std::int32_t>& below, std::uint32_t most, std::uint32_t kept) {
    auto left = static_cast<std::uint32_t>(below.size());
    for (std::size_t first = 0; left > 0; first += entries.back()) {
      entries.push_back(left > most ? kept : left);
      least.push_back(below[first]);
      left -= entries.back();
    }
  }
};

}  // namespace

std::vector<BtreeNode> btree(std::uint32_t count, std::uint32_t order, std::uint32_t& height) {
  std::vector<std::int32_t> keys(count);
  std::iota(keys.begin(), keys.end(), 0);
  std::vector<BtreeLevel> levels{BtreeLevel(keys, order - 1, order / 2)};  // from the leaves up
  while (levels.back().entries.size() > 1) levels.emplace_back(levels.back().least, order, order - order / 2);
  height = static_cast<std::uint32_t>(levels.size() - 1);

  std::vector<BtreeNode> out;
  for (std::size_t l = levels.size(); l-- > 0;) {
    // What the level leads to, in order: records, which have entries from 1 on, or the nodes that follow this
    // level.
    const bool leaf = l == 0;
    const std::vector<std::int32_t>& below = leaf ? keys : levels[l - 1].least;
    const auto first_below = static_cast<std::int32_t>(leaf ? 0 : out.size() + levels[l].entries.size());
    std::size_t next = 0;
    for (const std::uint32_t entries : levels[l].entries) {
      BtreeNode node;
      node.place = static_cast<std::int32_t>(out.size());
      node.leaf = leaf;
      node.keys = static_cast<std::int32_t>(entries + 1 + (leaf ? 1 : 0));
      std::fill(std::begin(node.key), std::end(node.key), std::numeric_limits<std::int32_t>::max());
      for (std::uint32_t i = leaf ? 1 : 0; i < entries + (leaf ? 1 : 0); ++i, ++next) {
        node.key[i] = below[next];
        node.index[i] = first_below + static_cast<std::int32_t>(next);
      }
      node.key[0] = std::numeric_limits<std::int32_t>::min();
      out.push_back(node);
    }
  }
  return out;
}

}  // namespace warpvp::apps::reference
