// Which vector registers CTAs have for renaming, by hand: an SM of 65,536 registers.

#include "modules/sm/darsie/renaming_budget.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "modules/sm/darsie/cta_tables.h"

namespace warpvp::darsie {
namespace {

struct Budget : ::testing::Test {
  static SmResources sm() {
    SmResources sm;
    sm.registers = 65536;
    sm.registers_per_thread = 255;
    sm.register_unit = 256;
    sm.ctas = 16;
    return sm;
  }
  using Taken = std::vector<std::pair<unsigned, unsigned>>;
  Taken recover(unsigned but) {
    Taken taken;
    budget.recover(but, [&](unsigned slot, unsigned rows) { taken.emplace_back(slot, rows); });
    return taken;
  }
  RenamingBudget budget{sm(), 32, true};
};

// 256 threads with 32 registers: 8,192 of them, eight CTAs fill the SM.
TEST_F(Budget, OfAFullSmIsNothing) { EXPECT_EQ(budget.begin(0, 256, 32, 8), 0u); }

// Seven CTAs leave 8,192: 1,170 each, 36 rows.
TEST_F(Budget, IsWhatOccupancyLeavesForEachCta) {
  EXPECT_EQ(budget.begin(0, 256, 32, 7), 32u);
  // Thirty-one CTAs of 64 threads leave 2,048: 66 each, two rows.
  RenamingBudget narrow(sm(), 32, true);
  EXPECT_EQ(narrow.begin(0, 64, 32, 31), 2u);
}

// Of 33 registers 40 are dealt, 7 rows a warp; and 65,536 - 6 * 10,240 leave 21 rows for each of six.
TEST_F(Budget, CountsWhatIsDealtBeyondWhatWarpsUse) {
  EXPECT_EQ(budget.begin(0, 256, 33, 6), 32u);
  // Its own 56 rows are enough: none is lent, and none can be taken back.
  budget.begin(1, 1024, 54, 1);
  EXPECT_EQ(recover(1), Taken{});
}

TEST_F(Budget, OfItsOwnFileIsThereWhateverIsLeft) {
  RenamingBudget own(sm(), 32, false);
  EXPECT_EQ(own.begin(0, 256, 32, 8), 32u);
  own.begin(1, 1024, 64, 1);
  own.recover(1, [](unsigned, unsigned) { FAIL(); });
}

// Two CTAs of 8,192 registers have 32 rows each, 1,024 registers: 47,104 are left. A CTA of 47,616 gets none
// for renaming and 16 rows back; one of 49,152 all.
TEST_F(Budget, OfOneKernelGoesToCtasOfAnother) {
  ASSERT_EQ(budget.begin(0, 256, 32, 4), 32u);
  ASSERT_EQ(budget.begin(1, 256, 32, 4), 32u);
  EXPECT_EQ(budget.begin(2, 992, 48, 1), 0u);
  EXPECT_EQ(recover(2), (Taken{{0, 16}}));
  EXPECT_EQ(recover(2), Taken{}) << "once";
  budget.end(2);
  EXPECT_EQ(budget.begin(2, 1024, 48, 1), 0u);
  EXPECT_EQ(recover(2), (Taken{{0, 16}, {1, 32}}));
  EXPECT_EQ(budget.begin(3, 32, 32, 64), 0u) << "there is nothing";
  budget.end(2);
  EXPECT_EQ(budget.begin(4, 256, 32, 4), 32u);
}

struct SmallerTables : ::testing::Test {
  static ptx::Inst writes(unsigned row) {
    ptx::Inst inst;
    inst.written_rows = 1;
    inst.writes[0] = static_cast<std::uint16_t>(row);
    return inst;
  }
  CtaTables tables{Params(), 4, 0b11, 8};
};

// Free registers go at once, those in use when nobody reads them any more.
TEST_F(SmallerTables, GiveUpRegisters) {
  tables.started(0);
  tables.started(1);
  SkipEntry& entry = tables.lead(0, 0, writes(0), Flags());
  RowName room[1];
  EntryNames in_buffer(room);
  tables.name_results(entry, in_buffer);
  tables.give_up(4);
  EXPECT_EQ(tables.capacity(), 0u);
  EXPECT_EQ(tables.free_rows(), 0u);
  EXPECT_EQ(tables.room(1, writes(1)), CtaTables::Room::kNoEntry) << "there will be none";
  EXPECT_EQ(tables.version(0, 0), 1u) << "in use";
  tables.release(in_buffer.all());
  tables.drop(entry);
  EXPECT_FALSE(tables.idle());
  tables.write_own(0, writes(0));
  EXPECT_EQ(tables.version(0, 0), 0u);
  EXPECT_EQ(tables.free_rows(), 0u) << "gone";
  EXPECT_TRUE(tables.idle());
}

}  // namespace
}  // namespace warpvp::darsie
