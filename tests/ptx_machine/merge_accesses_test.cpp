// Narrow accesses that become wide ones, and those that must not.

#include "ptx/machine/merge_accesses.h"

#include "tests/ptx_machine/pass_harness.h"

namespace warpvp::ptx::machine {
namespace {

Lines merged(const std::string& body) {
  return lines_after([](const ir::Module& m, LegalFunction& legal) { merge_accesses(m, legal.function); },
                     body);
}

const std::string kBase = "mov.u32 %r1, tile;\n";

TEST(MergeAccesses, FourLoadsOfAnAlignedArray) {
  EXPECT_THAT(
      merged(kBase +
             "ld.shared.f32 %f0, [%r1+16];\nld.shared.f32 %f2, [%r1+24];\nld.shared.f32 %f1, [%r1+20];\n"
             "ld.shared.f32 %f3, [%r1+28];\nld.shared.f32 %f4, [%r1+32];"),
      ElementsAre("mov.u32 %r1, tile", "ld.shared.v4.f32 {%f0, %f1, %f2, %f3}, [%r1+16]",
                  "ld.shared.f32 %f4, [%r1+32]"));
}

TEST(MergeAccesses, TwoWhereOnlyEightBytesAreAligned) {
  EXPECT_THAT(
      merged(kBase +
             "ld.shared.f32 %f0, [%r1+8];\nld.shared.u32 %r2, [%r1+12];\nld.shared.f32 %f2, [%r1+16];"),
      ElementsAre("mov.u32 %r1, tile", "ld.shared.v2.b32 {%f0, %r2}, [%r1+8]",
                  "ld.shared.f32 %f2, [%r1+16]"));
}

TEST(MergeAccesses, DoublesAndStores) {
  EXPECT_THAT(
      merged(kBase + "st.shared.f64 [%r1+8], %d1;\nadd.f64 %d3, %d1, %d2;\nst.shared.f64 [%r1], %d0;"),
      ElementsAre("mov.u32 %r1, tile", "add.f64 %d3, %d1, %d2", "st.shared.v2.f64 [%r1], {%d0, %d1}"));
}

TEST(MergeAccesses, AlignmentComesFromArithmetic) {
  const std::string loads = "ld.shared.f32 %f0, [%r3];\nld.shared.f32 %f1, [%r3+4];";
  const auto wide = [&](const std::string& offset) {
    const Lines lines =
        merged("mov.u32 %r0, %tid.x;\nmov.u32 %r1, tile;\n" + offset + "\nadd.u32 %r3, %r1, %r2;\n" + loads);
    return lines.back().find(".v2") != std::string::npos;
  };
  EXPECT_TRUE(wide("shl.b32 %r2, %r0, 3;"));
  EXPECT_TRUE(wide("mul.lo.u32 %r2, %r0, 24;"));
  EXPECT_TRUE(wide("and.b32 %r2, %r0, -8;"));
  EXPECT_TRUE(wide("mad.lo.u32 %r2, %r0, 8, 16;"));
  EXPECT_TRUE(wide("and.b32 %r2, %r0, 48;"));
  EXPECT_TRUE(wide("shl.b32 %r4, %r0, 3;\nselp.b32 %r2, %r4, 8, %p1;"));
  EXPECT_FALSE(wide("and.b32 %r2, %r0, -4;"));
  EXPECT_FALSE(wide("and.b32 %r2, %r0, 7;"));
  EXPECT_FALSE(wide("shl.b32 %r4, %r0, 2;\nand.b32 %r2, %r4, 12;"));
  EXPECT_FALSE(wide("shl.b32 %r4, %r0, 3;\nxor.b32 %r2, %r4, 4;"));
  EXPECT_FALSE(wide("shl.b32 %r4, %r0, 3;\nor.b32 %r2, %r4, %r0;"));
  EXPECT_FALSE(wide("shl.b32 %r4, %r0, 3;\nsub.u32 %r2, %r4, 4;"));
  EXPECT_FALSE(wide("mad.lo.u32 %r2, %r0, 8, 4;"));
  EXPECT_FALSE(wide("shl.b32 %r4, %r0, 3;\nselp.b32 %r2, %r4, 4, %p1;"));
  EXPECT_FALSE(wide("shl.b32 %r4, %r0, 3;\nshr.u32 %r2, %r4, 1;"));
  EXPECT_FALSE(wide("shl.b32 %r2, %r0, %r5;"));
  EXPECT_FALSE(wide("shl.b32 %r2, %r0, 2;"));
  EXPECT_FALSE(wide("mul.lo.u32 %r2, %r0, 20;"));
  EXPECT_FALSE(wide("or.b32 %r2, %r0, 8;"));
  EXPECT_FALSE(wide("mul.hi.u32 %r2, %r0, 8;"));
}

// A register that a loop steps on is as aligned as its first value and its steps are.
TEST(MergeAccesses, AlignmentHoldsForEveryTurnOfALoop) {
  const auto instructions = [](const std::string& step) {
    return merged(
               "mov.u32 %r0, 64;\nmov.u32 %r1, tile;\nLOOP:\nadd.u32 %r3, %r1, %r0;\n"
               "ld.shared.f32 %f0, [%r3+-64];\nld.shared.f32 %f1, [%r3+-60];\nadd.u32 %r0, %r0, " +
               step + ";\nsetp.ne.u32 %p1, %r0, 576;\n@%p1 bra LOOP;")
        .size();
  };
  EXPECT_EQ(instructions("128"), instructions("4") - 1);
  EXPECT_EQ(instructions("8"), instructions("4") - 1);
  EXPECT_EQ(instructions("%r2"), instructions("4"));
}

TEST(MergeAccesses, ConstantMemoryGivesEightBytesAtMost) {
  const Lines lines = merged(
      "mov.u64 %rd1, table;\nld.const.u32 %r0, [%rd1];\nld.const.u32 %r1, [%rd1+4];\n"
      "ld.const.u32 %r2, [%rd1+8];\nld.const.u32 %r3, [%rd1+12];");
  EXPECT_THAT(lines, ElementsAre("mov.u64 %rd1, table", "ld.const.v2.u32 {%r0, %r1}, [%rd1]",
                                 "ld.const.v2.u32 {%r2, %r3}, [%rd1+8]"));
}

// What is not proven: a pointer, a variable of 4 bytes' alignment that is placed elsewhere, a register of two
// values.
TEST(MergeAccesses, UnknownAlignmentStays) {
  for (const char* base : {"ld.param.u64 %rd1, [p];\n", "mov.u64 %rd1, array;\n",
                           "mov.u64 %rd1, tile;\n@%p1 add.u64 %rd1, %rd1, 4;\n"}) {
    const std::string body = std::string(base) + "ld.global.u32 %r0, [%rd1];\nld.global.u32 %r1, [%rd1+4];";
    EXPECT_EQ(merged(body), lines_of(body));
  }
}

TEST(MergeAccesses, WhatLiesBetweenMatters) {
  const auto stays = [](const std::string& between) {
    const std::string body =
        kBase + "ld.shared.u32 %r2, [%r1];\n" + between + "\nld.shared.u32 %r3, [%r1+4];";
    return merged(body) == lines_of(body);
  };
  EXPECT_FALSE(stays("add.u32 %r5, %r2, 1;"));
  EXPECT_FALSE(stays("st.global.u32 [%rd1], %r2;"));
  EXPECT_FALSE(stays("st.shared.u32 [%r1+8], %r2;"));
  EXPECT_TRUE(stays("st.shared.u32 [%r1+4], %r2;"));
  EXPECT_TRUE(stays("st.shared.u32 [%r9], %r2;"));  // may be the same bytes
  EXPECT_TRUE(stays("st.u32 [%rd1], %r2;"));        // generic
  EXPECT_TRUE(stays("atom.shared.add.u32 %r6, [%r9], 1;"));
  EXPECT_TRUE(stays("bar.sync 0;"));
  EXPECT_TRUE(stays("membar.cta;"));
  EXPECT_TRUE(stays("add.u32 %r1, %r1, 8;"));
  EXPECT_TRUE(stays("mov.u32 %r5, %r3;"));  // reads the old value of the second result
  EXPECT_TRUE(stays("mov.u32 %r5, %clock;"));
  EXPECT_TRUE(stays("shfl.sync.idx.b32 %r6, %r2, 0, 31, -1;"));
}

TEST(MergeAccesses, VolatileRelaxedAndGuardsKeepApart) {
  for (const char* body :
       {"ld.volatile.shared.u32 %r2, [%r1];\nld.volatile.shared.u32 %r3, [%r1+4];",
        "ld.relaxed.cta.shared.u32 %r2, [%r1];\nld.relaxed.cta.shared.u32 %r3, [%r1+4];",
        "@%p1 ld.shared.u32 %r2, [%r1];\nld.shared.u32 %r3, [%r1+4];",
        "@%p1 ld.shared.u32 %r2, [%r1];\n@!%p1 ld.shared.u32 %r3, [%r1+4];",
        "@%p1 ld.shared.u32 %r2, [%r1];\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 ld.shared.u32 %r3, [%r1+4];",
        "ld.shared.u32 %r2, [%r1];\nst.shared.u32 [%r1+4], %r3;",
        "ld.shared.u16 %h2, [%r1];\nld.shared.u16 %h3, [%r1+2];",
        "ld.shared.u32 %r2, [%r1];\nld.shared.u32 %r2, [%r1+4];"}) {
    EXPECT_EQ(merged(kBase + body), lines_of(kBase + body));
  }
  EXPECT_THAT(merged(kBase + "@%p1 ld.shared.u32 %r2, [%r1];\n@%p1 ld.shared.u32 %r3, [%r1+4];"),
              ElementsAre("mov.u32 %r1, tile", "@%p1 ld.shared.v2.u32 {%r2, %r3}, [%r1]"));
}

// What a load gives may be the base, the guard or the data of another access.
TEST(MergeAccesses, DestinationsThatAreSources) {
  for (const char* body :
       {"ld.shared.u32 %r1, [%r1];\nld.shared.u32 %r3, [%r1+4];",
        "ld.shared.u32 %r3, [%r1];\nadd.u32 %r5, %r4, 1;\nld.shared.u32 %r4, [%r1+4];",
        "ld.shared.u32 %r3, [%r1];\nadd.u32 %r4, %r5, 1;\nst.shared.u32 [%r9+64], %r4;\n"
        "ld.shared.u32 %r4, [%r1+4];",
        "ld.shared.u32 %r3, [%r1];\nmov.u32 %r4, 7;\nld.shared.u32 %r4, [%r1+4];",
        "st.shared.u32 [%r1], %r3;\nld.shared.u32 %r3, [%r9];\nst.shared.u32 [%r1+4], %r3;",
        "@%p1 st.shared.u32 [%r1], %r3;\n@!%p1 st.shared.u32 [%r1+4], %r4;"})
    EXPECT_EQ(merged(kBase + body), lines_of(kBase + body)) << body;
  // The last one of a vector may take the base's place.
  EXPECT_THAT(merged(kBase + "ld.shared.u32 %r3, [%r1+4];\nld.shared.u32 %r1, [%r1];"),
              ElementsAre("mov.u32 %r1, tile", testing::_, testing::_));
}

TEST(MergeAccesses, StoresSinkOnlyPastWhatTheyDoNotTouch) {
  const auto stays = [](const std::string& between) {
    const std::string body =
        kBase + "st.shared.u32 [%r1], %r2;\n" + between + "\nst.shared.u32 [%r1+4], %r3;";
    return merged(body) == lines_of(body);
  };
  EXPECT_FALSE(stays("ld.shared.u32 %r6, [%r1+8];"));
  EXPECT_TRUE(stays("ld.shared.u32 %r6, [%r1];"));
  EXPECT_TRUE(stays("ld.shared.u32 %r6, [%r9];"));
  EXPECT_TRUE(stays("add.u32 %r2, %r2, 1;"));
  EXPECT_TRUE(stays("bar.sync 0;"));
}

TEST(MergeAccesses, NotAcrossBlocks) {
  const std::string body = kBase + "ld.shared.u32 %r2, [%r1];\n@%p1 bra L;\nL: ld.shared.u32 %r3, [%r1+4];";
  EXPECT_EQ(merged(body), lines_of(body));
}

}  // namespace
}  // namespace warpvp::ptx::machine
