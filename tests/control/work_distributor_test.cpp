// The work distributor behind its registers, with scripted SMs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/control/distributor_bench.h"

namespace warpvp::test {
namespace {

using ::testing::ElementsAre;

TEST(WorkDistributor, OneKernelRunsEveryCtaOnceAndReports) {
  DistributorBench b("bench", 2);
  wd::KernelSlotImage k = DistributorBench::kernel(7, 3, 64);
  k.grid[1] = 2;
  k.grid[2] = 2;
  k.kernel_object = 0x1'0000'0040;
  k.kernarg_address = 0x1'0000'1000;
  k.stream = 5;
  k.context = 2;
  k.priority = -3;
  k.budget = 9;
  k.dynamic_shared_bytes = 512;
  EXPECT_EQ(b.start(3, k), wd::SlotStatus::kRunning);
  b.run(2000);
  std::set<std::array<std::uint32_t, 3>> seen;
  for (const auto& l : b.sms.launches) {
    seen.insert({l.record.cta[0], l.record.cta[1], l.record.cta[2]});
    EXPECT_EQ(l.record.kernel_object, 0x1'0000'0040u);
    EXPECT_EQ(l.record.kernarg_address, 0x1'0000'1000u);
    EXPECT_EQ(l.record.launch_id, 7u);
    EXPECT_EQ(l.record.kernel_slot, 3u);
    EXPECT_EQ(l.record.stream, 5u);
    EXPECT_EQ(l.record.context, 2u);
    EXPECT_EQ(l.record.priority, -3);
    EXPECT_EQ(l.record.budget, 9u);
    EXPECT_THAT(l.record.grid, ElementsAre(3, 2, 2));
    EXPECT_THAT(l.record.block, ElementsAre(64, 1, 1));
    EXPECT_EQ(l.record.dynamic_shared_bytes, 512u);
  }
  EXPECT_EQ(b.sms.launches.size(), 12u);
  EXPECT_EQ(seen.size(), 12u);
  EXPECT_THAT(b.sms.launches[1].record.cta, ElementsAre(1, 0, 0));  // x runs fastest
  EXPECT_THAT(b.sms.launches[3].record.cta, ElementsAre(0, 1, 0));
  ASSERT_EQ(b.finished.size(), 1u);
  EXPECT_EQ(b.finished[0].second.slot, 3u);
  EXPECT_EQ(b.finished[0].second.launch_id, 7u);
  EXPECT_TRUE(b.distributor.idle());
  const KernelRecord& r = b.distributor.records()[0];
  EXPECT_TRUE(r.finished());
  EXPECT_EQ(r.ctas_done, 12u);
  EXPECT_EQ(r.ended, b.finished[0].first);
  EXPECT_FALSE(b.faults.faulted());
}

std::vector<ScriptedSms::Setup> contexts_told(const ScriptedSms& sms) {
  std::vector<ScriptedSms::Setup> told;
  for (const auto& setup : sms.setups)
    if (setup.offset == regmap::sm::kContext) told.push_back(setup);
  return told;
}

// As TimesFollowTheEdges, but the SM is set up for context 1 from edge 21 to 51; the register is written at
// once, the CTA comes when the set-up is over. The second kernel is of the same context, the third is not and
// waits until the SM is empty.
TEST(WorkDistributor, AnSmIsSetUpForAnotherContext) {
  WorkDistributorConfig config;
  config.setup_cycles = 30;
  DistributorBench b("bench", 1, config);
  b.sms.cycles = [](const CtaLaunch&) { return Cycle{50}; };
  for (unsigned slot = 0; slot < 3; ++slot) {
    wd::KernelSlotImage k = DistributorBench::kernel(slot, 1, 32);
    k.context = slot < 2 ? 1 : 2;
    b.start(slot, k);
  }
  b.run(1000);
  ASSERT_EQ(b.sms.launches.size(), 3u);
  EXPECT_EQ(b.sms.launches[0].cycle, 72u);
  const Cycle first_end = b.distributor.records()[0].ended, second_end = b.distributor.records()[1].ended;
  EXPECT_EQ(first_end, 143u);
  EXPECT_EQ(b.sms.launches[2].cycle, std::max(first_end, second_end) + 30 + 21);
  const auto told = contexts_told(b.sms);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].cycle, 42u);
  EXPECT_EQ(told[0].value, 1u);
  EXPECT_EQ(told[1].value, 2u);
  EXPECT_EQ(b.sm_register(0, wd::kSmContext), 2u);
  EXPECT_EQ(b.distributor.statistics().setups, 2u);
}

