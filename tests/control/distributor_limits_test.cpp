// Limits of CTAs by kernel and SM, as the work distributor honours them and tells SMs of them, and a policy
// that sees them and has registers and statistics of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/registry.h"
#include "tests/control/distributor_bench.h"
#include "tests/support/stat_map.h"

namespace warpvp::test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

struct LimitBench : DistributorBench {
  explicit LimitBench(WorkDistributorConfig config = {}) : DistributorBench("bench", 2, config) {
    sms.cycles = [](const CtaLaunch&) { return Cycle{1000}; };
  }
  void limit(unsigned slot, std::uint32_t sm, std::uint32_t ctas) {
    driver.write<std::uint32_t>(wd::slot(slot) + wd::kSlotLimitSm, sm);
    driver.write<std::uint32_t>(wd::slot(slot) + wd::kSlotCtaLimit, ctas);
  }
  std::uint32_t limit_of(unsigned slot) {
    return driver.read<std::uint32_t>(wd::slot(slot) + wd::kSlotCtaLimit);
  }
  /// CTAs launched by SM.
  std::map<unsigned, unsigned> launched() const {
    std::map<unsigned, unsigned> by_sm;
    for (const auto& launch : sms.launches) ++by_sm[launch.sm];
    return by_sm;
  }
  /// What SMs were told of limits: SM, slot, CTAs.
  std::vector<std::tuple<unsigned, unsigned, std::uint32_t>> told() const {
    std::vector<std::tuple<unsigned, unsigned, std::uint32_t>> all;
    for (const auto& setup : sms.setups)
      if (setup.offset >= regmap::sm::kCtaLimits && setup.offset < regmap::sm::kCtaLimits + 4 * wd::kMaxSlots)
        all.emplace_back(setup.sm, (setup.offset - regmap::sm::kCtaLimits) / 4,
                         static_cast<std::uint32_t>(setup.value));
    return all;
  }
};

// An SM takes four CTAs; the limit of one of them lets it have one. Written before START it is of the kernel
// that comes.
TEST(CtaLimits, TheDistributorSendsNoMore) {
  LimitBench b;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  ASSERT_EQ(b.start(3, DistributorBench::kernel(7, 20, 32)), wd::SlotStatus::kRunning);
  b.limit(3, 1, 1);
  b.run(500);
  EXPECT_THAT(b.launched(), ElementsAre(Pair(0, 4), Pair(1, 1)));
  EXPECT_THAT(b.told(), ElementsAre(std::tuple(1, 3, 1)));
  EXPECT_EQ(b.limit_of(3), 1u);
  b.limit(3, 0, 2);
  b.run(1000);  // those on SM 0 end, and two of the next begin
  EXPECT_THAT(b.launched(), ElementsAre(Pair(0, 6), Pair(1, 2)));
}

TEST(CtaLimits, AllSmsAtOnceAndNoneAgain) {
  LimitBench b;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  b.start(0, DistributorBench::kernel(7, 20, 32));
  b.limit(0, wd::kAllSms, 0);
  b.run(3000);
  const std::size_t few = b.sms.launches.size();
  EXPECT_LE(few, 2u) << "what had been launched before the write came";
  EXPECT_TRUE(b.finished.empty());
  b.limit(0, wd::kAllSms, regmap::sm::kNoCtaLimit);
  b.run(20000);
  EXPECT_EQ(b.sms.launches.size(), 20u);
  EXPECT_EQ(b.finished.size(), 1u);
  EXPECT_EQ(b.told().size(), 4u) << "each SM twice";
}

TEST(CtaLimits, TheNextKernelInTheSlotBeginsWithoutLimits) {
  LimitBench b;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  b.start(5, DistributorBench::kernel(7, 4, 32));
  b.limit(5, 1, 0);
  b.run(3000);
  ASSERT_EQ(b.finished.size(), 1u);
  EXPECT_THAT(b.told(), ElementsAre(std::tuple(1, 5, 0), std::tuple(1, 5, regmap::sm::kNoCtaLimit)));
  b.sms.launches.clear();
  b.start(5, DistributorBench::kernel(8, 8, 32));
  b.run(500);
  EXPECT_THAT(b.launched(), ElementsAre(Pair(0, 4), Pair(1, 4)));
}

