#include "sw/apps/reference_ccbp.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace warpvp::apps::reference {
namespace {

constexpr float kGamma = 1.4f, kSmoothing = 0.2f;

float dot(const FlowVector& a, const FlowVector& b) {
  return std::fma(a.x, b.x, std::fma(a.y, b.y, a.z * b.z));
}

/// A state with what follows from it.
struct Side {
  FlowState state;
  float speed, pressure, sound;
  FlowVector momentum[3], energy;  // fluxes
};

Side side_of(const FlowState& s) {
  Side side;
  side.state = s;
  const FlowVector velocity{s.momentum.x / s.density, s.momentum.y / s.density, s.momentum.z / s.density};
  const float squared = dot(velocity, velocity);
  side.speed = std::sqrt(squared);
  side.pressure = (kGamma - 1.0f) * std::fma(-0.5f * s.density, squared, s.energy);
  side.sound = std::sqrt(kGamma * side.pressure / s.density);
  FlowVector* m = side.momentum;
  m[0] = {std::fma(velocity.x, s.momentum.x, side.pressure), velocity.x * s.momentum.y,
          velocity.x * s.momentum.z};
  m[1] = {m[0].y, std::fma(velocity.y, s.momentum.y, side.pressure), velocity.y * s.momentum.z};
  m[2] = {m[0].z, m[1].z, std::fma(velocity.z, s.momentum.z, side.pressure)};
  const float both = s.energy + side.pressure;
  side.energy = {velocity.x * both, velocity.y * both, velocity.z * both};
  return side;
}

void add_scaled(FlowState& sum, float factor, float density, const FlowVector& momentum, float energy) {
  sum.density = std::fma(factor, density, sum.density);
  sum.momentum.x = std::fma(factor, momentum.x, sum.momentum.x);
  sum.momentum.y = std::fma(factor, momentum.y, sum.momentum.y);
  sum.momentum.z = std::fma(factor, momentum.z, sum.momentum.z);
  sum.energy = std::fma(factor, energy, sum.energy);
}

FlowVector plus(const FlowVector& a, const FlowVector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

void add_fluxes(FlowState& sum, const FlowVector& normal, const Side& here, const FlowState& there,
                const FlowVector* momentum, const FlowVector& energy) {
  const FlowVector &a = there.momentum, &b = here.state.momentum;
  add_scaled(sum, 0.5f * normal.x, a.x + b.x, plus(momentum[0], here.momentum[0]), energy.x + here.energy.x);
  add_scaled(sum, 0.5f * normal.y, a.y + b.y, plus(momentum[1], here.momentum[1]), energy.y + here.energy.y);
  add_scaled(sum, 0.5f * normal.z, a.z + b.z, plus(momentum[2], here.momentum[2]), energy.z + here.energy.z);
}

}  // namespace

FarField far_field(const FlowState& state) {
  const Side side = side_of(state);
  return {state, {side.momentum[0], side.momentum[1], side.momentum[2]}, side.energy};
}

std::vector<float> cfd_flux(const FlowMesh& mesh, const FarField& far) {
  const std::size_t n = mesh.count;
  const std::vector<float>& v = mesh.variables;
  std::vector<Side> sides(n);
  for (std::size_t i = 0; i < n; ++i)
    sides[i] = side_of({v[i], {v[n + i], v[2 * n + i], v[3 * n + i]}, v[4 * n + i]});
  std::vector<float> result(5 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const Side& here = sides[i];
    FlowState sum{0, {0, 0, 0}, 0};
    for (std::size_t face = 0; face < 4; ++face) {
      const FlowVector normal{mesh.normals[face * n + i], mesh.normals[(4 + face) * n + i],
                              mesh.normals[(8 + face) * n + i]};
      const std::int32_t other = mesh.neighbours[face * n + i];
      if (other >= 0) {
        const Side& there = sides[static_cast<std::size_t>(other)];
        const FlowState &a = here.state, &b = there.state;
        const float smooth = -std::sqrt(dot(normal, normal)) * kSmoothing * 0.5f *
                             (here.speed + there.speed + here.sound + there.sound);
        add_scaled(sum, smooth, a.density - b.density,
                   {a.momentum.x - b.momentum.x, a.momentum.y - b.momentum.y, a.momentum.z - b.momentum.z},
                   a.energy - b.energy);
        add_fluxes(sum, normal, here, b, there.momentum, there.energy);
      } else if (other == -1) {
        sum.momentum.x = std::fma(normal.x, here.pressure, sum.momentum.x);
        sum.momentum.y = std::fma(normal.y, here.pressure, sum.momentum.y);
        sum.momentum.z = std::fma(normal.z, here.pressure, sum.momentum.z);
      } else {
        add_fluxes(sum, normal, here, far.state, far.momentum, far.energy);
      }
    }
    result[i] = sum.density;
    result[n + i] = sum.momentum.x;
    result[2 * n + i] = sum.momentum.y;
    result[3 * n + i] = sum.momentum.z;
    result[4 * n + i] = sum.energy;
  }
  return result;
}

std::vector<BoxSurroundings> box_neighbours(std::uint32_t side) {
  const auto n = static_cast<std::int32_t>(side);
  std::vector<BoxSurroundings> out;
  for (std::int32_t z = 0; z < n; ++z) {
    for (std::int32_t y = 0; y < n; ++y) {
      for (std::int32_t x = 0; x < n; ++x) {
        BoxSurroundings around;
        around.box[around.boxes++] = (z * n + y) * n + x;
        for (std::int32_t k = 0; k < 27; ++k) {
          const std::int32_t i = x + k % 3 - 1, j = y + k / 3 % 3 - 1, l = z + k / 9 - 1;
          if (k == 13 || std::min({i, j, l}) < 0 || std::max({i, j, l}) >= n) continue;
          around.box[around.boxes++] = (l * n + j) * n + i;
        }
        out.push_back(around);
      }
    }
  }
  return out;
}

std::vector<double> lavamd(double alpha, const std::vector<BoxSurroundings>& around,
                           const std::vector<BoxParticle>& places, const std::vector<double>& charges,
                           std::uint32_t particles) {
  std::vector<double> out(4 * places.size(), 0.0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const BoxParticle& a = places[i];
    const BoxSurroundings& boxes = around[i / particles];
    for (std::int32_t k = 0; k < boxes.boxes; ++k) {
      for (std::size_t j = 0; j < particles; ++j) {
        const std::size_t other = static_cast<std::size_t>(boxes.box[k]) * particles + j;
        const BoxParticle& b = places[other];
        const double product = std::fma(a.x, b.x, std::fma(a.y, b.y, a.z * b.z));
        const double fall = std::exp(-2.0 * alpha * alpha * (a.half_square + b.half_square - product));
        const double force = 2.0 * fall * charges[other];
        out[4 * i] += charges[other] * fall;
        out[4 * i + 1] += force * (a.x - b.x);
        out[4 * i + 2] += force * (a.y - b.y);
        out[4 * i + 3] += force * (a.z - b.z);
      }
    }
  }
  return out;
}

namespace {

// Velocities of the lattice: rest, six along an axis, twelve along two; opposite ones beside each other.
constexpr int kX[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
constexpr int kY[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
constexpr int kZ[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

unsigned opposite(unsigned v) { return v == 0 ? 0 : v % 2 == 1 ? v + 1 : v - 1; }
float weight(unsigned v) { return v == 0 ? 1.0f / 3.0f : v <= 6 ? 1.0f / 18.0f : 1.0f / 36.0f; }

}  // namespace

Lattice resting_lattice(std::uint32_t nx, std::uint32_t ny, std::uint32_t nz) {
  constexpr std::uint32_t kLine = 32;  // numbers in a line of the caches
  const auto whole_lines = [](std::uint32_t n) { return (n + kLine - 1) / kLine * kLine; };
  Lattice l;
  l.nx = nx;
  l.ny = ny;
  l.nz = nz;
  l.row = whole_lines(nx);
  l.margin = whole_lines(l.row * (ny + 1) + 1);  // a velocity leads one layer, row and cell away at most
  l.density.assign(std::size_t{Lattice::kVelocities} * l.pitch(), 0.0f);
  for (unsigned v = 0; v < Lattice::kVelocities; ++v) {
    for (std::uint32_t i = 0; i < l.cells(); ++i)
      l.density[std::size_t{v} * l.pitch() + l.margin + i] = weight(v);
  }
  l.flags.assign(l.cells(), 0);
  for (std::uint32_t z = 0; z < nz; ++z) {
    for (std::uint32_t y = 0; y < ny; ++y) {
      for (std::uint32_t x = 0; x < l.row; ++x) {
        std::uint32_t& flag = l.flags[x + l.row * (y + ny * z)];
        if (x == 0 || x + 1 >= nx || y == 0 || y + 1 == ny || z == 0 || z + 1 == nz) {
          flag = Lattice::kObstacle;
        } else if (z == 1) {
          flag = Lattice::kDriven;
        }
      }
    }
  }
  return l;
}

std::vector<float> lbm_step(const Lattice& from, std::vector<float> to) {
  constexpr float kOmega = 1.95f;
  const std::ptrdiff_t pitch = from.pitch(), row = from.row, layer = row * from.ny;
  for (std::uint32_t z = 0; z < from.nz; ++z) {
    for (std::uint32_t y = 0; y < from.ny; ++y) {
      for (std::uint32_t x = 0; x < from.nx; ++x) {
        const std::ptrdiff_t cell = x + row * y + layer * z;
        float f[19];
        for (unsigned v = 0; v < 19; ++v)
          f[v] = from.density[static_cast<std::size_t>(v * pitch + from.margin + cell)];
        const auto target = [&](unsigned v) -> float& {
          return to[static_cast<std::size_t>(v * pitch + from.margin + cell + kX[v] + row * kY[v] +
                                             layer * kZ[v])];
        };
        const std::uint32_t flag = from.flags[static_cast<std::size_t>(cell)];
        if (flag & Lattice::kObstacle) {
          for (unsigned v = 0; v < 19; ++v) target(v) = f[opposite(v)];
          continue;
        }
        float density = 0, ux = 0, uy = 0, uz = 0;
        for (unsigned v = 0; v < 19; ++v) {
          density += f[v];
          if (kX[v] != 0) ux += static_cast<float>(kX[v]) * f[v];
          if (kY[v] != 0) uy += static_cast<float>(kY[v]) * f[v];
          if (kZ[v] != 0) uz += static_cast<float>(kZ[v]) * f[v];
        }
        ux /= density;
        uy /= density;
        uz /= density;
        if (flag & Lattice::kDriven) {
          ux = 0.005f;
          uy = 0.002f;
          uz = 0.0f;
        }
        const float rest = std::fma(-1.5f, std::fma(ux, ux, std::fma(uy, uy, uz * uz)), 1.0f);
        for (unsigned v = 0; v < 19; ++v) {
          const float along = static_cast<float>(kX[v]) * ux + static_cast<float>(kY[v]) * uy +
                              static_cast<float>(kZ[v]) * uz;
          const float balance = std::fma(along, std::fma(4.5f, along, 3.0f), rest);
          target(v) = std::fma(1.0f - kOmega, f[v], weight(v) * kOmega * density * balance);
        }
      }
    }
  }
  return to;
}

void fdtd_ey(FieldGrid& g, float source) {
  const std::size_t columns = g.columns;
  for (std::size_t j = 0; j < columns; ++j) g.ey[j] = source;
  for (std::size_t k = columns; k < g.rows * columns; ++k)
    g.ey[k] = std::fma(-0.5f, g.hz[k] - g.hz[k - columns], g.ey[k]);
}

void fdtd_ex(FieldGrid& g) {
  for (std::size_t i = 0; i < g.rows; ++i) {
    for (std::size_t j = 1; j < g.columns; ++j) {
      float& e = g.ex[i * (g.columns + 1) + j];
      e = std::fma(-0.5f, g.hz[i * g.columns + j] - g.hz[i * g.columns + j - 1], e);
    }
  }
}

void fdtd_hz(FieldGrid& g) {
  const std::size_t columns = g.columns;
  for (std::size_t i = 0; i < g.rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const float* ex = &g.ex[i * (columns + 1) + j];
      const float* ey = &g.ey[i * columns + j];
      float& h = g.hz[i * columns + j];
      h = std::fma(-0.7f, ex[1] - ex[0] + ey[columns] - ey[0], h);
    }
  }
}

BlockSums block_sums(const std::vector<std::uint8_t>& frame, const std::vector<std::uint8_t>& reference,
                     std::uint32_t width, std::uint32_t height) {
  constexpr std::size_t kSums = BlockSums::kSums;
  const std::size_t across = width / 16, macroblocks = across * (height / 16);
  BlockSums out;
  out.fours.assign(macroblocks * 16 * kSums, 0);
  for (std::vector<std::uint16_t>* sums : {&out.eight_by_four, &out.four_by_eight})
    sums->assign(macroblocks * 8 * kSums, 0);
  out.eights.assign(macroblocks * 4 * kSums, 0);
  for (std::vector<std::uint16_t>* sums : {&out.sixteen_by_eight, &out.eight_by_sixteen})
    sums->assign(macroblocks * 2 * kSums, 0);
  out.sixteens.assign(macroblocks * kSums, 0);
  // Sums of 4 x 4 pixels one after the other, each added to the blocks that it is a part of.
  for (std::size_t four = 0; four < macroblocks * 16; ++four) {
    const std::size_t m = four / 16, quarter = four / 4 % 4, row = four / 2 % 2, column = four % 2;
    const int left = static_cast<int>(m % across * 16 + quarter % 2 * 8 + column * 4),
              top = static_cast<int>(m / across * 16 + quarter / 2 * 8 + row * 4);
    for (int place = 0; place < BlockSums::kPlaces; ++place) {
      const int dx = place % BlockSums::kSide - BlockSums::kRange,
                dy = place / BlockSums::kSide - BlockSums::kRange;
      int difference = 0;
      for (int py = top; py < top + 4; ++py) {
        const int ry = std::clamp(py + dy, 0, static_cast<int>(height) - 1);
        const std::uint8_t* pixels = &frame[static_cast<std::size_t>(py) * width];
        const std::uint8_t* others = &reference[static_cast<std::size_t>(ry) * width];
        for (int px = left; px < left + 4; ++px)
          difference += std::abs(pixels[px] - others[std::clamp(px + dx, 0, static_cast<int>(width) - 1)]);
      }
      const auto add = [&](std::vector<std::uint16_t>& sums, std::size_t block) {
        std::uint16_t& sum = sums[block * kSums + static_cast<std::size_t>(place)];
        sum = static_cast<std::uint16_t>(sum + difference);
      };
      add(out.fours, four);
      add(out.eight_by_four, (m * 4 + quarter) * 2 + row);
      add(out.four_by_eight, (m * 4 + quarter) * 2 + column);
      add(out.eights, m * 4 + quarter);
      add(out.sixteen_by_eight, m * 2 + quarter / 2);
      add(out.eight_by_sixteen, m * 2 + quarter % 2);
      add(out.sixteens, m);
    }
  }
  return out;
}

std::uint32_t bucket_of(float number, const std::vector<float>& pivots) {
  return static_cast<std::uint32_t>(std::upper_bound(pivots.begin(), pivots.end(), number) - pivots.begin());
}

}  // namespace warpvp::apps::reference
