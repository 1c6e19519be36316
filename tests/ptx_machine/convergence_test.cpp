// Where divergent regions begin and end.

#include "ptx/machine/convergence.h"

#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "ptx/module.h"
#include "tests/ptx_machine/pass_harness.h"

namespace warpvp::ptx::machine {
namespace {

// Instructions with what stands before them: ']' a BSYNC, '-' a NOP, '[' a BMOV and a BSSY.
Lines marked(const std::string& body, bool nops = false) {
  const Passed p = passed(
      [&](const ir::Module&, LegalFunction& legal) {
        CodeOptions options;
        options.convergence_barriers = true;
        options.nop_before_barriers = nops;
        place_control(legal.function, options);
      },
      body);
  Lines lines = p.lines;
  lines.push_back("ret");
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const ir::ControlBefore& c = p.legal.function.code[k].control;
    lines[k] = std::string(c.ends, ']') + std::string(c.nops, '-') + std::string(c.begins, '[') + lines[k];
  }
  return lines;
}
bool has_region(const std::string& condition) {
  const Lines lines =
      marked(condition + "\n@%p1 bra L;\nst.global.u32 [%rd1], %r1;\nL: st.global.u32 [%rd2], %r2;");
  const std::string all = std::accumulate(lines.begin(), lines.end(), std::string());
  const bool begins = all.find("[@%p1") != std::string::npos;
  EXPECT_EQ(begins, all.find("]st.global.u32 [%rd2]") != std::string::npos) << all;
  return begins;
}

TEST(Convergence, ARegionLastsFromTheBranchToWhereItsPathsMeet) {
  EXPECT_THAT(
      marked("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nst.global.u32 [%rd1], %r1;\n"
             "L: st.global.u32 [%rd2], %r1;"),
      ElementsAre("mov.u32 %r1, %tid.x", "setp.eq.u32 %p1, %r1, 0", "[@%p1 bra L",
                  "st.global.u32 [%rd1], %r1", "]st.global.u32 [%rd2], %r1", "ret"));
}

// `if (a && b)`: two branches, one region.
TEST(Convergence, BranchesToOnePlaceShareARegion) {
  EXPECT_THAT(marked("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 1;\n@%p1 bra L;\n"
                     "st.global.u32 [%rd1], %r1;\n@%p2 bra L;\nst.global.u32 [%rd2], %r1;\n"
                     "L: st.global.u32 [%rd3], %r1;"),
              ElementsAre("mov.u32 %r1, %tid.x", "setp.eq.u32 %p1, %r1, 0", "setp.eq.u32 %p2, %r1, 1",
                          "[@%p1 bra L", "st.global.u32 [%rd1], %r1", "@%p2 bra L",
                          "st.global.u32 [%rd2], %r1", "]st.global.u32 [%rd3], %r1", "ret"));
}

// Threads that have left the loop wait behind it for those that have not: its region begins before it.
TEST(Convergence, TheRegionOfALoopIsOutsideOfIt) {
  EXPECT_THAT(marked("mov.u32 %r1, %tid.x;\nL: st.global.u32 [%rd1], %r1;\nadd.u32 %r1, %r1, 1;\n"
                     "setp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\nst.global.u32 [%rd2], %r1;"),
              ElementsAre("[mov.u32 %r1, %tid.x", "st.global.u32 [%rd1], %r1", "add.u32 %r1, %r1, 1",
                          "setp.lt.u32 %p1, %r1, 9", "@%p1 bra L", "]st.global.u32 [%rd2], %r1", "ret"));
}

TEST(Convergence, ThreadsThatOnlyEndNeedNotMeet) {
  EXPECT_THAT(
      marked("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nst.global.u32 [%rd1], %r1;\nL:"),
      ElementsAre("mov.u32 %r1, %tid.x", "setp.eq.u32 %p1, %r1, 0", "@%p1 bra L", "st.global.u32 [%rd1], %r1",
                  "ret"));
}

TEST(Convergence, ValuesOfTheWholeWarpPartNobody) {
  EXPECT_TRUE(has_region("mov.u32 %r1, %laneid;\nsetp.eq.u32 %p1, %r1, 0;"));
  EXPECT_FALSE(has_region("mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 0;"));
  EXPECT_FALSE(has_region("ld.param.u32 %r1, [n];\nsetp.eq.u32 %p1, %r1, 0;"));
  // Loads by their addresses; what another thread may have written in between is one value for a warp, too.
  EXPECT_FALSE(has_region("ld.param.u64 %rd3, [p];\nld.global.u32 %r1, [%rd3];\nsetp.eq.u32 %p1, %r1, 0;"));
  EXPECT_TRUE(
      has_region("ld.param.u64 %rd3, [p];\nmov.u32 %r3, %tid.y;\nmad.wide.u32 %rd3, %r3, 4, %rd3;\n"
                 "ld.global.u32 %r1, [%rd3];\nsetp.eq.u32 %p1, %r1, 0;"));
  EXPECT_TRUE(has_region("ld.param.u64 %rd3, [p];\nld.u32 %r1, [%rd3];\nsetp.eq.u32 %p1, %r1, 0;"));
  EXPECT_TRUE(
      has_region("ld.param.u64 %rd3, [p];\natom.global.add.u32 %r1, [%rd3], 1;\nsetp.eq.u32 %p1, %r1, 0;"));
  // A vote of values that differ does not differ.
  EXPECT_FALSE(
      has_region("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p2, %r1, 0;\nvote.sync.any.pred %p1, %p2, -1;"));
}

// One value on each path, another value for each thread behind them.
TEST(Convergence, WhatADivergentBranchChoosesIsDivergent) {
  const std::string choice =
      "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra A;\nmov.u32 %r1, 1;\nbra.uni B;\nA: mov.u32 %r1, 2;\n"
      "B: setp.eq.u32 %p1, %r1, 1;";
  EXPECT_TRUE(has_region("mov.u32 %r3, %tid.x;\n" + choice));
  EXPECT_FALSE(has_region("mov.u32 %r3, %ctaid.x;\n" + choice));
}

// Threads leave a loop with other counts, though all that are in it count alike.
TEST(Convergence, WhatAThreadTakesOutOfALoopIsDivergent) {
  EXPECT_TRUE(
      has_region("mov.u32 %r3, %tid.x;\nmov.u32 %r1, 0;\nL1: add.u32 %r1, %r1, 1;\n"
                 "setp.lt.u32 %p2, %r1, %r3;\n@%p2 bra L1;\nsetp.eq.u32 %p1, %r1, 1;"));
  EXPECT_FALSE(
      has_region("mov.u32 %r3, %ctaid.x;\nmov.u32 %r1, 0;\nL1: add.u32 %r1, %r1, 1;\n"
                 "setp.lt.u32 %p2, %r1, %r3;\n@%p2 bra L1;\nsetp.eq.u32 %p1, %r1, 1;"));
}

TEST(Convergence, NopsBeforeBarriers) {
  EXPECT_THAT(marked("bar.sync 0;\nst.global.u32 [%rd1], %r1;", true),
              ElementsAre("-bar.sync 0", "st.global.u32 [%rd1], %r1", "ret"));
  EXPECT_THAT(marked("bar.sync 0;\nst.global.u32 [%rd1], %r1;"),
              ElementsAre("bar.sync 0", "st.global.u32 [%rd1], %r1", "ret"));
  // The threads of a warp alone meet without the unit of barriers.
  EXPECT_THAT(marked("bar.warp.sync -1;", true)[0], testing::StartsWith("bar.warp.sync"));
}

// The kernels that we ship, beside what the chip's assembler makes of them.
TEST(Convergence, AsManyRegionsAsTheAssembler) {
  std::ifstream in("tests/ptx_machine/data/divergent_regions.tsv");
  CodeOptions options;
  options.code = Code::kMachine;
  options.convergence_barriers = true;
  std::map<std::string, std::shared_ptr<Module>> modules;
  unsigned kernels = 0, equal = 0, ours = 0, theirs = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    std::string file, kernel;
    unsigned regions = 0, found = 0;
    cells >> file >> kernel >> regions;
    auto& module = modules[file];
    if (!module) module = Module::load("sw/kernels/" + file, options);
    const auto program = module->entry(kernel);
    for (const Inst& i : program->code) found += program->texts[i.ir_index].substr(0, 4) == "BSSY" ? 1 : 0;
    ++kernels;
    equal += found == regions ? 1 : 0;
    ours += found;
    theirs += regions;
  }
  EXPECT_EQ(kernels, 94u);
  EXPECT_GE(equal, 64u);
  EXPECT_NEAR(ours, theirs, 0.02 * theirs);
}

}  // namespace
}  // namespace warpvp::ptx::machine
