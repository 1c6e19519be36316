// Which registers decide where a loop goes.

#include "platform/loop_slice.h"

#include <gtest/gtest.h>

#include "ptx/module.h"

namespace warpvp::test {
namespace {

/// The rows in the slice of the whole kernel.
unsigned rows_in_slice(const std::string& body, bool* opaque = nullptr) {
  const auto module = ptx::Module::parse(
      ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  .reg .pred %p<4>;\n"
      "  .reg .b32 %r<8>;\n  .reg .b64 %rd<2>;\n  .shared .b32 s;\n" +
          body + "}\n",
      "k.ptx");
  const auto program = module->entry("k");
  const LoopSlice slice = loop_slice(*program, std::vector<bool>(program->code.size(), true));
  if (opaque) *opaque = slice.opaque;
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

TEST(LoopSlice, CallsAreOpaque) {
  bool opaque = true;
  rows_in_slice("L:\n  bra L;\n", &opaque);
  EXPECT_FALSE(opaque);
  for (const char* body : {"  cp.async.wait_all;\n", "  cp.async.ca.shared.global [s], [%rd1], 4;\n"}) {
    rows_in_slice(std::string("  mov.u64 %rd1, 0;\nL:\n") + body + "  bra L;\n", &opaque);
    EXPECT_TRUE(opaque) << body;
  }
}

}  // namespace
}  // namespace warpvp::test
