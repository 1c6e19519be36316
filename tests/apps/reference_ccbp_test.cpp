// The CPU references of the CCBP paper's benchmarks against closed forms.

#include "sw/apps/reference_ccbp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

TEST(Reference, CfdFluxOfUniformFlowThroughAClosedSurfaceIsNothing) {
  // Two elements that are each other's neighbour at every face; faces whose normals add up to nothing.
  const reference::FlowState state{1.4f, {1.68f, 0.5f, -0.25f}, 3.6f};
  reference::FlowMesh mesh;
  mesh.count = 2;
  mesh.neighbours = {1, 0, 1, 0, -2, -2, 1, 0};
  mesh.normals = {1, 1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, -1, -1, 0.5f, 0.5f, -0.5f, -0.5f, 0, 0, 0, 0};
  for (float v : {state.density, state.momentum.x, state.momentum.y, state.momentum.z, state.energy})
    mesh.variables.insert(mesh.variables.end(), {v, v});
  for (float flux : reference::cfd_flux(mesh, reference::far_field(state))) EXPECT_NEAR(flux, 0.0f, 1e-6f);
}

TEST(Reference, CfdFluxOfAirAtRestIsItsPressure) {
  // Pressure (1.4 - 1) * 2.5 = 1 on a wing, and on a face to the same air.
  reference::FlowMesh mesh;
  mesh.count = 1;
  mesh.neighbours = {-1, -2, -1, 0};
  mesh.normals = {0.5f, 0, 0, 0, 0, 0.25f, 0, 0, 0, 0, 0, 3.0f};
  mesh.variables = {1.4f, 0, 0, 0, 2.5f};
  const std::vector<float> flux = reference::cfd_flux(mesh, reference::far_field({1.4f, {0, 0, 0}, 2.5f}));
  EXPECT_FLOAT_EQ(flux[0], 0.0f);
  EXPECT_FLOAT_EQ(flux[1], 0.5f);
  EXPECT_FLOAT_EQ(flux[2], 0.25f);
  EXPECT_FLOAT_EQ(flux[3], 3.0f);
  EXPECT_FLOAT_EQ(flux[4], 0.0f);
}

TEST(Reference, CfdViscosityPullsUnequalNeighboursTogether) {
  // At rest with unit normal, sound 1 on one side and sqrt(1.4 / 2.8) on the other: half of 0.2 times their
  // sum.
  reference::FlowMesh mesh;
  mesh.count = 2;
  mesh.neighbours = {1, 0, -1, -1, -1, -1, -1, -1};
  mesh.normals.assign(24, 0.0f);
  mesh.normals[0] = 1.0f;
  mesh.normals[1] = -1.0f;
  mesh.variables = {1.4f, 2.8f, 0, 0, 0, 0, 0, 0, 2.5f, 2.5f};
  const std::vector<float> flux = reference::cfd_flux(mesh, reference::far_field({1.4f, {0, 0, 0}, 2.5f}));
  const float viscosity = 0.1f * (1.0f + std::sqrt(0.5f));
  EXPECT_NEAR(flux[0], viscosity * 1.4f, 1e-6f);
  EXPECT_NEAR(flux[1], -viscosity * 1.4f, 1e-6f);
}

TEST(Reference, BoxesTouchThoseAroundThem) {
  const std::vector<reference::BoxSurroundings> around = reference::box_neighbours(3);
  ASSERT_EQ(around.size(), 27u);
  EXPECT_EQ(around[13].boxes, 27);
  EXPECT_EQ(around[0].boxes, 8);
  EXPECT_EQ(around[1].boxes, 12);
  EXPECT_EQ(around[4].boxes, 18);
  for (std::int32_t b = 0; b < 27; ++b) EXPECT_EQ(around[static_cast<std::size_t>(b)].box[0], b);
}

TEST(Reference, LavamdTwoParticlesRepelEachOther) {
  // A distance of 1 along x: the exponent is -2 alpha^2 / 2, and a particle's own part of the potential is
  // its charge.
  const std::vector<reference::BoxParticle> places{{0.5, 1, 0, 0}, {2.0, 2, 0, 0}};
  const std::vector<double> force = reference::lavamd(0.5, reference::box_neighbours(1), places, {3, 5}, 2);
  const double fall = std::exp(-0.25);
  EXPECT_DOUBLE_EQ(force[0], 3 + 5 * fall);
  EXPECT_DOUBLE_EQ(force[1], -2 * 5 * fall);
  EXPECT_DOUBLE_EQ(force[4], 3 * fall + 5);
  EXPECT_DOUBLE_EQ(force[5], 2 * 3 * fall);
  EXPECT_EQ(force[2], 0.0);
}

