// Loops that become copies of their bodies, and those that stay.

#include "ptx/machine/unroll.h"

#include "tests/ptx_machine/pass_harness.h"

namespace warpvp::ptx::machine {
namespace {

Lines unrolled(const std::string& body) {
  return lines_after([](const ir::Module&, LegalFunction& legal) { unroll_loops(legal.function); }, body);
}
unsigned copies_of(const std::string& part, const std::string& body) {
  unsigned count = 0;
  for (const std::string& line : unrolled(body)) count += line.find(part) != std::string::npos;
  return count;
}
/// A loop from `first` on with these last lines; its body is one load and one sum.
std::string loop(const std::string& first, const std::string& end) {
  return first + "\nL: ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\n" + end +
         "\n@%p1 bra L;\nst.global.f32 [%rd1], %f2;";
}

// Each copy has registers of its own; what is read behind the loop is where it was.
TEST(Unroll, CopiesTheBody) {
  EXPECT_THAT(unrolled(loop("mov.u32 %r1, 0;", "add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 2;")),
              ElementsAre("mov.u32 %r1, 0", "ld.global.f32 %$m5, [%rd1]", "add.f32 %$m6, %f2, %$m5",
                          "add.u32 %$m7, %r1, 1", "setp.ne.u32 %$m8, %$m7, 2", "ld.global.f32 %$m9, [%rd1]",
                          "add.f32 %f2, %$m6, %$m9", "add.u32 %$m10, %$m7, 1", "setp.ne.u32 %$m11, %$m10, 2",
                          "st.global.f32 [%rd1], %f2"));
}

struct Ends {
  const char *first, *end;
  unsigned iterations;
};
class Iterations : public testing::TestWithParam<Ends> {};
TEST_P(Iterations, AreCounted) {
  EXPECT_EQ(copies_of("ld.global", loop(GetParam().first, GetParam().end)), GetParam().iterations);
}
INSTANTIATE_TEST_SUITE_P(
    Of, Iterations,
    testing::Values(
        Ends{"mov.u32 %r1, 0;", "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;", 8},
        Ends{"mov.u32 %r1, 0;", "setp.lt.u32 %p1, %r1, 8;\nadd.u32 %r1, %r1, 1;", 9},
        Ends{"mov.u32 %r1, 5;", "sub.u32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 0;", 5},
        Ends{"mov.u32 %r1, -3;", "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 1;", 4},
        Ends{"mov.u32 %r1, -3;", "add.s32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 1;", 1},
        Ends{"mov.u32 %r1, 64;", "shr.u32 %r1, %r1, 1;\nsetp.hi.u32 %p1, %r1, 4;", 4},
        Ends{"mov.u64 %rd3, 0;", "add.s64 %rd3, %rd3, 4;\nsetp.ge.s64 %p1, 12, %rd3;", 4},
        // Signed comparisons of 64 bits: below zero, beyond 32 bits, and where the lower half has another
        // sign.
        Ends{"mov.u64 %rd3, -3;", "add.s64 %rd3, %rd3, 1;\nsetp.lt.s64 %p1, %rd3, 1;", 4},
        Ends{"mov.u64 %rd3, -3;", "add.u64 %rd3, %rd3, 1;\nsetp.lt.u64 %p1, %rd3, 1;", 1},
        Ends{"mov.u64 %rd3, 0;", "add.s64 %rd3, %rd3, 4294967296;\nsetp.lt.s64 %p1, %rd3, 12884901888;", 3},
        Ends{"mov.u64 %rd3, 2147483646;", "add.s64 %rd3, %rd3, 1;\nsetp.lt.s64 %p1, %rd3, 2147483649;", 3},
        Ends{"mov.f32 %f5, 0f3F800000;", "add.f32 %f5, %f5, %f5;\nsetp.leu.f32 %p1, %f5, 0f41000000;", 4},
        // The last value before the loop counts, also behind a branch over it.
        Ends{"mov.u32 %r1, 9;\nadd.u32 %r4, %r1, 1;\nmov.u32 %r1, 5;\n@%p4 bra M;",
             "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;\nM:", 1},
        // 5 instructions, copies of at most 768.
        Ends{"mov.u32 %r1, 0;", "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 153;", 153},
        Ends{"mov.u32 %r1, 0;", "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 154;", 1},
        // Not known how often.
        Ends{"ld.param.u32 %r1, [n];", "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;", 1},
        Ends{"mov.u32 %r1, 0;", "add.u32 %r1, %r1, %r7;\nsetp.lt.u32 %p1, %r1, 8;", 1},
        Ends{"mov.u32 %r1, 0;", "@%p2 add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;", 1},
        Ends{"mov.u32 %r1, 0;", "@%p2 bra N;\nadd.u32 %r1, %r1, 1;\nN: setp.lt.u32 %p1, %r1, 8;", 1},
        Ends{"mov.u32 %r1, 0;", "add.u32 %r1, %r1, 2;\nsetp.ne.u32 %p1, %r1, 7;", 1},
        // Entered elsewhere, left elsewhere, not copied.
        Ends{"mov.u32 %r1, 0;\n@%p3 bra N;", "N: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;", 1},
        Ends{"mov.u32 %r1, 0;", "@%p3 bra L;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;", 1},
        Ends{"mov.u32 %r1, 0;", "@%p3 exit;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;", 1},
        Ends{"mov.u32 %r1, 0;", "mov.u32 %r5, %clock;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;", 1}));

// Past the label, from above, from below and by a table of branches.
TEST(Unroll, EnteredPastItsLabel) {
  const std::string end = "N: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;";
  for (const std::string& body :
       {loop("bra S;\nS: mov.u32 %r1, 0;\n@%p3 bra N;\nadd.u32 %r5, %r5, 1;", end),
        loop("mov.u32 %r1, 0;", end) + "\nadd.u32 %r5, %r5, 1;\n@%p4 bra N;\nst.global.u32 [%rd1], %r5;",
        loop("T: .branchtargets N, Z;\nmov.u32 %r1, 0;\n@%p3 brx.idx %r6, T;", end) + "\nZ: mov.u32 %r7, 1;",
        loop("mov.u32 %r1, 0;", end) + "\nT: .branchtargets N, Z;\n@%p3 brx.idx %r6, T;\nZ: mov.u32 %r7, 1;"})
    EXPECT_EQ(copies_of("ld.global", body), 1u) << body;
}

// A way out in the middle.
TEST(Unroll, LeftInTheMiddle) {
  EXPECT_EQ(copies_of("ld.global",
                      loop("mov.u32 %r1, 0;", "@%p3 bra Z;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;") +
                          "\nZ: mov.u32 %r7, 1;"),
            1u);
}

// The value before a label is not the one of a way that comes in there.
TEST(Unroll, ValuesFromBehindALabelAreNotKnown) {
  const std::string end = "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;";
  EXPECT_EQ(
      copies_of("ld.global", loop("mov.u32 %r1, 6;\n@%p3 bra S;\nmov.u32 %r1, 4;\nS: mov.u32 %r5, 0;", end)),
      1u);
}

// Other ways into the loop bring other values.
TEST(Unroll, EnteredFromTwoPlaces) {
  const std::string body =
      loop("mov.u32 %r1, 0;\n@%p3 bra L;\nmov.u32 %r1, 4;", "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;");
  EXPECT_EQ(unrolled(body), lines_of(body));
}

TEST(Unroll, LeavesLoopsUnderAPragma) {
  const std::string end = "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 8;";
  const auto with = [&](const std::string& pragma) {
    return "mov.u32 %r1, 0;\nL: " + pragma + "\nld.global.f32 %f1, [%rd1];\n" + end +
           "\n@%p1 bra L;\nmov.u32 %r2, 0;\nM: ld.shared.f32 %f1, [%r9];\nadd.u32 %r2, %r2, 1;\n"
           "setp.lt.u32 %p1, %r2, 3;\n@%p1 bra M;";
  };
  EXPECT_EQ(copies_of("ld.global", with(".pragma \"nounroll\";")), 1u);
  EXPECT_EQ(copies_of("ld.shared", with(".pragma \"nounroll\";")), 3u);
  EXPECT_EQ(copies_of("ld.global", with(".pragma \"used_bytes_mask 15\";")), 8u);
}

// What only some threads write keeps its register, what a side has for itself does not; sides have labels of
// their own.
TEST(Unroll, SidesOfBranches) {
  EXPECT_THAT(
      unrolled(
          "mov.u32 %r1, 0;\nL: setp.eq.u32 %p2, %r1, %r5;\n@%p2 bra S;\nadd.u32 %r3, %r1, 7;\nadd.u32 %r4, "
          "%r4, "
          "%r3;\nS: add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 2;\n@%p1 bra L;\nst.global.u32 [%rd1], %r4;"),
      ElementsAre("mov.u32 %r1, 0", "setp.eq.u32 %$m7, %r1, %r5", "@%$m7 bra S", "add.u32 %$m8, %r1, 7",
                  "add.u32 %r4, %r4, %$m8", "add.u32 %$m9, %r1, 1", "setp.ne.u32 %$m10, %$m9, 2",
                  "setp.eq.u32 %$m11, %$m9, %r5", "@%$m11 bra S$1", "add.u32 %$m12, %$m9, 7",
                  "add.u32 %r4, %r4, %$m12", "add.u32 %$m13, %$m9, 1", "setp.ne.u32 %$m14, %$m13, 2",
                  "st.global.u32 [%rd1], %r4"));
}

TEST(Unroll, InnerLoopsFirst) {
  const std::string body =
      "mov.u32 %r1, 0;\nO: mov.u32 %r2, 0;\nL: st.global.u32 [%rd1], %r2;\nadd.u32 %r2, %r2, 1;\n"
      "setp.ne.u32 %p1, %r2, 3;\n@%p1 bra L;\nadd.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, ";
  EXPECT_EQ(copies_of("st.global", body + "2;\n@%p1 bra O;"), 6u);
  EXPECT_EQ(copies_of("st.global", body + "%r9;\n@%p1 bra O;"), 3u);
}

}  // namespace
}  // namespace warpvp::ptx::machine
