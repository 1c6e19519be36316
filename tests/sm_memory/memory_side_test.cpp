// Times and traffic of the memory side, one situation a test. An instruction handed in at edge t is worked on
// at t + 1; a request that leaves at edge t is answered at t + latency and the answer is seen one edge later.

#include <gtest/gtest.h>

#include "tests/sm_memory/harness.h"

namespace warpvp::test {
namespace {

using ptx::CacheOp;
using ptx::Space;
using Log = std::vector<std::string>;

TEST(MemorySide, MissGoesToTheTargetAndTheNextLoadHits) {
  Bench b(small_config());
  const auto miss = b.at(10, load_line(0));
  const auto hit = b.at(200, load_line(0));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+128"}));
  EXPECT_EQ(b.missed[miss], 11u);
  EXPECT_EQ(b.done[miss], 11u + 100 + 1);
  EXPECT_EQ(b.missed[hit], kNever);
  EXPECT_EQ(b.done[hit], 201u + 10);
  const StatMap s = b.stats();
  EXPECT_EQ(s["l1_accesses"], 2);
  EXPECT_EQ(s["l1_hits"], 1);
  EXPECT_EQ(s["l1_misses"], 1);
  EXPECT_EQ(s["l1_miss_latency"], 101);
  EXPECT_EQ(s["round_trip"], 102);
  EXPECT_EQ(s["round_trips.below_128"], 1);
  EXPECT_TRUE(b.memory->idle());
}

TEST(MemorySide, RequestsSayWhoAsks) {
  Bench b(small_config());
  b.target.dram_accesses = 2;
  b.at(10, load_line(0), /*warp=*/5, /*launch=*/9);
  b.run();
  ASSERT_EQ(b.target.requests.size(), 1u);
  const MemExtension& ext = b.target.requests[0].ext;
  EXPECT_EQ(ext.sm, 3);
  EXPECT_EQ(ext.warp, 5);
  EXPECT_EQ(ext.launch, 9u);
  EXPECT_EQ(ext.kernel_slot, 1);
  EXPECT_EQ(ext.issue_cycle, 10u);
  EXPECT_EQ(ext.kind, AccessKind::kLoad);
  ASSERT_NE(b.memory->launch_counters(9), nullptr);
  EXPECT_EQ(b.memory->launch_counters(9)->dram_accesses, 2u);
  EXPECT_EQ(b.memory->launch_counters(8), nullptr);
}

TEST(MemorySide, OneTransactionACycle) {
  Bench b(small_config());
  for (int warm = 0; warm < 8; ++warm) b.at(1, load_line(warm));
  const auto eight = b.at(500, load_lines(0, 8));
  b.run();
  EXPECT_EQ(b.done[eight], 500u + 8 + 10);
  EXPECT_EQ(b.stats()["load_transactions"], 16);
}

TEST(MemorySide, PortsMultiplyTransactionsACycle) {
  MemorySideConfig config = small_config();
  config.l1.transactions_per_cycle = 4;
  Bench b(config);
  for (int warm = 0; warm < 8; ++warm) b.at(1, load_line(warm));
  const auto eight = b.at(500, load_lines(0, 8));
  const auto next = b.at(500, load_line(0));
  b.run();
  EXPECT_EQ(b.done[eight], 500u + 2 + 10);
  EXPECT_EQ(b.done[next], 500u + 3 + 10);
}

TEST(MemorySide, SecondMissToALineMerges) {
  Bench b(small_config());
  const auto first = b.at(10, load_line(0));
  const auto second = b.at(20, load_line(0));
  b.run();
  EXPECT_EQ(b.target.requests.size(), 1u);
  EXPECT_EQ(b.missed[second], 21u);
  EXPECT_EQ(b.done[first], 112u);
  EXPECT_EQ(b.done[second], 112u);
  EXPECT_EQ(b.stats()["l1_hits_reserved"], 1);
}

TEST(MemorySide, SectorsAreFetchedOneByOneAndInRuns) {
  Bench b(small_config());
  b.at(10, load_word(0));
  b.at(200, load_word(64));
  b.at(400, load_line(0));  // lacks sectors 1 and 3
  const auto hit = b.at(600, load_line(0));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+32", "201 R 40+32", "401 R 20+32", "402 R 60+32"}));
  EXPECT_EQ(b.done[hit], 611u);
  EXPECT_EQ(b.stats()["l1_sector_misses"], 2);
}

TEST(MemorySide, MissOnASectorOfALineUnderWayAsksForTheRest) {
  Bench b(small_config());
  const auto word = b.at(10, load_word(0));
  const auto line = b.at(20, load_line(0));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+32", "21 R 20+96"}));
  EXPECT_EQ(b.done[word], 112u);
  EXPECT_EQ(b.done[line], 122u);
}

TEST(MemorySide, LruLineIsEvicted) {
  Bench b(small_config());  // lines 8 apart share a set of 4 ways
  for (int i = 0; i < 4; ++i) b.at(200 * (i + 1), load_line(8 * i));
  b.at(1000, load_line(0));   // line 0 is used again: 8 is the oldest
  b.at(1200, load_line(32));  // takes its way
  const auto kept = b.at(1400, load_line(0));
  const auto gone = b.at(1600, load_line(8));
  b.run();
  EXPECT_EQ(b.missed[kept], kNever);
  EXPECT_EQ(b.missed[gone], 1601u);
}

struct Limit {
  std::string name;
  std::function<void(MemorySideConfig&)> set;
  std::vector<ptx::MemoryAccess> accesses;  // handed in one a cycle from edge 10 on
  Cycle last_done;
  std::string counter;
  double lost;
};
void PrintTo(const Limit& l, std::ostream* out) { *out << l.name; }

class Limited : public ::testing::TestWithParam<Limit> {};

// The last access cannot be taken at its turn and is taken when the first response frees what it lacks: seen
// at edge 112, answered at 212, seen at 213.
TEST_P(Limited, WaitsForWhatIsScarceAndCountsTheCycles) {
  const Limit& limit = GetParam();
  MemorySideConfig config = small_config();
  limit.set(config);
  Bench b(config);
  Cycle cycle = 10;
  for (const auto& a : limit.accesses) b.at(cycle++, a);
  b.run();
  EXPECT_EQ(b.done.back(), limit.last_done);
  const StatMap s = b.stats();
  EXPECT_EQ(s[limit.counter], limit.lost);
  for (const char* other :
       {"l1_fail_way", "l1_fail_mshr", "l1_fail_merge", "l1_fail_miss_queue", "l1_fail_store_buffer"})
    if (limit.counter != other) {
      EXPECT_EQ(s[other], 0) << other;
    }
  EXPECT_TRUE(b.memory->idle());
  // Waiting costs no ticks: far fewer than cycles passed.
  EXPECT_LT(b.ticks, 40u);
}

INSTANTIATE_TEST_SUITE_P(
    Resources, Limited,
    ::testing::Values(Limit{"mshrs",
                            [](MemorySideConfig& c) { c.l1.mshrs = 2; },
                            {load_line(0), load_line(1), load_line(2)},
                            213,
                            "l1_fail_mshr",
                            112 - 13},
                      Limit{"merging",
                            [](MemorySideConfig& c) { c.l1.mshr_merge = 2; },
                            {load_line(0), load_line(0), load_line(0)},
                            112 + 10,
                            "l1_fail_merge",
                            112 - 13},
                      Limit{"ways",
                            [](MemorySideConfig&) {},
                            {load_line(0), load_line(8), load_line(16), load_line(24), load_line(32)},
                            213,
                            "l1_fail_way",
                            112 - 15},
                      Limit{"no_ways_needed_when_allocating_on_fill",
                            [](MemorySideConfig& c) { c.l1.allocate = "on_fill"; },
                            {load_line(0), load_line(8), load_line(16), load_line(24), load_line(32)},
                            15 + 100 + 1,
                            "l1_fail_way",
                            0}),
    [](const auto& info) { return info.param.name; });

TEST(MemorySide, FullMissQueueHoldsTheUnit) {
  MemorySideConfig config = small_config();
  config.l1.miss_queue_entries = 8;
  Bench b(config);
  b.target.accept_cycles = 10;
  const auto load = b.at(10, load_lines(0, 32));
  b.run();
  // One request leaves every 11 cycles: END_REQ after ten, seen at the edge after. 8 wait, one is on the
  // link.
  ASSERT_EQ(b.target.requests.size(), 32u);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(b.target.requests[i].cycle, 11 + 11u * i);
  EXPECT_EQ(b.done[load], 11 + 11u * 31 + 100 + 1);
  EXPECT_GT(b.stats()["l1_fail_miss_queue"], 200);
  EXPECT_EQ(b.stats()["miss_queue.peak_entries"], 8);
  EXPECT_EQ(b.checker.count(), 0u);
}

TEST(MemorySide, FullStoreBufferHoldsStoresOnly) {
  MemorySideConfig config = small_config();
  config.l1.store_buffer_entries = 2;
  Bench b(config);
  b.target.accept_cycles = 10;
  const auto store = b.at(10, as_store(load_lines(0, 8)));
  b.run();
  EXPECT_EQ(b.target.requests.size(), 8u);
  // Of eight stores the last enters the buffer when the fifth leaves it at edge 11 + 5 * 11.
  EXPECT_EQ(b.done[store], 11u + 5 * 11 + 1);
  EXPECT_GT(b.stats()["l1_fail_store_buffer"], 40);
  EXPECT_EQ(b.stats()["l1_fail_miss_queue"], 0);
}

TEST(MemorySide, StoresLeaveAtOnceAndDrainOnTheirAcknowledgement) {
  Bench b(small_config());
  const auto first = b.at(10, as_store(load_line(0)), 7);
  const auto second = b.at(11, as_store(load_word(512)), 7);
  b.call_at(50, [&](Cycle) {
    EXPECT_TRUE(b.memory->stores_outstanding(7));
    EXPECT_FALSE(b.memory->stores_outstanding(6));
  });
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 W 0+128", "12 W 200+4"}));
  EXPECT_EQ(b.done[first], 11u);
  EXPECT_EQ(b.done[second], 12u);
  EXPECT_EQ(b.drained, (std::vector<std::pair<Cycle, unsigned>>{{113, 7}}));
  EXPECT_EQ(b.missed[first], kNever);
}

TEST(MemorySide, AtomicsAndReductionsArePerformedInL2) {
  Bench b(small_config());
  b.at(10, load_line(0));
  const auto atomic = b.at(200, as_atomic(load_word(4), true), 1);
  const auto reduction = b.at(400, as_atomic(load_lines(2, 2), false), 2);
  const auto after = b.at(600, load_line(0));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+128", "201 A 4+4", "401 A 100+4", "402 A 180+4", "601 R 0+128"}));
  EXPECT_FALSE(b.target.requests[1].write);  // brings a value back
  EXPECT_TRUE(b.target.requests[2].write);
  EXPECT_EQ(b.missed[atomic], 201u);
  EXPECT_EQ(b.done[atomic], 302u);
  EXPECT_EQ(b.done[reduction], 402u);
  EXPECT_EQ(b.missed[after], 601u);  // the atomic had evicted the line
  EXPECT_EQ(b.drained, (std::vector<std::pair<Cycle, unsigned>>{{302, 1}, {503, 2}}));
}

TEST(MemorySide, CacheOperatorsGoAroundL1) {
  Bench b(small_config());
  b.at(10, load_line(0));
  const auto cg = b.at(200, with_cache_op(load_line(0), CacheOp::cg));
  const auto cv = b.at(400, with_cache_op(load_line(0), CacheOp::cv));
  const auto ca = b.at(600, with_cache_op(load_line(0), CacheOp::ca));
  b.run();
  EXPECT_EQ(b.done[cg], 302u);
  EXPECT_EQ(b.done[cv], 502u);
  EXPECT_EQ(b.done[ca], 611u);
  EXPECT_EQ(b.stats()["l1_bypasses"], 2);
}

TEST(MemorySide, GlobalLoadsCanBeKeptOutOfL1) {
  MemorySideConfig config = small_config();
  config.l1.cache_global_loads = false;
  Bench b(config);
  ptx::MemoryAccess local = access(Space::kLocal, 4, [](unsigned) { return 0; });
  b.at(10, load_line(0));
  b.at(200, load_line(0));
  b.at(400, local);
  const auto local_hit = b.at(600, local);
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+128", "201 R 0+128", "401 R 100000+128"}));
  EXPECT_EQ(b.target.requests[2].kind, AccessKind::kLocal);
  EXPECT_EQ(b.done[local_hit], 611u);
}

TEST(MemorySide, WithoutL1EverythingGoesToL2) {
  MemorySideConfig config = small_config();
  config.l1.size_kib = 0;
  Bench b(config);
  const auto first = b.at(10, load_line(0));
  const auto second = b.at(11, load_line(0));
  const auto store = b.at(12, as_store(load_line(0)));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+128", "12 R 0+128", "13 W 0+128"}));
  EXPECT_EQ(b.done[first], 112u);
  EXPECT_EQ(b.done[second], 113u);
  EXPECT_EQ(b.done[store], 13u);
}

TEST(MemorySide, SharedMemoryConflictsKeepTheUnit) {
  Bench b(small_config());
  const auto shared = [](unsigned stride) {
    return access(Space::kShared, 4, [=](unsigned lane) { return lane * stride * 4; });
  };
  const auto free = b.at(10, shared(1));
  const auto worst = b.at(20, shared(32));
  const auto behind = b.at(20, shared(1));
  const auto store = b.at(100, as_store(shared(4)), 9);
  b.run();
  EXPECT_EQ(b.done[free], 11u + 7);
  EXPECT_EQ(b.done[worst], 20u + 32 + 7);
  EXPECT_EQ(b.done[behind], 20u + 33 + 7);
  EXPECT_EQ(b.done[store], 104u);
  EXPECT_EQ(b.drained, (std::vector<std::pair<Cycle, unsigned>>{{104, 9}}));
  EXPECT_TRUE(b.target.requests.empty());
  EXPECT_EQ(b.stats()["shared_accesses"], 4);
  EXPECT_EQ(b.stats()["shared_conflict_cycles"], 31 + 3);
}

TEST(MemorySide, GenericAccessServesSharedAndGlobalLanes) {
  Bench b(small_config());
  ptx::MemoryAccess both = access(
      Space::kGlobal, 4, [](unsigned lane) { return kBase + lane * 4; }, 0xffff);
  both.shared_lanes = 0xffff0000;
  for (unsigned lane = 16; lane < 32; ++lane) both.address[lane] = (lane - 16) * 128;  // all in one bank
  const auto token = b.at(10, both);
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"27 R 0+64"}));
  EXPECT_EQ(b.done[token], 128u);
}

