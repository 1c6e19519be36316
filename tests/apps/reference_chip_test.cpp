// The CPU references of the programs that are compared with a chip's counters, against closed forms.

#include "sw/apps/reference_chip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

TEST(Reference, DctOfAConstantIsItsMeanAndTheTransformKeepsLengths) {
  const std::vector<float> flat = reference::dct8x8(std::vector<float>(64, 3.0f), 8, 8);
  EXPECT_FLOAT_EQ(flat[0], 24.0f);  // 8 times the mean
  for (std::size_t i = 1; i < 64; ++i) EXPECT_NEAR(flat[i], 0, 1e-6) << i;
  const std::vector<float> image = Inputs(3, 1).reals(16 * 8, -1.0f, 1.0f);
  const std::vector<float> out = reference::dct8x8(image, 16, 8);
  const auto length = [](const std::vector<float>& v) {
    return std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
  };
  EXPECT_NEAR(length(out), length(image), 1e-5);
}

TEST(Reference, LayerForwardSumsWeightsTimesUnits) {
  reference::BackpropLayer layer;
  layer.inputs = 32;
  layer.units.resize(33);
  std::iota(layer.units.begin(), layer.units.end(), 0.0f);
  layer.weights.assign(33 * 17, 0.5f);
  const std::vector<float> sums = reference::layer_forward(layer);
  ASSERT_EQ(sums.size(), 32u);
  for (unsigned x = 0; x < 16; ++x) {
    EXPECT_EQ(sums[x], 0.5f * (16 * 17 / 2));  // units 1 to 16
    EXPECT_EQ(sums[16 + x], 0.5f * (32 * 33 / 2 - 16 * 17 / 2));
  }
  EXPECT_EQ(layer.weights[0], 0.5f);           // the threshold's weights stay
  EXPECT_EQ(layer.weights[2 * 17 + 1], 1.0f);  // the second unit's product, in no sum's place
  EXPECT_EQ(layer.weights[3 * 17 + 1], 0.5f * (3 + 4));
}

TEST(Reference, AdjustWeightsMovesByRateAndMomentum) {
  reference::BackpropLayer layer;
  layer.inputs = 1;
  layer.hidden = 1;
  layer.units = {9.0f, 2.0f};
  layer.delta = {7.0f, 0.5f};
  layer.weights = {1, 2, 3, 4};
  layer.old = {0, 1, 0, 10};
  reference::adjust_weights(layer);
  EXPECT_EQ(layer.weights[0], 1.0f);                    // column 0 is nobody's
  EXPECT_FLOAT_EQ(layer.weights[1], 2 + 0.15f + 0.3f);  // the threshold's unit counts as 1
  EXPECT_FLOAT_EQ(layer.weights[3], 4 + 0.3f + 3.0f);   // 0.3 * 0.5 * 2 + 0.3 * 10
  EXPECT_FLOAT_EQ(layer.old[3], 3.3f);
}

TEST(Reference, SradOfAFlatImageDiffusesFully) {
  const reference::SradStep flat = reference::srad(std::vector<float>(12, 2.0f), 3, 4, 0.05f);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(flat.north[i], 0.0f);
    EXPECT_EQ(flat.coefficient[i], 1.0f);  // beyond 1 it is cut
  }
}

TEST(Reference, SradTakesNeighboursOfAnImageStoredByColumns) {
  // Rows 2, columns 2: pixels (0,0) (1,0) (0,1) (1,1).
  const reference::SradStep step = reference::srad({1, 2, 4, 8}, 2, 2, 1.0f);
  EXPECT_EQ(step.south, (std::vector<float>{1, 0, 4, 0}));
  EXPECT_EQ(step.east, (std::vector<float>{3, 6, 0, 0}));
  EXPECT_EQ(step.north, (std::vector<float>{0, -1, 0, -4}));
  EXPECT_EQ(step.west, (std::vector<float>{0, 0, -3, -6}));
  // (0,0) by hand: G = (1 + 9) / 1, L = 4; (5 - 1) / (1 + 1)^2 = 1; (1 - 1) / 2 = 0; 1 / (1 + 0)
  EXPECT_FLOAT_EQ(step.coefficient[0], 1.0f);
}

TEST(Reference, HotspotInDoublePrecisionIsCloseToHotspot) {
  const reference::Package p = reference::chip_package(6, 5);
  const std::vector<float> t = Inputs(1, 1).reals(30, 320, 340), power = Inputs(1, 2).reals(30, 0, 0.02f);
  const std::vector<float> a = reference::hotspot(t, power, p, 6, 5, 4);
  const std::vector<float> b =
      reference::hotspot_tiles(t, power, {p.step, p.capacity, p.rx, p.ry, p.rz, p.ambient}, 6, 5, 4);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-4) << i;
}

TEST(Reference, QuasirandomIsVanDerCorputOfItsDirections) {
  // Directions 2^30, 2^29, ...: the bits of i in reverse.
  std::vector<std::uint32_t> directions;
  for (unsigned bit = 0; bit < 31; ++bit) directions.push_back(1u << (30 - bit));
  const std::vector<float> out = reference::quasirandom(directions, 0, 5);
  const float expected[] = {0, 0.5f, 0.25f, 0.75f, 0.125f};
  for (unsigned i = 0; i < 5; ++i) EXPECT_NEAR(out[i], expected[i], 1e-6);
}

