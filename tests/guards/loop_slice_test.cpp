// Which registers decide where a loop goes.

#include "platform/guard/loop_slice.h"

#include <gtest/gtest.h>

#include "ptx/module.h"

namespace warpvp::test {
namespace {

/// The rows in the slice of the whole kernel.
unsigned rows_in_slice(const std::string& body, bool values_matter = true, std::string* opaque = nullptr) {
  const auto module = ptx::Module::parse(
      ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  .reg .pred %p<4>;\n"
      "  .reg .b32 %r<8>;\n  .reg .b64 %rd<2>;\n  .shared .b32 s;\n" +
          body + "}\n",
      "k.ptx");
  const auto program = module->entry("k");
  TellingOperands telling;
  for (const ptx::Inst& inst : program->code)
    for (unsigned i = 0; values_matter && i < inst.src_count; ++i) telling.insert(&inst.source(i));
  const LoopSlice slice = loop_slice(*program, std::vector<bool>(program->code.size(), true), telling);
  if (opaque) *opaque = slice.opaque ? slice.opaque : "";
  unsigned rows = 0;
  for (const bool in : slice.rows) rows += in;
  return rows;
}

TEST(LoopSlice, LeavesOutWhatNobodyLooksAt) {
  EXPECT_EQ(rows_in_slice("L:\n  add.u32 %r1, %r1, 1;\n  bra L;\n"), 0u);
  EXPECT_EQ(rows_in_slice("L:\n  add.u32 %r1, %r1, 1;\n  xor.b32 %r2, %r2, %r1;\n  bra L;\n"), 0u);
}
TEST(LoopSlice, FollowsWhatABranchDependsOn) {
  EXPECT_EQ(rows_in_slice("L:\n  add.u32 %r1, %r1, 1;\n  mul.lo.u32 %r2, %r1, %r3;\n"
                          "  setp.ne.u32 %p1, %r2, 9;\n  @%p1 bra L;\n  ret;\n"),
            3u);
}
TEST(LoopSlice, FollowsWhatIsStored) {
  EXPECT_EQ(rows_in_slice("L:\n  add.u32 %r1, %r1, 1;\n  st.shared.u32 [s], %r1;\n  bra L;\n"), 1u);
}
TEST(LoopSlice, FollowsAPredicateThatIsAnOperand) {
  EXPECT_EQ(rows_in_slice("L:\n  setp.ne.u32 %p1, %r1, 9;\n  selp.u32 %r2, %r3, %r4, %p1;\n"
                          "  st.shared.u32 [s], %r2;\n  add.u32 %r5, %r5, 1;\n  bra L;\n"),
            4u);
}

// The carry is in no register: what nobody looks at otherwise, %r5, is in the slice where a carry is read.
class Carry : public ::testing::TestWithParam<const char*> {};
TEST_P(Carry, ThatIsReadBringsAllRegistersIn) {
  const std::string rest = "  setp.ne.u32 %p1, %r2, 9;\n  add.u32 %r5, %r5, 1;\n  @%p1 bra L;\n  ret;\n";
  const unsigned without = rows_in_slice("L:\n  add.u32 %r2, %r3, %r4;\n" + rest);
  EXPECT_EQ(without, 3u);
  EXPECT_GE(rows_in_slice(std::string("L:\n  add.cc.u32 %r1, %r1, 1;\n  ") + GetParam() + rest), 5u);
}
INSTANTIATE_TEST_SUITE_P(LoopSlice, Carry,
                         ::testing::Values("addc.u32 %r2, %r3, %r4;\n", "subc.u32 %r2, %r3, %r4;\n",
                                           "madc.lo.u32 %r2, %r3, %r3, %r4;\n"));

// Whether a store or an atomic writes what somebody looks at is known to who watches; its address always
// matters.
TEST(LoopSlice, LeavesOutValuesThatNobodyLooksAt) {
  const std::string store = "L:\n  add.u32 %r1, %r1, 1;\n  st.shared.u32 [s], %r1;\n  bra L;\n";
  EXPECT_EQ(rows_in_slice(store, false), 0u);
  EXPECT_EQ(rows_in_slice(store, true), 1u);
  const std::string count = "L:\n  add.u32 %r1, %r1, 1;\n  atom.shared.add.u32 %r2, [s], %r1;\n  bra L;\n";
  EXPECT_EQ(rows_in_slice(count, false), 0u);
  EXPECT_EQ(rows_in_slice(count, true), 1u);
  EXPECT_EQ(rows_in_slice("L:\n  add.u32 %r1, %r1, 4;\n  st.shared.u32 [%r1], %r2;\n  bra L;\n", false), 1u);
  EXPECT_EQ(rows_in_slice("L:\n  atom.shared.add.u32 %r2, [s], %r1;\n  setp.ne.u32 %p1, %r2, 9;\n"
                          "  @%p1 bra L;\n  ret;\n",
                          false),
            2u)
      << "the old value decides, and it depends on what is added";
}

TEST(LoopSlice, NamesTheLoadsThatDecide) {
  const auto module = ptx::Module::parse(
      ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  .reg .pred %p;\n"
      "  .reg .b32 %r<8>;\n  .shared .b32 s[4];\nL:\n  ld.shared.u32 %r1, [s];\n  ld.shared.u32 %r2, [s+4];\n"
      "  add.u32 %r3, %r3, %r2;\n  setp.eq.u32 %p, %r1, 0;\n  @%p bra L;\n  ret;\n}\n",
      "k.ptx");
  const auto program = module->entry("k");
  const LoopSlice slice = loop_slice(*program, std::vector<bool>(program->code.size(), true), {});
  EXPECT_TRUE(slice.looks[0]);
  EXPECT_FALSE(slice.looks[1]) << "a sum that nobody looks at";
}

// How long a warp sleeps decides nothing.
TEST(LoopSlice, LeavesOutASleepThatGrows) {
  EXPECT_EQ(
      rows_in_slice("L:\n  shl.b32 %r1, %r1, 1;\n  nanosleep.u32 %r1;\n  ld.volatile.shared.u32 %r2, [s];\n"
                    "  setp.eq.u32 %p1, %r2, 0;\n  @%p1 bra L;\n  ret;\n"),
      1u);
}

TEST(LoopSlice, WhatRegistersAndMemoryDoNotTellIsOpaque) {
  std::string opaque;
  const auto of = [&](const std::string& body) {
    rows_in_slice("  mov.u64 %rd1, 0;\nL:\n" + body + "  bra L;\n", true, &opaque);
    return opaque;
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("  cp.async.wait_all;\n"), "copies asynchronously");
  EXPECT_EQ(of("  cp.async.ca.shared.global [s], [%rd1], 4;\n"), "copies asynchronously");
  EXPECT_EQ(of("  mov.u32 %r1, %clock;\n"), "") << "nobody looks at it";
  for (const char* clock : {"%clock", "%clock_hi", "%globaltimer_lo"})
    EXPECT_EQ(of(std::string("  mov.u32 %r1, ") + clock +
                 ";\n  shr.u32 %r2, %r1, 30;\n  setp.ne.u32 %p1, %r2, 0;\n  @%p1 bra L;\n"),
              "reads the time");
  EXPECT_EQ(of("  mov.u32 %r1, %laneid;\n  setp.ne.u32 %p1, %r1, 0;\n  @%p1 bra L;\n"), "");
}

}  // namespace
}  // namespace warpvp::test