// KSR_LIMIT_DRAINS: the SMs are told nothing, those above the limit go on, and no more are sent.
TEST(CtaLimits, CtasAboveALimitMayRunToTheirEnds) {
  LimitBench b;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  b.start(0, DistributorBench::kernel(7, 20, 32));
  b.run(500);
  ASSERT_THAT(b.launched(), ElementsAre(Pair(0, 4), Pair(1, 4)));
  b.driver.write<std::uint32_t>(wd::slot(0) + wd::kSlotLimitDrains, 1);
  b.limit(0, wd::kAllSms, 1);
  b.run(1000);
  for (const auto& [sm, slot, ctas] : b.told()) EXPECT_EQ(ctas, regmap::sm::kNoCtaLimit) << sm;
  EXPECT_THAT(b.launched(), ElementsAre(Pair(0, 5), Pair(1, 5))) << "four have ended on each, one follows";
  b.run(20000);
  EXPECT_EQ(b.finished.size(), 1u) << "all twenty have run";
}

TEST(KernelWatcher, IsToldOfKernelsThatComeAndEnd) {
  LimitBench b;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  b.driver.write<std::uint64_t>(wd::kBase + wd::kWatcher, regmap::bandwidth::kBase);
  b.start(3, DistributorBench::kernel(7, 4, 32));
  b.run(5000);
  EXPECT_THAT(b.notices, ElementsAre(std::tuple(3, 7, 0)));
  EXPECT_TRUE(b.sms.launches.empty()) << "it is held";
  EXPECT_EQ(b.driver.read<std::uint32_t>(wd::slot(3) + wd::kSlotHold), 1u);
  b.limit(3, wd::kAllSms, 1);
  b.driver.write<std::uint32_t>(wd::slot(3) + wd::kSlotHold, 0);
  b.run(500);
  EXPECT_THAT(b.launched(), ElementsAre(Pair(0, 1), Pair(1, 1))) << "it goes with what it was given before";
  b.run(5000);
  EXPECT_THAT(b.notices, ElementsAre(std::tuple(3, 7, 0), std::tuple(3, 7, 1)));
  EXPECT_EQ(b.finished.size(), 1u);
}

TEST(KernelWatcher, NobodyWatchesAtReset) {
  LimitBench b;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(b.driver.read<std::uint64_t>(wd::kBase + wd::kWatcher), 0u);
  b.start(0, DistributorBench::kernel(7, 4, 32));
  b.run(5000);
  EXPECT_TRUE(b.notices.empty());
  EXPECT_EQ(b.finished.size(), 1u);
}

/// Gives each kernel the SM where its limit leaves the most room; has a register and a counter.
class RoomFirst : public CtaDispatchPolicy {
 public:
  explicit RoomFirst(const PolicyContext& context) : context_(context) {
    RegisterSpec stop{"STOP", 0x10, 4, 1, 0, RegisterAccess::kReadWrite, 0, "1: nothing is sent."};
    stop.write = [this](unsigned, std::uint64_t value) { stopped_ = value != 0; };
    context.registers.add(std::move(stop));
  }
  std::optional<Choice> pick(const DispatchState& state) override {
    if (stopped_) return std::nullopt;
    std::optional<Choice> best;
    std::uint32_t room = 0;
    for (unsigned sm = 0; sm < state.sm_count(); ++sm) {
      if (state.kernels().empty() || !state.fits(0, sm)) continue;
      const ResidentKernel& kernel = state.kernels()[0];
      const std::uint32_t here = kernel.cta_limit(sm) - kernel.running[sm];
      if (!best || here > room) {
        best = Choice{0, sm};
        room = here;
      }
    }
    picked_ += best.has_value();
    return best;
  }
  void stats(StatVisitor& v) const override { v.value("picked", picked_, "CTAs", "Sent."); }

 private:
  const PolicyContext context_;
  bool stopped_ = false;
  std::uint64_t picked_ = 0;
};
WARPVP_REGISTER_POLICY(CtaDispatchPolicy, RoomFirst, "room_first", "Of this test.");

TEST(CtaLimits, APolicySeesThem) {
  WorkDistributorConfig config;
  config.policy = "room_first";
  LimitBench b(config);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::uint64_t stop = wd::kBase + wd::kPolicy + 0x10;
  EXPECT_EQ(b.distributor.register_block().name_of(wd::kPolicy + 0x10), "POLICY_STOP");
  b.driver.write<std::uint32_t>(stop, 1);
  b.start(0, DistributorBench::kernel(7, 4, 32));
  b.limit(0, 0, 1);
  b.limit(0, 1, 3);
  b.run(500);
  EXPECT_TRUE(b.sms.launches.empty()) << "its register stops it";
  b.driver.write<std::uint32_t>(stop, 0);
  b.run(500);
  EXPECT_THAT(b.launched(), ElementsAre(Pair(0, 1), Pair(1, 3)));
  ASSERT_GE(b.sms.launches.size(), 2u);
  EXPECT_EQ(b.sms.launches[0].sm, 1u) << "the one with more room";
  StatMap stats;
  b.distributor.policy_stats(stats);
  EXPECT_EQ(stats["cta_dispatch.picked"], 4);
}

}  // namespace
}  // namespace warpvp::test
