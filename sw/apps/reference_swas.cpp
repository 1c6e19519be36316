// CPU references of the benchmarks of the SWaS paper (table I) that no other kernel shares.

#include <cmath>
#include <limits>

#include "sw/apps/reference.h"

namespace warpvp::apps::reference {

std::vector<float> black_scholes(const std::vector<Option>& options, double rate, double volatility) {
  std::vector<float> values;
  values.reserve(2 * options.size());
  for (const Option& o : options) {
    const double call = black_scholes_call(o, rate, volatility);
    values.push_back(static_cast<float>(call));
    // A call less a put is a share less the strike paid at the end.
    values.push_back(static_cast<float>(call - o.spot + o.strike * std::exp(-rate * o.years)));
  }
  return values;
}

Package chip_package(std::uint32_t rows, std::uint32_t columns) {
  constexpr double kSide = 0.016, kThickness = 0.0005;   // metres
  constexpr double kHeat = 1.75e6, kConductivity = 100;  // J/(m^3 K) and W/(m K), silicon
  constexpr double kCapacityFitted = 0.5;                // share of the volume that takes part
  const double dx = kSide / columns, dy = kSide / rows;
  Package p;
  p.capacity = static_cast<float>(kCapacityFitted * kHeat * kThickness * dx * dy);
  p.rx = static_cast<float>(dx / (kConductivity * kThickness * dy));
  p.ry = static_cast<float>(dy / (kConductivity * kThickness * dx));
  p.rz = static_cast<float>(kThickness / (kConductivity * dx * dy));
  // A tenth of the time in which the fastest cell loses its heat to neighbours and surroundings.
  p.step = static_cast<float>(0.1 * p.capacity / (2 / p.rx + 2 / p.ry + 1 / p.rz));
  p.ambient = 300.0f;
  return p;
}

std::vector<float> hotspot(std::vector<float> temperature, const std::vector<float>& power,
                           const Package& package, std::uint32_t rows, std::uint32_t columns,
                           std::uint32_t steps) {
  const float step_per_capacity = package.step / package.capacity;
  const float gx = 1.0f / package.rx, gy = 1.0f / package.ry, gz = 1.0f / package.rz;
  std::vector<float> next(temperature.size());
  const auto at = [&](std::uint32_t row, std::uint32_t column) {
    return temperature[static_cast<std::size_t>(row) * columns + column];
  };
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t column = 0; column < columns; ++column) {
        const std::size_t here = static_cast<std::size_t>(row) * columns + column;
        const float t = temperature[here];
        const float north = row == 0 ? t : at(row - 1, column),
                    south = row + 1 == rows ? t : at(row + 1, column);
        const float west = column == 0 ? t : at(row, column - 1);
        const float east = column + 1 == columns ? t : at(row, column + 1);
        float flow = std::fma(std::fma(-2.0f, t, north + south), gy, power[here]);
        flow = std::fma(std::fma(-2.0f, t, west + east), gx, flow);
        flow = std::fma(package.ambient - t, gz, flow);
        next[here] = std::fma(step_per_capacity, flow, t);
      }
    }
    temperature.swap(next);
  }
  return temperature;
}

Stencil3d stack_stencil(std::uint32_t nx, std::uint32_t ny, std::uint32_t nz) {
  // Shares of the heat difference that flow in one step: least through the thin layers' glue.
  Stencil3d s;
  s.west_east = 0.1f * static_cast<float>(nx) / static_cast<float>(nx + ny);
  s.north_south = 0.1f * static_cast<float>(ny) / static_cast<float>(nx + ny);
  s.below_above = 0.05f / static_cast<float>(nz);
  s.centre = 1.0f - (2.0f * s.west_east + 2.0f * s.north_south + 3.0f * s.below_above);
  s.step_per_capacity = 0.5f;
  s.ambient = 300.0f;
  return s;
}

std::vector<float> hotspot3d(std::vector<float> temperature, const std::vector<float>& power,
                             const Stencil3d& w, std::uint32_t nx, std::uint32_t ny, std::uint32_t nz,
                             std::uint32_t steps) {
  const std::size_t layer = static_cast<std::size_t>(nx) * ny;
  std::vector<float> next(temperature.size());
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::size_t here = 0; here < temperature.size(); ++here) {
      const std::size_t x = here % nx, y = here % layer / nx, z = here / layer;
      // A neighbour beyond the edge is as warm as the cell itself.
      const auto neighbour = [&](bool inside, std::size_t cell) { return temperature[inside ? cell : here]; };
      const float t = temperature[here];
      float sum =
          std::fma(w.west_east, neighbour(x > 0, here - 1) + neighbour(x + 1 < nx, here + 1), w.centre * t);
      sum = std::fma(w.north_south, neighbour(y > 0, here - nx) + neighbour(y + 1 < ny, here + nx), sum);
      sum =
          std::fma(w.below_above, neighbour(z > 0, here - layer) + neighbour(z + 1 < nz, here + layer), sum);
      sum = std::fma(w.step_per_capacity, power[here], sum);
      next[here] = std::fma(w.below_above, w.ambient, sum);
    }
    temperature.swap(next);
  }
  return temperature;
}

std::vector<float> first_points(const PointSet& set, std::uint32_t clusters) {
  std::vector<float> centres;
  for (std::uint32_t c = 0; c < clusters; ++c) {
    for (std::uint32_t f = 0; f < set.features; ++f) {
      centres.push_back(set.coordinate[static_cast<std::size_t>(f) * set.count + c]);
    }
  }
  return centres;
}

std::vector<std::uint32_t> nearest_centres(const PointSet& set, const std::vector<float>& centres) {
  std::vector<std::uint32_t> member(set.count, 0);
  for (std::uint32_t i = 0; i < set.count; ++i) {
    float least = std::numeric_limits<float>::max();
    for (std::size_t c = 0; c * set.features < centres.size(); ++c) {
      float distance = 0.0f;
      for (std::uint32_t f = 0; f < set.features; ++f) {
        const float d =
            set.coordinate[static_cast<std::size_t>(f) * set.count + i] - centres[c * set.features + f];
        distance = std::fma(d, d, distance);
      }
      if (distance < least) {
        least = distance;
        member[i] = static_cast<std::uint32_t>(c);
      }
    }
  }
  return member;
}

void move_centres(const PointSet& set, const std::vector<std::uint32_t>& member,
                  std::vector<float>& centres) {
  const std::size_t clusters = centres.size() / set.features;
  std::vector<std::uint32_t> points(clusters, 0);
  for (std::uint32_t c : member) ++points[c];
  for (std::uint32_t f = 0; f < set.features; ++f) {
    std::vector<double> sum(clusters, 0.0);
    for (std::uint32_t i = 0; i < set.count; ++i) {
      sum[member[i]] += set.coordinate[static_cast<std::size_t>(f) * set.count + i];
    }
    for (std::size_t c = 0; c < clusters; ++c) {
      if (points[c] > 0) centres[c * set.features + f] = static_cast<float>(sum[c] / points[c]);
    }
  }
}

}  // namespace warpvp::apps::reference
