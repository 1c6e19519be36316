#pragma once
// CPU references of the programs that are compared with a chip's counters (docs/results/silicon.md). Bit for
// bit unless marked: each computes in the order of its kernel, in double precision and with std::fma where
// that does.

#include <cstdint>
#include <utility>
#include <vector>

namespace warpvp::apps::reference {

/// [i][k]: cosine k of the 8-point transform at sample i, normalised so that the transform is orthogonal.
std::vector<float> dct_cosines();
/// The transform of each 8 x 8 block, in double precision: close to both kernels', not the same bits.
std::vector<float> dct8x8(const std::vector<float>& image, std::uint32_t width, std::uint32_t height);

/// Layers of `inputs` and `hidden` units, with unit 0 for the threshold: weights are (inputs + 1) x (hidden +
/// 1).
struct BackpropLayer {
  std::uint32_t inputs = 0, hidden = 16;
  std::vector<float> units;         ///< inputs + 1
  std::vector<float> delta;         ///< hidden + 1
  std::vector<float> weights, old;  ///< old: the corrections before
};
/// What kernel layer_forward leaves: partial sums (inputs / 16 x hidden) and, in layer.weights, its tree of
/// sums.
std::vector<float> layer_forward(BackpropLayer& layer);
void adjust_weights(BackpropLayer& layer);

/// What kernel srad computes of an image stored column by column.
struct SradStep {
  std::vector<float> north, south, east, west, coefficient;
};
SradStep srad(const std::vector<float>& image, std::uint32_t rows, std::uint32_t columns, float speckle);

struct TilePackage {
  float step, capacity, rx, ry, rz, ambient;
};
/// As kernel hotspot_tiles, whatever its tiles.
std::vector<float> hotspot_tiles(std::vector<float> temperature, const std::vector<float>& power,
                                 const TilePackage& package, std::uint32_t rows, std::uint32_t columns,
                                 std::uint32_t steps);

/// `count` numbers a dimension, dimension by dimension; `directions` holds 31 words a dimension.
std::vector<float> quasirandom(const std::vector<std::uint32_t>& directions, std::uint32_t seed,
                               std::uint32_t count);

/// Transforms each stretch of 2^log_size in place, in the order of kernel walsh.
void walsh(std::vector<float>& data, std::uint32_t log_size);

/// C = alpha A B^T + beta C, column by column: A is m x k, B n x k, C m x n.
void sgemm_tall(const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c,
                std::uint32_t m, std::uint32_t n, std::uint32_t k, float alpha, float beta);

struct MriSample {
  float x, y, z, magnitude;
};
/// Sum of a sample's wave over samples at each place; real and imaginary part. The angle is rounded as the
/// kernel's, sine and cosine are in double precision: close to the kernel's, not the same bits.
std::pair<std::vector<float>, std::vector<float>> mri_q(const std::vector<MriSample>& samples,
                                                        const std::vector<float>& x,
                                                        const std::vector<float>& y,
                                                        const std::vector<float>& z);

struct TreeOption {
  float spot, strike, move, up, down;
};
/// Preprocessed as kernel binomial_options takes it.
TreeOption tree_option(double spot, double strike, double years, double rate, double volatility);
/// In double precision: close to the kernel's, not the same bits.
std::vector<float> binomial_options(const std::vector<TreeOption>& options);

/// A node as the kernel reads it.
struct BtreeNode {
  static constexpr unsigned kOrder = 256;
  std::int32_t place = 0, index[kOrder + 1] = {}, key[kOrder + 1] = {}, leaf = 0, keys = 0;
};
/// Nodes of a tree over the keys 0 to count - 1, record i under key i, as inserting the keys one by one in
/// ascending order leaves it: at most `order` - 1 keys in a leaf and `order` children elsewhere, 3 <= order
/// <= kOrder; a node that overflows is halved. The root comes first, then level by level. Entry 0 of a node
/// leads to what is below its first key; unused keys are above every key. `height` gets the number of levels
/// above the leaves.
std::vector<BtreeNode> btree(std::uint32_t count, std::uint32_t order, std::uint32_t& height);

}  // namespace warpvp::apps::reference
