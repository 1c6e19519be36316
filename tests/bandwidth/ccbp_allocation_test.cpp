// Algorithm 1 of CCBP: its table 3 iteration by iteration, its end, and what holds for any kernels.

#include "modules/bandwidth/ccbp_allocation.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace warpvp {
namespace {

/// An SM with ten units of one static resource (threads), of which a CTA takes one.
SmResources ten_units() {
  SmResources sm;
  sm.ctas = sm.warps = sm.threads = 10;
  sm.registers = 1000000;
  sm.shared_bytes = 1000000;
  return sm;
}

CcbpKernel kernel(BandwidthType type, double network, double dram, unsigned most = 10) {
  CcbpKernel k;
  k.type = type;
  k.needs.threads = k.needs.warps = 1;
  k.needs.most_ctas = most;
  for (unsigned n = 0; n <= most; ++n) {
    k.network.push_back(network * n);
    k.dram.push_back(dram * n);
  }
  return k;
}

/// K1 takes half a unit of each bandwidth a CTA, K2 two of the network and four of DRAM, K3 three and one.
std::vector<CcbpKernel> table_3() {
  return {kernel(BandwidthType::kLatencySensitive, 0.5, 0.5), kernel(BandwidthType::kDramIntensive, 2, 4),
          kernel(BandwidthType::kNetworkIntensive, 3, 1)};
}

CcbpOptions ten() {
  CcbpOptions options;
  options.units = 10;
  return options;
}

TEST(CcbpTable3, EachIterationUpToTheTwelfth) {
  struct Row {
    unsigned iteration, chosen;
    std::tuple<unsigned, double, double> k1, k2, k3;  // CTAs, network, DRAM
  };
  // Columns of the table; K3's DRAM quotas are thirds (0.33, 0.66, 1.33 there).
  const Row rows[] = {
      {1, 0, {1, 0.5, 0.5}, {0, 0, 0}, {0, 0, 0}},
      {2, 1, {1, 0.5, 0.5}, {1, 0.5, 1}, {0, 0, 0}},
      {3, 2, {1, 0.5, 0.5}, {1, 0.5, 1}, {1, 1, 1 / 3.0}},
      {6, 2, {2, 1, 1}, {1, 1, 2}, {1, 2, 2 / 3.0}},
      {11, 1, {4, 2, 2}, {1, 2, 4}, {1, 3, 1}},
      {12, 2, {4, 2, 2}, {1, 2, 4}, {2, 4, 4 / 3.0}},
  };
  unsigned iteration = 0, seen = 0;
  ccbp_allocate(table_3(), ten_units(), ten(), [&](const CcbpStep& step) {
    ++iteration;
    for (const Row& row : rows) {
      if (row.iteration != iteration) continue;
      ++seen;
      EXPECT_TRUE(step.granted);
      EXPECT_EQ(step.kernel, row.chosen) << "iteration " << iteration;
      const std::tuple<unsigned, double, double> columns[] = {row.k1, row.k2, row.k3};
      for (unsigned k = 0; k < 3; ++k) {
        EXPECT_EQ(step.shares[k].ctas, std::get<0>(columns[k])) << "iteration " << iteration << " K" << k + 1;
        EXPECT_NEAR(step.shares[k].network, std::get<1>(columns[k]), 1e-12) << iteration << " K" << k + 1;
        EXPECT_NEAR(step.shares[k].dram, std::get<2>(columns[k]), 1e-12) << iteration << " K" << k + 1;
      }
    }
  });
  EXPECT_EQ(seen, std::size(rows));
}

// The table's last column has six CTAs of K1, which would take 3.0 units of the network, 10.5 of 10 in all:
// the algorithm as printed ends before.
TEST(CcbpTable3, TheAlgorithmEndsWhenNothingMoreCanBeGranted) {
  unsigned iterations = 0, refused = 0;
  const auto shares = ccbp_allocate(table_3(), ten_units(), ten(), [&](const CcbpStep& step) {
    ++iterations;
    refused += !step.granted;
  });
  EXPECT_EQ(iterations, 18u) << "fifteen granted";
  EXPECT_EQ(refused, 3u) << "each kernel once";
  EXPECT_EQ(shares[0].ctas, 5u);
  EXPECT_EQ(shares[1].ctas, 2u);
  EXPECT_EQ(shares[2].ctas, 2u);
  EXPECT_NEAR(shares[0].network, 2.5, 1e-12);
  EXPECT_NEAR(shares[1].network, 2.5, 1e-12);
  EXPECT_NEAR(shares[2].network, 5, 1e-12);
  EXPECT_NEAR(shares[0].dram, 2.5, 1e-12);
  EXPECT_NEAR(shares[1].dram, 5, 1e-12);
  EXPECT_NEAR(shares[2].dram, 5 / 3.0, 1e-12);
  for (const CcbpShare& share : shares) EXPECT_NEAR(share.dominant, 0.5, 1e-12) << "all fairly the same";
}

// Section 5.5: half the priority value lets latency-sensitive kernels have twice the share.
TEST(CcbpAllocation, PriorLskGivesLatencySensitiveKernelsMore) {
  CcbpOptions options = ten();
  unsigned before = 0;
  for (const double prior : {1.0, 0.5, 0.25}) {
    options.prior_lsk = prior;
    const auto shares = ccbp_allocate(table_3(), ten_units(), options);
    EXPECT_GT(shares[0].ctas, before) << prior;
    before = shares[0].ctas;
  }
}

TEST(CcbpAllocation, WithoutBandwidthItIsDominantResourceFairness) {
  // Ghodsi's example (NSDI 2011, section 4.1): 9 CPUs and 18 GB, tasks of <1, 4> and <3, 1>: three and two.
  SmResources sm;
  sm.ctas = sm.warps = 100;
  sm.threads = 9;
  sm.registers = 18;
  CcbpKernel a = kernel(BandwidthType::kLatencySensitive, 0, 0, 9), b = a;
  a.needs.warps = b.needs.warps = 1;
  a.needs.threads = 1, a.needs.registers = 4;
  b.needs.threads = 3, b.needs.registers = 1;
  const auto shares = ccbp_allocate({a, b}, sm, ten());
  EXPECT_EQ(shares[0].ctas, 3u);
  EXPECT_EQ(shares[1].ctas, 2u);
}

TEST(CcbpAllocation, AKernelWithoutRoomForOneCtaGetsNone) {
  auto kernels = table_3();
  kernels[1].needs.registers = 2000000;
  const auto shares = ccbp_allocate(kernels, ten_units(), ten());
  EXPECT_EQ(shares[1].ctas, 0u);
  EXPECT_EQ(shares[1].dram, 0);
  EXPECT_GT(shares[0].ctas, 0u);
}

TEST(CcbpAllocation, NothingIsGivenTwiceAndNothingIsLeftThatFits) {
  std::mt19937_64 random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (unsigned round = 0; round < 2000; ++round) {
    SmResources sm;
    CcbpOptions options;
    options.units = 1 + below(40);
    options.prior_lsk = 0.1 * (1 + below(10));
    std::vector<CcbpKernel> kernels;
    for (unsigned k = 2 + below(3); k-- > 0;) {
      CcbpKernel made;
      made.type = static_cast<BandwidthType>(below(3));
      made.needs = cta_needs(sm, 32 * (1 + below(16)), 8 + below(56), below(20000), 1);
      const double network = 0.01 * below(300), dram = 0.01 * (1 + below(300));
      for (unsigned n = 0; n <= made.needs.most_ctas; ++n) {
        made.network.push_back(network * n);
        made.dram.push_back(dram * n);
      }
      kernels.push_back(std::move(made));
    }
    const auto shares = ccbp_allocate(kernels, sm, options);
    double network = 0, dram = 0;
    std::uint64_t threads = 0, registers = 0, shared = 0, ctas = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      network += shares[k].network;
      dram += shares[k].dram;
      ctas += shares[k].ctas;
      threads += std::uint64_t{shares[k].ctas} * kernels[k].needs.threads;
      registers += std::uint64_t{shares[k].ctas} * kernels[k].needs.registers;
      shared += std::uint64_t{shares[k].ctas} * kernels[k].needs.shared_bytes;
    }
    ASSERT_LE(network, options.units + 1e-6) << "round " << round;
    ASSERT_LE(dram, options.units + 1e-6);
    ASSERT_LE(ctas, sm.ctas);
    ASSERT_LE(threads, sm.threads);
    ASSERT_LE(registers, sm.registers);
    ASSERT_LE(shared, sm.shared_bytes);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (kernels[k].type != BandwidthType::kLatencySensitive || shares[k].ctas == kernels[k].needs.most_ctas)
        continue;
      const unsigned next = shares[k].ctas + 1;
      const bool fits = ctas + 1 <= sm.ctas && threads + kernels[k].needs.threads <= sm.threads &&
                        registers + kernels[k].needs.registers <= sm.registers &&
                        shared + kernels[k].needs.shared_bytes <= sm.shared_bytes &&
                        network - shares[k].network + kernels[k].network[next] <= options.units &&
                        dram - shares[k].dram + kernels[k].dram[next] <= options.units;
      ASSERT_FALSE(fits) << "round " << round << ": kernel " << k << " could have had one CTA more";
    }
  }
}

}  // namespace
}  // namespace warpvp
