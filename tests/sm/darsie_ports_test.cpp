// DARSIE's tables of an SM, without an SM: how many entries of the PC skip table are made and read in a
// cycle.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "modules/sm/darsie/sm_tables.h"
#include "ptx/module.h"

namespace warpvp::darsie {
namespace {

struct Nobody : Follower {
  void look_again(unsigned) override {}
  void look_again_at(unsigned, ptx::Pc) override {}
  void wait_at(unsigned, ptx::Pc) override {}
  void written_at(unsigned, ptx::Pc, Cycle) override {}
  void wake_at(Cycle) override {}
};

/// Two CTAs of three warps, all at the first of eight instructions that are the same for all of a CTA.
struct TwoCtas : ::testing::TestWithParam<unsigned> {
  static constexpr unsigned kCtas = 2, kWarps = 3;
  static constexpr Cycle kWritten = 40;

  explicit TwoCtas() : tables(SmContext(), config(), params()) {
    tables.attach(0, nobody);
    std::string text =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .u32 %r<9>;\n";
    for (unsigned i = 0; i < 8; ++i) text += "mov.u32 %r" + std::to_string(i) + ", %ntid.x;\n";
    program = ptx::Module::parse(text + "ret;\n}\n", "test.ptx")->entry("k");
    for (unsigned cta = 0; cta < kCtas; ++cta)
      for (unsigned warp = 0; warp < kWarps; ++warp) {
        WarpInfo info;
        info.cta = cta;
        info.index = warp;
        info.cta_warps = kWarps;
        info.block[0] = 32 * kWarps;
        warps.push_back(tables.started(info, *program, 0, cta * kWarps + warp));
      }
  }
  static SmConfig config() {
    SmConfig c;
    c.schedulers = 1;
    return c;
  }
  static Params params() {
    Params p;
    p.read_ports = p.write_ports = GetParam();
    p.registers_from = "own";
    return p;
  }
  Member warp(unsigned cta, unsigned index) const { return warps[cta * kWarps + index]; }
  const ptx::Inst& inst(ptx::Pc pc) const { return program->code[pc]; }
  unsigned limit(unsigned cta, unsigned index, ptx::Pc pc, unsigned most, Cycle now) {
    return tables.limit(warp(cta, index), pc, most, program->code.data(), now);
  }
  bool skip(unsigned cta, unsigned index, ptx::Pc pc, Cycle now) {
    return tables.skip(warp(cta, index), *tables.tables(cta)->find(index, pc), inst(pc), now);
  }
  /// Warp 0 of each CTA leads at the first four, one in a cycle, and all results are there at kWritten.
  void lead_four() {
    for (unsigned cta = 0; cta < kCtas; ++cta)
      for (ptx::Pc pc = 0; pc < 4; ++pc) {
        const Cycle now = 8 * cta + pc;
        ASSERT_EQ(limit(cta, 0, pc, 1, now), 1u);
        RowName room[8];
        EntryNames names(room);
        tables.fetched(warp(cta, 0), pc, inst(pc), now, names);
        ASSERT_EQ(names.writes, 1u);
        tables.row_written(room[names.count - 1].row(), kWritten);
      }
  }

  Nobody nobody;
  SmTables tables;
  std::shared_ptr<const ptx::Program> program;
  std::vector<Member> warps;
};

// A fetch that would make more leaders than there are write ports ends before them; another CTA's leader has
// what is left.
TEST_P(TwoCtas, MakeAsManyEntriesInACycleAsThereAreWritePorts) {
  const unsigned ports = GetParam();
  ASSERT_EQ(limit(0, 0, 0, 8, 5), ports);
  ASSERT_EQ(limit(0, 0, 0, 1, 5), 1u);
  RowName room[8];
  EntryNames names(room);
  tables.fetched(warp(0, 0), 0, inst(0), 5, names);
  EXPECT_EQ(limit(1, 0, 0, 8, 5), ports - 1);
  EXPECT_EQ(limit(1, 0, 0, 8, 6), ports);
  EXPECT_EQ(tables.counters().leaders, 1u);
}

// Warps of a CTA at the same instruction share a read.
TEST_P(TwoCtas, ReadAsManyEntriesInACycleAsThereAreReadPorts) {
  ASSERT_NO_FATAL_FAILURE(lead_four());
  unsigned skipped = 0;
  for (unsigned cta = 0; cta < kCtas; ++cta)
    for (ptx::Pc pc = 0; pc < 4; ++pc) skipped += skip(cta, 1, pc, kWritten);
  EXPECT_EQ(skipped, GetParam());
  EXPECT_EQ(tables.counters().table_reads, GetParam());
  EXPECT_TRUE(skip(0, 2, 0, kWritten)) << "warp 1 of its CTA reads it";
  EXPECT_EQ(tables.counters().table_reads, GetParam());
  EXPECT_TRUE(skip(1, 2, 0, kWritten + 1)) << "another cycle";
  EXPECT_EQ(tables.counters().table_reads, GetParam() + 1);
}

INSTANTIATE_TEST_SUITE_P(Ports, TwoCtas, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace warpvp::darsie