TEST(Reference, WalshOfAUnitVectorIsARowOfSigns) {
  for (unsigned log_size : {2u, 3u}) {
    std::vector<float> v(std::size_t{2} << log_size, 0.0f);
    const std::size_t size = v.size() / 2;
    v[0] = 1;         // the first vector
    v[size + 3] = 1;  // the second one
    reference::walsh(v, log_size);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(v[i], 1.0f);
      EXPECT_EQ(v[size + i], (__builtin_popcount(i & 3) & 1) != 0 ? -1.0f : 1.0f) << i;
    }
  }
}

TEST(Reference, SgemmTallByHand) {
  // A is 2 x 2 = [1 2; 3 4] stored by columns, B^T = [5 6; 7 8] by B's columns (5 6), (7 8).
  std::vector<float> c{1, 1, 1, 1};
  reference::sgemm_tall({1, 3, 2, 4}, {5, 6, 7, 8}, c, 2, 2, 2, 2.0f, 10.0f);
  EXPECT_EQ(
      c, (std::vector<float>{2 * (5 + 14) + 10, 2 * (15 + 28) + 10, 2 * (6 + 16) + 10, 2 * (18 + 32) + 10}));
}

TEST(Reference, MriQOfOneWave) {
  // A wave along x of period 4 with magnitude 3, a quarter of a period on.
  const auto [real, imaginary] = reference::mri_q({{0.25f, 0, 0, 3}}, {0, 1, 2}, {0, 0, 0}, {0, 0, 0});
  const float re[] = {3, 0, -3}, im[] = {0, 3, 0};
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_NEAR(real[i], re[i], 1e-5);
    EXPECT_NEAR(imaginary[i], im[i], 1e-5);
  }
}

TEST(Reference, BinomialOptionsApproachBlackScholes) {
  const reference::Option o{20, 21, 2, 0};
  EXPECT_NEAR(reference::binomial_options({reference::tree_option(20, 21, 2, 0.06, 0.1)})[0],
              reference::black_scholes_call(o, 0.06, 0.1), 2e-3);
}

TEST(Reference, BtreeLeadsEveryKeyToItsRecord) {
  for (unsigned order : {3u, 4u, 7u, 256u}) {
    std::uint32_t height = 0;
    const std::uint32_t count = 300;
    const std::vector<reference::BtreeNode> nodes = reference::btree(count, order, height);
    for (std::int32_t key = 0; key < static_cast<std::int32_t>(count); ++key) {
      std::int32_t at = 0;
      for (std::uint32_t level = 0; level < height; ++level) {
        const reference::BtreeNode& node = nodes[static_cast<std::size_t>(at)];
        EXPECT_FALSE(node.leaf);
        unsigned t = 0;
        while (!(node.key[t] <= key && node.key[t + 1] > key)) ASSERT_LT(++t, order);
        at = node.index[t];
        ASSERT_LT(at, static_cast<std::int32_t>(nodes.size()));
      }
      const reference::BtreeNode& leaf = nodes[static_cast<std::size_t>(at)];
      EXPECT_TRUE(leaf.leaf);
      EXPECT_EQ(leaf.place, at);
      unsigned t = 0;
      while (leaf.key[t] != key) ASSERT_LT(++t, order);
      EXPECT_EQ(leaf.index[t], key);
    }
  }
}

TEST(Reference, BtreeIsThatOfInsertionOneByOne) {
  // Keys by node as a B+ tree of that order gets them from a loop of insertions: a full leaf is halved, and
  // so is a full node above, which keeps the smaller half of its children where they are odd.
  const auto keys = [](std::uint32_t count, std::uint32_t order) {
    std::uint32_t height = 0;
    std::vector<std::vector<std::int32_t>> out;
    for (const reference::BtreeNode& n : reference::btree(count, order, height))
      out.emplace_back(n.key + 1, n.key + n.keys - 1);
    return out;
  };
  using Keys = std::vector<std::vector<std::int32_t>>;
  EXPECT_EQ(keys(3, 4), (Keys{{0, 1, 2}}));
  EXPECT_EQ(keys(4, 4), (Keys{{2}, {0, 1}, {2, 3}}));
  EXPECT_EQ(keys(9, 4), (Keys{{2, 4, 6}, {0, 1}, {2, 3}, {4, 5}, {6, 7, 8}}));
  EXPECT_EQ(keys(10, 4), (Keys{{4}, {2}, {6, 8}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}}));
  EXPECT_EQ(keys(4, 3), (Keys{{1, 2}, {0}, {1}, {2, 3}}));
  EXPECT_EQ(keys(5, 3), (Keys{{2}, {1}, {3}, {0}, {1}, {2}, {3, 4}}));

  // The tree of the suite's file of a million keys; a log of the original names the number of its nodes.
  std::uint32_t height = 0;
  EXPECT_EQ(reference::btree(1000000, 256, height).size(), 7874u);
  EXPECT_EQ(height, 2u);
}

}  // namespace
}  // namespace warpvp::apps