TEST(WorkDistributor, WithoutSetupTimeTheContextComesBeforeTheCta) {
  DistributorBench b("bench", 1);
  wd::KernelSlotImage k = DistributorBench::kernel(0, 2, 32);
  k.context = 3;
  b.start(0, k);
  b.run(1000);
  const auto told = contexts_told(b.sms);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].value, 3u);
  EXPECT_EQ(told[0].cycle, b.sms.launches[0].cycle);
  EXPECT_EQ(b.sms.launches[0].cycle, 42u);
}

// CTAs of 100 cycles. Kernel 1 is more urgent: the SM is reserved while kernel 0's CTA ends, is set up in 30
// cycles, and shows all this in its status register.
TEST(WorkDistributor, AReservedSmDrainsAndIsSetUpForTheNextKernel) {
  WorkDistributorConfig config;
  config.setup_cycles = 30;
  config.policy = "fcfs_ppq";
  DistributorBench b("bench", 1, config);
  wd::KernelSlotImage k = DistributorBench::kernel(0, 100, 256);  // one CTA fills the SM
  k.context = 1;
  b.start(4, k);
  b.run(100);
  EXPECT_EQ(b.sm_register(0, wd::kSmState), 1u);
  EXPECT_EQ(b.sm_register(0, wd::kSmOwner), 4u);
  k.launch_id = 1;
  k.grid[0] = 1;
  k.context = 2;
  k.priority = 1;
  b.start(7, k);
  b.run(30);
  EXPECT_EQ(b.sm_register(0, wd::kSmState), 2u);
  EXPECT_EQ(b.sm_register(0, wd::kSmOwner), 4u);
  EXPECT_EQ(b.sm_register(0, wd::kSmNext), 7u);
  EXPECT_EQ(b.sm_register(0, wd::kSmContext), 1u);
  b.run(400);
  const auto& launches = b.sms.launches;
  ASSERT_GE(launches.size(), 3u);
  EXPECT_EQ(launches[0].record.launch_id, 0u);
  EXPECT_EQ(launches[1].record.launch_id, 1u);
  // The first CTA ends 100 cycles after its start and is reported in 21; then 30 of set-up, and 21 to the SM.
  EXPECT_EQ(launches[1].cycle, launches[0].cycle + 100 + 21 + 30 + 21);
  EXPECT_EQ(launches[2].record.launch_id, 0u);
  const WorkDistributorStats stats = b.distributor.statistics();
  EXPECT_EQ(stats.setups, 3u);
  EXPECT_EQ(stats.reservations, 1u);
  const KernelRecord& urgent = b.distributor.records()[1];
  EXPECT_EQ(stats.drain_cycles, urgent.first_cta - 30 - urgent.launched);
}

TEST(WorkDistributor, CountsTheCyclesOfSmsWithCtas) {
  DistributorBench b("bench", 2);
  b.start(0, DistributorBench::kernel(0, 3, 256));  // two at once, then one
  b.run(2000);
  const KernelRecord& r = b.distributor.records()[0];
  const Cycle one = 100 + 42;  // there and back takes 21 each
  EXPECT_EQ(r.ended - r.first_cta, 2 * one);
  EXPECT_EQ(b.distributor.statistics().busy_sm_cycles, 3 * one);
}

TEST(WorkDistributor, TimesFollowTheEdges) {
  DistributorBench b("bench", 1);
  b.sms.cycles = [](const CtaLaunch&) { return Cycle{50}; };
  b.start(0, DistributorBench::kernel(0, 1, 32));
  b.run(1000);
  // Each access takes 20 ns on the bus. Written in cycle 0: the policy sees it at edge 21 and the SM at edge
  // 42; 50 cycles later the SM reports, which the distributor sees at the edge after its arrival.
  const KernelRecord& r = b.distributor.records()[0];
  EXPECT_EQ(r.launched, 21u);
  EXPECT_EQ(r.first_cta, 21u);
  EXPECT_EQ(b.sms.launches[0].cycle, 42u);
  EXPECT_EQ(r.ended, 113u);
  EXPECT_EQ(r.ended_at, in_ns(113));
}

