// The work distributor where kernels are sampled: which CTAs it has computed without cycles, that they take
// nothing of an SM, and that their kernel ends as much later as they would have taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/control/distributor_bench.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

/// Waves of four CTAs on an SM, each of them 10 instructions in a hundred cycles.
class SampledDistributor : public testing::Test, public SampledDevice {
 protected:
  static constexpr Cycle kCta = 100;

  explicit SampledDistributor(const WorkDistributorConfig& config = smk())
      : bench("bench", 1, config, DistributorBench::small(), 20, 0, sampling(), this) {
    bench.sms.cycles = [](const CtaLaunch& cta) { return skipped(cta) ? Cycle{1} : kCta; };
  }
  static WorkDistributorConfig smk() {
    WorkDistributorConfig config;
    config.policy = "smk";
    return config;
  }
  static SamplingConfig sampling() {
    SamplingConfig c;
    c.warm_up = 1;
    c.skip = 3;
    c.least_samples = 2;
    return c;
  }
  std::string obstacle(std::uint64_t, std::uint32_t) override { return {}; }
  std::uint64_t detailed_instructions(std::uint32_t) const override {
    std::uint64_t issued = 0;
    for (const auto& launch : bench.sms.launches) issued += skipped(launch.record) ? 0 : 10;
    return issued;
  }
  std::uint64_t functional_instructions(std::uint32_t) const override { return 10 * functional().size(); }
  /// CTA numbers of launch 7 that were said to take no cycles, each before its launch.
  std::set<std::uint32_t> functional() const {
    std::set<std::uint32_t> all;
    std::size_t launch = 0;
    unsigned ahead = 0;
    // Writes and launches are recorded apart, each in its order; one of the first is for the launch that
    // comes at its time.
    for (const auto& setup : bench.sms.setups) {
      if (setup.offset != regmap::sm::kFunctional) continue;
      EXPECT_EQ(setup.value, 1u);
      while (launch < bench.sms.launches.size() && !skipped(bench.sms.launches[launch].record)) ++launch;
      if (launch == bench.sms.launches.size()) {
        ++ahead;
        continue;
      }
      EXPECT_EQ(setup.cycle, bench.sms.launches[launch].cycle);
      all.insert(bench.sms.launches[launch++].record.cta[0]);
    }
    EXPECT_LE(ahead, 1u);
    return all;
  }
  /// As the plan has it for 40 CTAs: waves of 4, of which 2 to 4 and 6 to 8 are skipped.
  static bool skipped(const CtaLaunch& cta) {
    const std::uint32_t wave = cta.cta[0] / 4;
    return cta.launch_id == 7 && cta.grid[0] == 40 && ((wave >= 2 && wave < 5) || (wave >= 6 && wave < 9));
  }

  DistributorBench bench;
};

TEST_F(SampledDistributor, SkipsCtasAndEndsLater) {
  bench.start(0, DistributorBench::kernel(7, 40, 32));
  bench.run(3000);
  ASSERT_FALSE(bench.faults.faulted()) << bench.faults.fault()->what;
  EXPECT_EQ(bench.sms.launches.size(), 40u);
  EXPECT_EQ(functional().size(), 24u);
  ASSERT_EQ(bench.finished.size(), 1u);
  const KernelRecord& record = bench.distributor.records()[0];
  ASSERT_TRUE(record.sampled);
  EXPECT_EQ(record.sampled->ctas_skipped, 24u);
  EXPECT_EQ(record.sampled->samples, 2u);
  EXPECT_EQ(record.ctas_done, 40u);
  EXPECT_FALSE(record.killed);
  // Ten waves take as long as ten waves do, all of them alike, and so do four.
  const auto wave = static_cast<double>(record.sampled->cycles_added) / 6;
  EXPECT_NEAR(wave, kCta, 60);
  EXPECT_NEAR(static_cast<double>(record.ended - record.first_cta), 10 * wave, wave);
  EXPECT_EQ(bench.distributor.statistics().ctas_done, 40u);
}

TEST_F(SampledDistributor, SkippedCtasTakeNothingOfAnSm) {
  std::uint32_t most = 0;
  bench.sms.on_launch = [&](const CtaLaunch&, unsigned) {
    most = std::max(most, bench.distributor.state().sm(0).running_ctas);
  };
  bench.start(0, DistributorBench::kernel(7, 40, 32));
  bench.run(3000);
  EXPECT_EQ(most, 4u);
  EXPECT_EQ(bench.distributor.state().sm(0).running_ctas, 0u);
  EXPECT_EQ(bench.distributor.state().sm(0).free_warps, DistributorBench::small().warps);
}

TEST_F(SampledDistributor, LeavesShortKernelsAlone) {
  bench.start(0, DistributorBench::kernel(7, 12, 32));
  bench.run(2000);
  const KernelRecord& record = bench.distributor.records()[0];
  ASSERT_TRUE(record.sampled);
  EXPECT_THAT(record.sampled->why_not, HasSubstr("too short"));
  EXPECT_EQ(record.sampled->ctas_skipped, 0u);
  EXPECT_TRUE(functional().empty());
}

// A kernel that comes while CTAs of another one have been skipped would find a device that is further than it
// is: it may wait, and no CTA of it may begin.
TEST_F(SampledDistributor, RefusesKernelsThatWouldRunAtOnce) {
  bench.start(0, DistributorBench::kernel(7, 40, 32));
  bench.run(400);
  ASSERT_FALSE(bench.faults.faulted());
  bench.start(1, DistributorBench::kernel(8, 4, 32));
  bench.run(3000);
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_THAT(bench.faults.fault()->what,
              HasSubstr("launch 8 began while CTAs of launch 7 are skipped (platform.sampling.skip)"));
}

// One that is there before is not refused: nothing is skipped then.
TEST_F(SampledDistributor, DoesNotSampleAKernelThatHasCompany) {
  wd::KernelSlotImage less_urgent = DistributorBench::kernel(8, 400, 32);
  less_urgent.priority = -1;
  bench.start(1, less_urgent);
  bench.start(0, DistributorBench::kernel(7, 40, 32));
  bench.run(20000);
  ASSERT_FALSE(bench.faults.faulted()) << bench.faults.fault()->what;
  for (const KernelRecord& record : bench.distributor.records()) {
    ASSERT_TRUE(record.sampled);
    EXPECT_EQ(record.sampled->why_not, "another kernel was on the device") << record.launch_id;
  }
}

class SampledExclusively : public SampledDistributor {
 protected:
  SampledExclusively() : SampledDistributor(exclusive()) {}
  static WorkDistributorConfig exclusive() {
    WorkDistributorConfig config;
    config.policy = "exclusive";
    return config;
  }
};

// Where kernels follow each other, the next one begins when the time of the CTAs skipped is over.
TEST_F(SampledExclusively, TheNextKernelWaits) {
  bench.start(0, DistributorBench::kernel(7, 40, 32));
  bench.run(400);
  bench.start(1, DistributorBench::kernel(8, 4, 32));
  bench.run(5000);
  ASSERT_FALSE(bench.faults.faulted()) << bench.faults.fault()->what;
  ASSERT_EQ(bench.finished.size(), 2u);
  const auto& records = bench.distributor.records();
  ASSERT_GT(records[0].sampled->ctas_skipped, 0u);
  EXPECT_GE(records[1].first_cta, records[0].ended);
}

}  // namespace
}  // namespace warpvp::test
