// The memory model without contention: times that follow from the access alone. An instruction handed in at
// edge t is complete at t + its latency.

#include <gtest/gtest.h>

#include "tests/sm_memory/harness.h"

namespace warpvp::test {
namespace {

using ptx::Space;

MemorySideConfig isolated_config() {
  MemorySideConfig config = small_config();  // shared memory 7 cycles, constants 5
  config.model = "isolated";
  config.isolated = {50, 3, 30};
  config.instruction = {256, 64, 2, 1};  // 2 sets of 2 ways, one MSHR that must not matter
  return config;
}

ptx::MemoryAccess shared_stride(unsigned words) {
  return access(Space::kShared, 4, [=](unsigned lane) { return std::uint64_t{lane} * words * 4; });
}

TEST(IsolatedMemory, GlobalLoadsTakeATimeOfTheirTransactions) {
  Bench b(isolated_config());
  const auto one = b.at(10, load_line(0));
  const auto again = b.at(200, load_line(0));  // there is no cache it could hit in
  const auto four = b.at(300, load_lines(8, 4));
  b.run();
  EXPECT_EQ(b.done[one], 10u + 50);
  EXPECT_EQ(b.done[again], 200u + 50);
  EXPECT_EQ(b.done[four], 300u + 50 + 3 * 3);
  EXPECT_TRUE(b.target.requests.empty()) << "nothing may leave the SM";
  EXPECT_TRUE(b.memory->idle());
  EXPECT_EQ(b.stats()["load_transactions"], 6);
}

TEST(IsolatedMemory, AccessesDoNotDelayEachOther) {
  Bench b(isolated_config());
  std::vector<std::uint32_t> tokens;
  for (unsigned i = 0; i < 40; ++i) tokens.push_back(b.at(20, load_lines(100 * i, 32), i));
  const auto quick = b.at(21, shared_stride(1));
  b.run();
  for (const auto token : tokens) EXPECT_EQ(b.done[token], 20u + 50 + 31 * 3);
  EXPECT_EQ(b.done[quick], 21u + 1 + 7) << "a later access that is shorter comes back earlier";
}

TEST(IsolatedMemory, WhatTheSmServesTakesTheTimeItTakesAloneInTheHierarchy) {
  const MemorySideConfig isolated = isolated_config();
  MemorySideConfig hierarchy = isolated;
  hierarchy.model = "hierarchy";
  Bench alone(isolated, 100, "isolated"), real(hierarchy, 100, "hierarchy");
  for (Bench* b : {&alone, &real}) {
    b->at(100, shared_stride(1));
    b->at(200, shared_stride(8));
    b->at(300, as_atomic(shared_stride(0), true));
    b->at(400, access(Space::kParam, 4, [](unsigned lane) { return lane % 3 * 4; }));
  }
  alone.run();
  EXPECT_EQ(alone.done, real.done);
  EXPECT_EQ(alone.done, (std::vector<Cycle>{100 + 1 + 7, 200 + 8 + 7, 300 + 32 + 7, 400 + 3 + 5}));
}

TEST(IsolatedMemory, AGenericAccessToTwoSpacesTakesBothTimes) {
  Bench b(isolated_config());
  auto both = load_line(0);
  both.lanes = 0xffff0000u;
  both.shared_lanes = 0x0000ffffu;
  for (unsigned lane = 0; lane < 16; ++lane) both.address[lane] = lane * 4;
  const auto token = b.at(10, both);
  b.run();
  EXPECT_EQ(b.done[token], 10u + (1 + 7) + 50);
}

TEST(IsolatedMemory, LocalMemoryIsTheSameForEverySlot) {
  Bench b(isolated_config());
  // Eight bytes a lane: two rows of 32 words whatever the warp's base address is.
  const auto local = b.at(10, access(Space::kLocal, 8, [](unsigned) { return 0; }));
  b.run();
  EXPECT_EQ(b.done[local], 10u + 50 + 3);
}

TEST(IsolatedMemory, FencesWaitForStoresAndAtomics) {
  Bench b(isolated_config());
  b.at(10, as_store(load_line(0)), 5);
  b.at(12, as_atomic(load_lines(0, 2), false), 5);
  b.at(14, load_line(1), 6);
  std::vector<bool> outstanding;
  for (Cycle c : {11, 60, 64, 65})
    b.call_at(c, [&](Cycle) { outstanding.push_back(b.memory->stores_outstanding(5)); });
  b.call_at(20, [&](Cycle) { EXPECT_FALSE(b.memory->stores_outstanding(6)); });
  b.run();
  EXPECT_EQ(outstanding, (std::vector<bool>{true, true, true, false}));
  ASSERT_EQ(b.drained.size(), 1u);
  EXPECT_EQ(b.drained[0], (std::pair<Cycle, unsigned>{12 + 50 + 3, 5}));
}

TEST(IsolatedMemory, OnlyWaitsForDeviceMemoryAreLong) {
  Bench b(isolated_config());
  const auto load = b.at(10, load_line(0));
  const auto store = b.at(20, as_store(load_line(0)));
  const auto shared = b.at(30, shared_stride(1));
  const auto atomic = b.at(40, as_atomic(load_line(0), true));
  b.run();
  EXPECT_EQ(b.missed[load], 11u);
  EXPECT_EQ(b.missed[store], kNever);
  EXPECT_EQ(b.missed[shared], kNever);
  EXPECT_EQ(b.missed[atomic], 41u);
}

TEST(IsolatedMemory, InstructionMissesOfALineShareItsFill) {
  Bench b(isolated_config());
  std::vector<bool> hits;
  const auto fetch = [&](Cycle at, std::uint64_t address) {
    b.call_at(at,
              [&, address](Cycle now) { hits.push_back(b.memory->fetch(fetch_at(kBase + address), now)); });
  };
  fetch(10, 0);
  fetch(15, 48);  // the same line
  fetch(16, 64);  // another one, although there is one MSHR
  fetch(39, 0);
  fetch(40, 32);  // the fill of edge 10
  fetch(50, 64);
  b.run();
  EXPECT_EQ(hits, (std::vector<bool>{false, false, false, false, true, true}));
  EXPECT_EQ(b.lines_filled, (std::vector<std::pair<Cycle, std::uint64_t>>{{40, kBase}, {46, kBase + 64}}));
  EXPECT_EQ(b.stats()["instruction_fetches"], 6);
  EXPECT_EQ(b.stats()["instruction_misses"], 4);
}

TEST(IsolatedMemory, TheInstructionCacheHasItsRealSetsAndWays) {
  Bench b(isolated_config());
  std::vector<bool> hits;
  const auto fetch = [&](Cycle at, std::uint64_t address) {
    b.call_at(at,
              [&, address](Cycle now) { hits.push_back(b.memory->fetch(fetch_at(kBase + address), now)); });
  };
  // Lines 0, 2 and 4 share the two ways of set 0; 1 lies in set 1. Line 0 is used again, so 4 replaces 2.
  fetch(100, 0);
  fetch(200, 128);
  fetch(300, 64);
  fetch(400, 0);
  fetch(500, 256);
  fetch(600, 0);
  fetch(700, 64);
  fetch(800, 128);
  b.run();
  EXPECT_EQ(hits, (std::vector<bool>{false, false, false, true, false, true, true, false}));
}

}  // namespace
}  // namespace warpvp::test
