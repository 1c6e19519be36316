// Constants, parameters and instructions on the memory side: their caches, and who goes before whom. Times as
// in memory_side_test.cpp.

#include <gtest/gtest.h>

#include "tests/sm_memory/harness.h"

namespace warpvp::test {
namespace {

using ptx::Space;
using Log = std::vector<std::string>;

TEST(MemorySide, ConstantsAreServedOneWordACycle) {
  Bench b(small_config());
  const auto constant = [](unsigned distinct) {
    return access(Space::kConst, 4, [=](unsigned lane) { return kBase + 4096 + lane % distinct * 4; });
  };
  const auto miss = b.at(10, constant(1));
  const auto uniform = b.at(200, constant(1));
  const auto four = b.at(300, constant(4));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 1000+64"}));
  EXPECT_EQ(b.target.requests[0].kind, AccessKind::kConstant);
  EXPECT_EQ(b.missed[miss], 11u);
  EXPECT_EQ(b.done[miss], 112u);
  EXPECT_EQ(b.done[uniform], 201u + 5);
  EXPECT_EQ(b.done[four], 304u + 5);
}

TEST(MemorySide, AWordOfConstantMemoryMayTakeSeveralCycles) {
  MemorySideConfig config = small_config();
  config.constant.cycles_per_word = 3;
  config.constant.parameter_latency = 2;
  Bench b(config);
  const auto words = [](Space space, unsigned distinct) {
    return access(space, 4, [=](unsigned lane) { return kBase + 4096 + lane % distinct * 4; });
  };
  b.at(10, words(Space::kConst, 4));
  const auto four = b.at(300, words(Space::kConst, 4));
  const auto next = b.at(300, words(Space::kConst, 1));
  const auto parameter = b.at(400, words(Space::kParam, 1));
  b.run();
  EXPECT_EQ(b.done[four], 300u + 12 + 5);
  EXPECT_EQ(b.done[next], 300u + 15 + 5);
  EXPECT_EQ(b.done[parameter], 401u + 2);
}

// Constants have a unit of their own: the load behind them goes on, the constants behind them wait.
TEST(MemorySide, ConstantsMayHaveAUnitOfTheirOwn) {
  MemorySideConfig config = small_config();
  config.constant.cycles_per_word = 2;
  config.constant.own_unit = true;
  config.constant.mshrs = 1;
  Bench b(config);
  const auto words = [](unsigned line, unsigned distinct) {
    return access(Space::kConst, 4,
                  [=](unsigned lane) { return kBase + 4096 + line * 64 + lane % distinct * 4; });
  };
  b.at(10, words(0, 1));
  b.at(10, load_line(0));
  const auto four = b.at(300, words(0, 4));
  const auto load = b.at(300, load_line(0));
  const auto one = b.at(300, words(0, 1));
  const auto behind = b.at(300, load_line(0));
  const auto first_line = b.at(500, words(1, 1));
  const auto second_line = b.at(500, words(2, 1));  // waits for the only MSHR
  b.run();
  EXPECT_EQ(b.done[four], 301u + 4 * 2 + 5);
  EXPECT_EQ(b.done[load], 302u + 10);
  EXPECT_EQ(b.done[one], 309u + 1 + 2 - 1 + 5) << "handed over when the unit was free";
  EXPECT_EQ(b.done[behind], 310u + 10) << "behind it in the queue";
  EXPECT_EQ(b.done[first_line], 502u + 101);
  EXPECT_EQ(b.done[second_line], 603u + 101);
  EXPECT_EQ(b.completions[second_line], 1u);
  EXPECT_TRUE(b.memory->idle());
}

// Lines of 64 bytes in a first cache of one line, lines of 128 in the second.
TEST(MemorySide, ASecondConstantCacheStandsBeforeL2) {
  MemorySideConfig config = small_config();
  config.constant.size_bytes = 64;
  config.constant.associativity = 1;
  config.constant.second.size_bytes = 1024;
  config.constant.second.line_bytes = 128;
  config.constant.second.associativity = 2;
  config.constant.second.lookup = 12;
  config.constant.second.latency = 20;
  Bench b(config);
  const auto word = [](unsigned offset) {
    return access(Space::kConst, 4, [=](unsigned) { return kBase + 4096 + offset; });
  };
  const auto cold = b.at(10, word(0));
  const auto merged = b.at(15, word(64));  // the other half of the second cache's line
  const auto second = b.at(300, word(0));
  const auto first = b.at(400, word(4));
  b.call_at(500, [&](Cycle) { b.memory->invalidate(); });
  const auto dropped = b.at(600, word(0));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"23 R 1000+128", "613 R 1000+128"}));
  EXPECT_EQ(b.done[cold], 23u + 101);
  EXPECT_EQ(b.done[merged], 23u + 101);
  EXPECT_EQ(b.done[second], 301u + 20);
  EXPECT_EQ(b.done[first], 401u + 5);
  EXPECT_EQ(b.done[dropped], 613u + 101);
  EXPECT_TRUE(b.memory->idle());
}

