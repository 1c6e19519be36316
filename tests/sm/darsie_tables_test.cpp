// DARSIE's tables of a CTA, by hand: figure 7.1 of Yeh's thesis, what happens when there is no room, and what
// the tables take.

#include <gtest/gtest.h>

#include "modules/sm/darsie/cost.h"
#include "modules/sm/darsie/cta_tables.h"

namespace warpvp::darsie {
namespace {

/// An instruction that writes register `row` and reads `from`.
ptx::Inst writes(std::uint16_t row, int from = -1) {
  ptx::Inst inst;
  inst.written_rows = 1;
  inst.writes[0] = row;
  if (from >= 0) {
    inst.read_rows = 1;
    inst.reads[0] = static_cast<std::uint16_t>(from);
  }
  return inst;
}

constexpr Warps kThree = 7;

struct ThreeWarps : ::testing::Test {
  explicit ThreeWarps(unsigned rows = 4, std::uint32_t entries = 8, const char* when_full = "replace")
      : tables(params(entries, when_full), rows, kThree, 8) {
    for (unsigned warp = 0; warp < 3; ++warp) tables.started(warp);
  }
  static Params params(std::uint32_t entries, const char* when_full) {
    Params p;
    p.table_entries = entries;
    p.when_full = when_full;
    return p;
  }
  SkipEntry& lead(unsigned warp, ptx::Pc pc, const ptx::Inst& inst, bool load = false) {
    EXPECT_EQ(tables.find(warp, pc), nullptr);
    EXPECT_EQ(tables.room(warp, inst), CtaTables::Room::kThere);
    Flags flags;
    flags.load = flags.global = load;
    SkipEntry& entry = tables.lead(warp, pc, inst, flags);
    tables.advance(warp);
    RowName room[1];
    EntryNames names(room);
    tables.name_results(entry, names);
    EXPECT_EQ(names.writes, 1u);
    in_buffer.push_back(room[0]);
    return entry;
  }
  /// Its leader has executed it, and the result is there.
  void written(unsigned warp, ptx::Pc pc, Cycle at) {
    for (SkipEntry& entry : tables.entries())
      if (entry.pc == pc && entry.leader == warp) {
        entry.issued = true;
        entry.written = at;
      }
    tables.release({0, 1, &in_buffer.front()});
    in_buffer.erase(in_buffer.begin());
  }
  void follow(unsigned warp, ptx::Pc pc, const ptx::Inst& inst) {
    ASSERT_NE(tables.find(warp, pc), nullptr);
    tables.follow(warp, *tables.find(warp, pc), inst);
    tables.advance(warp);
    tables.tidy();
  }
  void execute(unsigned warp, const ptx::Inst& inst) {
    tables.write_own(warp, inst);
    tables.advance(warp);
  }

