#pragma once
// CPU references of the shipped kernels. Floating-point ones compute in the order of the kernel, with
// std::fma where the kernel says fmaf, so that the results are the same bits; those that cannot be are
// marked.

#include <cstdint>
#include <vector>

namespace warpvp::apps::reference {

std::vector<float> pure_compute(const std::vector<float>& in, std::uint32_t iterations);

/// Costs of the cheapest paths from the top row to each column of the last row; `wall` is rows x columns.
std::vector<std::int32_t> pathfinder(const std::vector<std::int32_t>& wall, std::uint32_t rows,
                                     std::uint32_t columns);

/// 3x3 convolution; the border is zero.
std::vector<float> conv2d(const std::vector<float>& in, std::uint32_t rows, std::uint32_t columns);

/// Row-major m x k by k x n.
std::vector<float> matmul(const std::vector<float>& a, const std::vector<float>& b, std::uint32_t m,
                          std::uint32_t n, std::uint32_t k);

/// 256 bins of the bytes of `words`.
std::vector<std::uint32_t> histogram(const std::vector<std::uint32_t>& words);

/// y = A^T (A x), A row-major.
std::vector<float> atax(const std::vector<float>& a, const std::vector<float>& x, std::uint32_t rows,
                        std::uint32_t columns);

/// The partial sums of kernel reduce_sum, one a CTA, in its order of additions.
std::vector<float> reduce_sum(const std::vector<float>& in, std::uint32_t ctas, std::uint32_t block);

std::vector<std::uint32_t> inclusive_scan(const std::vector<std::uint32_t>& in);

/// `steps` Jacobi steps of kernel stencil5.
std::vector<double> stencil5(std::vector<double> grid, std::uint32_t rows, std::uint32_t columns,
                             std::uint32_t steps);

/// A sparse matrix in compressed rows.
struct SparseRows {
  std::vector<std::uint32_t> row_start, column;
  std::vector<float> value;
  std::uint32_t rows() const { return static_cast<std::uint32_t>(row_start.size() - 1); }
};
/// A thread per row.
std::vector<float> spmv_rows(const SparseRows& a, const std::vector<float>& x);
/// A warp per row: 32 interleaved partial sums, added as a butterfly does.
std::vector<float> spmv_warps(const SparseRows& a, const std::vector<float>& x);

/// Level of each vertex from vertex 0, -1 where it cannot be reached.
std::vector<std::int32_t> bfs_levels(const std::vector<std::uint32_t>& first,
                                     const std::vector<std::uint32_t>& neighbour);

/// Hits of kernel monte_carlo with `threads` threads.
std::uint64_t monte_carlo(std::uint32_t seed, std::uint32_t threads, std::uint32_t throws);

/// Kernel divergence: value of each thread.
std::vector<std::uint32_t> divergence(std::uint32_t threads, std::uint32_t block, std::uint32_t ways,
                                      std::uint32_t rounds);
/// Length of the Collatz sequence of 1, 2, ..., n, cut at `limit`.
std::vector<std::uint32_t> collatz(std::uint32_t n, std::uint32_t limit);

/// Horizontal box blur of radius 2, edges repeated.
std::vector<float> blur_rows(const std::vector<float>& in, std::uint32_t rows, std::uint32_t columns);

/// DXT1 blocks (two words each) of an image of `width` x `height` pixels 0x00BBGGRR, both multiples of 4.
std::vector<std::uint32_t> dxtc(const std::vector<std::uint32_t>& image, std::uint32_t width,
                                std::uint32_t height);
/// The image that DXT1 blocks stand for, as the format says (four-colour blocks).
std::vector<std::uint32_t> dxt1_decode(const std::vector<std::uint32_t>& blocks, std::uint32_t width,
                                       std::uint32_t height);

struct Option {
  float spot, strike, years, unused;
};
/// Value of a European call by a binomial tree, in double precision: close to the kernel's, not the same
/// bits.
std::vector<float> binomial(const std::vector<Option>& options, std::uint32_t steps, float rate,
                            float volatility);
/// The Black-Scholes value, which the tree approaches as steps grow.
double black_scholes_call(const Option& option, double rate, double volatility);
/// Call and put of each option in turn, in double precision: close to the kernel's, not the same bits.
std::vector<float> black_scholes(const std::vector<Option>& options, double rate, double volatility);

/// What kernel hotspot knows of the chip: heat capacity of a cell, thermal resistances along the rows, along
/// the columns and to the surroundings, length of a step, temperature of the surroundings.
struct Package {
  float capacity, rx, ry, rz, step, ambient;
};
/// A chip of 16 mm x 16 mm x 0.5 mm of silicon cut into rows x columns cells.
Package chip_package(std::uint32_t rows, std::uint32_t columns);
std::vector<float> hotspot(std::vector<float> temperature, const std::vector<float>& power,
                           const Package& package, std::uint32_t rows, std::uint32_t columns,
                           std::uint32_t steps);

/// Weights of kernel hotspot3d. centre and two of each of the next three add up to 1 with the surroundings.
struct Stencil3d {
  float centre, west_east, north_south, below_above, step_per_capacity, ambient;
};
Stencil3d stack_stencil(std::uint32_t nx, std::uint32_t ny, std::uint32_t nz);
std::vector<float> hotspot3d(std::vector<float> temperature, const std::vector<float>& power,
                             const Stencil3d& weights, std::uint32_t nx, std::uint32_t ny, std::uint32_t nz,
                             std::uint32_t steps);

/// Points of kernel kmeans, feature by feature: coordinate f of point i is coordinate[f * count + i].
struct PointSet {
  std::uint32_t count = 0, features = 0;
  std::vector<float> coordinate;
};
/// Centres lie point by point: coordinate f of centre c is [c * features + f].
std::vector<float> first_points(const PointSet& set, std::uint32_t clusters);
/// The nearest centre of every point, the first of equally near ones.
std::vector<std::uint32_t> nearest_centres(const PointSet& set, const std::vector<float>& centres);
/// Moves every centre to the mean of its points; one without points stays.
void move_centres(const PointSet& set, const std::vector<std::uint32_t>& member, std::vector<float>& centres);

}  // namespace warpvp::apps::reference
