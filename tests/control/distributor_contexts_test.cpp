// What the work distributor tells SMs of the tables of contexts, and what it does with CTAs that an SM gives
// back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "modules/work_distributor/partition_policy.h"
#include "tests/control/distributor_bench.h"

namespace warpvp::test {
namespace {

using ::testing::ElementsAre;

// What SMs were told, as "SM name value" in the order of the writes.
std::vector<std::string> spaces_told(const ScriptedSms& sms) {
  std::vector<std::string> told;
  for (const auto& setup : sms.setups) {
    const char* const name = setup.offset == regmap::sm::kContext     ? "context"
                             : setup.offset == regmap::sm::kPageTable ? "pages"
                             : setup.offset == regmap::sm::kTextures  ? "textures"
                                                                      : nullptr;
    if (name) told.push_back(std::to_string(setup.sm) + " " + name + " " + std::to_string(setup.value));
  }
  return told;
}

// CUsched section III.B: context, page tables and texture table are written together, before the first CTA.
TEST(WorkDistributor, AnSmIsToldTheTablesOfItsContext) {
  DistributorBench b("bench", 1, {}, DistributorBench::small(), 20, 0x1000);
  const auto row = [&](unsigned context, std::uint64_t pages, std::uint64_t textures) {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    wd::ContextRow row{pages, textures};
    EXPECT_EQ(access(b.driver.socket, tlm::TLM_WRITE_COMMAND, wd::context(context), &row, sizeof row),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.driver.read<std::uint64_t>(wd::context(context) + wd::kContextTextures), textures);
  };
  row(1, 0x2000, 0x7000);
  row(2, 0x3000, 0);
  unsigned slot = 0;
  const auto run = [&](unsigned context) {
    wd::KernelSlotImage k = DistributorBench::kernel(slot, 2, 32);
    k.context = context;
    b.start(slot++, k);
    b.run(500);
    std::vector<std::string> told = spaces_told(b.sms);
    b.sms.setups.clear();
    return told;
  };
  EXPECT_EQ(b.driver.read<std::uint64_t>(wd::context(0) + wd::kContextPageTable), 0x1000u);
  EXPECT_THAT(run(0), ElementsAre("0 context 0", "0 pages 4096", "0 textures 0"));
  EXPECT_THAT(run(1), ElementsAre("0 context 1", "0 pages 8192", "0 textures 28672"));
  EXPECT_THAT(run(1), ::testing::IsEmpty()) << "it has them";
  EXPECT_THAT(run(2), ElementsAre("0 context 2", "0 pages 12288", "0 textures 0"));
  row(2, 0x3000, 0x8000);
  EXPECT_THAT(run(2), ElementsAre("0 context 2", "0 pages 12288", "0 textures 32768"))
      << "its row has changed";
  EXPECT_EQ(b.sms.launches.size(), 10u);
}

/// Gives the first kernel SM 0, and takes it away for the second although SM 1 is idle.
struct TakesThoughOneIsIdle : PartitionPolicy {
  void partition(const DispatchState& state, SmVerbs& sms) override {
    const auto& kernels = state.kernels();
    if (!began_ && !kernels.empty()) {
      sms.set_up(0, 0);
      began_ = true;
    } else if (!took_ && kernels.size() == 2 && state.sm(0).state == SmState::kRunning) {
      sms.preempt(1, 0, Preemption::kFlush);
      took_ = true;
    } else if (took_ && state.wants_sm(0) && state.sm(1).state == SmState::kIdle) {
      sms.set_up(0, 1);
    }
  }
  bool began_ = false, took_ = false;
};
WARPVP_REGISTER_POLICY(CtaDispatchPolicy, TakesThoughOneIsIdle, "takes_though_one_is_idle", "Of this test.");

TEST(WorkDistributor, ACtaThatIsGivenBackIsAReasonToDecideAnew) {
  WorkDistributorConfig config;
  config.policy = "takes_though_one_is_idle";
  DistributorBench b("bench", 2, config);
  b.sms.cycles = [](const CtaLaunch&) { return Cycle{1000000}; };
  b.start(0, DistributorBench::kernel(7, 1, 32));
  b.run(500);
  b.start(1,
          DistributorBench::kernel(8, 20, 32));  // more than an SM takes: it stays hungry, which is no news
  b.run(500);
  ASSERT_EQ(b.sms.launches.size(), 1u);
  CtaPreempted back;
  back.launch_id = 7;
  EXPECT_EQ(access(b.driver.socket, tlm::TLM_WRITE_COMMAND, wd::kBase + wd::kPreempted, &back, sizeof back),
            tlm::TLM_OK_RESPONSE);
  b.run(500);
  // The second kernel has filled SM 0, and the first one's CTA is on SM 1: nothing else than its coming back
  // was a reason.
  std::map<unsigned, std::vector<std::uint32_t>> on;
  for (std::size_t i = 1; i < b.sms.launches.size(); ++i)
    on[b.sms.launches[i].sm].push_back(b.sms.launches[i].record.launch_id);
  EXPECT_THAT(on, ElementsAre(std::pair(0u, std::vector<std::uint32_t>{8, 8, 8, 8}),
                              std::pair(1u, std::vector<std::uint32_t>{7})));
}

// Its kernels send nothing more, its SMs are told, and each kernel ends when its last CTA has left; what
// comes later ends as it comes. The other context does not notice.
TEST(WorkDistributor, AContextThatIsKilledEndsAlone) {
  WorkDistributorConfig config;
  config.policy = "smk";
  DistributorBench b("bench", 2, config);
  b.sms.cycles = [](const CtaLaunch& cta) { return Cycle{cta.context == 1 ? 1000000u : 300u}; };
  wd::KernelSlotImage guilty = DistributorBench::kernel(7, 3, 32),
                      other = DistributorBench::kernel(8, 40, 32);
  guilty.context = 1;
  other.context = 2;
  other.priority = -1;
  b.start(0, guilty);
  b.start(1, other);
  b.run(200);
  decltype(b.sms.launches) resident;
  for (const auto& launch : b.sms.launches)
    if (launch.record.context == 1) resident.push_back(launch);
  ASSERT_EQ(resident.size(), 3u);
  b.sms.setups.clear();
  b.driver.write(wd::kBase + wd::kKillContext, std::uint32_t{1});
  b.run(50);
  std::vector<unsigned> told;
  for (const auto& setup : b.sms.setups)
    if (setup.offset == regmap::sm::kPreempt) {
      EXPECT_EQ(setup.value, static_cast<std::uint64_t>(Preemption::kKill));
      told.push_back(setup.sm);
    }
  std::vector<unsigned> held;
  for (const auto& launch : resident) held.push_back(launch.sm);
  std::sort(held.begin(), held.end());
  held.erase(std::unique(held.begin(), held.end()), held.end());
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, held);
  EXPECT_TRUE(b.finished.empty());
  for (const auto& launch : resident) {
    CtaPreempted gone;
    gone.launch_id = 7;
    gone.sm = static_cast<std::uint16_t>(launch.sm);
    std::copy(launch.record.cta, launch.record.cta + 3, gone.cta);
    EXPECT_EQ(access(b.driver.socket, tlm::TLM_WRITE_COMMAND, wd::kBase + wd::kPreempted, &gone, sizeof gone),
              tlm::TLM_OK_RESPONSE);
  }
  b.run(50);
  ASSERT_EQ(b.finished.size(), 1u);
  EXPECT_EQ(b.finished[0].second.launch_id, 7u);
  wd::KernelSlotImage late = DistributorBench::kernel(9, 5, 32);
  late.context = 1;
  b.start(0, late);
  b.run(50);
  ASSERT_EQ(b.finished.size(), 2u);
  EXPECT_EQ(b.finished[1].second.launch_id, 9u);
  b.run(20000);
  ASSERT_EQ(b.finished.size(), 3u);
  EXPECT_EQ(b.distributor.statistics().ctas_done, 40u);
  EXPECT_EQ(b.distributor.statistics().ctas_killed, 3u);
  for (const KernelRecord& record : b.distributor.records()) EXPECT_EQ(record.killed, record.context == 1);
  EXPECT_TRUE(b.distributor.idle());
}

// In three dimensions, with the state that it goes on from; and what nobody launched is not taken back.
TEST(WorkDistributor, ACtaThatIsGivenBackIsLaunchedAgainWithItsState) {
  DistributorBench b("bench", 1);
  b.sms.cycles = [](const CtaLaunch&) { return Cycle{1000000}; };
  wd::KernelSlotImage k = DistributorBench::kernel(7, 2, 32);
  k.grid[1] = 3;
  k.grid[2] = 2;
  b.start(0, k);
  b.run(500);
  ASSERT_EQ(b.sms.launches.size(), 4u);
  CtaPreempted back;
  back.launch_id = 7;
  back.cta[0] = back.cta[1] = 1;
  back.state = 5;
  access(b.driver.socket, tlm::TLM_WRITE_COMMAND, wd::kBase + wd::kPreempted, &back, sizeof back);
  b.run(500);
  ASSERT_EQ(b.sms.launches.size(), 5u);
  EXPECT_THAT(b.sms.launches[4].record.cta, ElementsAre(1, 1, 0));
  ASSERT_FALSE(b.sms.setups.empty());
  EXPECT_EQ(b.sms.setups.back().offset, regmap::sm::kResume);
  EXPECT_EQ(b.sms.setups.back().value, 5u);
  EXPECT_EQ(b.distributor.statistics().ctas_saved, 1u);
  EXPECT_EQ(b.distributor.statistics().ctas_dropped, 0u);
}

TEST(WorkDistributor, ACompletionFromAnSmThatHasNoCtaOfTheKernelIsAFault) {
  DistributorBench b("bench", 2);
  b.sms.cycles = [](const CtaLaunch&) { return Cycle{1000000}; };
  b.start(0, DistributorBench::kernel(7, 1, 32));
  b.run(500);
  ASSERT_EQ(b.sms.launches.size(), 1u);
  CtaDone wrong{7, 0, static_cast<std::uint16_t>(1 - b.sms.launches[0].sm)};
  access(b.driver.socket, tlm::TLM_WRITE_COMMAND, wd::kBase + wd::kCompletion, &wrong, sizeof wrong);
  b.run(50);
  EXPECT_TRUE(b.faults.faulted());
}

TEST(WorkDistributor, WithoutTablesAnSmIsToldItsContextAlone) {
  DistributorBench b("bench", 1);
  for (unsigned slot = 0; slot < 2; ++slot) {
    wd::KernelSlotImage k = DistributorBench::kernel(slot, 1, 32);
    k.context = slot;
    b.start(slot, k);
    b.run(500);
  }
  EXPECT_THAT(spaces_told(b.sms), ElementsAre("0 context 1"));
}

}  // namespace
}  // namespace warpvp::test
