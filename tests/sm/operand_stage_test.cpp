// Operand collectors and execution units, one after the other as a sub-core uses them.

#include <gtest/gtest.h>

#include "modules/sm/execute/pipelined_units.h"
#include "modules/sm/operands/operand_collectors.h"

namespace warpvp {
namespace {

SmConfig config(unsigned banks, unsigned collectors) {
  SmConfig c;
  c.operands.banks = banks;
  c.operands.collectors = collectors;
  c.fp32_unit.initiation_interval = 2;
  c.fp32_unit.queue = 2;
  c.sfu_unit.initiation_interval = 8;
  return c;
}

ptx::Inst reading(ptx::Unit unit, std::initializer_list<unsigned> rows) {
  ptx::Inst inst;
  inst.unit = unit;
  for (unsigned r : rows) inst.reads[inst.read_rows++] = static_cast<std::uint16_t>(r);
  return inst;
}

/// The two stages of a sub-core that an issued instruction passes.
struct Stages {
  explicit Stages(const SmConfig& config) : operands(config.operands, signals), units(config, signals) {}
  Cycle pass(const ptx::Inst& inst, unsigned warp, unsigned row_base, Cycle now, std::uint64_t& conflicts) {
    const Cycle start = units.start(inst, operands.collect(inst, warp, row_base, now, conflicts));
    operands.leave(start);
    return start;
  }
  bool collector_free(Cycle now) const { return signals.operands_free_from <= now; }
  bool unit_open(unsigned u, Cycle now) const { return signals.unit_open_from[u] <= now; }
  StageSignals signals;
  OperandCollectors operands;
  PipelinedUnits units;
};

TEST(OperandStage, ReadsDifferentBanksAtOneEdge) {
  Stages stage(config(4, 4));
  std::uint64_t conflicts = 0;
  EXPECT_EQ(stage.pass(reading(ptx::Unit::kFp32, {0, 1, 2}), 0, 0, 10, conflicts), 11u);
  EXPECT_EQ(conflicts, 0u);
}

TEST(OperandStage, SerialisesRowsOfOneBank) {
  Stages stage(config(4, 4));
  std::uint64_t conflicts = 0;
  EXPECT_EQ(stage.pass(reading(ptx::Unit::kFp32, {0, 4, 8}), 0, 0, 10, conflicts), 13u);
  EXPECT_EQ(conflicts, 2u);
}

// The i-th row is where the map says, whatever the instruction calls it.
TEST(OperandStage, ReadsRowsUnderOtherNames) {
  Stages stage(config(4, 4));
  std::uint64_t conflicts = 0;
  const std::uint32_t apart[] = {0, 5, 10}, together[] = {1, 5, 9};
  EXPECT_EQ(stage.operands.collect_renamed(reading(ptx::Unit::kFp32, {0, 4, 8}), apart, 10, conflicts), 11u);
  EXPECT_EQ(conflicts, 0u);
  EXPECT_EQ(stage.operands.collect_renamed(reading(ptx::Unit::kFp32, {0, 1, 2}), together, 20, conflicts),
            23u);
  EXPECT_EQ(conflicts, 2u);
}

TEST(OperandStage, AReadWindowHidesTheRowsReadInIt) {
  SmConfig c = config(1, 8);
  c.operands.read_window = 3;
  Stages stage(c);
  std::uint64_t conflicts = 0;
  // The bank reads rows at edges 10, 11, 12: all in the window.
  EXPECT_EQ(stage.pass(reading(ptx::Unit::kInt, {0, 1, 2}), 0, 0, 10, conflicts), 11u);
  EXPECT_EQ(conflicts, 0u);
  // Issued at 11: rows at 13 and 14, one edge after the window.
  EXPECT_EQ(stage.pass(reading(ptx::Unit::kFp32, {0, 1}), 0, 0, 11, conflicts), 13u);
  EXPECT_EQ(conflicts, 1u);
  // An instruction without operands waits for no bank.
  EXPECT_EQ(stage.pass(reading(ptx::Unit::kSfu, {}), 0, 0, 12, conflicts), 13u);
  EXPECT_EQ(conflicts, 1u);
}

TEST(OperandStage, SpreadsWarpsOverBanks) {
  Stages stage(config(4, 4));
  std::uint64_t conflicts = 0;
  stage.pass(reading(ptx::Unit::kInt, {0}), 0, 0, 10, conflicts);
  stage.pass(reading(ptx::Unit::kFp32, {0}), 1, 0, 10, conflicts);
  EXPECT_EQ(conflicts, 0u);
  stage.pass(reading(ptx::Unit::kSfu, {0}), 4, 0, 10, conflicts);
  EXPECT_EQ(conflicts, 1u);
}

TEST(OperandStage, UnitTakesOneInstructionPerInterval) {
  Stages stage(config(4, 8));
  std::uint64_t conflicts = 0;
  EXPECT_EQ(stage.pass(reading(ptx::Unit::kSfu, {}), 0, 0, 10, conflicts), 11u);
  EXPECT_EQ(stage.pass(reading(ptx::Unit::kSfu, {}), 0, 0, 11, conflicts), 19u);
  EXPECT_EQ(stage.pass(reading(ptx::Unit::kInt, {}), 0, 0, 12, conflicts), 13u);
}

TEST(OperandStage, AUnitWithoutAQueueTakesWhatCanStartAtOnce) {
  for (const unsigned interval : {1u, 16u}) {
    SmConfig c = config(4, 8);
    c.sfu_unit.initiation_interval = interval;
    c.sfu_unit.queue = 0;
    Stages stage(c);
    std::uint64_t conflicts = 0;
    const unsigned sfu = static_cast<unsigned>(ptx::Unit::kSfu);
    EXPECT_EQ(stage.pass(reading(ptx::Unit::kSfu, {}), 0, 0, 10, conflicts), 11u);
    EXPECT_FALSE(stage.unit_open(sfu, 10 + interval - 1));
    EXPECT_TRUE(stage.unit_open(sfu, 10 + interval));
    EXPECT_EQ(stage.pass(reading(ptx::Unit::kSfu, {}), 0, 0, 10 + interval, conflicts), 11 + interval);
  }
}

TEST(OperandStage, ClosesAUnitWhoseQueueIsFull) {
  Stages stage(config(4, 8));
  std::uint64_t conflicts = 0;
  const unsigned fp32 = static_cast<unsigned>(ptx::Unit::kFp32);
  // Starts at 1, 3, 5: the unit is taken until 7, two intervals and a bit ahead of edge 0 + queue.
  for (int i = 0; i < 3; ++i) stage.pass(reading(ptx::Unit::kFp32, {}), 0, 0, 0, conflicts);
  EXPECT_FALSE(stage.unit_open(fp32, 2));
  EXPECT_TRUE(stage.unit_open(fp32, 3));
}

TEST(OperandStage, InstructionHoldsItsCollectorUntilItStarts) {
  Stages stage(config(4, 1));
  std::uint64_t conflicts = 0;
  EXPECT_TRUE(stage.collector_free(0));
  stage.pass(reading(ptx::Unit::kFp32, {0, 4, 8}), 0, 0, 0, conflicts);  // starts at 3
  EXPECT_FALSE(stage.collector_free(2));
  EXPECT_TRUE(stage.collector_free(3));
}

// Each takes the collector that was free first; with all taken, the next is free when the first of them
// starts.
TEST(OperandStage, CollectorsFillUp) {
  Stages stage(config(64, 2));
  std::uint64_t conflicts = 0;
  EXPECT_EQ(stage.pass(reading(ptx::Unit::kSfu, {}), 0, 0, 0, conflicts), 1u);
  EXPECT_TRUE(stage.collector_free(0));
  EXPECT_EQ(stage.pass(reading(ptx::Unit::kSfu, {}), 0, 0, 0, conflicts), 9u);
  EXPECT_FALSE(stage.collector_free(0));
  EXPECT_TRUE(stage.collector_free(1));
  EXPECT_EQ(stage.pass(reading(ptx::Unit::kSfu, {}), 0, 0, 1, conflicts), 17u);
  EXPECT_FALSE(stage.collector_free(8));
  EXPECT_TRUE(stage.collector_free(9));
}

}  // namespace
}  // namespace warpvp
