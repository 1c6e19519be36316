// What the limit study counts, by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "ptx/module.h"
#include "tests/ptx_redundancy/watched_run.h"

namespace warpvp::ptx {
namespace {

/// A kernel of `body` on a grid of two CTAs, its warps one after the other as far as they come.
struct Studied {
  RedundancyCounts counts;

  Studied(const std::string& body, const std::array<std::uint32_t, 3>& shape, Code code = Code::kPtx) {
    FlatMemory memory(1 << 20);
    CodeOptions options;
    options.code = code;
    const auto module = Module::parse(
        ".version 7.5\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 a)\n{\n.shared .align 4 .b8 s[4096];\n.local .align 4 .b8 own[64];\n"
        ".reg .u32 %r<20>; .reg .u64 %rd<10>; .reg .pred %p<6>;\nld.param.u64 %rd0, [a];\n" +
            body + "ret;\n}\n",
        "test.ptx", options);
    const auto program = module->entry("k");
    const std::uint64_t place = memory.allocate(256);
    std::vector<std::uint8_t> arguments(program->param_bytes);
    std::memcpy(arguments.data(), &place, 8);
    RedundancyStudy study(*program, shape);
    unsigned turn = 0;
    const std::string wrong = run_watched(*program, shape, 2, arguments, memory, study, [&](unsigned warps) {
      return Turn{turn++ % warps, 1'000'000};
    });
    EXPECT_EQ(wrong, "");
    counts = study.counts();
    EXPECT_EQ(counts.block, counts.uniform + counts.affine + counts.unstructured);
    EXPECT_LE(counts.block_with_results, counts.block);
    EXPECT_LE(counts.marked_of_block, std::min(counts.marked, counts.block_with_results));
  }
};

/// Warp instructions by warps: each of these CTAs has two, and there are two.
constexpr std::array<std::uint32_t, 3> kTwoWarps = {32, 2, 1}, kOneWarp = {32, 1, 1}, kNotFull = {16, 5, 1};
constexpr std::uint64_t kAll = 4;

TEST(RedundancyStudy, CountsByLevelAndByOperands) {
  const RedundancyCounts c = Studied(
                                 "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %tid.x;\n"
                                 "mov.u32 %r3, %tid.y;\nmul.lo.u32 %r4, %r2, %r2;\nxor.b32 %r5, %r4, %r1;\n",
                                 kTwoWarps)
                                 .counts;
  EXPECT_EQ(c.ctas, 2u);
  EXPECT_EQ(c.instructions, kAll * 8);
  EXPECT_EQ(c.grid, kAll * 5) << "ld.param, ntid, tid.x, mul, xor";
  EXPECT_EQ(c.block, kAll * 6) << "and ctaid";
  EXPECT_EQ(c.uniform, kAll * 3) << "ld.param, ctaid, ntid";
  EXPECT_EQ(c.affine, kAll * 2) << "tid.x, and the product's operands";
  EXPECT_EQ(c.unstructured, kAll) << "xor";
  EXPECT_EQ(c.warp, kAll * 4) << "ld.param, ctaid, ntid, tid.y";
  EXPECT_EQ(c.marked, kAll * 6);
  EXPECT_EQ(c.marked_of_block, kAll * 6);
  EXPECT_EQ(c.block_with_results, kAll * 6);
  EXPECT_EQ(c.unsound, 0u);
}

struct Amount {
  const char* name;
  const char* body;
  std::uint64_t block, warp;  // by kAll, beside ld.param and ret
};
class Amounts : public ::testing::TestWithParam<Amount> {};
TEST_P(Amounts, Count) {
  const RedundancyCounts c = Studied(GetParam().body, kTwoWarps).counts;
  EXPECT_EQ(c.block, kAll * (GetParam().block + 1));
  EXPECT_EQ(c.warp, kAll * (GetParam().warp + 1));
  EXPECT_EQ(c.unsound, 0u);
}
INSTANTIATE_TEST_SUITE_P(
    RedundancyStudy, Amounts,
    ::testing::Values(
        // Warps whose lanes have parted are compared no more, but their lanes are, with what they then hold.
        Amount{"parted",
               "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p0, %r0, 3;\nmov.u32 %r1, %r0;\nmov.u32 %r3, 3;\n@%p0 bra "
               "L;\nmov.u32 %r1, 4;\nL:\nadd.u32 %r2, %r1, 1;\nadd.u32 %r4, %r3, 1;\n",
               5, 2},
        Amount{"gathered",
               "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p0, %r0, 3;\n@%p0 bra L;\nmov.u32 %r1, 4;\nL:\n"
               "bar.sync 0;\nadd.u32 %r2, %r0, 1;\n",
               4, 0},
        Amount{"not_once_for_all",  // atomics, a thread's own memory
               "mov.u32 %r0, 1;\natom.global.add.u32 %r1, [%rd0], %r0;\nred.global.add.u32 [%rd0], %r0;\n"
               "st.local.u32 [own], %r0;\nld.local.u32 %r2, [own];\n",
               1, 1},
        Amount{"plain_accesses",  // of one place: a store may stand for all
               "mov.u32 %r0, 1;\nst.global.u32 [%rd0], %r0;\nld.global.u32 %r1, [%rd0];\n", 3, 3},
        Amount{"carry",
               "mov.u32 %r0, %tid.y;\nmov.u32 %r1, 1;\nsub.cc.u32 %r2, %r0, 1;\naddc.u32 %r3, %r1, 1;\n", 1,
               4},
        // What a reduction yields comes when the barrier opens.
        Amount{"barrier_reduction",
               "mov.u32 %r0, %tid.y;\nmov.u32 %r1, %r0;\nsetp.eq.u32 %p0, %r0, 0;\nbar.red.popc.u32 %r1, 0, "
               "%p0;\nadd.u32 %r2, %r1, 1;\n",
               1, 4}),
    [](const auto& info) { return info.param.name; });

// Nobody is there to share with; the grid has others.
TEST(RedundancyStudy, OfOneWarpNothingIsRedundantInTheCta) {
  const RedundancyCounts c = Studied("mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n", kOneWarp).counts;
  EXPECT_EQ(c.instructions, 8u);
  EXPECT_EQ(c.block, 0u);
  EXPECT_EQ(c.marked, 0u);
  EXPECT_EQ(c.grid, 4u);
  EXPECT_EQ(c.warp, 4u);
}

TEST(RedundancyStudy, WarpsThatAreNotFullCountNowhere) {
  const RedundancyCounts c = Studied("mov.u32 %r0, %ctaid.x;\n", kNotFull).counts;
  EXPECT_EQ(c.instructions, 18u);
  EXPECT_EQ(c.block, 0u) << "one of three is not full";
  EXPECT_EQ(c.warp, 8u);
  EXPECT_EQ(c.marked, 8u);
}

// Parts of an expansion are what the instruction is that they belong to.
TEST(RedundancyStudy, PartsGoWithTheirInstruction) {
  const char* const kBody =
      "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, 7;\nadd.u32 %r1, %r1, %r0;\n"
      "div.u32 %r2, %r0, %r1;\nst.global.u32 [%rd0], %r2;\n";
  const RedundancyCounts c = Studied(kBody, kTwoWarps, Code::kMachine).counts;
  EXPECT_GT(c.instructions, kAll * 10);
  // All but the end; stores and branches yield nothing.
  EXPECT_EQ(c.block, c.instructions - kAll);
  EXPECT_EQ(c.block_with_results, c.block - kAll);
  EXPECT_EQ(c.marked, c.block_with_results);
  EXPECT_EQ(c.marked_of_block, c.marked);
}

// A program with a race, which the marks do not reckon with: the second warp loads what the first has stored.
TEST(RedundancyStudy, FindsMarksThatDoNotHold) {
  const RedundancyCounts c = Studied(
                                 "ld.global.u32 %r0, [%rd0];\nmov.u32 %r1, %tid.y;\nadd.u32 %r1, %r1, 5;\n"
                                 "st.global.u32 [%rd0], %r1;\n",
                                 kTwoWarps)
                                 .counts;
  EXPECT_EQ(c.unsound, 2u) << "the second warp of each CTA";
  EXPECT_THAT(c.first_unsound, ::testing::HasSubstr("CTA 0 warp 1: test.ptx:"));
  EXPECT_THAT(c.first_unsound, ::testing::HasSubstr("ld.global.u32 %r0"));
  EXPECT_EQ(c.marked, kAll * 2);
  EXPECT_EQ(c.marked_of_block, kAll);
}

// Thread 0 loops so long that the others of its warp come to the barrier alone, and the warp in two pieces.
// It has been at as many barriers as its neighbour nevertheless.
TEST(RedundancyStudy, WarpsThatArriveInPiecesStayInStep) {
  const RedundancyCounts c =
      Studied(
          "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %tid.y;\nadd.u32 %r2, %r0, %r1;\nmov.u32 %r9, 0;\n"
          "mov.u32 %r8, s;\nsetp.ne.u32 %p0, %r2, 0;\n"
          "AGAIN:\n@%p0 bra MET;\nmov.u32 %r5, 0;\n"
          "SPIN:\nld.volatile.global.u32 %r6, [%rd0];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 5000;\n"
          "@%p1 bra SPIN;\nst.shared.u32 [%r8], %r9;\n"
          "MET:\nbar.sync 0;\nld.shared.u32 %r7, [%r8];\nbar.sync 0;\nadd.u32 %r9, %r9, 1;\n"
          "setp.lt.u32 %p2, %r9, 4;\n@%p2 bra AGAIN;\n",
          kTwoWarps)
          .counts;
  EXPECT_EQ(c.unsound, 0u) << c.first_unsound;
}

}  // namespace
}  // namespace warpvp::ptx
