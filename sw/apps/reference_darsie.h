#pragma once
// CPU references of the kernels of the DARSIE study that no other study has. Those of whole numbers and of
// convolutions give the same bits as the kernels; the others compute in double precision: close, not the same
// bits.

#include <cstdint>
#include <vector>

namespace warpvp::apps::reference {

/// Forward rates, `delta` years apart, and swaptions on them.
struct SwaptionMarket {
  std::vector<float> volatility;        ///< by distance of a rate from now
  std::vector<std::uint32_t> maturity;  ///< of each option, counted in bonds
  std::vector<float> swap_rate;         ///< of each option
  float first_rate = 0.05f, delta = 0.25f;
  std::uint32_t rates = 80, steps = 40;
};
/// The value of all options together on each of `paths` paths; `normals` has `steps` times `paths` numbers,
/// or `steps`, then for all paths the same.
std::vector<float> swaption_paths(const SwaptionMarket& market, const std::vector<float>& normals,
                                  std::uint32_t paths);

/// Red, green and blue of each pixel after non-local means, from 0 to 255 and before they are cut to whole
/// numbers. `pixels` holds four bytes each, red lowest. Which pixels count as alike is found as the kernel
/// does it, bit for bit.
std::vector<float> nonlocal_means(const std::vector<std::uint32_t>& pixels, std::uint32_t width,
                                  std::uint32_t height, float sharpness, float keep);

/// Lengths of the shortest paths by Dijkstra's algorithm from each vertex; `edge` is size x size, kNoPath
/// where there is none.
constexpr std::int32_t kNoPath = 100'000'000;
std::vector<std::int32_t> shortest_paths(const std::vector<std::int32_t>& edge, std::uint32_t size);

/// A charge near a plane: where it is seen from above, the square of its distance from the plane.
struct PointCharge {
  float x, y, z_squared, charge;
};
/// The potential at rows x columns points of the plane, `spacing` apart.
std::vector<float> coulomb(const std::vector<PointCharge>& charges, std::uint32_t columns, std::uint32_t rows,
                           float spacing);

/// An image convolved along its rows, or its columns, with 17 taps, as if its edge went on beyond it.
std::vector<float> convolve_rows(const std::vector<float>& image, std::uint32_t width, std::uint32_t height,
                                 const std::vector<float>& taps);
std::vector<float> convolve_columns(const std::vector<float>& image, std::uint32_t width,
                                    std::uint32_t height, const std::vector<float>& taps);

}  // namespace warpvp::apps::reference
