#include "sw/apps/reference.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpvp::apps::reference {

std::vector<float> pure_compute(const std::vector<float>& in, std::uint32_t iterations) {
  std::vector<float> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    float x = in[i], y = 0.5f;
    auto h = static_cast<std::uint32_t>(i);
    for (std::uint32_t k = 0; k < iterations; ++k) {
      x = std::fma(x, 0.875f, y);
      y = std::fma(y, -0.5f, 0.25f);
      h = h * 1664525u + 1013904223u;
      x = std::fma(x, 0.75f, 0.125f);
      h ^= h >> 13;
      y = y + 0.0625f;
    }
    out[i] = x + y + static_cast<float>(h >> 16);
  }
  return out;
}

std::vector<std::int32_t> pathfinder(const std::vector<std::int32_t>& wall, std::uint32_t rows,
                                     std::uint32_t columns) {
  std::vector<std::int32_t> above(wall.begin(), wall.begin() + columns), here(columns);
  for (std::uint32_t row = 1; row < rows; ++row) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      std::int32_t best = above[c];
      if (c > 0) best = std::min(best, above[c - 1]);
      if (c + 1 < columns) best = std::min(best, above[c + 1]);
      here[c] = best + wall[static_cast<std::size_t>(row) * columns + c];
    }
    above.swap(here);
  }
  return above;
}

std::vector<float> conv2d(const std::vector<float>& in, std::uint32_t rows, std::uint32_t columns) {
  static constexpr float kWeights[9] = {0.2f, -0.3f, 0.4f, 0.5f, 0.6f, 0.7f, -0.8f, -0.9f, 0.1f};
  std::vector<float> out(in.size(), 0.0f);
  for (std::uint32_t y = 1; y + 1 < rows; ++y) {
    for (std::uint32_t x = 1; x + 1 < columns; ++x) {
      float sum = 0.0f;
      for (unsigned k = 0; k < 9; ++k) {
        const float pixel = in[static_cast<std::size_t>(y + k / 3 - 1) * columns + x + k % 3 - 1];
        sum = k == 0 ? kWeights[0] * pixel : std::fma(kWeights[k], pixel, sum);
      }
      out[static_cast<std::size_t>(y) * columns + x] = sum;
    }
  }
  return out;
}

std::vector<float> matmul(const std::vector<float>& a, const std::vector<float>& b, std::uint32_t m,
                          std::uint32_t n, std::uint32_t k) {
  std::vector<float> c(static_cast<std::size_t>(m) * n, 0.0f);
  for (std::uint32_t row = 0; row < m; ++row) {
    float* sums = c.data() + static_cast<std::size_t>(row) * n;
    // The innermost loop runs along a row of B; each sum still grows in order of i, as in the kernel.
    for (std::uint32_t i = 0; i < k; ++i) {
      const float factor = a[static_cast<std::size_t>(row) * k + i];
      const float* b_row = b.data() + static_cast<std::size_t>(i) * n;
      for (std::uint32_t column = 0; column < n; ++column) {
        sums[column] = std::fma(factor, b_row[column], sums[column]);
      }
    }
  }
  return c;
}

std::vector<std::uint32_t> histogram(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint32_t> bins(256, 0);
  for (std::uint32_t word : words) {
    for (unsigned shift = 0; shift < 32; shift += 8) ++bins[word >> shift & 255];
  }
  return bins;
}

std::vector<float> atax(const std::vector<float>& a, const std::vector<float>& x, std::uint32_t rows,
                        std::uint32_t columns) {
  std::vector<float> tmp(rows), y(columns, 0.0f);
  for (std::uint32_t i = 0; i < rows; ++i) {
    const float* row = a.data() + static_cast<std::size_t>(i) * columns;
    float sum = 0.0f;
    for (std::uint32_t j = 0; j < columns; ++j) sum = std::fma(row[j], x[j], sum);
    tmp[i] = sum;
    for (std::uint32_t j = 0; j < columns; ++j) y[j] = std::fma(row[j], sum, y[j]);
  }
  return y;
}

std::vector<float> reduce_sum(const std::vector<float>& in, std::uint32_t ctas, std::uint32_t block) {
  const std::size_t threads = static_cast<std::size_t>(ctas) * block;
  std::vector<float> partial(ctas);
  // What lane 0 holds after five steps of v += v of the lane 16, 8, 4, 2, 1 above.
  const auto warp_sum = [](std::array<float, 32> v) {
    for (unsigned delta = 16; delta > 0; delta /= 2) {
      for (unsigned lane = 0; lane < delta; ++lane) v[lane] += v[lane + delta];
    }
    return v[0];
  };
  for (std::uint32_t cta = 0; cta < ctas; ++cta) {
    std::array<float, 32> of_warp{};
    for (std::uint32_t warp = 0; warp < block / 32; ++warp) {
      std::array<float, 32> lanes{};
      for (unsigned lane = 0; lane < 32; ++lane) {
        for (std::size_t i = static_cast<std::size_t>(cta) * block + warp * 32 + lane; i < in.size();
             i += threads) {
          lanes[lane] += in[i];
        }
      }
      of_warp[warp] = warp_sum(lanes);
    }
    partial[cta] = warp_sum(of_warp);
  }
  return partial;
}

std::vector<std::uint32_t> inclusive_scan(const std::vector<std::uint32_t>& in) {
  std::vector<std::uint32_t> out(in.size());
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = sum += in[i];
  return out;
}