// Four tags and four sectors a cycle, of one instruction.
TEST(MemorySide, SectorsLimitTheTransactionsOfACycle) {
  MemorySideConfig config = small_config();
  config.l1.transactions_per_cycle = 4;
  config.l1.sectors_per_cycle = 4;
  Bench b(config);
  for (int warm = 0; warm < 16; ++warm) b.at(1, load_line(warm));
  const auto a_word_of_8_lines = b.at(500, load_lines(0, 8));
  const auto one_line = b.at(600, load_line(0));
  const auto another = b.at(600, load_line(1));
  const auto across =
      b.at(700, access(Space::kGlobal, 4, [](unsigned lane) { return kBase + 64 + lane * 4; }));
  const auto four_lines =
      b.at(800, access(Space::kGlobal, 16, [](unsigned lane) { return kBase + lane * 16; }));
  b.run();
  EXPECT_EQ(b.done[a_word_of_8_lines], 500u + 2 + 10);
  EXPECT_EQ(b.done[one_line], 601u + 10);
  EXPECT_EQ(b.done[another], 602u + 10) << "one instruction a cycle";
  EXPECT_EQ(b.done[across], 701u + 10) << "two sectors of each of two lines";
  EXPECT_EQ(b.done[four_lines], 800u + 4 + 10);
}