  CtaTables tables;
  std::vector<RowName> in_buffer;  // the leaders' rows
};

// Figure 7.1: PC0 is R1 = f(tid.x), PC1 reads R1 and is a vector instruction, PC2 writes R1 again.
TEST_F(ThreeWarps, FigureSevenOne) {
  const ptx::Inst pc0 = writes(1), pc1 = writes(2, 1), pc2 = writes(1);
  // T1: warp 0 comes first and leads.
  lead(0, 0, pc0);
  EXPECT_EQ(tables.version(0, 1), 1u);
  EXPECT_EQ(tables.version(1, 1), 0u);
  // Nobody follows before the leader has written.
  EXPECT_EQ(tables.find(1, 0)->written, kNever);
  written(0, 0, 10);
  // T2: warp 1 skips PC0 and reads R1(v1); both execute PC1.
  follow(1, 0, pc0);
  EXPECT_EQ(tables.version(1, 1), 1u);
  execute(0, pc1);
  execute(1, pc1);
  EXPECT_EQ(tables.versions(2), 0u) << "a vector instruction's result is the warp's own";
  // T3: warp 0 writes R1 again: two versions.
  lead(0, 2, pc2);
  written(0, 2, 20);
  EXPECT_EQ(tables.version(0, 1), 2u);
  EXPECT_EQ(tables.version(1, 1), 1u);
  EXPECT_EQ(tables.versions(1), 2u);
  // T4: warp 2 comes to PC0, skips it, and PC1 reads the old version; then it skips PC2.
  follow(2, 0, pc0);
  EXPECT_EQ(tables.find(0, 0), nullptr) << "all have passed it";
  RowName room[2];
  EntryNames of_pc1(room);
  tables.read(2, pc1, of_pc1);
  EXPECT_EQ(tables.version(2, 1), 1u);
  EXPECT_EQ(of_pc1.reads, 1u);
  EXPECT_TRUE(room[0].is_shared());
  execute(2, pc1);
  follow(2, 2, pc2);
  EXPECT_EQ(tables.version(2, 1), 2u);
  EXPECT_EQ(tables.versions(1), 2u) << "warp 1 has the first, and warp 2's PC1 has not read it yet";
  tables.release(of_pc1.all());
  // T5: warp 1 skips PC2; nobody reads R1(v1) any more.
  follow(1, 2, pc2);
  EXPECT_EQ(tables.versions(1), 1u);
  EXPECT_EQ(tables.free_rows(), 3u);
  for (unsigned warp = 0; warp < 3; ++warp) tables.ended(warp);
  tables.tidy();
  EXPECT_TRUE(tables.idle());
}

// A warp that leaves the path copies what it reads, and is not waited for.
TEST_F(ThreeWarps, WhoLeavesThePathCopiesItsRegisters) {
  lead(0, 0, writes(1));
  written(0, 0, 5);
  lead(0, 1, writes(3));
  written(0, 1, 6);
  follow(1, 0, writes(1));
  follow(1, 1, writes(3));
  EXPECT_EQ(tables.leave(1), 2u);
  EXPECT_EQ(tables.version(1, 1), 0u);
  EXPECT_FALSE(tables.on_path(1));
  follow(2, 0, writes(1));
  follow(2, 1, writes(3));
  EXPECT_TRUE(tables.entries().empty());
  tables.gather(kThree, 99);
  EXPECT_TRUE(tables.on_path(1));
  EXPECT_EQ(tables.way(1), tables.way(0));
}

// Old versions of a register that a vector instruction writes are free when all have done so.
TEST_F(ThreeWarps, AWriteOfOnesOwnEndsTheVersion) {
  lead(0, 0, writes(1));
  written(0, 0, 5);
  follow(1, 0, writes(1));
  follow(2, 0, writes(1));
  ptx::Inst guarded = writes(1);
  guarded.guard.kind = ptx::OperandKind::kPred;
  EXPECT_EQ(tables.write_own(0, writes(1)), 0u);
  EXPECT_EQ(tables.write_own(1, guarded), 1u) << "the guard may leave the old value, which is copied";
  EXPECT_EQ(tables.free_rows(), 3u);
  tables.write_own(2, writes(1));
  EXPECT_EQ(tables.free_rows(), 4u);
}

struct TwoRows : ThreeWarps {
  TwoRows() : ThreeWarps(2) {}
};

// The freelist is empty: who is in front waits for all at the next instruction, where older versions are
// free.
TEST_F(TwoRows, AnEmptyFreelistSynchronises) {
  lead(0, 0, writes(1));
  written(0, 0, 5);
  lead(0, 1, writes(1));
  written(0, 1, 6);
  const ptx::Inst third = writes(1);
  EXPECT_EQ(tables.room(0, third), CtaTables::Room::kNoRegister);
  SkipEntry* entry = tables.synchronise(0, 2);
  ASSERT_NE(entry, nullptr);
  tables.wait(0, *entry);
  EXPECT_FALSE(tables.all_wait(*entry));
  for (unsigned warp = 1; warp < 3; ++warp) {
    follow(warp, 0, writes(1));
    follow(warp, 1, writes(1));
    entry = tables.find(warp, 2);
    ASSERT_NE(entry, nullptr);
    EXPECT_TRUE(entry->synchronises);
    tables.wait(warp, *entry);
  }
  EXPECT_TRUE(tables.all_wait(*entry));
  EXPECT_EQ(tables.free_rows(), 1u) << "of the first version";
}

// ... but not who is behind others: they have gone past it.
TEST_F(TwoRows, WhoIsBehindExecutesForItself) {
  lead(0, 0, writes(1));
  written(0, 0, 5);
  lead(0, 1, writes(2));
  written(0, 1, 6);
  EXPECT_EQ(tables.room(0, writes(3)), CtaTables::Room::kNoRegister);
  execute(0, writes(3));
  tables.drop(tables.entries().front());
  EXPECT_EQ(tables.room(1, writes(4)), CtaTables::Room::kNoEntry);
  ptx::Inst wide = writes(5);
  wide.written_rows = 3;
  EXPECT_EQ(tables.room(0, wide), CtaTables::Room::kNoEntry) << "more than the CTA has at all";
}

// A warp may have fetched the barrier behind the one at which all meet: it is ahead of the others there too.
TEST_F(TwoRows, WhoHasFetchedTwoBarriersIsAhead) {
  lead(0, 0, writes(1));
  written(0, 0, 5);
  lead(0, 1, writes(2));
  written(0, 1, 6);
  for (unsigned warp = 1; warp < 3; ++warp) {
    follow(warp, 0, writes(1));
    follow(warp, 1, writes(2));
  }
  for (unsigned warp = 0; warp < 3; ++warp) {
    tables.advance(warp);
    tables.at_barrier(warp);
  }
  tables.advance(0);
  tables.advance(0);
  tables.at_barrier(0);
  tables.gather(kThree, 77);
  EXPECT_EQ(tables.room(1, writes(3)), CtaTables::Room::kNoEntry) << "must not wait for warp 0";
  EXPECT_EQ(tables.room(0, writes(3)), CtaTables::Room::kNoRegister);
  for (unsigned warp = 1; warp < 3; ++warp) {
    tables.advance(warp);
    tables.advance(warp);
    tables.at_barrier(warp);
  }
  tables.gather(kThree, 78);
  EXPECT_EQ(tables.room(1, writes(3)), CtaTables::Room::kNoRegister) << "all are behind the second one";
}

struct TwoEntries : ThreeWarps {
  TwoEntries() : ThreeWarps(8, 2) {}
};

TEST_F(TwoEntries, AFullTableDropsTheOldestResult) {
  lead(0, 0, writes(1));
  lead(0, 1, writes(2));
  EXPECT_EQ(tables.room(0, writes(3)), CtaTables::Room::kNoEntry) << "neither result is there";
  written(0, 0, 5);
  lead(0, 2, writes(3));
  EXPECT_EQ(tables.find(1, 0), nullptr);
  EXPECT_NE(tables.find(1, 1), nullptr);
  // Warp 2 leads at what was dropped; warp 0 is past it, and only warp 1 may follow.
  written(0, 1, 6);
  SkipEntry& again = lead(2, 0, writes(1));
  EXPECT_EQ(again.passed, Warps{5});
}

struct TwoEntriesWait : ThreeWarps {
  TwoEntriesWait() : ThreeWarps(8, 2, "wait") {}
};

TEST_F(TwoEntriesWait, WhoIsInFrontMayWaitInstead) {
  lead(0, 0, writes(1));
  written(0, 0, 5);
  lead(0, 1, writes(2));
  written(0, 1, 6);
  EXPECT_EQ(tables.room(0, writes(3)), CtaTables::Room::kWaits);
  EXPECT_EQ(tables.room(1, writes(3)), CtaTables::Room::kThere) << "who is behind may not";
  follow(1, 0, writes(1));
  follow(2, 0, writes(1));
  EXPECT_EQ(tables.room(0, writes(3)), CtaTables::Room::kThere);
}

// Section 7.4: a store takes loads out of the table that have read memory; communication those of global
// memory.
TEST_F(ThreeWarps, StoresDropLoads) {
  lead(0, 0, writes(1), true);
  lead(0, 1, writes(2), false);
  lead(0, 2, writes(3), true);
  written(0, 0, 5);
  written(0, 1, 5);
  EXPECT_EQ(tables.drop_loads(false), 1u) << "the second load is still to be executed";
  EXPECT_EQ(tables.find(1, 0), nullptr);
  EXPECT_NE(tables.find(1, 1), nullptr);
  written(0, 2, 9);
  tables.find(1, 2)->global = false;
  EXPECT_EQ(tables.drop_loads(true), 0u);
  EXPECT_EQ(tables.drop_loads(false), 1u);
}

// A leader that ends before its result is there leaves nothing to follow: others execute for themselves.
TEST_F(ThreeWarps, ALeaderThatEndsTakesItsEntryWithIt) {
  lead(0, 0, writes(1));
  lead(0, 1, writes(2));
  written(0, 0, 5);
  tables.ended(0);
  EXPECT_TRUE(tables.tidy());
  EXPECT_NE(tables.find(1, 0), nullptr) << "of what is there they read the result";
  EXPECT_EQ(tables.find(1, 1), nullptr);
  EXPECT_EQ(tables.room(1, writes(2)), CtaTables::Room::kThere);
}

// The last warp on its way has nobody to lead.
TEST_F(ThreeWarps, NobodyLeadsForNobody) {
  for (unsigned warp : {0u, 1u}) {
    execute(warp, writes(1));
    execute(warp, writes(2));
  }
  EXPECT_EQ(tables.room(2, writes(1)), CtaTables::Room::kNoEntry);
  EXPECT_EQ(tables.room(0, writes(3)), CtaTables::Room::kThere);
}

// Section 7.7.4, whose "20092 bits" are 20,992.
TEST(DarsieCost, SectionSevenSevenFour) {
  const HardwareCost cost;
  EXPECT_EQ(cost.table_entry_bits(), 82u);
  EXPECT_EQ(cost.table_bits(), 20992u);
  EXPECT_EQ(cost.table_bits() / 8, 2624u);
  EXPECT_EQ(cost.path_bits(), 1024u);
  EXPECT_EQ(cost.path_bits() / 8, 128u);
  EXPECT_EQ(cost.rename_entry_bits(), 21u);
  EXPECT_EQ(cost.rename_bits(), 21504u);
  EXPECT_EQ(cost.rename_bits() / 8, 2688u);
  EXPECT_EQ(cost.total_bytes(), 5440u);
  EXPECT_NEAR(static_cast<double>(cost.total_bytes()) / 1024, 5.31, 0.005);
  EXPECT_NEAR(static_cast<double>(cost.total_bytes()) / (2048 * 128), 0.021, 0.0005)
      << "of the register file";
}

}  // namespace
}  // namespace warpvp::darsie