std::vector<double> stencil5(std::vector<double> grid, std::uint32_t rows, std::uint32_t columns,
                             std::uint32_t steps) {
  std::vector<double> next = grid;
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::uint32_t y = 1; y + 1 < rows; ++y) {
      for (std::uint32_t x = 1; x + 1 < columns; ++x) {
        const std::size_t at = static_cast<std::size_t>(y) * columns + x;
        const double around = (grid[at - 1] + grid[at + 1]) + (grid[at - columns] + grid[at + columns]);
        next[at] = std::fma(around, 0.125, grid[at] * 0.5);
      }
    }
    grid.swap(next);
  }
  return grid;
}

std::vector<float> spmv_rows(const SparseRows& a, const std::vector<float>& x) {
  std::vector<float> y(a.rows());
  for (std::uint32_t row = 0; row < a.rows(); ++row) {
    float sum = 0.0f;
    for (std::uint32_t k = a.row_start[row]; k < a.row_start[row + 1]; ++k) {
      sum = std::fma(a.value[k], x[a.column[k]], sum);
    }
    y[row] = sum;
  }
  return y;
}

std::vector<float> spmv_warps(const SparseRows& a, const std::vector<float>& x) {
  std::vector<float> y(a.rows());
  for (std::uint32_t row = 0; row < a.rows(); ++row) {
    std::array<float, 32> lanes{};
    for (std::uint32_t k = a.row_start[row]; k < a.row_start[row + 1]; ++k) {
      float& sum = lanes[(k - a.row_start[row]) % 32];
      sum = std::fma(a.value[k], x[a.column[k]], sum);
    }
    for (unsigned distance = 16; distance > 0; distance /= 2) {
      const std::array<float, 32> before = lanes;
      for (unsigned lane = 0; lane < 32; ++lane) lanes[lane] = before[lane] + before[lane ^ distance];
    }
    y[row] = lanes[0];
  }
  return y;
}

std::vector<std::int32_t> bfs_levels(const std::vector<std::uint32_t>& first,
                                     const std::vector<std::uint32_t>& neighbour) {
  std::vector<std::int32_t> level(first.size() - 1, -1);
  std::vector<std::uint32_t> front{0};
  level[0] = 0;
  for (std::int32_t depth = 1; !front.empty(); ++depth) {
    std::vector<std::uint32_t> next;
    for (std::uint32_t v : front) {
      for (std::uint32_t k = first[v]; k < first[v + 1]; ++k) {
        if (level[neighbour[k]] != -1) continue;
        level[neighbour[k]] = depth;
        next.push_back(neighbour[k]);
      }
    }
    front.swap(next);
  }
  return level;
}

std::uint64_t monte_carlo(std::uint32_t seed, std::uint32_t threads, std::uint32_t throws) {
  std::uint64_t hits = 0;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    std::uint32_t state = seed ^ ((thread + 1) * 2654435761u);
    if (state == 0) state = 1;
    for (std::uint32_t k = 0; k < throws; ++k) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      const std::uint64_t x = state & 0xffff, y = state >> 16;
      if (x * x + y * y < 0x100000000ull) ++hits;
    }
  }
  return hits;
}

std::vector<std::uint32_t> divergence(std::uint32_t threads, std::uint32_t block, std::uint32_t ways,
                                      std::uint32_t rounds) {
  std::vector<std::uint32_t> out(threads);
  for (std::uint32_t i = 0; i < threads; ++i) {
    std::uint32_t value = i;
    for (std::uint32_t k = 0; k < rounds; ++k) value = value * 2891336453u + i % block % ways + 1;
    out[i] = value;
  }
  return out;
}

std::vector<std::uint32_t> collatz(std::uint32_t n, std::uint32_t limit) {
  std::vector<std::uint32_t> steps(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t value = i + 1, count = 0;
    for (; value != 1 && count < limit; ++count) value = value % 2 != 0 ? 3 * value + 1 : value / 2;
    steps[i] = count;
  }
  return steps;
}

std::vector<float> blur_rows(const std::vector<float>& in, std::uint32_t rows, std::uint32_t columns) {
  std::vector<float> out(in.size());
  const int last = static_cast<int>(columns) - 1;
  for (std::uint32_t y = 0; y < rows; ++y) {
    const float* row = in.data() + static_cast<std::size_t>(y) * columns;
    for (int x = 0; x <= last; ++x) {
      float sum = 0.0f;
      for (int k = -2; k <= 2; ++k) sum += row[std::clamp(x + k, 0, last)];
      out[static_cast<std::size_t>(y) * columns + static_cast<std::size_t>(x)] = sum * 0.2f;
    }
  }
  return out;
}

std::vector<float> binomial(const std::vector<Option>& options, std::uint32_t steps, float rate,
                            float volatility) {
  std::vector<float> values;
  std::vector<double> node(steps + 1);
  for (const Option& o : options) {
    const double dt = static_cast<double>(o.years) / steps;
    const double move = volatility * std::sqrt(dt);
    const double up = std::exp(move), down = std::exp(-move), growth = std::exp(rate * dt);
    const double p_up = (growth - down) / (up - down);
    for (std::uint32_t i = 0; i <= steps; ++i) {
      node[i] = std::max(o.spot * std::exp(move * (2.0 * i - steps)) - o.strike, 0.0);
    }
    for (std::uint32_t level = steps; level > 0; --level) {
      for (std::uint32_t i = 0; i < level; ++i)
        node[i] = (p_up * node[i + 1] + (1 - p_up) * node[i]) / growth;
    }
    values.push_back(static_cast<float>(node[0]));
  }
  return values;
}

double black_scholes_call(const Option& option, double rate, double volatility) {
  const auto normal = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const double root = volatility * std::sqrt(static_cast<double>(option.years));
  const double d1 =
      (std::log(static_cast<double>(option.spot) / option.strike) + rate * option.years) / root + 0.5 * root;
  return option.spot * normal(d1) - option.strike * std::exp(-rate * option.years) * normal(d1 - root);
}

}  // namespace warpvp::apps::reference