TEST(WorkDistributor, LaunchAndDrainTakeTheirTimeBeforeTheFirstCtaAndAfterTheLast) {
  WorkDistributorConfig config;
  config.launch_cycles = 300;
  config.drain_cycles = 150;
  DistributorBench b("bench", 1, config);
  b.sms.cycles = [](const CtaLaunch&) { return Cycle{50}; };
  b.start(0, DistributorBench::kernel(0, 1, 32));
  b.run(420);
  // As in TimesFollowTheEdges, 300 cycles later; the end is seen at 413.
  const KernelRecord& r = b.distributor.records()[0];
  EXPECT_EQ(r.launched, 21u);
  EXPECT_EQ(r.first_cta, 321u);
  EXPECT_EQ(r.ended, 413u);
  EXPECT_EQ(r.reported, kNever);
  EXPECT_TRUE(b.finished.empty());
  EXPECT_FALSE(b.distributor.idle());
  EXPECT_EQ(b.start_written(0), wd::SlotStatus::kRefusedBusy);
  b.run(600);
  EXPECT_EQ(b.distributor.records()[0].reported, 563u);
  ASSERT_EQ(b.finished.size(), 1u);
  EXPECT_GE(b.finished[0].first, 563u);
  EXPECT_TRUE(b.distributor.idle());
  EXPECT_EQ(b.start(0, DistributorBench::kernel(2, 1, 32)), wd::SlotStatus::kRunning);
}

TEST(WorkDistributor, EveryStepWaitsForTheBus) {
  DistributorBench none("none", 1, {}, DistributorBench::small(), 0),
      some("some", 1, {}, DistributorBench::small(), 7), much("much", 1, {}, DistributorBench::small(), 100);
  const std::pair<DistributorBench*, Cycle> cases[] = {{&none, 0}, {&some, 7}, {&much, 100}};  // 1 GHz
  for (const auto& [b, bus] : cases) {
    b->sms.cycles = [](const CtaLaunch&) { return Cycle{50}; };
    b->start(0, DistributorBench::kernel(0, 1, 32));
    const Cycle written = b->clock.now();
    b->run(1000);
    const KernelRecord& r = b->distributor.records()[0];
    EXPECT_EQ(r.launched, written + 1 + bus);
    EXPECT_EQ(b->sms.launches[0].cycle, r.first_cta + 1 + bus);
    EXPECT_EQ(r.ended, b->sms.launches[0].cycle + 50 + 1 + bus);
    EXPECT_EQ(b->finished.size(), 1u);
  }
}

TEST(WorkDistributor, AnnouncesAKernelOnceToEachSmBeforeItsFirstCta) {
  DistributorBench b("bench", 2);
  b.start(0, DistributorBench::kernel(5, 20, 256));
  b.start(1, DistributorBench::kernel(6, 1, 256));
  b.run(5000);
  EXPECT_EQ(b.sms.launches.size(), 21u);
  std::map<std::pair<unsigned, std::uint32_t>, Cycle> announced;
  for (const auto& s : b.sms.setups) {
    EXPECT_EQ(s.offset, regmap::sm::kKernelStart);
    EXPECT_TRUE(announced.emplace(std::pair(s.sm, s.value), s.cycle).second);
  }
  EXPECT_EQ(announced.size(), 3u);
  for (const auto& l : b.sms.launches) {
    const auto start = announced.find({l.sm, l.record.launch_id});
    ASSERT_NE(start, announced.end());
    EXPECT_LE(start->second, l.cycle);
  }
}

SmResources dividing() {
  SmResources r = DistributorBench::small();
  r.shared_options_kib = {0, 4, 8, 16};
  return r;
}
wd::KernelSlotImage with_shared(wd::KernelSlotImage k, std::uint32_t bytes) {
  k.static_shared_bytes = bytes;
  return k;
}
std::vector<std::uint32_t> divisions(const DistributorBench& b) {
  std::vector<std::uint32_t> all;
  for (const auto& s : b.sms.setups)
    if (s.offset == regmap::sm::kSharedBytes) all.push_back(s.value);
  return all;
}

struct Division {
  std::uint32_t need, division;
};
class Divisions : public testing::TestWithParam<Division> {};

