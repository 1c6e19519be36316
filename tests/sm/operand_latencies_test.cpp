#include "modules/sm/issue/operand_latencies.h"

#include <gtest/gtest.h>

namespace warpvp {
namespace {

constexpr unsigned kInt = static_cast<unsigned>(ptx::Unit::kInt),
                   kFp32 = static_cast<unsigned>(ptx::Unit::kFp32),
                   kSfu = static_cast<unsigned>(ptx::Unit::kSfu),
                   kLsu = static_cast<unsigned>(ptx::Unit::kLsu),
                   kFp64 = static_cast<unsigned>(ptx::Unit::kFp64), kEither = StageSignals::kEitherPort,
                   kUnknown = StageSignals::kUnits;

ptx::Inst instruction_with(std::initializer_list<unsigned> reads, std::initializer_list<unsigned> writes) {
  ptx::Inst inst;
  for (unsigned r : reads) inst.reads[inst.read_rows++] = static_cast<std::uint16_t>(r);
  for (unsigned r : writes) inst.writes[inst.written_rows++] = static_cast<std::uint16_t>(r);
  return inst;
}

LatencyConfig latencies() {
  LatencyConfig latency;
  latency.special_operand = 20;
  latency.other_pipe = 3;
  return latency;
}

struct Way {
  unsigned from, to;
  Cycle clear;  ///< of a result of edge 100
};

class OperandWays : public ::testing::TestWithParam<Way> {};

TEST_P(OperandWays, AreFromUnitToUnit) {
  OperandLatencies later(latencies(), 2);
  Scoreboard board;
  board.reset(8, 0, 0);
  board.set(instruction_with({}, {3}), 0, 0, 100);
  later.written(1, instruction_with({}, {3}), 0, GetParam().from);
  EXPECT_EQ(later.clear_at(1, instruction_with({3}, {}), 0, GetParam().to, board), GetParam().clear);
  EXPECT_EQ(later.clear_at(1, instruction_with({}, {3}), 0, GetParam().to, board), GetParam().clear);
  EXPECT_EQ(later.clear_at(0, instruction_with({3}, {}), 0, GetParam().to, board), 0u) << "of another warp";
}

INSTANTIATE_TEST_SUITE_P(All, OperandWays,
                         ::testing::Values(Way{kInt, kInt, 0}, Way{kInt, kFp32, 103}, Way{kInt, kSfu, 120},
                                           Way{kInt, kLsu, 0}, Way{kInt, kFp64, 0}, Way{kInt, kEither, 0},
                                           Way{kFp32, kInt, 103}, Way{kFp32, kFp32, 0}, Way{kFp32, kSfu, 120},
                                           Way{kFp32, kLsu, 0}, Way{kFp32, kEither, 0}, Way{kSfu, kInt, 0},
                                           Way{kSfu, kFp32, 0}, Way{kSfu, kSfu, 0}, Way{kLsu, kInt, 0},
                                           Way{kLsu, kSfu, 0}, Way{kFp64, kSfu, 0}, Way{kUnknown, kSfu, 0}));

TEST(OperandLatencies, TheLatestRowCountsAndTheLastWriterOfIt) {
  OperandLatencies later(latencies(), 1);
  Scoreboard board;
  board.reset(80, 0, 0);
  board.set(instruction_with({}, {3}), 0, 0, 100);
  later.written(0, instruction_with({}, {3}), 0, kInt);
  board.set(instruction_with({}, {70}), 0, 0, 110);
  later.written(0, instruction_with({}, {30}), 40, kFp32);
  EXPECT_EQ(later.clear_at(0, instruction_with({3, 70}, {}), 0, kSfu, board), 130u);
  EXPECT_EQ(later.clear_at(0, instruction_with({3, 70}, {}), 0, kFp32, board), 103u);
  EXPECT_EQ(later.clear_at(0, instruction_with({3, 70}, {}), 0, kInt, board), 113u);
  EXPECT_EQ(later.clear_at(0, instruction_with({4, 79}, {}), 0, kInt, board), 0u) << "never written";
  later.written(0, instruction_with({}, {70}), 0, kLsu);
  EXPECT_EQ(later.clear_at(0, instruction_with({3, 70}, {}), 0, kSfu, board), 120u);
  later.reset(0);
  EXPECT_EQ(later.clear_at(0, instruction_with({3, 70}, {}), 0, kSfu, board), 0u);
}

TEST(OperandLatencies, LoadsOfConstantsHaveTheirAddressesAsSpecialFunctionsTheirOperands) {
  OperandLatencies later(latencies(), 1);
  Scoreboard board;
  board.reset(8, 0, 0);
  board.set(instruction_with({}, {3}), 0, 0, 100);
  later.written(0, instruction_with({}, {3}), 0, kInt);
  ptx::Inst load = instruction_with({3}, {4});
  load.effect = ptx::Effect::kMemory;
  load.space = ptx::Space::kConst;
  EXPECT_EQ(later.clear_at(0, load, 0, kLsu, board), 120u);
  load.space = ptx::Space::kGlobal;
  EXPECT_EQ(later.clear_at(0, load, 0, kLsu, board), 0u);
}

TEST(OperandLatencies, AreMadeWhereOneIsSet) {
  LatencyConfig latency;
  EXPECT_FALSE(OperandLatencies::any(latency));
  latency.other_pipe = 1;
  EXPECT_TRUE(OperandLatencies::any(latency));
  latency.other_pipe = 0;
  latency.special_operand = 1;
  EXPECT_TRUE(OperandLatencies::any(latency));
}

}  // namespace
}  // namespace warpvp
