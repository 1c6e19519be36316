// The bandwidth policies' arithmetic (sw/firmware/bandwidth): CCBP's equations and Algorithm 1 in fixed
// point, against numbers by hand, the paper's table 3, and the same in C++ with floating point.

#include "modules/bandwidth/bandwidth_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include "bandwidth/allocation.h"
#include "bandwidth/detection.h"
#include "bandwidth/model.h"
#include "modules/bandwidth/ccbp_allocation.h"

namespace warpvp::test {
namespace {

bw_q16 q16(double value) { return static_cast<bw_q16>(std::lround(value * BW_ONE)); }
double value(bw_q16 q) { return q / 65536.0; }
double units(bw_q32 q) { return static_cast<double>(q) / 4294967296.0; }

// ---- Equations 1 to 7, for the machine of the paper's table 1, as in
// tests/bandwidth/bandwidth_model_test.cpp

constexpr bw_facts kPaper = {1'800'000, 200, 128, 32, 368'640'000'000, 223'300'000'000};

bw_device paper_machine(std::uint32_t units = 20) {
  bw_device device;
  bw_device_of(&device, &kPaper, 16, units);
  return device;
}
bw_factors factors(double rf, double df) { return {q16(rf), q16(df)}; }

TEST(FirmwareBandwidth, FactorsAreRatiosOfTheMonitors) {
  const bw_counts counts = {200, 150, 160, 80, 0, 0};
  const bw_factors f = bw_factors_of(&counts);
  EXPECT_EQ(f.rf, q16(0.75));  // equation 2
  EXPECT_EQ(f.df, q16(0.5));   // equation 4
  const bw_counts nothing = {};
  EXPECT_EQ(bw_factors_of(&nothing).rf, 0u);
  EXPECT_EQ(bw_factors_of(&nothing).df, 0u);
  const bw_counts many = {4'000'000'000u, 3'000'000'000u, 4'000'000'000u, 4'000'000'000u, 0, 0};
  EXPECT_EQ(bw_factors_of(&many).rf, q16(0.75)) << "no overflow";
}

TEST(FirmwareBandwidth, UseGrowsWithTheRateOfRequests) {
  const bw_device device = paper_machine();
  // Equation 1: 0.75 * 10 * 16 * 160 = 19,200 of 40,960 bytes; of 20 units 9.375.
  EXPECT_NEAR(units(bw_network_use(&device, factors(0.75, 0.5), q16(10))), 9.375, 1e-4);
  // Equation 3: 0.5 * 10 * 128 * 16 = 10,240 of 24,811.1 bytes.
  EXPECT_NEAR(units(bw_dram_use(&device, factors(0.75, 0.5), q16(10))), 20 * 10'240 / 24'811.111, 1e-4);
}

TEST(FirmwareBandwidth, EvenRateIsTheGreatestThatBothBandwidthsAllow) {
  const bw_device device = paper_machine();
  EXPECT_NEAR(value(bw_even_rate(&device, factors(1, 0), 2)), 8, 1e-3);
  EXPECT_NEAR(value(bw_even_rate(&device, factors(1, 1), 2)), 6.0576, 1e-3);
  EXPECT_NEAR(value(bw_even_rate(&device, factors(0, 1.99), 2)), 6.0576 / 1.99, 1e-3);
  EXPECT_NEAR(value(bw_even_rate(&device, factors(1, 0), 4)), 4, 1e-3);
  EXPECT_EQ(bw_even_rate(&device, factors(0, 0), 2), BW_UNLIMITED) << "stores that hit the L2 use neither";
  EXPECT_EQ(bw_even_quota(&device, factors(1, 0), 2), 8u) << "8 but for its rounding";
  EXPECT_EQ(bw_even_quota(&device, factors(1, 0), 128), 1u) << "never none at all";
  EXPECT_EQ(bw_even_quota(&device, factors(0, 0), 2), BW_NO_QUOTA);
}

TEST(FirmwareBandwidth, TheScarcerBandwidthNamesTheType) {
  const bw_device device = paper_machine();
  const double limit = 0.7 * 319e9 / (0.6 * 614.4e9) * 160 / 128;  // inequality 7
  EXPECT_EQ(bw_type_of(&device, factors(1, limit - 0.001), q16(100), 2), BW_NETWORK_INTENSIVE);
  EXPECT_EQ(bw_type_of(&device, factors(1, limit + 0.001), q16(100), 2), BW_DRAM_INTENSIVE);
  EXPECT_EQ(bw_type_of(&device, factors(0, 1), q16(100), 2), BW_DRAM_INTENSIVE);
  EXPECT_EQ(bw_type_of(&device, factors(1, 0.2), q16(8.01), 2), BW_NETWORK_INTENSIVE);
  EXPECT_EQ(bw_type_of(&device, factors(1, 0.2), q16(7.99), 2), BW_LATENCY_SENSITIVE);
  EXPECT_EQ(bw_type_of(&device, factors(0, 0), BW_UNLIMITED - 1, 2), BW_LATENCY_SENSITIVE);
}

TEST(FirmwareBandwidth, WhatIsNeverShortNamesNoType) {
  bw_facts facts = kPaper;
  facts.network_rate = facts.dram_rate = 0;
  bw_device device;
  bw_device_of(&device, &facts, 16, 20);
  EXPECT_EQ(bw_even_rate(&device, factors(1, 1), 2), BW_UNLIMITED);
  EXPECT_EQ(bw_type_of(&device, factors(1, 1), BW_UNLIMITED - 1, 2), BW_LATENCY_SENSITIVE);
}

// Rates and uses are within 1e-4 of those of the C++ model, and types the same where demand is not that near.
TEST(FirmwareBandwidth, AgreesWithTheModelInFloatingPoint) {
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (unsigned round = 0; round < 20'000; ++round) {
    const auto sms = static_cast<std::uint32_t>(1 + below(128)),
               units_all = static_cast<std::uint32_t>(1 + below(100));
    const bw_facts facts = {static_cast<std::uint32_t>(500'000 + below(2'000'000)),
                            static_cast<std::uint32_t>(100 + below(400)),
                            128,
                            32,
                            (50 + below(2000)) * 1'000'000'000,
                            (50 + below(2000)) * 1'000'000'000};
    bw_device device;
    bw_device_of(&device, &facts, sms, units_all);
    if (device.network_cost == UINT32_MAX || device.dram_cost == UINT32_MAX)
      continue;  // a request fills it 12 times
    const double seconds = facts.credit_cycles / (facts.sm_clock_khz * 1e3);
    BandwidthModel::Device exact;
    exact.sms = sms;
    exact.network_per_interval = static_cast<double>(facts.network_rate) * seconds;
    exact.dram_per_interval = static_cast<double>(facts.dram_rate) * seconds;
    const BandwidthModel model(exact);
    const bw_factors f = {static_cast<bw_q16>(1 + below(BW_ONE)), static_cast<bw_q16>(1 + below(2 * BW_ONE))};
    const RequestFactors g{value(f.rf), value(f.df)};
    const auto rate = static_cast<bw_q16>(below(60 * BW_ONE));
    const auto kernels = static_cast<unsigned>(2 + below(7));
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-4 * (1 + std::abs(b)); };
    ASSERT_TRUE(
        near(units(bw_network_use(&device, f, rate)), model.network_share(g, value(rate)) * units_all))
        << round;
    ASSERT_TRUE(near(units(bw_dram_use(&device, f, rate)), model.dram_share(g, value(rate)) * units_all))
        << round;
    const double even = model.even_rate(g, kernels);
    if (even > 60'000) continue;  // beyond 16.16
    ASSERT_TRUE(near(value(bw_even_rate(&device, f, kernels)), even)) << round;
    const bool close = std::abs(value(rate) - even) < 1e-3 * (1 + even) ||
                       std::abs(model.network_share(g, 1) / model.dram_share(g, 1) - 1) < 1e-3;
    if (close) continue;
    ASSERT_EQ(static_cast<int>(bw_type_of(&device, f, rate, kernels)),
              static_cast<int>(model.type_of(g, value(rate), kernels)))
        << round;
  }
}

// ---- Algorithm 1

struct Made {
  bw_needs needs = {};
  std::vector<bw_q16> network, dram;
  bw_type type = BW_LATENCY_SENSITIVE;
  bw_claim claim() const {
    return {type, &needs, static_cast<unsigned>(network.size()) - 1, network.data(), dram.data()};
  }
  CcbpKernel exact() const {
    CcbpKernel k;
    k.type = static_cast<BandwidthType>(type);
    k.needs.threads = needs.threads;
    k.needs.warps = needs.warps;
    k.needs.registers = needs.registers;
    k.needs.shared_bytes = needs.shared_bytes;
    k.needs.barriers = needs.barriers;
    k.needs.most_ctas = needs.most_ctas;
    for (std::size_t n = 0; n < network.size(); ++n) {
      k.network.push_back(value(network[n]));
      k.dram.push_back(value(dram[n]));
    }
    return k;
  }
};

Made linear(bw_type type, double network, double dram, unsigned most = 10) {
  Made made;
  made.type = type;
  made.needs = {1, 1, 0, 0, 0, most};
  for (unsigned n = 0; n <= most; ++n) {
    made.network.push_back(q16(network * n));
    made.dram.push_back(q16(dram * n));
  }
  return made;
}

std::vector<bw_share> allocate(const std::vector<Made>& kernels, const bw_room& room,
                               const bw_options& options) {
  std::vector<bw_claim> claims;
  for (const Made& made : kernels) claims.push_back(made.claim());
  std::vector<bw_share> shares(kernels.size());
  bw_allocate(claims.data(), static_cast<unsigned>(claims.size()), &room, &options, shares.data());
  return shares;
}

/// An SM with ten units of one static resource (threads), of which a CTA takes one.
constexpr bw_room kTenUnits = {10, 10, 10, 1'000'000, 1'000'000, 512};
std::vector<Made> table_3() {
  return {linear(BW_LATENCY_SENSITIVE, 0.5, 0.5), linear(BW_DRAM_INTENSIVE, 2, 4),
          linear(BW_NETWORK_INTENSIVE, 3, 1)};
}

struct Step {
  unsigned kernel;
  bool granted;
  std::vector<bw_share> shares;
};
std::vector<Step> steps;

TEST(FirmwareTable3, EachIterationUpToTheTwelfth) {
  struct Row {
    unsigned iteration, chosen;
    std::tuple<unsigned, double, double> k1, k2, k3;  // CTAs, network, DRAM
  };
  const Row rows[] = {
      {1, 0, {1, 0.5, 0.5}, {0, 0, 0}, {0, 0, 0}},
      {2, 1, {1, 0.5, 0.5}, {1, 0.5, 1}, {0, 0, 0}},
      {3, 2, {1, 0.5, 0.5}, {1, 0.5, 1}, {1, 1, 1 / 3.0}},
      {6, 2, {2, 1, 1}, {1, 1, 2}, {1, 2, 2 / 3.0}},
      {11, 1, {4, 2, 2}, {1, 2, 4}, {1, 3, 1}},
      {12, 2, {4, 2, 2}, {1, 2, 4}, {2, 4, 4 / 3.0}},
  };
  steps.clear();
  allocate(table_3(), kTenUnits, {10, 10, [](unsigned kernel, bool granted, const bw_share* shares) {
                                    steps.push_back({kernel, granted, {shares, shares + 3}});
                                  }});
  ASSERT_GE(steps.size(), 12u);
  for (const Row& row : rows) {
    const Step& step = steps[row.iteration - 1];
    EXPECT_TRUE(step.granted);
    EXPECT_EQ(step.kernel, row.chosen) << "iteration " << row.iteration;
    const std::tuple<unsigned, double, double> columns[] = {row.k1, row.k2, row.k3};
    for (unsigned k = 0; k < 3; ++k) {
      EXPECT_EQ(step.shares[k].ctas, std::get<0>(columns[k])) << row.iteration << " K" << k + 1;
      EXPECT_NEAR(units(step.shares[k].network), std::get<1>(columns[k]), 1e-8)
          << row.iteration << " K" << k + 1;
      EXPECT_NEAR(units(step.shares[k].dram), std::get<2>(columns[k]), 1e-8)
          << row.iteration << " K" << k + 1;
    }
  }
}

TEST(FirmwareTable3, TheAlgorithmEndsWhenNothingMoreCanBeGranted) {
  steps.clear();
  const auto shares =
      allocate(table_3(), kTenUnits, {10, 10, [](unsigned kernel, bool granted, const bw_share* s) {
                                        steps.push_back({kernel, granted, {s, s + 3}});
                                      }});
  EXPECT_EQ(steps.size(), 18u) << "fifteen granted";
  EXPECT_EQ(std::count_if(steps.begin(), steps.end(), [](const Step& s) { return !s.granted; }), 3)
      << "each kernel once";
  EXPECT_EQ(shares[0].ctas, 5u);
  EXPECT_EQ(shares[1].ctas, 2u);
  EXPECT_EQ(shares[2].ctas, 2u);
  EXPECT_NEAR(units(shares[0].network), 2.5, 1e-8);
  EXPECT_NEAR(units(shares[1].dram), 5, 1e-8);
  EXPECT_NEAR(units(shares[2].network), 5, 1e-8);
  EXPECT_NEAR(units(shares[2].dram), 5 / 3.0, 1e-8);
}

// Three thirds of a unit are a unit: what each was rounded by does not keep the last one out.
TEST(FirmwareAllocation, SumsOfThirdsFit) {
  const std::vector<Made> kernels(3, linear(BW_DRAM_INTENSIVE, 1, 3, 3));
  for (const bw_share& share : allocate(kernels, kTenUnits, {9, 10, nullptr})) {
    EXPECT_EQ(share.dram, bw_q32{3} << 32);
    EXPECT_NEAR(units(share.network), 1, 1e-8);
  }
}

// All decisions, CTAs and units are those of the C++ version on the same tables, which are whole multiples of
// 2^-16.
TEST(FirmwareAllocation, DecidesAsTheFloatingPointVersion) {
  std::mt19937_64 random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const SmResources sm;
  const bw_room room = {sm.ctas, sm.threads, sm.warps, sm.registers, sm.shared_bytes, sm.barriers};
  unsigned granted = 0;
  for (unsigned round = 0; round < 20'000; ++round) {
    bw_options options = {1 + below(40), 1 + below(10), nullptr};
    std::vector<Made> kernels;
    for (unsigned k = 2 + below(5); k-- > 0;) {
      Made made;
      made.type = static_cast<bw_type>(below(3));
      const CtaNeeds needs = cta_needs(sm, 32 * (1 + below(16)), 8 + below(56), below(20000), 1);
      made.needs = {needs.threads,      needs.warps,    needs.registers,
                    needs.shared_bytes, needs.barriers, needs.most_ctas};
      // As measured: never less with more CTAs; in steps that make ties likely, and in any.
      const unsigned step = below(2) ? BW_ONE / 4 : 1;
      bw_q16 network = 0, dram = 0;
      for (unsigned n = 0; n <= needs.most_ctas; ++n) {
        made.network.push_back(network);
        made.dram.push_back(dram);
        network += below(2 * BW_ONE) / step * step;
        dram += below(2 * BW_ONE) / step * step;
      }
      kernels.push_back(std::move(made));
    }
    std::vector<CcbpKernel> exact;
    for (const Made& made : kernels) exact.push_back(made.exact());
    std::vector<std::pair<unsigned, bool>> wanted;
    CcbpOptions exact_options;
    exact_options.units = options.units;
    exact_options.prior_lsk = options.prior_tenths / 10.0;
    const auto expected = ccbp_allocate(exact, sm, exact_options, [&](const CcbpStep& step) {
      wanted.emplace_back(step.kernel, step.granted);
      granted += step.granted;
    });
    steps.clear();
    options.told = [](unsigned kernel, bool grant, const bw_share*) { steps.push_back({kernel, grant, {}}); };
    const auto shares = allocate(kernels, room, options);
    ASSERT_EQ(steps.size(), wanted.size()) << "round " << round;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(steps[i].kernel, wanted[i].first) << "round " << round << " step " << i;
      ASSERT_EQ(steps[i].granted, wanted[i].second) << "round " << round << " step " << i;
    }
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      ASSERT_EQ(shares[k].ctas, expected[k].ctas) << "round " << round;
      ASSERT_NEAR(units(shares[k].network), expected[k].network, 1e-7) << "round " << round;
      ASSERT_NEAR(units(shares[k].dram), expected[k].dram, 1e-7) << "round " << round;
    }
  }
  EXPECT_GT(granted, 100'000u);
}

TEST(FirmwareAllocation, AKernelWithoutRoomForOneCtaGetsNone) {
  auto kernels = table_3();
  kernels[1].needs.registers = 2'000'000;
  const auto shares = allocate(kernels, kTenUnits, {10, 10, nullptr});
  EXPECT_EQ(shares[1].ctas, 0u);
  EXPECT_EQ(shares[1].dram, 0u);
  EXPECT_GT(shares[0].ctas, 0u);
}

// ---- Quotas and the goal

struct Kernels {
  std::vector<bw_kernel> all;
  std::vector<bw_kernel*> pointers;
  explicit Kernels(unsigned n) : all(n) {
    for (bw_kernel& k : all) pointers.push_back(&k);
  }
};

TEST(FirmwareQuotas, AreWholeAndTheOthersGiveBackWhatLatencySensitiveKernelsAreRoundedUpBy) {
  bw_facts facts = kPaper;
  // 20 requests of an SM in an interval fill the network, 10 DRAM accesses fill DRAM.
  facts.sm_clock_khz = 1'000'000;
  facts.network_rate = 20ull * 2 * 160 * 1'000'000'000 / 200;
  facts.dram_rate = 10ull * 2 * 128 * 1'000'000'000 / 200;
  bw_device device;
  bw_device_of(&device, &facts, 2, 20);
  Kernels kernels(2);
  kernels.all[0].type = BW_LATENCY_SENSITIVE;
  kernels.all[0].factors = factors(1, 0);
  kernels.all[1].type = BW_NETWORK_INTENSIVE;
  kernels.all[1].factors = factors(1, 0.1);
  bw_share shares[2] = {{5, bw_q32{5} << 32, 0}, {5, bw_q32{14} << 32, bw_q32{3} << 32}};
  std::uint32_t quotas[2];
  bw_quotas(&device, kernels.pointers.data(), 2, shares, quotas);
  EXPECT_EQ(quotas[0], 5u);
  EXPECT_EQ(quotas[1], 14u) << "whole but for its rounding";
  shares[0].network = (bw_q32{21} << 32) / 4;  // 5.25
  shares[1].network = (bw_q32{59} << 32) / 4;  // 14.75
  bw_quotas(&device, kernels.pointers.data(), 2, shares, quotas);
  EXPECT_EQ(quotas[0], 6u) << "rounded up";
  EXPECT_EQ(quotas[1], 14u) << "rounded down";
  shares[1].network = (bw_q32{29} << 32) / 2 + (bw_q32{1} << 31);  // 15.0
  bw_quotas(&device, kernels.pointers.data(), 2, shares, quotas);
  EXPECT_EQ(quotas[1], 14u) << "6 and 15 would be more than 20";
  kernels.all[0].factors = factors(0, 0);
  bw_quotas(&device, kernels.pointers.data(), 2, shares, quotas);
  EXPECT_EQ(quotas[0], BW_NO_QUOTA - 1) << "nothing is known that it could be held to";
}

TEST(FirmwareGoal, IsHarmonicOrWeightedSpeedup) {
  Kernels kernels(2);
  kernels.all[0].reference = q16(2);
  kernels.all[1].reference = q16(4);
  kernels.all[0].counts = {0, 0, 0, 0, 0, 10'000};  // IPC 1: half
  kernels.all[1].counts = {0, 0, 0, 0, 0, 10'000};  // IPC 1: a quarter
  EXPECT_NEAR(static_cast<double>(bw_goal(kernels.pointers.data(), 2, 10'000, false)) / (1 << 24), 2 / 6.0,
              1e-4);
  EXPECT_NEAR(static_cast<double>(bw_goal(kernels.pointers.data(), 2, 10'000, true)) / (1 << 24), 0.75, 1e-4);
  kernels.all[1].counts.instructions = 0;
  EXPECT_EQ(bw_goal(kernels.pointers.data(), 2, 10'000, false), 0u);
}

}  // namespace
}  // namespace warpvp::test
