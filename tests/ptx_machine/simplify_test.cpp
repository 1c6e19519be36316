// Values that need not be computed as the text has them, and those that must.

#include "ptx/machine/simplify.h"

#include "ptx/machine/join_copies.h"
#include "tests/ptx_machine/pass_harness.h"

namespace warpvp::ptx::machine {
namespace {

Lines shared(const std::string& body) {
  return lines_after([](const ir::Module& m, LegalFunction& legal) { share_values(m, legal.function); },
                     body);
}
Lines propagated(const std::string& body) {
  return lines_after(
      [](const ir::Module&, LegalFunction& legal) {
        propagate_copies(legal.function);
        remove_dead_code(legal.function);
      },
      body);
}

TEST(PropagateCopies, ThroughMovesAndGlobalCasts) {
  EXPECT_THAT(
      propagated("ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u64 %rd3, %rd2;\n"
                 "ld.global.u32 %r1, [%rd3+4];\nmov.b32 %f1, %r1;\nst.global.f32 [%rd2], %f1;"),
      ElementsAre("ld.param.u64 %rd1, [p]", "ld.global.u32 %r1, [%rd1+4]", "st.global.f32 [%rd1], %r1"));
}

TEST(PropagateCopies, NotWhereEitherHasSeveralValues) {
  for (const char* body :
       {"ld.param.u32 %r1, [n];\nmov.u32 %r2, %r1;\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd1], %r2;",
        "ld.param.u32 %r1, [n];\nmov.u32 %r2, 5;\n@%p1 mov.u32 %r2, %r1;\nst.global.u32 [%rd1], %r2;",
        "ld.param.u32 %r1, [n];\n@%p1 bra L;\nmov.u32 %r2, %r1;\nL: st.global.u32 [%rd1], %r2;",
        "ld.param.u64 %rd2, [p];\ncvta.to.shared.u64 %rd3, %rd2;\nld.shared.u32 %r2, [%rd3];"}) {
    EXPECT_EQ(propagated(body), lines_of(body));
  }
}

TEST(PropagateCopies, ConstantsAreOperands) {
  EXPECT_THAT(
      propagated(
          "mov.f32 %f1, 0f00000000;\nld.global.f32 %f2, [%rd1];\nadd.f32 %f3, %f2, %f1;\n"
          "mov.f32 %f4, 0f3F800000;\nadd.f32 %f5, %f3, %f4;\nmov.f32 %f6, %f4;\n@%p1 mov.f32 %f6, %f5;\n"
          "st.global.f32 [%rd1], %f6;"),
      ElementsAre("ld.global.f32 %f2, [%rd1]", "add.f32 %f3, %f2, 0f00000000", "add.f32 %f5, %f3, 0f3F800000",
                  "mov.f32 %f6, 0f3F800000", "@%p1 mov.f32 %f6, %f5", "st.global.f32 [%rd1], %f6"));
}

// One an instruction, with the bits that it was moved with; not as data, nor where the machine has registers
// only.
TEST(PropagateCopies, OneConstantAnInstruction) {
  const auto before_last = [&](const std::string& body) {
    const Lines lines =
        propagated("ld.global.v2.u32 {%r1, %r2}, [%rd9];\nld.global.v2.f32 {%f1, %f2}, [%rd9];\n" + body +
                   "\nst.global.u32 [%rd9], %r4;");
    return lines[lines.size() - 2];
  };
  EXPECT_EQ(before_last("mov.b32 %r3, 0f40000000;\nxor.b32 %r4, %r1, %r3;"), "xor.b32 %r4, %r1, 1073741824");
  EXPECT_EQ(before_last("mov.u32 %r3, 4294967295;\nmin.s32 %r4, %r1, %r3;"), "min.s32 %r4, %r1, -1");
  EXPECT_EQ(before_last("mov.b32 %f3, 1065353216;\nfma.rn.f32 %f4, %f1, %f3, %f2;\nmov.b32 %r4, %f4;"),
            "fma.rn.f32 %f4, %f1, 0f3F800000, %f2");
  EXPECT_EQ(before_last("mov.u32 %r3, 9;\nmov.u32 %r5, 5;\nmad.lo.s32 %r4, %r1, %r3, %r5;"),
            "mad.lo.s32 %r4, %r1, 9, %r5");
  EXPECT_EQ(before_last("mov.u32 %r3, 9;\nadd.u32 %r4, %r3, 5;"), "add.u32 %r4, %r3, 5");
  EXPECT_EQ(before_last("mov.u32 %r3, 9;\nshl.b32 %r4, %r3, %r1;"), "shl.b32 %r4, %r3, %r1");
  EXPECT_EQ(before_last("mov.u32 %r3, 9;\nshl.b32 %r4, %r1, %r3;"), "shl.b32 %r4, %r1, 9");
  EXPECT_EQ(before_last("mov.u32 %r4, 9;"), "mov.u32 %r4, 9");
}

TEST(FoldAddresses, ConstantsGoIntoOffsets) {
  const Lines lines = with(fold_addresses,
                           "ld.param.u64 %rd1, [p];\nadd.s64 %rd2, %rd1, 16;\nadd.s64 %rd3, %rd2, -4;\n"
                           "ld.global.u32 %r1, [%rd3+8];\nld.global.u32 %r2, [%rd3+8388607];");
  EXPECT_EQ(lines[3], "ld.global.u32 %r1, [%rd1+20]");
  EXPECT_EQ(lines[4], "ld.global.u32 %r2, [%rd2+8388603]");  // 24 bits
}

TEST(FoldAddresses, NotOfRegistersThatChange) {
  const std::string body =
      "ld.param.u64 %rd1, [p];\nadd.s64 %rd2, %rd1, 16;\nadd.s64 %rd1, %rd1, 4;\nld.global.u32 %r1, [%rd2];\n"
      "add.cc.u32 %r4, %r3, 4;\nld.shared.u32 %r5, [%r4];";
  EXPECT_EQ(with(fold_addresses, body), lines_of(body));
}

TEST(FusePairs, MultiplyAndAdd) {
  const std::string inputs = "ld.param.u32 %r1, [n];\nld.param.u64 %rd1, [p];\nmov.u32 %r2, %tid.x;\n";
  const auto last = [&](const std::string& body) { return with(fuse_pairs, inputs + body).back(); };
  EXPECT_EQ(last("mul.wide.s32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;"), "mad.wide.s32 %rd3, %r2, 4, %rd1");
  EXPECT_EQ(last("mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd2, %rd1;"), "mad.wide.u32 %rd3, %r2, 4, %rd1");
  EXPECT_EQ(last("mul.lo.s32 %r3, %r2, %r1;\nadd.s32 %r4, %r3, 7;"), "mad.lo.s32 %r4, %r2, %r1, 7");
  EXPECT_EQ(last("shl.b32 %r3, %r2, 3;\nadd.s32 %r4, %r1, %r3;"), "mad.lo.s32 %r4, %r2, 8, %r1");
  EXPECT_EQ(last("shl.b32 %r3, %r2, 3;\nsub.s32 %r4, %r1, %r3;"), "mad.lo.s32 %r4, %r2, -8, %r1");
  EXPECT_EQ(last("mul.lo.s32 %r3, %r2, -7;\nsub.u32 %r4, %r1, %r3;"), "mad.lo.s32 %r4, %r2, 7, %r1");
  // Bits beyond the width, two readers, carries, saturation, floating point, 64-bit products, a changed
  // operand.
  for (const char* body :
       {"shl.b32 %r3, %r2, 32;\nadd.s32 %r4, %r1, %r3;", "mul.lo.s32 %r3, %r2, %r1;\nadd.s32 %r4, %r3, %r3;",
        "mul.lo.s32 %r3, %r2, %r1;\nadd.cc.s32 %r4, %r3, 7;",
        "mul.lo.s32 %r3, %r2, %r1;\nadd.sat.s32 %r4, %r3, 7;",
        "mul.hi.s32 %r3, %r2, %r1;\nadd.s32 %r4, %r3, 7;", "mul.f32 %f3, %f2, %f1;\nadd.f32 %f4, %f3, %f1;",
        "mul.lo.s32 %r3, %r2, %r1;\nsub.s32 %r4, %r1, %r3;", "shl.b32 %r3, %r2, 3;\nsub.s32 %r4, %r3, %r1;",
        "mul.lo.s32 %r3, %r2, 7;\nsub.cc.s32 %r4, %r1, %r3;",
        "mul.lo.s64 %rd2, %rd1, %rd1;\nadd.s64 %rd3, %rd2, %rd1;",
        "mul.lo.s32 %r3, %r2, %r5;\nadd.s32 %r5, %r5, 1;\nadd.s32 %r4, %r3, 7;",
        "mul.lo.s32 %r3, %r2, %r1;\n@%p1 bra L;\nL: add.s32 %r4, %r3, 7;"}) {
    EXPECT_EQ(with(fuse_pairs, inputs + body), lines_of(inputs + body)) << body;
  }
}

TEST(FusePairs, ComparisonAndLogic) {
  const std::string inputs =
      "ld.param.u32 %r1, [n];\nsetp.eq.u32 %p2, %r1, 3;\n@%p2 mov.u32 %r9, 1;\nmov.u32 %r2, %tid.x;\n";
  const auto last = [&](const std::string& body) { return with(fuse_pairs, inputs + body).back(); };
  EXPECT_EQ(last("setp.lt.s32 %p1, %r1, %r2;\nand.pred %p3, %p1, %p2;"),
            "setp.lt.and.s32 %p3, %r1, %r2, %p2");
  EXPECT_EQ(last("setp.ltu.ftz.f32 %p1, 0f00000000, 0f3F800000;\nor.pred %p3, %p2, %p1;"),
            "setp.ltu.or.ftz.f32 %p3, 0f00000000, 0f3F800000, %p2");
  const std::string both = inputs + "setp.lt.s32 %p1|%p4, %r1, %r2;\nand.pred %p3, %p1, %p2;";
  EXPECT_EQ(with(fuse_pairs, both), lines_of(both));
}

TEST(ShareValues, WhatIsComputedAlready) {
  EXPECT_THAT(shared("mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\n@%p1 bra L;\nmov.u32 %r3, %tid.x;\n"
                     "add.u32 %r4, %r3, 1;\nst.global.u32 [%rd1], %r4;\nL: st.global.u32 [%rd2], %r2;"),
              ElementsAre("mov.u32 %r1, %tid.x", "add.u32 %r2, %r1, 1", testing::HasSubstr("bra L"),
                          "st.global.u32 [%rd1], %r2", "st.global.u32 [%rd2], %r2"));
}

TEST(ShareValues, NotOnOtherWaysNorWhatChanges) {
  const std::string store = "\nst.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r2;";
  for (const char* body :
       {"@%p1 bra L;\nmov.u32 %r1, %tid.x;\nL: mov.u32 %r2, %tid.x;",
        "mov.u32 %r1, %clock;\nmov.u32 %r2, %clock;",
        "ld.global.u32 %r1, [%rd2];\nld.global.u32 %r2, [%rd2];",
        "add.u32 %r1, %r3, 1;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r2, %r3, 1;",
        "add.cc.u32 %r1, %r4, 1;\nadd.cc.u32 %r2, %r4, 1;",
        "@%p1 mov.u32 %r1, %tid.x;\n@%p1 mov.u32 %r2, %tid.x;", "activemask.b32 %r1;\nactivemask.b32 %r2;"}) {
    EXPECT_EQ(shared(body + store), lines_of(body + store)) << body;
  }
}

TEST(DeadCode, GoesUnlessItHasAnEffect) {
  EXPECT_THAT(with(remove_dead_code,
                   "ld.param.u32 %r1, [n];\nadd.u32 %r2, %r1, 1;\nadd.cc.u32 %r3, %r1, 1;\n"
                   "ld.global.u32 %r4, [%rd1];\natom.global.add.u32 %r5, [%rd1], 1;\n"
                   "mov.u32 %r6, %clock;\n@%p1 mul.lo.u32 %r7, %r1, 3;"),
              ElementsAre("ld.param.u32 %r1, [n]", "add.cc.u32 %r3, %r1, 1", "ld.global.u32 %r4, [%rd1]",
                          "atom.global.add.u32 %r5, [%rd1], 1", "mov.u32 %r6, %clock"));
}

TEST(JoinCopies, MovesAroundALoopGo) {
  EXPECT_THAT(
      with(join_copies,
           "mov.u32 %r1, 0;\nL: ld.global.u32 %r3, [%rd1];\nadd.u32 %r2, %r1, %r3;\nmov.u32 %r1, %r2;\n"
           "setp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\nst.global.u32 [%rd1], %r1;"),
      ElementsAre("mov.u32 %r1, 0", "ld.global.u32 %r3, [%rd1]", "add.u32 %r1, %r1, %r3",
                  "setp.lt.u32 %p1, %r1, 9", "@%p1 bra L", "st.global.u32 [%rd1], %r1"));
}

TEST(JoinCopies, NotWhereBothAreAlive) {
  for (const char* body :
       {"ld.global.u32 %r1, [%rd1];\nmov.u32 %r2, %r1;\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd1], %r1;\n"
        "st.global.u32 [%rd1+4], %r2;",
        "ld.global.u32 %r1, [%rd1];\n@%p1 mov.u32 %r2, %r1;\nst.global.u32 [%rd1+4], %r2;",
        "ld.global.u32 %r1, [%rd1];\nshfl.sync.idx.b32 %r3, %r1, 0, 31, -1;\nmov.u32 %r1, %r3;\n"
        "shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;\nst.global.v2.u32 [%rd1], {%r1, %r3};"}) {
    EXPECT_EQ(with(join_copies, body), lines_of(body)) << body;
  }
}

// Texts have no such moves, but a pass may make them: of other widths, of less than the register.
TEST(JoinCopies, RegistersOfOtherWidthsStayApart) {
  const std::string body = "ld.global.u32 %r1, [%rd9];\nmov.b32 %r2, %r1;\nst.global.u32 [%rd9], %r2;";
  const auto moves = [&](Type to, Type from, Type move) {
    unsigned count = 0;
    passed(
        [&](const ir::Module&, LegalFunction& legal) {
          ir::Function& f = legal.function;
          for (ir::Instruction& i : f.code) {
            if (i.opcode != Opcode::mov) continue;
            f.registers[static_cast<std::size_t>(i.operands[0].index)].type = to;
            f.registers[static_cast<std::size_t>(i.operands[1].index)].type = from;
            i.modifiers.type = move;
          }
          join_copies(f);
          for (const ir::Instruction& i : f.code) count += i.opcode == Opcode::mov;
        },
        body);
    return count;
  };
  EXPECT_EQ(moves(Type::b32, Type::b32, Type::b32), 0u);
  EXPECT_EQ(moves(Type::b64, Type::b64, Type::b64), 0u);
  EXPECT_EQ(moves(Type::b32, Type::f32, Type::b32), 0u);
  EXPECT_EQ(moves(Type::b64, Type::b32, Type::b32), 1u);
  EXPECT_EQ(moves(Type::b64, Type::b32, Type::b64), 1u);
  EXPECT_EQ(moves(Type::b32, Type::b64, Type::b32), 1u);
  EXPECT_EQ(moves(Type::b32, Type::b16, Type::b32), 1u);
  EXPECT_EQ(moves(Type::b64, Type::b64, Type::b32), 1u);
  EXPECT_EQ(moves(Type::b32, Type::b32, Type::b16), 1u);
}

}  // namespace
}  // namespace warpvp::ptx::machine