TEST_P(Divisions, TheSmallestForTheOccupancyIsTaken) {
  DistributorBench b("bench", 1, {}, dividing());
  b.start(0, with_shared(DistributorBench::kernel(0, 12, 64),
                         GetParam().need));  // four CTAs fit by warps and slots
  b.run(5000);
  EXPECT_EQ(b.sms.launches.size(), 12u);
  if (GetParam().division == 16384) {  // which it has from the start
    EXPECT_THAT(divisions(b), ElementsAre());
  } else {
    EXPECT_THAT(divisions(b), ElementsAre(GetParam().division));
  }
  EXPECT_EQ(b.sm_register(0, wd::kSmShared), GetParam().division);
  EXPECT_EQ(b.sm_register(0, wd::kFreeShared), 16384u);
}

INSTANTIATE_TEST_SUITE_P(Needs, Divisions,
                         testing::Values(Division{0, 0}, Division{256, 4096}, Division{1024, 4096},
                                         Division{1025, 8192}, Division{2049, 16384}, Division{16384, 16384}),
                         [](const auto& info) { return "of" + std::to_string(info.param.need); });

// With the L1 at its greatest, a kernel that needs shared memory comes to an SM that runs another.
TEST(WorkDistributor, SharedMemoryGrowsBesideResidentCtasOrWaits) {
  SmResources waits = dividing();
  waits.shared_grows = "when_empty";
  DistributorBench anytime("anytime", 1, {}, dividing()), when_empty("when_empty", 1, {}, waits);
  for (DistributorBench* b : {&anytime, &when_empty}) {
    b->sms.cycles = [](const CtaLaunch& l) { return l.launch_id == 0 ? Cycle{500} : Cycle{50}; };
    b->start(0, DistributorBench::kernel(0, 1, 64));
    b->run(100);
    b->start(1, with_shared(DistributorBench::kernel(1, 1, 64), 5000));
    b->run(2000);
    ASSERT_EQ(b->sms.launches.size(), 2u);
    const Cycle other_ends = b->sms.launches[0].cycle + 500;
    if (b == &anytime) {
      EXPECT_THAT(divisions(*b), ElementsAre(0, 16384));  // room for two CTAs of it, which is its occupancy
      EXPECT_LT(b->sms.launches[1].cycle, other_ends);
    } else {
      EXPECT_THAT(divisions(*b), ElementsAre(0, 16384));
      EXPECT_GT(b->sms.launches[1].cycle, other_ends);
    }
    EXPECT_TRUE(b->distributor.idle());
    EXPECT_FALSE(b->faults.faulted());
  }
}

// A kernel that is there when the division is chosen is reckoned with, though its CTAs come later.
TEST(WorkDistributor, TheDivisionServesEveryRunningKernel) {
  SmResources r = dividing();
  r.shared_grows = "when_empty";
  DistributorBench b("bench", 1, {}, r);
  b.start(0, DistributorBench::kernel(0, 1, 64));
  b.start(1, with_shared(DistributorBench::kernel(1, 1, 64), 2048));
  b.run(2000);
  EXPECT_THAT(divisions(b), ElementsAre(8192));
  ASSERT_EQ(b.sms.launches.size(), 2u);
  EXPECT_EQ(b.sms.launches[1].cycle, b.sms.launches[0].cycle + 1);
}

// Two kernels that different resources limit: each alone could do with 8 KiB, but what is taken already and
// the next CTA together need more.
TEST(WorkDistributor, TheDivisionGrowsByWhatIsTakenAlready) {
  SmResources waits = dividing();
  waits.shared_grows = "when_empty";
  DistributorBench anytime("anytime", 1, {}, dividing()), when_empty("when_empty", 1, {}, waits);
  for (DistributorBench* b : {&anytime, &when_empty}) {
    b->sms.cycles = [](const CtaLaunch& l) { return l.launch_id == 0 ? Cycle{500} : Cycle{600}; };
    b->start(0, with_shared(DistributorBench::kernel(0, 1, 128), 4096));  // two by warps
    wd::KernelSlotImage k = with_shared(DistributorBench::kernel(1, 2, 32), 4096);
    k.barriers = 4;  // two by barriers
    b->start(1, k);
    b->run(3000);
    ASSERT_EQ(b->sms.launches.size(), 3u);
    const Cycle first_ends = b->sms.launches[0].cycle + 500;
    if (b == &anytime) {
      EXPECT_THAT(divisions(*b), ElementsAre(8192, 16384));
      EXPECT_LT(b->sms.launches[2].cycle, first_ends);
    } else {
      EXPECT_THAT(divisions(*b), ElementsAre(8192));
      EXPECT_GT(b->sms.launches[2].cycle, first_ends);
    }
    EXPECT_TRUE(b->distributor.idle());
    EXPECT_FALSE(b->faults.faulted());
  }
}

