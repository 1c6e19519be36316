// Which CTAs are skipped, and what is made of the samples.
#include "modules/work_distributor/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpvp::test {
namespace {

using testing::HasSubstr;

SamplingConfig config(std::uint32_t warm_up, std::uint32_t detail, std::uint32_t skip,
                      std::uint32_t least_samples = 2) {
  SamplingConfig c;
  c.warm_up = warm_up;
  c.detail = detail;
  c.skip = skip;
  c.least_samples = least_samples;
  return c;
}

class Device : public SampledDevice {
 public:
  std::string obstacle(std::uint64_t, std::uint32_t) override { return why; }
  std::uint64_t detailed_instructions(std::uint32_t) const override { return detailed; }
  std::uint64_t functional_instructions(std::uint32_t) const override { return functional; }
  std::string why;
  std::uint64_t detailed = 0, functional = 0;
};

std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> plan(const SamplingConfig& c,
                                                                          std::uint64_t ctas,
                                                                          std::uint64_t wave) {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> all;
  for (const SkippedRange& r : plan_samples(c, ctas, wave)) all.emplace_back(r.sample, r.begin, r.end);
  return all;
}

// Waves of 10: two warm up, then one in detail and three skipped; the last whole wave takes cycles, and what
// is left of the grid with it.
TEST(PlanOfSamples, ByHand) {
  using R = std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(plan(config(2, 1, 3), 115, 10), (R{{20, 30, 60}, {60, 70, 100}}));
  EXPECT_EQ(plan(config(2, 1, 3), 99, 10), (R{{20, 30, 60}, {60, 70, 80}}));  // the last one is shorter
  EXPECT_EQ(plan(config(2, 1, 3), 89, 10), R{});                              // one sample is not enough
  EXPECT_EQ(plan(config(1, 2, 1), 80, 10), (R{{10, 30, 40}, {40, 60, 70}}));
}

TEST(PlanOfSamples, LeastSizeIsTheLeast) {
  for (std::uint32_t warm_up = 1; warm_up < 4; ++warm_up)
    for (std::uint32_t detail = 1; detail < 4; ++detail)
      for (std::uint32_t skip = 1; skip < 6; ++skip)
        for (std::uint32_t samples = 2; samples < 5; ++samples) {
          const SamplingConfig c = config(warm_up, detail, skip, samples);
          const std::uint64_t least = least_sampled_ctas(c, 7);
          EXPECT_TRUE(plan_samples(c, least - 1, 7).empty());
          EXPECT_EQ(plan_samples(c, least, 7).size(), samples);
        }
}

// Each CTA takes cycles or is skipped, the skipped ones are those of the plan, and whole waves are.
TEST(Sampler, SkipsWhatThePlanSays) {
  Device device;
  const SamplingConfig c = config(2, 1, 3);
  Sampler sampler(c, device, 0, 0, 115, 10);
  std::vector<std::uint64_t> issued;
  for (std::uint64_t cta = 0; cta < 115; ++cta) {
    cta = sampler.skip(cta, cta, true);
    issued.push_back(cta);
  }
  EXPECT_EQ(issued.size(), 115u - 60);
  EXPECT_EQ(sampler.result().ctas_skipped, 60u);
  for (std::uint64_t cta = 0; cta < 115; ++cta)
    EXPECT_EQ(sampler.skipped(cta), std::find(issued.begin(), issued.end(), cta) == issued.end()) << cta;
}

// Samples of 100 instructions in 50 cycles and in 70: 0.6 cycles an instruction, so 600 for the thousand that
// were skipped.
TEST(Sampler, ChargesTheRateOfTheSamples) {
  Device device;
  Sampler sampler(config(2, 1, 3), device, 0, 0, 115, 10);
  const auto at = [&](std::uint64_t cta, Cycle cycle, std::uint64_t instructions) {
    device.detailed = instructions;
    const std::uint64_t next = sampler.skip(cta, cycle, true);
    sampler.read();
    return next;
  };
  EXPECT_EQ(at(0, 1, 0), 0u);
  EXPECT_EQ(at(20, 1000, 555), 20u);
  EXPECT_EQ(at(25, 1020, 600), 25u);
  EXPECT_EQ(at(30, 1050, 655), 60u);
  EXPECT_EQ(at(70, 1120, 755), 100u);
  device.functional = 1000;
  sampler.settle();
  EXPECT_EQ(sampler.result().samples, 2u);
  EXPECT_EQ(sampler.result().cycles_added, 600u);
  EXPECT_EQ(sampler.result().instructions_skipped, 1000u);
  EXPECT_DOUBLE_EQ(sampler.result().cycles_per_instruction, 0.6);
  EXPECT_GT(sampler.result().half_width, 0);
}

TEST(Sampler, SaysWhyNot) {
  Device device;
  Sampler small(config(2, 1, 3), device, 0, 0, 20, 10);
  EXPECT_THAT(small.result().why_not,
              HasSubstr("too short: 20 CTAs, of which the SMs hold 10 at once; sampled from"));
  for (std::uint64_t cta = 0; cta < 20; ++cta) EXPECT_EQ(small.skip(cta, 0, true), cta);

  device.why = "it reads the time";
  Sampler refused(config(2, 1, 3), device, 0, 0, 115, 10);
  Sampler beside(config(2, 1, 3), device, 0, 0, 115, 10);
  Sampler joined(config(2, 1, 3), device, 0, 0, 115, 10);
  for (std::uint64_t cta = 0; cta < 115; ++cta) {
    EXPECT_EQ(refused.skip(cta, 0, true), cta);
    EXPECT_EQ(beside.skip(cta, 0, false), cta);
    if (cta == 10) joined.company();
    EXPECT_EQ(joined.skip(cta, 0, true), cta);
  }
  EXPECT_EQ(refused.result().why_not, "it reads the time");
  EXPECT_EQ(beside.result().why_not, "another kernel was on the device");
  EXPECT_EQ(joined.result().why_not, "another kernel was on the device");
  for (Sampler* sampler : {&small, &refused, &beside, &joined}) {
    sampler->settle();
    EXPECT_FALSE(sampler->any_skipped());
    EXPECT_EQ(sampler->result().cycles_added, 0u);
  }
}

}  // namespace
}  // namespace warpvp::test
