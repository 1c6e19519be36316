// Random kernels and launches, against the rules stepped cycle by cycle.
#include <random>

#include "tests/sm_profile/profile_bench.h"
#include "tests/sm_profile/reference_sms.h"

namespace warpvp::test {
namespace {

struct Round {
  unsigned seed;
  unsigned sms;
  Cycle interval;
};
class RandomLaunches : public testing::TestWithParam<Round> {};

TEST_P(RandomLaunches, EndAsTheRulesSay) {
  const Round round = GetParam();
  std::mt19937_64 random(round.seed);
  const auto draw = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  constexpr double kIssue = 2;
  const double bytes_per_cycle = draw(5, 60);
  ProfileSmConfig config;
  config.issue_per_cycle = kIssue;
  config.interval_cycles = static_cast<std::uint32_t>(round.interval);

  constexpr unsigned kKernels = 5;
  std::vector<KernelProfile> profiles;
  for (unsigned k = 0; k < kKernels; ++k) {
    KernelProfile p = profile_of(std::floor(draw(50, 2000)));
    if (random() % 3) p.instructions = p.cta_cycles * draw(0.05, 1.5);
    if (random() % 3 == 0) p.sm_cycles = p.cta_cycles * draw(0.05, 0.8);
    if (random() % 3) p.memory_bytes = p.cta_cycles * draw(0.1, 12);
    if (random() % 3 == 0) p.cold_cycles = std::floor(draw(10, 900));
    profiles.push_back(p);
    config.profiles.by_name["k" + std::to_string(k)] = p;
  }
  ProfileBench bench(round.sms, config, bytes_per_cycle);
  std::vector<PlannedCta> plan;
  std::vector<ReferenceCta> reference;
  double work = 0;
  for (std::uint32_t launch = 0; launch < 8; ++launch) {
    const unsigned kernel = random() % kKernels;
    const auto begin = static_cast<Cycle>(draw(1, 4000));
    const unsigned ctas = 1 + random() % 12;
    bench.kernel(launch, "k" + std::to_string(kernel), ctas);
    for (std::uint32_t n = 0; n < ctas; ++n) {
      const PlannedCta cta{begin + static_cast<Cycle>(draw(0, 500)),
                           static_cast<unsigned>(random() % round.sms), launch, n};
      plan.push_back(cta);
      reference.push_back({cta.cycle + ProfileBench::kLaunchLatency, cta.sm, launch, n, profiles[kernel]});
      work += profiles[kernel].cta_cycles;
    }
  }
  bench.run(plan);
  const ReferenceResult expected =
      run_reference(reference, round.sms, kIssue, bytes_per_cycle, round.interval);
  // Work is conserved, and memory moves no more than there is.
  EXPECT_NEAR(expected.progress, work, static_cast<double>(plan.size()));
  EXPECT_LE(expected.most_bytes, bytes_per_cycle * (1 + 1e-9));
  ASSERT_EQ(bench.ended.size(), plan.size());
  for (const auto& [cta, cycle] : expected.ended) {
    const auto got = bench.ended.at(cta);
    EXPECT_LE(std::max(got, cycle) - std::min(got, cycle), 1u)
        << "CTA " << cta.second << " of launch " << cta.first << " ended at " << got << ", by the rules at "
        << cycle;
  }
}

std::vector<Round> rounds() {
  std::vector<Round> all;
  for (unsigned seed = 1; seed <= 40; ++seed)
    all.push_back({seed, 1 + seed % 5, seed % 3 == 0 ? 1u : seed % 3 == 1 ? 16u : 100u});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomLaunches, testing::ValuesIn(rounds()),
                         [](const auto& info) { return std::to_string(info.param.seed); });

}  // namespace
}  // namespace warpvp::test