TEST(WorkDistributor, DispatchRateAndOneCtaAnSmACycle) {
  WorkDistributorConfig config;
  config.ctas_per_cycle = 3;
  DistributorBench b("bench", 4, config);
  b.start(0, DistributorBench::kernel(0, 100, 32));
  b.run(60);
  std::map<Cycle, std::vector<unsigned>> by_cycle;
  for (const auto& l : b.sms.launches) by_cycle[l.cycle].push_back(l.sm);
  EXPECT_THAT(by_cycle[42], ElementsAre(0, 1, 2));
  EXPECT_THAT(by_cycle[43], ElementsAre(3, 0, 1));
  for (auto& [cycle, sms] : by_cycle) {
    EXPECT_LE(sms.size(), 3u);
    EXPECT_EQ(std::set<unsigned>(sms.begin(), sms.end()).size(), sms.size());
  }
  EXPECT_EQ(b.sms.launches.size(), 16u);  // 4 SMs x 4 CTA slots, then all full
}

// CTAs that end in between make room, which is used when it is time.
TEST(WorkDistributor, LaunchesAreAnIntervalApart) {
  WorkDistributorConfig config;
  config.ctas_per_cycle = 2;
  config.launch_interval = 50;
  DistributorBench b("bench", 3, config);
  b.sms.cycles = [](const CtaLaunch&) { return Cycle{3}; };
  b.start(0, DistributorBench::kernel(0, 20, 32));
  b.run(2000);
  ASSERT_EQ(b.sms.launches.size(), 20u);
  ASSERT_LT(b.finished.at(0).first, b.sms.launches[19].cycle + 50);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_EQ(b.sms.launches[i].cycle, b.sms.launches[0].cycle + 50 * (i / 2)) << i;
}

// A full SM takes the next CTA when there is room, with nothing to wait for but the room.
TEST(WorkDistributor, AnIntervalThatIsOverHoldsNothing) {
  WorkDistributorConfig config;
  config.launch_interval = 50;
  DistributorBench b("bench", 1, config);
  b.sms.cycles = [](const CtaLaunch& l) { return Cycle{l.cta[0] == 0 ? 400u : 1000u}; };
  b.start(0, DistributorBench::kernel(0, 5, 32));
  b.run(2000);
  ASSERT_EQ(b.sms.launches.size(), 5u);
  EXPECT_EQ(b.sms.launches[3].cycle, b.sms.launches[0].cycle + 150);
  // The report and the launch take 20 cycles each on the bus, an edge each before and behind.
  EXPECT_EQ(b.sms.launches[4].cycle, b.sms.launches[0].cycle + 400 + 42);
}

TEST(WorkDistributor, EveryResourceLimitsAndComesBack) {
  struct Case {
    const char* what;
    unsigned threads, registers, shared, barriers, expected;
  };
  // Limits of small(): 4 CTAs, 8 warps, 8192 registers, 16 KiB, 8 barriers.
  DistributorBench b("bench", 1);
  const Case table[] = {{"ctas", 32, 16, 0, 0, 4},      {"warps", 96, 16, 0, 0, 2},
                        {"registers", 64, 64, 0, 0, 2}, {"shared", 32, 16, 8192, 0, 2},
                        {"barriers", 32, 16, 0, 3, 2},  {"odd shared", 32, 16, 5400, 0, 2}};
  std::uint32_t launch = 0;
  for (const Case& k : table) {
    b.sms.launches.clear();
    wd::KernelSlotImage image = DistributorBench::kernel(launch++, 20, k.threads);
    image.registers_per_thread = k.registers;
    image.static_shared_bytes = k.shared / 2;
    image.dynamic_shared_bytes = k.shared - k.shared / 2;
    image.barriers = k.barriers;
    EXPECT_EQ(b.start(0, image), wd::SlotStatus::kRunning) << k.what;
    b.run(50);
    EXPECT_EQ(b.sms.launches.size(), k.expected) << k.what;
    EXPECT_EQ(b.sm_register(0, wd::kRunningCtas), k.expected) << k.what;
    b.run(5000);
    EXPECT_EQ(b.sms.launches.size(), 20u) << k.what;
    EXPECT_EQ(b.sm_register(0, wd::kFreeCtas), 4u) << k.what;
    EXPECT_EQ(b.sm_register(0, wd::kFreeWarps), 8u) << k.what;
    EXPECT_EQ(b.sm_register(0, wd::kFreeThreads), 256u) << k.what;
    EXPECT_EQ(b.sm_register(0, wd::kFreeRegisters), 8192u) << k.what;
    EXPECT_EQ(b.sm_register(0, wd::kFreeShared), 16384u) << k.what;
    EXPECT_EQ(b.sm_register(0, wd::kFreeBarriers), 8u) << k.what;
  }
}

