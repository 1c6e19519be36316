#pragma once
// CPU references of the benchmarks of the CCBP paper (table 2) that no other study shares. Each computes in
// the order of its kernel, with std::fma where that says fmaf, so that the results are the same bits; one
// that is not is marked.

#include <cstdint>
#include <vector>

namespace warpvp::apps::reference {

struct FlowVector {
  float x, y, z;
};
struct FlowState {
  float density;
  FlowVector momentum;
  float energy;
};
/// Air far away, as the kernel takes it: the state and its fluxes along x, y and z.
struct FarField {
  FlowState state;
  FlowVector momentum[3], energy;
};
FarField far_field(const FlowState& state);
/// Elements with four faces each. Face f of element i is [f * count + i]; variables lie in the order of
/// FlowState.
struct FlowMesh {
  std::uint32_t count = 0;
  std::vector<std::int32_t> neighbours;  ///< or -1: a wing; -2: the far field
  std::vector<float> normals;            ///< 3 * 4 * count: all x first
  std::vector<float> variables;          ///< 5 * count
};
std::vector<float> cfd_flux(const FlowMesh& mesh, const FarField& far);

/// Of a place: half the square of its distance from the origin, and coordinates; of a force: potential and
/// force.
struct BoxParticle {
  double half_square, x, y, z;
};
struct BoxSurroundings {
  std::int32_t boxes = 0, box[27] = {};
};
/// The boxes of a cube of side^3, each with those that touch it, the box itself first.
std::vector<BoxSurroundings> box_neighbours(std::uint32_t side);
/// Potential and force of each particle as four numbers. Exponential of the C library: close to the kernel's,
/// not the same bits.
std::vector<double> lavamd(double alpha, const std::vector<BoxSurroundings>& around,
                           const std::vector<BoxParticle>& places, const std::vector<double>& charges,
                           std::uint32_t particles);

/// A lattice of 19 densities a cell, velocity by velocity with `margin` more on each side; cell (x, y, z) of
/// velocity v is [v * pitch() + margin + x + row * (y + ny * z)].
struct Lattice {
  static constexpr unsigned kVelocities = 19;
  static constexpr std::uint32_t kObstacle = 1, kDriven = 2;
  std::uint32_t nx = 0, ny = 0, nz = 0, row = 0, margin = 0;
  std::vector<float> density;
  std::vector<std::uint32_t> flags;  ///< a cell each
  std::uint32_t cells() const { return row * ny * nz; }
  std::uint32_t pitch() const { return cells() + 2 * margin; }
};
/// At rest in a box of obstacles, driven along the one but lowest layer; rows padded to whole lines of the
/// memory.
Lattice resting_lattice(std::uint32_t nx, std::uint32_t ny, std::uint32_t nz);
/// Densities after one step; what no cell streams to keeps what `to` has.
std::vector<float> lbm_step(const Lattice& from, std::vector<float> to);

/// A field of rows x columns cells: ex is rows x (columns + 1), ey (rows + 1) x columns.
struct FieldGrid {
  std::uint32_t rows = 0, columns = 0;
  std::vector<float> ex, ey, hz;
};
void fdtd_ey(FieldGrid& grid, float source);
void fdtd_ex(FieldGrid& grid);
void fdtd_hz(FieldGrid& grid);

/// Sums of absolute differences by block and displacement, kSums a block of which kPlaces count and the rest
/// are zero. Blocks lie macroblock by macroblock, those of 4 x 4 and 8 x 8 quarter by quarter.
struct BlockSums {
  static constexpr int kRange = 16, kSide = 2 * kRange + 1, kPlaces = kSide * kSide;
  static constexpr std::size_t kSums = 1096;
  std::vector<std::uint16_t> fours, eight_by_four, four_by_eight, eights, sixteen_by_eight, eight_by_sixteen,
      sixteens;
};
/// Both frames are width x height bytes, whole macroblocks of 16 x 16.
BlockSums block_sums(const std::vector<std::uint8_t>& frame, const std::vector<std::uint8_t>& reference,
                     std::uint32_t width, std::uint32_t height);

/// Bucket of a number among pivots in ascending order, of which there is one less than buckets: the pivots
/// that are not greater than it, counted.
std::uint32_t bucket_of(float number, const std::vector<float>& pivots);

}  // namespace warpvp::apps::reference