TEST(MemorySide, AsynchronousCopyIsDoneWhenItsDataIsHere) {
  Bench b(small_config());
  ptx::MemoryAccess copy = load_line(0);
  copy.async = true;
  copy.returns_value = false;
  copy.store = true;  // it does write, to shared memory
  const auto token = b.at(10, copy, 4);
  b.call_at(50, [&](Cycle) { EXPECT_FALSE(b.memory->stores_outstanding(4)); });
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+128"}));
  EXPECT_EQ(b.done[token], 112u);
}

TEST(MemorySide, QueueOfTheUnitIsLimited) {
  MemorySideConfig config = small_config();
  config.lsu_queue = 2;
  Bench b(config);
  for (int i = 0; i < 4; ++i) b.at(10, load_lines(0, 4));
  b.run();
  // Each takes four cycles; the first two enter at once.
  EXPECT_EQ(b.accepted, (std::vector<Cycle>{10, 10, 14, 18}));
}

TEST(MemorySide, InvalidateForgetsLines) {
  Bench b(small_config());
  b.at(10, load_line(0));
  b.call_at(150, [&](Cycle) { b.memory->invalidate(); });
  const auto again = b.at(200, load_line(0));
  b.run();
  EXPECT_EQ(b.missed[again], 201u);
}

TEST(MemorySide, InvalidateLosesNoFillUnderWay) {
  Bench b(small_config());
  const auto load = b.at(10, load_line(0));
  const auto merged = b.at(60, load_line(0));
  b.call_at(50, [&](Cycle) { b.memory->invalidate(); });
  b.run();
  EXPECT_EQ(b.done[load], 112u);
  EXPECT_EQ(b.done[merged], 112u);
  EXPECT_EQ(b.target.requests.size(), 1u);
}

