// The CPU's TaskTable: which entries are given out, and what ids mean.
#include <gtest/gtest.h>

#include <set>

#include "sw/pagoda/pagoda_table.h"

namespace warpvp::pagoda {
namespace {

using ::pagoda::kRows;

TEST(PagodaTable, NeighboursGoToDifferentColumns) {
  TaskTable table(3);
  unsigned looked = 0;
  EXPECT_EQ(table.take(looked), 0 * kRows);
  EXPECT_EQ(table.take(looked), 1 * kRows);
  EXPECT_EQ(table.take(looked), 2 * kRows);
  EXPECT_EQ(table.take(looked), 0 * kRows + 1);
  EXPECT_EQ(looked, 1u);
}

TEST(PagodaTable, EveryEntryIsGivenOutOnce) {
  TaskTable table(2);
  std::set<unsigned> entries;
  std::set<TaskId> ids;
  unsigned looked = 0;
  for (unsigned i = 0; i < 2 * kRows; ++i) {
    const auto entry = table.take(looked);
    ASSERT_TRUE(entry.has_value());
    entries.insert(*entry);
    ids.insert(table.id(*entry));
    EXPECT_GE(table.id(*entry), 2u);
    EXPECT_EQ(table.entry_of(table.id(*entry)), entry);
  }
  EXPECT_EQ(entries.size(), 2 * kRows);
  EXPECT_EQ(ids.size(), 2 * kRows);
  EXPECT_EQ(table.taken(), 2 * kRows);
  EXPECT_FALSE(table.take(looked).has_value());
  EXPECT_EQ(looked, 2 * kRows);
}

TEST(PagodaTable, AnEntryThatIsFreeAgainIsFoundWithAnotherId) {
  TaskTable table(1);
  unsigned looked = 0;
  for (unsigned i = 0; i < kRows; ++i) table.take(looked);
  const TaskId before = table.id(5);
  table.release(5);
  EXPECT_EQ(table.taken(), kRows - 1);
  EXPECT_EQ(table[5].ready, ::pagoda::kFree);
  EXPECT_FALSE(table.entry_of(before).has_value());
  EXPECT_EQ(table.take(looked), 5u);
  EXPECT_EQ(looked, 6u);  // 0 to 5, all but the last taken
  EXPECT_NE(table.id(5), before);
  EXPECT_FALSE(table.entry_of(before).has_value());
}

TEST(PagodaTable, IdsThatWereNeverGivenAreOver) {
  TaskTable table(1);
  for (TaskId id : {0u, 1u, 2u, 40u, 0xffffffffu}) EXPECT_FALSE(table.entry_of(id).has_value()) << id;
}

}  // namespace
}  // namespace warpvp::pagoda