TEST(Reference, LbmCollisionsKeepMassAndMomentum) {
  reference::Lattice lattice = reference::resting_lattice(9, 9, 9);
  const std::size_t cell = 4 + lattice.row * (4 + 9 * 4);  // far from obstacles
  const auto at = [&](unsigned v, std::ptrdiff_t to) {
    return v * lattice.pitch() + lattice.margin + cell + static_cast<std::size_t>(to);
  };
  const std::vector<float> still = reference::lbm_step(lattice, lattice.density);
  for (unsigned v = 0; v < 19; ++v) EXPECT_NEAR(still[at(v, 0)], lattice.density[at(v, 0)], 1e-6f) << v;
  lattice.density[at(3, 0)] += 0.25f;  // along x
  const std::vector<float> next = reference::lbm_step(lattice, lattice.density);
  constexpr int kAlongX[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
  double mass = 0, momentum = 0;
  for (std::size_t i = 0; i < next.size(); ++i) {
    const double more = static_cast<double>(next[i]) - still[i];
    mass += more;
    const std::size_t direction = i / lattice.pitch();
    momentum += kAlongX[direction] * more;
  }
  EXPECT_NEAR(mass, 0.25, 1e-6);
  EXPECT_NEAR(momentum, 0.25, 1e-6);
  EXPECT_EQ(next[at(0, 1)], still[at(0, 1)]);  // nothing of rest comes to a neighbour
}

TEST(Reference, LbmObstaclesTurnBack) {
  reference::Lattice lattice = reference::resting_lattice(5, 5, 5);
  const std::size_t cell = lattice.row * (2 + 5 * 2);                   // x is 0: an obstacle
  lattice.density[4 * lattice.pitch() + lattice.margin + cell] = 7.0f;  // came from x = 1
  const std::vector<float> next = reference::lbm_step(lattice, lattice.density);
  EXPECT_EQ(next[3 * lattice.pitch() + lattice.margin + cell + 1], 7.0f);
}

TEST(Reference, FdtdByHand) {
  reference::FieldGrid g;
  g.rows = 2;
  g.columns = 2;
  g.ex = {0, 1, 2, 3, 4, 5};
  g.ey = {9, 9, 1, 2, 5, 6};
  g.hz = {1, 2, 4, 8};
  reference::fdtd_ey(g, 3.0f);
  EXPECT_EQ(g.ey, (std::vector<float>{3, 3, 1 - 1.5f, 2 - 3.0f, 5, 6}));
  reference::fdtd_ex(g);
  EXPECT_EQ(g.ex, (std::vector<float>{0, 0.5f, 2, 3, 2, 5}));
  reference::fdtd_hz(g);
  EXPECT_FLOAT_EQ(g.hz[0], 1 - 0.7f * (0.5f - 0 + -0.5f - 3));
  EXPECT_FLOAT_EQ(g.hz[3], 8 - 0.7f * (5 - 2 + 6 - -1.0f));
}

TEST(Reference, SadFindsTheShiftOfAFrame) {
  constexpr std::uint32_t kWidth = 64, kHeight = 64;
  Inputs inputs(3, 1);
  std::vector<std::uint8_t> reference(kWidth * kHeight), frame(reference.size());
  for (std::uint8_t& pixel : reference) pixel = static_cast<std::uint8_t>(inputs.below(256));
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x)
      frame[y * kWidth + x] = reference[(y + 5) % kHeight * kWidth + (x + kWidth - 3) % kWidth];
  }
  const reference::BlockSums sums = reference::block_sums(frame, reference, kWidth, kHeight);
  const std::size_t place = (16 + 5) * 33 + (16 - 3), inner = 5;  // macroblock (1, 1)
  EXPECT_EQ(sums.sixteens[inner * reference::BlockSums::kSums + place], 0);
  EXPECT_GT(sums.sixteens[inner * reference::BlockSums::kSums + place + 1], 0);
  // What blocks are made of adds up, whatever the shape.
  const auto sum_of = [](const std::vector<std::uint16_t>& v) {
    return std::accumulate(v.begin(), v.end(), 0ull);
  };
  for (const auto* shape : {&sums.eight_by_four, &sums.four_by_eight, &sums.eights, &sums.sixteen_by_eight,
                            &sums.eight_by_sixteen, &sums.sixteens}) {
    EXPECT_EQ(sum_of(*shape), sum_of(sums.fours));
  }
}

TEST(Reference, BucketsBeginAtTheirPivots) {
  const std::vector<float> pivots{1, 2, 3};
  EXPECT_EQ(reference::bucket_of(0.5f, pivots), 0u);
  EXPECT_EQ(reference::bucket_of(1.0f, pivots), 1u);
  EXPECT_EQ(reference::bucket_of(2.5f, pivots), 2u);
  EXPECT_EQ(reference::bucket_of(9.0f, pivots), 3u);
}

}  // namespace
}  // namespace warpvp::apps
