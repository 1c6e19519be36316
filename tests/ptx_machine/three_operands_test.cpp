// Pairs of instructions that the machine has as one of three operands.

#include "ptx/machine/three_operands.h"

#include "ptx/machine/constant_operands.h"
#include "tests/ptx_machine/pass_harness.h"

namespace warpvp::ptx::machine {
namespace {

Lines fused(const std::string& body) {
  return lines_after([](const ir::Module&, LegalFunction& legal) { fuse_three(legal.function); }, body);
}

const std::string kInputs =
    "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd9];\nld.global.v2.u64 {%rd1, %rd2}, [%rd9];\n";
std::string last(const std::string& body) { return fused(kInputs + body).back(); }
void stays(const std::string& body) { EXPECT_EQ(fused(kInputs + body), lines_of(kInputs + body)) << body; }

TEST(FuseThree, SumsAndDifferences) {
  EXPECT_EQ(last("add.s32 %r5, %r1, %r2;\nadd.s32 %r6, %r5, %r3;"), "add3.s32 %r6, %r1, %r2, %r3");
  EXPECT_EQ(last("add.s32 %r5, %r1, %r2;\nsub.u32 %r6, %r3, %r5;"), "add3.u32 %r6, -%r1, -%r2, %r3");
  EXPECT_EQ(last("sub.s32 %r5, %r1, %r2;\nsub.s32 %r6, %r3, %r5;"), "add3.s32 %r6, -%r1, %r2, %r3");
  EXPECT_EQ(last("add.s32 %r5, %r1, 7;\nsub.s32 %r6, %r3, %r5;"), "add3.s32 %r6, -%r1, -7, %r3");
  EXPECT_EQ(last("neg.s32 %r5, %r1;\nadd.s32 %r6, %r5, %r3;"), "add3.s32 %r6, -%r1, %r3, 0");
  EXPECT_EQ(last("sub.s64 %rd3, %rd1, %rd2;\nadd.s64 %rd4, %rd3, %rd1;"), "add3.s64 %rd4, %rd1, -%rd2, %rd1");
  // The second of a chain of three additions takes the first, and the third stays.
  EXPECT_THAT(fused(kInputs + "add.s32 %r5, %r1, %r2;\nadd.s32 %r6, %r5, %r3;\nadd.s32 %r7, %r6, %r4;"),
              testing::Contains("add.s32 %r7, %r6, %r4"));
}

TEST(FuseThree, SumsOnlyWhereNothingElseDependsOnThem) {
  stays("add.s32 %r5, %r1, %r2;\nadd.s32 %r6, %r5, %r5;");
  stays("add.s32 %r5, %r1, %r2;\nadd.s32 %r6, %r5, %r3;\nadd.s32 %r7, %r5, %r4;\nxor.b32 %r8, %r6, %r7;");
  stays("add.cc.u32 %r5, %r1, %r2;\nadd.u32 %r6, %r5, %r3;");
  stays("add.s32 %r5, %r1, %r2;\nadd.sat.s32 %r6, %r5, %r3;");
  stays("add.sat.s32 %r5, %r1, %r2;\nadd.s32 %r6, %r5, %r3;");
  stays("add.f32 %f5, %f1, %f2;\nadd.f32 %f6, %f5, %f3;");
  stays("add.s16 %h5, %h1, %h2;\nadd.s16 %h6, %h5, %h3;");
  stays("@%p1 add.s32 %r5, %r1, %r2;\nadd.s32 %r6, %r5, %r3;");
  stays("add.s32 %r5, %r1, 8;\nadd.s32 %r6, %r5, 9;");  // one constant an instruction
  stays("add.s32 %r5, %r1, %r2;\n@%p1 bra L;\nL: add.s32 %r6, %r5, %r3;");
  stays("add.s32 %r5, %r9, %r2;\nmov.u32 %r9, %r3;\nadd.s32 %r6, %r5, %r3;");  // %r9 changes
}

// One operand from a constant bank, and none beside a constant.
TEST(FuseThree, ConstantBanksCountAsConstants) {
  const auto code = [](const std::string& body) {
    return lines_after(
        [](const ir::Module& m, LegalFunction& legal) {
          use_constant_operands(m, legal);
          fuse_three(legal.function);
        },
        "ld.param.u32 %r9, [n];\n" + kInputs + body);
  };
  EXPECT_THAT(code("add.s32 %r5, %r1, %r9;\nadd.s32 %r6, %r5, %r3;").back(),
              testing::MatchesRegex("add3.s32 %r6, %r1, %.m[0-9]+, %r3"));
  EXPECT_EQ(code("add.s32 %r5, %r1, %r9;\nadd.s32 %r6, %r5, 5;").back(), "add.s32 %r6, %r5, 5");
  EXPECT_EQ(code("and.b32 %r5, %r1, %r9;\nxor.b32 %r6, %r5, 5;").back(), "xor.b32 %r6, %r5, 5");
}

TEST(FuseThree, Logic) {
  const auto table = [](unsigned (*f)(unsigned, unsigned, unsigned)) {
    return std::to_string(f(0xf0, 0xcc, 0xaa) & 0xff);
  };
  EXPECT_EQ(last("and.b32 %r5, %r1, %r2;\nor.b32 %r6, %r5, %r3;"),
            "lop3.b32 %r6, %r3, %r1, %r2, " +
                table([](unsigned a, unsigned b, unsigned c) { return (b & c) | a; }));
  EXPECT_EQ(last("not.b32 %r5, %r1;\nand.b32 %r6, %r5, %r3;"),
            "lop3.b32 %r6, %r3, %r1, 0, " + table([](unsigned a, unsigned b, unsigned) { return ~b & a; }));
  EXPECT_EQ(last("xor.b32 %r5, %r1, -1;\nand.b32 %r6, %r2, %r5;\nxor.b32 %r7, %r6, 255;"),
            "lop3.b32 %r7, 255, %r2, %r1, " +
                table([](unsigned a, unsigned b, unsigned c) { return (b & ~c) ^ a; }));
  // Three inputs, each twice.
  EXPECT_EQ(last("and.b32 %r5, %r1, %r2;\nand.b32 %r6, %r3, %r2;\nor.b32 %r7, %r5, %r6;"),
            "lop3.b32 %r7, %r1, %r2, %r3, " +
                table([](unsigned a, unsigned b, unsigned c) { return (a & b) | (c & b); }));
  EXPECT_EQ(last("xor.b64 %rd3, %rd1, %rd2;\nxor.b64 %rd4, %rd3, %rd1;").substr(0, 9), "lop3.b64 ");
  EXPECT_EQ(last("lop3.b32 %r5, %r1, %r2, %r3, 202;\nnot.b32 %r6, %r5;"), "lop3.b32 %r6, %r1, %r2, %r3, 53");
}

TEST(FuseThree, LogicOfFourInputsOrWithOtherReadersStays) {
  stays("lop3.b32 %r5, %r1, %r2, %r3, 202;\nand.b32 %r6, %r5, %r4;");
  stays("and.b32 %r5, %r1, %r2;\nor.b32 %r6, %r5, %r3;\nst.global.u32 [%rd9], %r5;");
  stays("and.b32 %r5, %r1, 255;\nor.b32 %r6, %r5, 4096;");
  stays("and.pred %p5, %p1, %p2;\nor.pred %p6, %p5, %p3;");
  stays("and.b16 %h5, %h1, %h2;\nor.b16 %h6, %h5, %h3;");
  stays("lop3.or.b32 %r5|%p1, %r1, %r2, %r3, 202, %p2;\nnot.b32 %r6, %r5;");
}

TEST(FuseThree, LogicThatIsOnlyTested) {
  EXPECT_EQ(last("and.b32 %r5, %r1, 4;\nsetp.eq.s32 %p1, %r5, 0;"),
            "lop3.eq.b32 %p1, %r1, 4, 0, " + std::to_string(0x100 + (0xf0 & 0xcc)));
  EXPECT_EQ(last("or.b32 %r5, %r1, %r2;\nnot.b32 %r6, %r5;\n@%p2 setp.ne.u32 %p1, %r6, 0;"),
            "@%p2 lop3.ne.b32 %p1, %r1, %r2, 0, " + std::to_string(~(0xf0 | 0xcc) & 0xff));
  stays("and.b32 %r5, %r1, 4;\nsetp.eq.s32 %p1, %r5, 4;");
  stays("and.b32 %r5, %r1, 4;\nsetp.gt.s32 %p1, %r5, 0;");
  stays("and.b32 %r5, %r1, 4;\nsetp.eq.s32 %p1|%p2, %r5, 0;");
  stays("and.b32 %r5, %r1, 4;\nsetp.eq.and.s32 %p1, %r5, 0, %p2;");
  stays("and.b32 %r5, %r1, 4;\nsetp.eq.s32 %p1, %r5, 0;\nst.global.u32 [%rd9], %r5;");
  stays("and.b64 %rd3, %rd1, 4;\nsetp.eq.s64 %p1, %rd3, 0;");
  stays("add.s32 %r5, %r1, 4;\nsetp.eq.s32 %p1, %r5, 0;");
}

TEST(FuseThree, ShiftsOfARotation) {
  EXPECT_EQ(last("shl.b32 %r5, %r1, 3;\nshr.u32 %r6, %r2, 29;\nor.b32 %r7, %r6, %r5;"),
            "shf.l.wrap.b32 %r7, %r2, %r1, 3");
  EXPECT_EQ(last("shl.b32 %r5, %r1, 31;\nshr.b32 %r6, %r1, 1;\nadd.u32 %r7, %r5, %r6;"),
            "shf.l.wrap.b32 %r7, %r1, %r1, 31");
  stays("shl.b32 %r5, %r1, 3;\nshr.s32 %r6, %r2, 29;\nor.b32 %r7, %r6, %r5;");
  stays("shl.b32 %r5, %r1, 3;\nshr.u32 %r6, %r2, 28;\nor.b32 %r7, %r6, %r5;");
  stays("shl.b32 %r5, %r1, 3;\nshr.u32 %r6, %r2, 29;\nand.b32 %r7, %r6, %r5;");
  stays("shl.b32 %r5, %r1, 32;\nshr.u32 %r6, %r2, 0;\nor.b32 %r7, %r6, %r5;");
}

TEST(FuseThree, ShiftedSumsOf64Bits) {
  EXPECT_EQ(last("shl.b64 %rd3, %rd1, 3;\nadd.s64 %rd4, %rd2, %rd3;"), "lea.s64 %rd4, %rd1, %rd2, 3");
  EXPECT_EQ(last("cvt.u64.u32 %rd3, %r1;\nadd.s64 %rd4, %rd3, %rd2;"), "lea.s64 %rd4, %r1, %rd2, 0");
  EXPECT_EQ(last("cvt.u64.u32 %rd3, %r1;\nshl.b64 %rd4, %rd3, 2;\nadd.s64 %rd5, %rd2, %rd4;"),
            "lea.s64 %rd5, %r1, %rd2, 2");
  stays("cvt.s64.s32 %rd3, %r1;\nadd.s64 %rd4, %rd3, %rd2;");
  stays("cvt.u64.u16 %rd3, %h1;\nadd.s64 %rd4, %rd3, %rd2;");
  stays("cvt.u64.u32 %rd3, %r1;\nsub.s64 %rd4, %rd2, %rd3;");
  stays("shl.b64 %rd3, %rd1, 32;\nadd.s64 %rd4, %rd2, %rd3;");
  stays("shl.b64 %rd3, %rd1, %r1;\nadd.s64 %rd4, %rd2, %rd3;");
  stays("shl.b64 %rd3, %rd1, 3;\nsub.s64 %rd4, %rd2, %rd3;");
}

}  // namespace
}  // namespace warpvp::ptx::machine