TEST(WorkDistributor, SmStatusRegistersShowWhatIsTaken) {
  DistributorBench b("bench", 2);
  wd::KernelSlotImage k = DistributorBench::kernel(0, 1, 40);  // two warps
  k.registers_per_thread = 17;                      // 544 a warp, dealt as 768
  k.static_shared_bytes = 300;                      // dealt as 512
  k.barriers = 2;
  b.start(0, k);
  b.run(50);
  EXPECT_EQ(b.sm_register(0, wd::kFreeWarps), 6u);
  EXPECT_EQ(b.sm_register(0, wd::kFreeThreads), 192u);
  EXPECT_EQ(b.sm_register(0, wd::kFreeRegisters), 8192u - 2 * 768u);
  EXPECT_EQ(b.sm_register(0, wd::kFreeShared), 16384u - 512u);
  EXPECT_EQ(b.sm_register(0, wd::kFreeBarriers), 6u);
  EXPECT_EQ(b.sm_register(0, wd::kFreeCtas), 3u);
  EXPECT_EQ(b.sm_register(1, wd::kFreeWarps), 8u);
}

TEST(WorkDistributor, RefusalsAreTold) {
  DistributorBench b("bench", 1);
  EXPECT_EQ(b.start(0, DistributorBench::kernel(0, 1, 257)), wd::SlotStatus::kRefusedDimensions);
  EXPECT_EQ(b.start(0, DistributorBench::kernel(0, 0, 32)), wd::SlotStatus::kRefusedDimensions);
  wd::KernelSlotImage k = DistributorBench::kernel(0, 1, 32);
  k.static_shared_bytes = 16385;
  EXPECT_EQ(b.start(0, k), wd::SlotStatus::kRefusedNeverFits);
  k = DistributorBench::kernel(0, 1, 256);
  k.registers_per_thread = 64;  // 8 warps of 2048 registers, 8192 there
  EXPECT_EQ(b.start(0, k), wd::SlotStatus::kRefusedNeverFits);
  EXPECT_EQ(b.start(0, DistributorBench::kernel(0, 1, 32)), wd::SlotStatus::kRunning);
  EXPECT_EQ(b.start_written(0), wd::SlotStatus::kRefusedBusy);
  b.run(1000);
  EXPECT_EQ(b.sms.launches.size(), 1u);
  EXPECT_EQ(b.distributor.records().size(), 1u);
}

TEST(WorkDistributor, ASlotWhoseKernelRunsIsNotRewritten) {
  DistributorBench b("bench", 1);
  b.start(0, DistributorBench::kernel(5, 8, 64));
  b.run(10);
  wd::KernelSlotImage other = DistributorBench::kernel(6, 2, 32);
  EXPECT_EQ(access(b.driver.socket, tlm::TLM_WRITE_COMMAND, wd::slot(0), &other, sizeof other),
            tlm::TLM_GENERIC_ERROR_RESPONSE);
  b.run(2000);
  ASSERT_EQ(b.sms.launches.size(), 8u);
  for (const auto& l : b.sms.launches) EXPECT_EQ(l.record.launch_id, 5u);
}

TEST(WorkDistributor, TwoKernelsShareAnSmUnderSmk) {
  DistributorBench b("bench", 1);
  b.start(0, DistributorBench::kernel(0, 2, 32));
  b.start(1, DistributorBench::kernel(1, 2, 32));
  b.run(50);
  EXPECT_EQ(b.sms.launches.size(), 4u);
  EXPECT_EQ(b.distributor.statistics().most_resident, 2u);
}

