// Rows of registers that may still be read. tests/ptx_exec says that others are not.

#include "ptx/live_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ptx/module.h"

namespace warpvp::ptx {
namespace {

constexpr const char* kHead =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".func (.reg .u32 r) twice(.reg .u32 a) { add.u32 r, a, a; ret; }\n"
    ".visible .entry k(.param .u64 out) {\n  .reg .b32 %r<9>;\n  .reg .b64 %rd<4>;\n  .reg .pred %p<4>;\n"
    "  ld.param.u64 %rd1, [out];\n";

struct Kernel {
  explicit Kernel(const std::string& body)
      : program(Module::parse(kHead + body + "  ret;\n}\n", "live_rows.ptx")->entry("k")), live(*program) {}
  /// The n-th instruction with this opcode.
  Pc find(Opcode opcode, unsigned n = 0) const {
    for (Pc pc = 0; pc < program->code.size(); ++pc)
      if (program->code[pc].opcode == opcode && !program->code[pc].is_part && n-- == 0) return pc;
    return kNoPc;
  }
  /// Whether what the n-th of them writes may be read behind it.
  bool lives(Opcode opcode, unsigned n = 0) const {
    const Pc pc = find(opcode, n);
    return live.behind(pc)[program->code[pc].writes[0]];
  }
  /// Rows that are live behind the first.
  std::ptrdiff_t count(Opcode opcode) const {
    const RowSet rows = live.behind(find(opcode));
    return std::count(rows.begin(), rows.end(), true);
  }
  std::shared_ptr<const Program> program;
  LiveRows live;
};

TEST(LiveRows, UntilTheLastRead) {
  const Kernel k(
      "mov.u32 %r1, 5;\n add.u32 %r2, %r1, 1;\n mul.lo.u32 %r3, %r2, %r2;\n add.u32 %r4, %r3, 1;\n"
      "st.global.u32 [%rd1], %r4;\n not.b32 %r5, %r4;\n");
  EXPECT_TRUE(k.lives(Opcode::add, 0));
  EXPECT_EQ(k.count(Opcode::mul), 3) << "the product, and both rows of where it goes";
  EXPECT_TRUE(k.lives(Opcode::mul));
  EXPECT_FALSE(k.lives(Opcode::not_)) << "nothing reads %r5";
}

TEST(LiveRows, WhatIsWrittenAnewIsNotLiveBefore) {
  const Kernel k(
      "mov.u32 %r1, %tid.x;\n add.u32 %r2, %r1, 1;\n sub.u32 %r2, %r1, 7;\n st.global.u32 [%rd1], %r2;\n");
  EXPECT_FALSE(k.lives(Opcode::add));
  EXPECT_TRUE(k.lives(Opcode::sub));
  // A guard may leave what was there.
  const Kernel guarded(
      "mov.u32 %r1, %tid.x;\n add.u32 %r2, %r1, 1;\n setp.gt.u32 %p1, %r1, 4;\n @%p1 sub.u32 %r2, %r1, 7;\n"
      "st.global.u32 [%rd1], %r2;\n");
  EXPECT_TRUE(guarded.lives(Opcode::add));
}

TEST(LiveRows, AlongAllWays) {
  const Kernel k(
      "mov.u32 %r1, %tid.x;\n add.u32 %r2, %r1, 1;\n sub.u32 %r3, %r1, 1;\n setp.gt.u32 %p1, %r1, 4;\n"
      "@%p1 bra A;\n st.global.u32 [%rd1], %r2;\n bra B;\nA: mov.u32 %r4, 1;\n"
      "st.global.u32 [%rd1+4], %r4;\nB: mov.u32 %r3, 0;\n st.global.u32 [%rd1+8], %r3;\n");
  EXPECT_TRUE(k.lives(Opcode::add)) << "on one of two ways";
  EXPECT_FALSE(k.lives(Opcode::sub)) << "on neither";
  const Kernel loop(
      "mov.u32 %r1, 0;\n mov.u32 %r2, 1;\nA: add.u32 %r1, %r1, %r2;\n shl.b32 %r2, %r1, 1;\n"
      "setp.lt.u32 %p1, %r1, 30;\n @%p1 bra A;\n st.global.u32 [%rd1], %r1;\n");
  EXPECT_TRUE(loop.lives(Opcode::shl)) << "in the next turn";
}

TEST(LiveRows, BothRowsOfA64BitRegister) {
  const Kernel k("mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd3, %rd2, 1;\n st.global.u64 [%rd1], %rd3;\n");
  EXPECT_EQ(k.count(Opcode::mul), 4);
  EXPECT_EQ(k.count(Opcode::add), 4);
  EXPECT_EQ(k.count(Opcode::st), 0);
}

// Of a lane that has ended, too.
TEST(LiveRows, WhatLanesReadOfOthersIsAlwaysLive) {
  const Kernel k(
      "mov.u32 %r1, %tid.x;\n shfl.sync.down.b32 %r2, %r1, 1, 31, -1;\n add.u32 %r2, %r2, 1;\n"
      "st.global.u32 [%rd1], %r2;\n");
  const Pc shuffle = k.find(Opcode::shfl), store = k.find(Opcode::st);
  EXPECT_TRUE(k.live.behind(store)[k.program->code[shuffle].reads[0]]);
}

TEST(LiveRows, AllOfAProgramWithCalls) {
  const Kernel k("mov.u32 %r1, 1;\n call (%r2), twice, (%r1);\n not.b32 %r3, %r2;\n");
  EXPECT_TRUE(k.lives(Opcode::not_));
}

}  // namespace
}  // namespace warpvp::ptx