TEST(MemorySide, ConstantMissesMergeAndWaitForMshrs) {
  MemorySideConfig config = small_config();
  config.constant.mshrs = 1;
  Bench b(config);
  const auto at_line = [](unsigned line) {
    return access(Space::kConst, 4, [=](unsigned) { return kBase + line * 64; });
  };
  const auto first = b.at(10, at_line(0));
  const auto merged = b.at(11, at_line(0));
  const auto waits = b.at(12, at_line(1));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+64", "112 R 40+64"}));
  EXPECT_EQ(b.done[first], 112u);
  EXPECT_EQ(b.done[merged], 112u);
  EXPECT_EQ(b.done[waits], 213u);
}

TEST(MemorySide, ParametersAreAlwaysThere) {
  Bench b(small_config());
  const auto param = b.at(10, access(Space::kParam, 8, [](unsigned) { return 16; }));
  const auto argument = b.at(20, as_store(access(Space::kParam, 8, [](unsigned) { return 16; })), 6);
  b.run();
  EXPECT_EQ(b.done[param], 11u + 5);
  EXPECT_EQ(b.done[argument], 21u);
  EXPECT_FALSE(b.memory->stores_outstanding(6));
  EXPECT_TRUE(b.target.requests.empty());
}

TEST(MemorySide, InvalidateForgetsConstantsAndKeepsInstructions) {
  Bench b(small_config());
  const auto constant = access(Space::kConst, 4, [](unsigned) { return kBase + 0x8000; });
  for (Cycle at : {10, 300, 600}) b.at(at, constant);
  for (Cycle at : {10, 300, 600})
    b.call_at(at, [&](Cycle now) { b.memory->fetch(fetch_at(kBase + 0x4000), now); });
  b.call_at(500, [&](Cycle) { b.memory->invalidate(); });
  b.run();
  EXPECT_EQ(b.stats()["constant_misses"], 2);
  EXPECT_EQ(b.stats()["instruction_misses"], 1);
}

TEST(MemorySide, InstructionLinesAreFetchedOnce) {
  Bench b(small_config());
  b.call_at(10, [&](Cycle now) {
    EXPECT_FALSE(b.memory->fetch(fetch_at(kBase + 0x20), now));
    EXPECT_FALSE(b.memory->fetch(fetch_at(kBase + 0x60), now));  // the same line
    EXPECT_FALSE(b.memory->fetch(fetch_at(kBase + 0x80), now));
  });
  b.call_at(200, [&](Cycle now) {
    EXPECT_TRUE(b.memory->fetch(fetch_at(kBase + 0x7f), now));
    EXPECT_TRUE(b.memory->fetch(fetch_at(kBase + 0x80), now));
  });
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"10 R 0+128", "11 R 80+128"}));
  EXPECT_EQ(b.target.requests[0].kind, AccessKind::kInstruction);
  EXPECT_EQ(b.lines_filled,
            (std::vector<std::pair<Cycle, std::uint64_t>>{{111, kBase}, {112, kBase + 0x80}}));
  EXPECT_EQ(b.stats()["instruction_fetches"], 5);
  EXPECT_EQ(b.stats()["instruction_misses"], 3);
}

TEST(MemorySide, InstructionMissesWaitForMshrsAndAllAreFilled) {
  MemorySideConfig config = small_config();
  config.instruction.mshrs = 2;
  Bench b(config);
  b.call_at(10, [&](Cycle now) {
    for (int i = 0; i < 7; ++i) EXPECT_FALSE(b.memory->fetch(fetch_at(kBase + i * 128), now));
    for (int i = 0; i < 7; ++i) EXPECT_FALSE(b.memory->fetch(fetch_at(kBase + i * 128), now));
  });
  b.run();
  EXPECT_EQ(b.target.requests.size(), 7u);
  ASSERT_EQ(b.lines_filled.size(), 7u);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(b.lines_filled[i].second, kBase + i * 128);
  EXPECT_TRUE(b.memory->idle());
}

TEST(MemorySide, InstructionsLeaveBeforeData) {
  Bench b(small_config());
  b.target.accept_cycles = 5;
  b.at(10, load_lines(0, 8));
  b.call_at(20, [&](Cycle now) { b.memory->fetch(fetch_at(kBase + 0x8000), now); });
  b.run();
  ASSERT_EQ(b.target.requests.size(), 9u);
  // The link is taken every 6 cycles: at 11 and 17 by loads, at 23 by the line fetched at 20.
  EXPECT_EQ(b.target.requests[2].kind, AccessKind::kInstruction);
  EXPECT_EQ(b.target.requests[2].cycle, 23u);
}

}  // namespace
}  // namespace warpvp::test