TEST(WorkDistributor, ExclusiveKeepsTheSecondKernelOut) {
  WorkDistributorConfig config;
  config.policy = PolicyChoice("exclusive");
  DistributorBench b("bench", 2, config);
  b.start(0, DistributorBench::kernel(0, 1, 32));
  b.start(1, DistributorBench::kernel(1, 1, 32));
  b.run(50);
  EXPECT_EQ(b.sms.launches.size(), 1u);
  b.run(200);
  ASSERT_EQ(b.sms.launches.size(), 2u);
  EXPECT_GE(b.distributor.records()[1].first_cta, b.distributor.records()[0].ended);
}

TEST(WorkDistributor, ObserversSeeTheLifeOfAKernel) {
  struct Observer : DispatchObserver {
    std::vector<std::string> events;
    void kernel_begin(const KernelRecord& r) override { events.push_back("K" + std::to_string(r.launch_id)); }
    void kernel_end(const KernelRecord& r) override { events.push_back("k" + std::to_string(r.launch_id)); }
    void cta_begin(const CtaLaunch& l, unsigned sm) override {
      events.push_back("C" + std::to_string(l.cta[0]) + "@" + std::to_string(sm));
    }
    void cta_end(const CtaDone& d) override { events.push_back("c@" + std::to_string(d.sm)); }
  } observer;
  DistributorBench b("bench", 2);
  b.distributor.set_observer(&observer);
  b.start(0, DistributorBench::kernel(4, 2, 32));
  b.run(500);
  EXPECT_THAT(observer.events, ElementsAre("K4", "C0@0", "C1@1", "c@0", "c@1", "k4"));
}

TEST(WorkDistributor, AnUnknownCompletionIsAFault) {
  DistributorBench b("bench", 1);
  b.start(0, DistributorBench::kernel(0, 1, 32));
  b.run(50);
  CtaDone wrong{99, 0, 0};
  EXPECT_EQ(
      access(b.driver.socket, tlm::TLM_WRITE_COMMAND, wd::kBase + wd::kCompletion, &wrong, sizeof wrong),
      tlm::TLM_OK_RESPONSE);
  b.run(50);
  EXPECT_TRUE(b.faults.faulted());
}

// Each kind of write that the distributor makes, answered with an error.
struct Refusal {
  const char* name;
  std::uint64_t address;
  unsigned bytes;
};
class RefusedWrites : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedWrites, AreFaultsThatNameTheAddressAndTheAnswer) {
  const Refusal& refused = GetParam();
  DistributorBench b("bench", 1, {}, dividing());
  b.sms.answer = [&](std::uint64_t offset) {
    return regmap::sm::window(0) + offset == refused.address ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                                             : tlm::TLM_OK_RESPONSE;
  };
  b.mailbox.on_access = [&](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    if (refused.address == regmap::cp::kBase + regmap::cp::kKernelDone)
      p.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  };
  b.start(0, DistributorBench::kernel(0, 1, 32));
  b.run(1000);
  ASSERT_TRUE(b.faults.faulted());
  const DeviceFault& fault = *b.faults.fault();
  EXPECT_EQ(fault.what, "bench.distributor: write of " + std::to_string(refused.bytes) +
                            " bytes answered TLM_GENERIC_ERROR_RESPONSE");
  EXPECT_EQ(fault.address, refused.address);
}

INSTANTIATE_TEST_SUITE_P(
    To, RefusedWrites,
    testing::Values(Refusal{"shared_bytes", regmap::sm::window(0) + regmap::sm::kSharedBytes, 4},
                    Refusal{"kernel_start", regmap::sm::window(0) + regmap::sm::kKernelStart, 4},
                    Refusal{"launch", regmap::sm::window(0) + regmap::sm::kLaunch, sizeof(CtaLaunch)},
                    Refusal{"kernel_done", regmap::cp::kBase + regmap::cp::kKernelDone,
                            sizeof(regmap::cp::KernelDone)}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(WorkDistributor, AnUnknownPolicyNamesTheAllowedOnes) {
  WorkDistributorConfig config;
  config.policy = PolicyChoice("smk_evne");
  try {
    DistributorBench b("bench", 1, config);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("smk_even"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("did you mean 'smk_even'?"));
  }
}

}  // namespace
}  // namespace warpvp::test
