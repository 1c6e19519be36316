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
      "  .reg .b32 %r<8>;\n  .shared .b32 s;\n" +
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
TEST(LoopSlice, AReadCarryBringsAllRegistersIn) {
  EXPECT_GE(rows_in_slice("L:\n  add.cc.u32 %r1, %r1, 1;\n  addc.u32 %r2, %r3, 0;\n"
                          "  setp.ne.u32 %p1, %r2, 9;\n  @%p1 bra L;\n  ret;\n"),
            3u);
}
TEST(LoopSlice, CallsAreOpaque) {
  bool opaque = true;
  rows_in_slice("L:\n  bra L;\n", &opaque);
  EXPECT_FALSE(opaque);
  rows_in_slice("L:\n  cp.async.wait_all;\n  bra L;\n", &opaque);
  EXPECT_TRUE(opaque);
}

}  // namespace
}  // namespace warpvp::test