TEST(MemorySide, SleepsWhenThereIsNothingToDo) {
  Bench b(small_config(), /*latency=*/5000);
  b.at(10, load_line(0));
  b.at(20000, load_line(0));
  b.run();
  EXPECT_LE(b.ticks, 12u);
}

TEST(MemorySide, FillsAreTakenAtTheConfiguredRate) {
  Bench b(small_config());
  // All answers arrive in one instant.
  b.target.latency_of = [&](const tlm::tlm_generic_payload&) { return 1000 - b.domain.now(); };
  std::vector<std::uint32_t> tokens;
  for (int i = 0; i < 4; ++i) tokens.push_back(b.at(10, load_line(i)));
  b.run();
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(b.done[tokens[i]], 1001 + i);
}

// Whether the issue stage or the memory side is evaluated first within an edge makes no difference.
TEST(MemorySide, WorkBeginsAtTheNextEdge) {
  Bench b(small_config());
  b.accepts_first = true;
  const auto load = b.at(10, load_line(0));
  const auto shared = b.at(300, access(Space::kShared, 4, [](unsigned lane) { return lane * 4; }));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+128"}));
  EXPECT_EQ(b.done[load], 112u);
  EXPECT_EQ(b.done[shared], 301u + 7);
}

// The answer arrives in the instant of edge 111, at which the block ticks anyway.
TEST(MemorySide, AnswersAreSeenAtTheEdgeAfterTheirArrival) {
  Bench b(small_config());
  const auto load = b.at(10, load_line(0));
  b.call_at(110, [](Cycle) {});
  b.call_at(111, [](Cycle) {});
  b.run();
  EXPECT_EQ(b.done[load], 112u);
}

TEST(MemorySide, TargetMayCompleteAtOnce) {
  Bench b(small_config());
  b.target.style = ScriptedTarget::Style::kCompletesAtOnce;
  const auto load = b.at(10, load_line(0));
  const auto store = b.at(20, as_store(load_line(1)), 2);
  b.run();
  EXPECT_EQ(b.done[load], 21u);  // the pipeline of L1 is the longer way
  EXPECT_EQ(b.done[store], 21u);
  EXPECT_EQ(b.drained, (std::vector<std::pair<Cycle, unsigned>>{{22, 2}}));
}

TEST(MemorySide, ErrorResponsesEndTheRun) {
  Bench b(small_config());
  b.target.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  b.at(10, load_line(0));
  try {
    b.run();
    FAIL() << "no error";
  } catch (const sc_core::sc_report& report) {
    const std::string text = report.get_msg();
    EXPECT_NE(text.find("SM 3"), std::string::npos) << text;
    EXPECT_NE(text.find("0x100000000"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace warpvp::test
