// Branches that go, and those that stay.

#include "ptx/machine/branches.h"

#include "tests/ptx_machine/pass_harness.h"

namespace warpvp::ptx::machine {
namespace {

Lines predicated(const std::string& body) { return with(predicate_branches, body); }

TEST(Predication, OneSide) {
  EXPECT_THAT(
      predicated(
          "@%p1 bra L;\nadd.u32 %r1, %r1, 1;\nst.shared.u32 [%r2], %r1;\nL: st.global.u32 [%rd1], %r1;"),
      ElementsAre("@!%p1 add.u32 %r1, %r1, 1", "@!%p1 st.shared.u32 [%r2], %r1",
                  "st.global.u32 [%rd1], %r1"));
  EXPECT_THAT(predicated("@!%p1 bra L;\nld.global.u32 %r1, [%rd2];\nL: st.global.u32 [%rd1], %r1;"),
              ElementsAre("@%p1 ld.global.u32 %r1, [%rd2]", "st.global.u32 [%rd1], %r1"));
}

TEST(Predication, TwoSides) {
  EXPECT_THAT(
      predicated(
          "@%p1 bra L;\nmov.u32 %r1, 1;\nbra.uni M;\nL: mov.u32 %r1, 2;\nM: st.global.u32 [%rd1], %r1;"),
      ElementsAre("mov.u32 %r1, 1", "@%p1 mov.u32 %r1, 2", "st.global.u32 [%rd1], %r1"));
}

// A side's own values need no guard where they are arithmetic, and do not keep what was there before where
// they are not.
TEST(Predication, ValuesOfASideAlone) {
  const Passed p =
      passed([](const ir::Module&, LegalFunction& legal) { predicate_branches(legal.function); },
             "@%p1 bra L;\nadd.u32 %r3, %r2, 1;\nld.global.u32 %r4, [%rd1];\nadd.u32 %r5, %r4, %r3;\n"
             "st.shared.u32 [%r2], %r5;\nL: st.global.u32 [%rd1], %r1;");
  EXPECT_THAT(p.lines,
              ElementsAre("add.u32 %r3, %r2, 1", "@!%p1 ld.global.u32 %r4, [%rd1]", "add.u32 %r5, %r4, %r3",
                          "@!%p1 st.shared.u32 [%r2], %r5", "st.global.u32 [%rd1], %r1"));
  EXPECT_TRUE(p.legal.function.code[1].fresh);
  EXPECT_FALSE(p.legal.function.code[3].fresh);
}

// The other side reads what was there before: only its threads may be left alone.
TEST(Predication, ValuesOfBothSides) {
  EXPECT_THAT(
      predicated(
          "@%p1 bra L;\nadd.u32 %r3, %r2, 1;\nadd.u32 %r1, %r3, 1;\nbra.uni M;\nL: add.u32 %r1, %r3, 2;\n"
          "M: st.global.u32 [%rd1], %r1;"),
      ElementsAre("@!%p1 add.u32 %r3, %r2, 1", "add.u32 %r1, %r3, 1", "@%p1 add.u32 %r1, %r3, 2",
                  "st.global.u32 [%rd1], %r1"));
}

TEST(Predication, WhatMustStay) {
  std::string nine = "@%p1 bra L;\n";
  for (int k = 0; k < 9; ++k) nine += "add.u32 %r1, %r1, 1;\n";
  const std::string end = "\nL: st.global.u32 [%rd1], %r1;";
  EXPECT_EQ(predicated(nine + end), lines_of(nine + end));
  for (const char* side :
       {"bar.sync 0;", "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;", "vote.sync.any.pred %p2, %p3, -1;",
        "activemask.b32 %r1;", "membar.gl;", "setp.eq.u32 %p1, %r1, 0;", "@%p2 add.u32 %r1, %r1, 1;",
        "mov.u32 %r1, %clock;", "exit;", "trap;", "ld.volatile.global.u32 %r1, [%rd1];",
        "atom.acquire.gpu.global.add.u32 %r1, [%rd1], 1;", "nanosleep.u32 9;",
        "M: add.u32 %r1, %r1, 1;\n@%p2 bra M;"}) {
    const std::string body = std::string("@%p1 bra L;\n") + side + end;
    EXPECT_EQ(predicated(body), lines_of(body)) << side;
  }
}

// Others jump to the second side: it is not the branch's alone.
TEST(Predication, SidesThatOthersEnter) {
  const std::string body =
      "@%p2 bra L;\n@%p1 bra L;\nmov.u32 %r1, 1;\nbra.uni M;\nL: mov.u32 %r1, 2;\nM: st.global.u32 [%rd1], "
      "%r1;";
  EXPECT_EQ(predicated(body), lines_of(body));
}

TEST(Predication, OfAnInnerBranchOnly) {
  EXPECT_THAT(
      predicated(
          "@%p1 bra L;\n@%p2 bra M;\nadd.u32 %r1, %r1, 1;\nM: add.u32 %r2, %r2, 1;\nL: st.global.u32 [%rd1], "
          "%r1;"),
      ElementsAre("@%p1 bra L", "@!%p2 add.u32 %r1, %r1, 1", "add.u32 %r2, %r2, 1",
                  "st.global.u32 [%rd1], %r1"));
}

TEST(Straighten, BranchesOverBranches) {
  EXPECT_THAT(
      with(straighten_branches,
           "@%p1 bra L;\nbra.uni M;\nL: add.u32 %r1, %r1, 1;\nM: add.u32 %r2, %r2, 1;\nbra.uni "
           "N;\nN: add.u32 %r3, %r3, 1;"),
      ElementsAre("@!%p1 bra M", "add.u32 %r1, %r1, 1", "add.u32 %r2, %r2, 1", "add.u32 %r3, %r3, 1"));
}

TEST(Straighten, BranchesToTheEnd) {
  EXPECT_THAT(with(straighten_branches, "@%p1 bra L;\nadd.u32 %r1, %r1, 1;\nL: ret;"),
              ElementsAre("@%p1 ret", "add.u32 %r1, %r1, 1", "ret"));
}

}  // namespace
}  // namespace warpvp::ptx::machine
