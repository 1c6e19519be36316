// Arithmetic on constants that is done before the code runs, and arithmetic that must not be.

#include "ptx/machine/fold_constants.h"

#include "tests/ptx_machine/pass_harness.h"

namespace warpvp::ptx::machine {
namespace {

Lines folded(const std::string& body) {
  return lines_after([](const ir::Module&, LegalFunction& legal) { fold_constants(legal.function); }, body);
}
/// The line that computes %r2 or %rd2 of `body`, which reads it.
std::string result(const std::string& body) {
  const bool wide = body.find("%rd2") != std::string::npos;
  const Lines lines =
      folded(body + (wide ? "\nst.global.u64 [%rd9], %rd2;" : "\nst.global.u32 [%rd9], %r2;"));
  return lines.at(lines.size() - 2);
}

struct Constant {
  const char* body;
  const char* becomes;
};
class FoldConstants : public testing::TestWithParam<Constant> {};

TEST_P(FoldConstants, MovesTheResult) { EXPECT_EQ(result(GetParam().body), GetParam().becomes); }

INSTANTIATE_TEST_SUITE_P(
    Of, FoldConstants,
    testing::Values(Constant{"add.s32 %r2, 7, -9;", "mov.b32 %r2, -2"},
                    Constant{"mov.u32 %r1, 3000000000;\nadd.u32 %r2, %r1, %r1;", "mov.b32 %r2, 1705032704"},
                    Constant{"mov.u32 %r1, 5;\nmov.u32 %r3, %r1;\nsub.s32 %r2, 2, %r3;", "mov.b32 %r2, -3"},
                    Constant{"mul.lo.s32 %r2, 65537, 65537;", "mov.b32 %r2, 131073"},
                    Constant{"mad.lo.s32 %r2, 6, 7, 8;", "mov.b32 %r2, 50"},
                    Constant{"shl.b32 %r2, 1, 31;", "mov.b32 %r2, -2147483648"},
                    Constant{"shl.b32 %r2, 1, 32;", "mov.b32 %r2, 0"},
                    Constant{"shr.u32 %r2, -1, 28;", "mov.b32 %r2, 15"},
                    Constant{"shr.s32 %r2, -16, 2;", "mov.b32 %r2, -4"},
                    Constant{"shr.s32 %r2, -16, 77;", "mov.b32 %r2, -1"},
                    Constant{"and.b32 %r2, 12, 10;", "mov.b32 %r2, 8"},
                    Constant{"or.b32 %r2, 12, 10;", "mov.b32 %r2, 14"},
                    Constant{"xor.b32 %r2, 12, 10;", "mov.b32 %r2, 6"},
                    Constant{"not.b32 %r2, 0;", "mov.b32 %r2, -1"},
                    Constant{"neg.s32 %r2, 5;", "mov.b32 %r2, -5"},
                    Constant{"mov.u64 %rd1, 1;\nshl.b64 %rd2, %rd1, 40;", "mov.b64 %rd2, 1099511627776"},
                    Constant{"shr.s64 %rd2, -4, 1;", "mov.b64 %rd2, -2"},
                    Constant{"mov.f32 %f1, 0f40800000;\ncvt.rzi.s32.f32 %r2, %f1;", "mov.b32 %r2, 4"},
                    Constant{"mov.f32 %f1, 0fC0700000;\ncvt.rzi.s32.f32 %r2, %f1;", "mov.b32 %r2, -3"},
                    Constant{"mov.f32 %f1, 0f4F000000;\ncvt.rzi.u32.f32 %r2, %f1;",
                             "mov.b32 %r2, -2147483648"}));

// Singles whose sums are what IEEE 754 says in every mode, and powers of two, of which approximations are
// exact.
TEST(FoldConstants, Singles) {
  const struct {
    const char *body, *becomes;
  } cases[] = {{"add.f32 %f2, 0f40800000, 0f3F800000;", "mov.f32 %f2, 0f40A00000"},
               {"sub.rn.ftz.f32 %f2, 0f40800000, 0f3F800000;", "mov.f32 %f2, 0f40400000"},
               {"mul.f32 %f2, 0f3DCCCCCD, 0f3DCCCCCD;", "mov.f32 %f2, 0f3C23D70B"},
               {"lg2.approx.f32 %f2, 0f41800000;", "mov.f32 %f2, 0f40800000"},
               {"lg2.approx.ftz.f32 %f2, 0f3E800000;", "mov.f32 %f2, 0fC0000000"},
               {"ex2.approx.f32 %f2, 0fC0400000;", "mov.f32 %f2, 0f3E000000"},
               {"cvt.rn.f32.s32 %f2, -3;", "mov.f32 %f2, 0fC0400000"},
               {"cvt.rn.f32.u32 %f2, 16777216;", "mov.f32 %f2, 0f4B800000"}};
  for (const auto& c : cases) EXPECT_THAT(folded(c.body), ElementsAre(c.becomes)) << c.body;
}

// Several values, guards, carries, other roundings, numbers that the result cannot hold.
TEST(FoldConstants, LeavesTheRest) {
  for (const char* body : {"mov.u32 %r1, 5;\n@%p1 mov.u32 %r1, 6;\nadd.u32 %r2, %r1, 1;",
                           "@%p1 add.u32 %r2, 5, 1;",
                           "add.cc.u32 %r2, 5, 1;",
                           "mul.hi.u32 %r2, 5, 1;",
                           "ld.param.u32 %r1, [n];\nadd.u32 %r2, %r1, 1;",
                           "mov.f32 %f1, 0f40800000;\ncvt.rni.s32.f32 %r2, %f1;",
                           "mov.f32 %f1, 0f4F000000;\ncvt.rzi.s32.f32 %r2, %f1;",
                           "mov.f32 %f1, 0fBF800000;\ncvt.rzi.u32.f32 %r2, %f1;",
                           "mov.f32 %f1, 0f7FC00000;\ncvt.rzi.s32.f32 %r2, %f1;",
                           "add.rz.f32 %f2, 0f40800000, 0f40800000;",
                           "add.sat.f32 %f2, 0f40800000, 0f40800000;",
                           "mul.f32 %f2, 0f00800000, 0f3F000000;",
                           "add.f32 %f2, 0f7F800000, 0f40800000;",
                           "add.f64 %d2, 0d4010000000000000, 0d4010000000000000;",
                           "fma.rn.f32 %f2, 0f40800000, 0f40800000, 0f40800000;",
                           "lg2.approx.f32 %f2, 0f40400000;",
                           "lg2.approx.f32 %f2, 0fC0000000;",
                           "ex2.approx.f32 %f2, 0f3F000000;",
                           "ex2.approx.f32 %f2, 0f43000000;",
                           "cvt.rn.f32.s32 %f2, 16777217;"}) {
    EXPECT_EQ(folded(body), lines_of(body)) << body;
  }
}

}  // namespace
}  // namespace warpvp::ptx::machine
