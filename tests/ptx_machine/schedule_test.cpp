// Which instructions change places, and which keep them.

#include "ptx/machine/schedule.h"

#include <algorithm>

#include "ptx/cfg.h"
#include "ptx/liveness.h"
#include "tests/ptx_machine/pass_harness.h"

namespace warpvp::ptx::machine {
namespace {

Passed scheduled_within(unsigned registers, const std::string& body) {
  return passed([&](const ir::Module& m, LegalFunction& legal) { schedule(m, legal.function, registers); },
                body);
}
Lines scheduled(const std::string& body) { return scheduled_within(255, body).lines; }

TEST(Schedule, LoadsComeBeforeWhatDoesNotNeedThem) {
  EXPECT_THAT(scheduled("add.f32 %f1, %f2, %f3;\nadd.f32 %f1, %f1, %f3;\nld.global.f32 %f4, [%rd1];\n"
                        "ld.global.f32 %f5, [%rd1+4];\nadd.f32 %f6, %f4, %f5;"),
              ElementsAre("ld.global.f32 %f4, [%rd1]", "ld.global.f32 %f5, [%rd1+4]", "add.f32 %f1, %f2, %f3",
                          "add.f32 %f1, %f1, %f3", "add.f32 %f6, %f4, %f5"));
}

// The second instruction would rise above the first if nothing held it: a load, with arithmetic on its
// result.
class Pairs : public testing::Test {
 protected:
  static bool passes(const std::string& first, const std::string& load) {
    const Lines lines = scheduled(first + "\n" + load + "\nadd.u32 %r7, %r6, %r6;\nadd.u32 %r7, %r7, %r6;");
    const std::string text = load.substr(0, load.find(';'));
    return std::find(lines.begin(), lines.end(), text) == lines.begin();
  }
};

TEST_F(Pairs, MemoryKeepsItsOrderWhereBytesMayBeShared) {
  const std::string load = "ld.shared.u32 %r6, [%r1+4];";
  EXPECT_TRUE(passes("st.shared.u32 [%r1+8], %r2;", load));
  EXPECT_TRUE(passes("st.shared.u32 [%r1], %r2;", load));
  EXPECT_FALSE(passes("st.shared.u32 [%r1+4], %r2;", load));
  EXPECT_FALSE(passes("st.shared.u64 [%r1], %rd2;", load));
  EXPECT_FALSE(passes("st.shared.v2.u32 [%r1], {%r2, %r2};", load));
  EXPECT_FALSE(passes("st.shared.u32 [%r2], %r2;", load));
  EXPECT_TRUE(passes("st.global.u32 [%rd2], %r2;", load));
  EXPECT_TRUE(passes("st.local.u32 [%r2], %r2;", load));
  EXPECT_FALSE(passes("st.u32 [%rd2], %r2;", load));
  EXPECT_FALSE(passes("red.shared.add.u32 [%r2], 1;", load));
  EXPECT_TRUE(passes("red.global.add.u32 [%rd2], 1;", load));
  EXPECT_FALSE(passes("red.release.gpu.global.add.u32 [%rd2], 1;", load));
  EXPECT_FALSE(passes("st.volatile.global.u32 [%rd2], %r2;", load));
  EXPECT_FALSE(passes("atom.acquire.gpu.global.add.u32 %r3, [%rd2], 1;", load));
  // Another value of the base.
  EXPECT_FALSE(passes("st.shared.u32 [%r1], %r2;\nadd.u32 %r1, %r1, 4;", "ld.shared.u32 %r6, [%r1];"));
  EXPECT_FALSE(passes("st.shared.u32 [%r1+1073741828], %r2;", "ld.shared.u32 %r6, [%r1-4294967292];"));
}

// What a guarded write leaves in place is the value before it; two writes leave the second one.
TEST(Schedule, WritesOfOneRegisterKeepTheirOrder) {
  const auto kept = [](const std::string& first, const std::string& second, const std::string& between = "") {
    const Lines lines = scheduled(
        "mul.lo.u32 %r8, %r9, %r9;\nmul.lo.u32 %r8, %r8, %r8;\n" + first + ";\n" + between + second +
        ";\nadd.u32 %r7, %r6, %r6;\nmul.lo.u32 %r7, %r7, %r6;\nst.global.u32 [%rd9], %r7;");
    const auto one = std::find(lines.begin(), lines.end(), first),
               two = std::find(lines.begin(), lines.end(), second);
    return one != lines.end() && one < two;
  };
  const std::string late = "add.u32 %r6, %r8, 1", load = "ld.global.u32 %r6, [%rd1]";
  EXPECT_TRUE(kept(late, load));
  EXPECT_TRUE(kept(late, "mov.u32 %r6, 5"));
  EXPECT_TRUE(kept(late, "@%p1 " + load));
  EXPECT_TRUE(kept("@%p1 " + late, load));
  EXPECT_TRUE(kept("@%p1 " + late, "@%p2 " + load));
  EXPECT_TRUE(kept("@%p1 " + late, "@!%p1 " + load));
  EXPECT_TRUE(kept("@%p1 " + late, "@%p1 mov.u32 %r6, 5"));
  EXPECT_TRUE(kept("add.u32 %r7, %r6, %r8", load));
}

TEST_F(Pairs, VariablesDoNotOverlapUnlessTheyMay) {
  EXPECT_TRUE(passes("st.shared.u32 [tile], %r2;", "ld.shared.u32 %r6, [tile+4];"));
  EXPECT_FALSE(passes("st.shared.u32 [tile+4], %r2;", "ld.shared.u32 %r6, [tile+4];"));
  EXPECT_FALSE(passes("st.shared.u32 [tile+4096], %r2;", "ld.shared.u32 %r6, [dynamic];"));
  EXPECT_FALSE(passes("st.shared.u32 [tile], %r2;", "ld.shared.u32 %r6, [dynamic];"));
  EXPECT_FALSE(passes("st.shared.u32 [tile], %r2;", "ld.shared.u32 %r6, [%r1];"));
}

TEST_F(Pairs, LoadsOfWhatNeverChangesPassStores) {
  EXPECT_TRUE(passes("st.global.u32 [%rd2], %r2;", "ld.global.nc.u32 %r6, [%rd1];"));
  EXPECT_TRUE(passes("st.global.u32 [%rd2], %r2;", "ld.const.u32 %r6, [%rd1];"));
  EXPECT_TRUE(passes("st.u32 [%rd2], %r2;", "ld.param.u32 %r6, [n];"));
  EXPECT_TRUE(passes("bar.sync 0;", "ld.param.u32 %r6, [n];"));
  EXPECT_FALSE(passes("st.global.u32 [%rd2], %r2;", "ld.global.u32 %r6, [%rd1];"));
}

TEST_F(Pairs, NothingOfMemoryPassesWhatThreadsMeetAt) {
  for (const char* meeting :
       {"bar.sync 0;", "bar.arrive 0, 64;", "bar.warp.sync -1;", "membar.gl;", "fence.acq_rel.gpu;",
        "shfl.sync.idx.b32 %r9, %r2, 0, 31, -1;", "vote.sync.ballot.b32 %r9, %p1, -1;",
        "match.any.sync.b32 %r9, %r2, -1;", "redux.sync.add.u32 %r9, %r2, -1;", "activemask.b32 %r9;",
        "cp.async.wait_all;", "prefetch.global.L1 [%rd2];"}) {
    EXPECT_FALSE(passes(meeting, "ld.global.u32 %r6, [%rd1];")) << meeting;
    EXPECT_FALSE(passes(meeting, "shfl.sync.idx.b32 %r6, %r3, 0, 31, -1;")) << meeting;
  }
}

TEST_F(Pairs, NothingPassesClocksAndTheLike) {
  for (const char* fixed : {"mov.u32 %r9, %clock;", "mov.u64 %rd9, %globaltimer;", "nanosleep.u32 20;",
                            "pmevent 1;", "mov.u32 %r9, %smid;", "mov.u32 %r9, %warpid;"}) {
    EXPECT_FALSE(passes(fixed, "ld.global.u32 %r6, [%rd1];")) << fixed;
    EXPECT_FALSE(passes(fixed, "mul.lo.u32 %r6, %r3, %r4;")) << fixed;
  }
  EXPECT_TRUE(passes("mov.u32 %r9, %tid.x;\nadd.u32 %r8, %r2, 1;", "ld.global.u32 %r6, [%rd1];"));
}

TEST(Schedule, RegistersKeepTheirValues) {
  // A read before the next write, a write before the next, a guarded write after both.
  const Lines lines = scheduled(
      "add.u32 %r2, %r1, 1;\nld.global.u32 %r1, [%rd1];\nadd.u32 %r3, %r1, 1;\n@%p1 ld.global.u32 %r3, "
      "[%rd2];\n"
      "add.u32 %r4, %r3, 1;");
  EXPECT_EQ(lines, lines_of("add.u32 %r2, %r1, 1;\nld.global.u32 %r1, [%rd1];\nadd.u32 %r3, %r1, 1;\n"
                            "@%p1 ld.global.u32 %r3, [%rd2];\nadd.u32 %r4, %r3, 1;"));
}

TEST(Schedule, CarriesStayTogether) {
  const std::string body =
      "add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r5, %r6;\nmul.lo.u32 %r7, %r2, %r3;\nsub.cc.u32 %r8, %r7, "
      "%r7;\n"
      "subc.u32 %r9, %r7, %r2;";
  const Lines lines = scheduled(body);
  const auto at = [&](const std::string& text) {
    return std::find(lines.begin(), lines.end(), text) - lines.begin();
  };
  EXPECT_LT(at("add.cc.u32 %r1, %r2, %r3"), at("addc.u32 %r4, %r5, %r6"));
  EXPECT_LT(at("addc.u32 %r4, %r5, %r6"), at("sub.cc.u32 %r8, %r7, %r7"));
  EXPECT_LT(at("sub.cc.u32 %r8, %r7, %r7"), at("subc.u32 %r9, %r7, %r2"));
}

TEST(Schedule, RegistersStayWithinTheLimit) {
  // Sixteen loads, each added at once: all of them first would need sixteen registers more.
  std::string body = "mov.f32 %f31, 0f00000000;\n";
  for (int k = 0; k < 16; ++k) {
    body += "ld.global.f32 %f" + std::to_string(k) + ", [%rd1+" + std::to_string(4 * k) + "];\n";
    body += "add.f32 %f31, %f31, %f" + std::to_string(k) + ";\n";
  }
  body += "st.global.f32 [%rd1], %f31;";
  const auto most = [&](unsigned limit) {
    const Passed p = scheduled_within(limit, body);
    return analyse_liveness(p.legal.function, ControlFlowGraph(p.legal.function)).max_live_rows;
  };
  EXPECT_GE(most(255), 18u);
  EXPECT_LE(most(10), 10u);
  EXPECT_GE(most(10), 8u);
  EXPECT_LE(most(1), most(255));
  EXPECT_LE(most(1), 4u);  // as many as in the text's own order
}

TEST(Schedule, BranchesEndTheirBlocks) {
  EXPECT_THAT(
      scheduled("@%p1 bra L;\nadd.u32 %r1, %r2, 1;\nld.global.u32 %r3, [%rd1];\nL: add.u32 %r4, %r3, 1;\n"
                "@%p2 exit;\nld.global.u32 %r5, [%rd1];\nst.global.v2.u32 [%rd1], {%r1, %r5};"),
      ElementsAre("@%p1 bra L", "ld.global.u32 %r3, [%rd1]", "add.u32 %r1, %r2, 1", "add.u32 %r4, %r3, 1",
                  "@%p2 exit", "ld.global.u32 %r5, [%rd1]", "st.global.v2.u32 [%rd1], {%r1, %r5}"));
}

TEST(Schedule, LinesStayWithTheirInstructions) {
  const Passed p = scheduled_within(
      255,
      "add.f32 %f1, %f2, %f3;\nadd.f32 %f1, %f1, %f3;\nld.global.f32 %f4, [%rd1];\nadd.f32 %f5, %f4, %f1;");
  const std::vector<ir::Instruction>& code = p.legal.function.code;
  EXPECT_EQ(code[0].opcode, Opcode::ld);
  EXPECT_EQ(code[0].where.line, code[1].where.line + 2);
}

}  // namespace
}  // namespace warpvp::ptx::machine
