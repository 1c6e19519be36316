// Marks of instructions, by hand: figure 7.2 of the thesis, and each rule of ptx/redundancy.h.

#include <gtest/gtest.h>

#include <sstream>

#include "ptx/module.h"
#include "ptx/redundancy.h"

namespace warpvp::ptx {
namespace {

std::shared_ptr<Program> kernel(const std::string& body, const std::string& before = "") {
  const std::string text =
      ".version 7.5\n.target sm_80\n.address_size 64\n" + before +
      ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n.shared .align 4 .b8 s[4096];\n"
      ".local .align 4 .b8 own[64];\n.reg .u32 %r<20>; .reg .u64 %rd<10>; .reg .pred %p<6>;\n" +
      body + "}\n";
  return Module::parse(text, "test.ptx", {})->entry("k");
}

/// The marks of the instructions of a kernel, in order, with tid.y as a source of its own.
std::string marks(const std::string& body, const std::string& before = "",
                  LocalLoads local = LocalLoads::kVector) {
  const auto program = kernel(body, before);
  std::string text;
  for (const RedundancyMark& mark : analyse_redundancy(*program, local)) {
    if (!text.empty()) text += ' ';
    text += redundancy_name(mark.value);
    if (mark.affine && mark.value != Redundancy::kDefinite) text += 'a';
  }
  return text;
}

/// The same of each barrier.
std::string gathers(const std::string& body) {
  const auto program = kernel(body);
  const auto all = analyse_redundancy(*program);
  std::string text;
  for (Pc pc = 0; pc < program->code.size(); ++pc)
    if (program->code[pc].effect == Effect::kBarrier)
      text += std::string(" ") + redundancy_name(all[pc].gathers);
  return text;
}

// The option that takes section 7.2 to the letter.
TEST(Marks, OfLocalLoadsByTheirAddress) {
  const char* const body =
      "mov.u32 %r0, %tid.x;\nld.local.u32 %r4, [own];\nmov.u64 %rd2, own;\ncvta.local.u64 %rd3, %rd2;\n"
      "ld.u32 %r5, [%rd3];\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd2, %rd1;\nld.local.u32 %r6, "
      "[%rd1];\n"
      "ld.volatile.local.u32 %r7, [own];\nret;\n";
  EXPECT_EQ(marks(body), "CRa V V V V CRa V V V V");
  EXPECT_EQ(marks(body, "", LocalLoads::kByAddress), "CRa DR DR DR DR CRa CRa CR V V");
}

struct Rule {
  const char* name;
  const char* body;
  const char* marks;
};
class Rules : public ::testing::TestWithParam<Rule> {};
TEST_P(Rules, OfMarking) { EXPECT_EQ(marks(GetParam().body), GetParam().marks); }

INSTANTIATE_TEST_SUITE_P(
    Marks, Rules,
    ::testing::Values(
        Rule{"sources",
             "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.y;\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %tid.y;\n"
             "mov.u32 %r4, %tid.z;\nmov.u32 %r5, 7;\nld.param.u32 %r6, [n];\nmov.u32 %r7, s;\n"
             "mov.u32 %r8, %laneid;\nmov.u32 %r9, %warpid;\nmov.u32 %r10, %clock;\nret;\n",
             "DR DR CRa CR2a Va DR DR DR V V V V"},
        Rule{"weakest",
             "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nadd.u32 %r3, %r0, %r1;\n"
             "add.u32 %r4, %r3, %r2;\nxor.b32 %r5, %r3, %r0;\nmul.lo.u32 %r6, %r3, %r0;\n"
             "mul.lo.u32 %r7, %r3, %r1;\nret;\n",
             "DR CRa CR2a CRa CR2a CR CRa CR V"},
        Rule{"loads",  // global and shared by their address; a thread's own memory never; volatile never
             "ld.param.u64 %rd0, [a];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 4;\n"
             "add.u64 %rd1, %rd0, %rd1;\nld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd0];\n"
             "ld.volatile.global.u32 %r3, [%rd0];\nld.local.u32 %r4, [own];\nmov.u64 %rd2, own;\n"
             "cvta.local.u64 %rd3, %rd2;\nld.u32 %r5, [%rd3];\natom.global.add.u32 %r6, [%rd0], 1;\nret;\n",
             "DR CRa CRa CRa CR DR V V V V V V V"},
        Rule{"guard",  // the old value may stay
             "mov.u32 %r0, %tid.y;\nmov.u32 %r1, 5;\nsetp.lt.u32 %p0, %r1, 3;\nsetp.lt.u32 %p1, %r0, 3;\n"
             "@%p0 mov.u32 %r0, 1;\n@%p1 mov.u32 %r1, 2;\nadd.u32 %r2, %r1, 1;\nret;\n",
             "CR2a DR DR CR2 CR2a CR2 CR2 V"},
        Rule{"exchanged",
             "mov.u32 %r0, 3;\nsetp.eq.u32 %p0, %r0, 3;\nshfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;\n"
             "vote.sync.ballot.b32 %r2, %p0, -1;\nactivemask.b32 %r3;\nret;\n",
             "DR DR V V V V"},
        Rule{"parted_ways",  // between them as strong as ever, behind them as weak as what parted them
             "mov.u32 %r0, %tid.y;\nmov.u32 %r1, 1;\nmov.u32 %r3, 4;\nsetp.lt.u32 %p0, %r0, 3;\n"
             "@%p0 bra L;\nmov.u32 %r1, 2;\nadd.u32 %r2, %r1, 1;\nL:\nadd.u32 %r4, %r1, 1;\n"
             "add.u32 %r5, %r3, 1;\nret;\n",
             "CR2a DR DR CR2 V DR DR CR2 DR V"},
        Rule{"ways_of_the_cta",
             "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, 1;\nsetp.lt.u32 %p0, %r0, 3;\n@%p0 bra L;\n"
             "mov.u32 %r1, 2;\nL:\nadd.u32 %r4, %r1, 1;\nret;\n",
             "DR DR DR V DR DR V"},
        Rule{
            "rounds",  // warps in a loop are in the same round; those that left it were so at different times
            "mov.u32 %r0, %tid.y;\nmov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, 1;\nadd.u32 %r2, %r1, 7;\n"
            "setp.lt.u32 %p0, %r1, %r0;\n@%p0 bra L;\nadd.u32 %r3, %r1, 1;\nret;\n",
            "CR2a DR DR DR CR2 V CR2 V"},
        Rule{"ended_ways",  // who leaves meets nobody
             "mov.u32 %r0, %tid.y;\nmov.u32 %r1, 1;\nsetp.lt.u32 %p0, %r0, 3;\n@%p0 bra L;\n"
             "mov.u32 %r1, 2;\nret;\nL:\nadd.u32 %r4, %r1, 1;\nret;\n",
             "CR2a DR CR2 V DR V DR V"},
        Rule{"meeting_before_the_end",  // two ways meet where a third does not come
             "mov.u32 %r0, %tid.y;\nmov.u32 %r1, 1;\nmov.u32 %r5, %ctaid.x;\nsetp.lt.u32 %p0, %r0, 3;\n"
             "setp.lt.u32 %p1, %r5, 3;\n@%p0 bra A;\nmov.u32 %r1, 2;\nbra M;\nA:\n@%p1 bra X;\nM:\n"
             "add.u32 %r4, %r1, 1;\nX:\nret;\n",
             "CR2a DR DR CR2 DR V DR V V CR2 V"},
        Rule{"own_address",
             "mov.u64 %rd0, 8;\ncvta.local.u64 %rd1, %rd0;\ncvta.shared.u64 %rd2, %rd0;\nret;\n",
             "DR V DR V"},
        Rule{"carry",
             "mov.u32 %r0, %tid.y;\nmov.u32 %r1, 1;\nadd.cc.u32 %r2, %r0, 1;\naddc.u32 %r3, %r1, 1;\n"
             "add.cc.u32 %r4, %r1, 1;\naddc.u32 %r5, %r1, 1;\nret;\n",
             "CR2a DR CR2a CR2 DR DR V"},
        Rule{"shared_places",  // one row for several registers in turn
             "mov.u32 %r0, %tid.y;\nld.param.u64 %rd0, [a];\nst.global.u32 [%rd0], %r0;\nmov.u32 %r1, 1;\n"
             "st.global.u32 [%rd0], %r1;\nmov.u32 %r2, %tid.x;\nst.global.u32 [%rd0], %r2;\nret;\n",
             "CR2a DR V DR V CRa V V"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Marks, CallsYieldVectorsAndLeaveTheRest) {
  const char* const function =
      ".func (.param .b32 r) f(.param .b32 x)\n{\n.reg .u32 %q<4>;\nld.param.u32 %q0, [x];\nmov.u32 %q1, 3;\n"
      "add.u32 %q2, %q0, %q1;\nst.param.b32 [r], %q2;\nret;\n}\n";
  EXPECT_EQ(
      marks("mov.u32 %r0, 4;\n{\n.param .b32 x; .param .b32 y;\nst.param.b32 [x], %r0;\ncall (y), f, (x);\n"
            "ld.param.b32 %r1, [y];\n}\nadd.u32 %r2, %r0, 1;\nret;\n",
            function),
      "DR V V V DR V V DR V V V");
}

TEST(Marks, BarriersGatherWhereTheWholeCtaComes) {
  EXPECT_EQ(
      gathers("mov.u32 %r0, %tid.y;\nsetp.lt.u32 %p0, %r0, 3;\nbar.sync 0;\n@%p0 bra L;\nbar.sync 0;\nL:\n"
              "bar.sync 0;\nret;\n"),
      " DR CR2 DR");
  // Who leaves comes to no barrier.
  EXPECT_EQ(gathers("mov.u32 %r0, %tid.y;\nsetp.lt.u32 %p0, %r0, 3;\n@%p0 bra L;\nbar.sync 0;\nL:\nret;\n"),
            " DR");
  // In a loop that warps leave at different times, and behind which they meet.
  EXPECT_EQ(gathers("mov.u32 %r0, %tid.y;\nmov.u32 %r1, 0;\nL:\nbar.sync 0;\nadd.u32 %r1, %r1, 1;\n"
                    "setp.lt.u32 %p0, %r1, %r0;\n@%p0 bra L;\nbar.sync 0;\nret;\n"),
            " CR2 DR");
  // Not all threads, or a barrier that depends on the thread.
  EXPECT_EQ(
      gathers("mov.u32 %r0, %tid.y;\nbar.sync 1, 64;\nbar.sync %r0;\nbar.arrive 2, 64;\nbar.sync 3;\nret;\n"),
      " V V V DR");
}

TEST(Marks, PromotionLooksAtTheShapeOfTheCta) {
  struct Case {
    std::array<std::uint32_t, 3> block;
    bool by_xy, conditional, by_y;
  };
  for (const Case& c : {Case{{16, 16, 1}, false, true, false}, Case{{32, 32, 1}, false, true, false},
                        Case{{1, 64, 1}, false, true, false}, Case{{16, 8, 2}, true, true, false},
                        Case{{4, 4, 8}, true, true, true}, Case{{4, 4, 8}, false, true, false},
                        Case{{8, 1, 8}, true, true, true}, Case{{16, 1, 4}, false, true, false},
                        Case{{3, 4, 8}, true, false, false}, Case{{4, 3, 8}, true, true, false},
                        Case{{64, 4, 1}, false, false, false}, Case{{256, 1, 1}, false, false, false},
                        Case{{33, 2, 1}, false, false, false}, Case{{24, 4, 1}, false, false, false}}) {
    const Promotion p = Promotion::of(c.block, c.by_xy);
    const std::string shape =
        std::to_string(c.block[0]) + "," + std::to_string(c.block[1]) + "," + std::to_string(c.block[2]);
    EXPECT_TRUE(p.redundant(Redundancy::kDefinite)) << shape;
    EXPECT_EQ(p.redundant(Redundancy::kConditional), c.conditional) << shape;
    EXPECT_EQ(p.redundant(Redundancy::kConditionalByXy), c.by_y) << shape;
    EXPECT_FALSE(p.redundant(Redundancy::kVector)) << shape;
  }
}

// Figure 7.2: parameters and block indices DR, tid.x and the addresses of B's column CR, the loads of B's
// tile CR, those of A's tile and of global memory V, the sums V.
TEST(Marks, FigureSevenTwo) {
  const auto program = Module::load("sw/kernels/matmul.ptx", {})->entry("matmul");
  const auto all = analyse_redundancy(*program);
  unsigned tile_a = 0, tile_b = 0, sums = 0, global = 0;
  for (Pc pc = 0; pc < program->code.size(); ++pc) {
    const Inst& inst = program->code[pc];
    const std::string text = program->texts[inst.ir_index];
    const auto is = [&](const char* begin) { return text.rfind(begin, 0) == 0; };
    const Redundancy value = all[pc].value;
    if (is("ld.param") || text.find("ctaid") != text.npos) {
      EXPECT_EQ(value, Redundancy::kDefinite) << text;
    }
    if (text.find("tid.x") != text.npos && text.find("ctaid") == text.npos) {
      EXPECT_EQ(value, Redundancy::kConditional) << text;
    }
    if (is("ld.shared") && value == Redundancy::kConditional) ++tile_b;
    if (is("ld.shared") && value == Redundancy::kConditionalByXy) ++tile_a;
    if (is("fma.rn") && value == Redundancy::kConditionalByXy) ++sums;
    if (is("ld.global") && value == Redundancy::kConditionalByXy) ++global;
    if (is("st.") || is("bar") || is("@") || is("bra")) {
      EXPECT_EQ(value, Redundancy::kVector) << text;
    }
  }
  EXPECT_EQ(tile_b, 16u);
  EXPECT_EQ(tile_a, 16u);
  EXPECT_EQ(sums, 16u);
  EXPECT_EQ(global, 2u);
  std::stringstream listing(redundancy_listing(*program, {16, 16, 1}, false));
  std::string text((std::istreambuf_iterator<char>(listing)), {});
  EXPECT_NE(text.find("*CR  0x0260  ld.shared.f32 %f14, [%rd7]\n"), text.npos);
  EXPECT_NE(text.find(" V   0x0250  ld.shared.f32 %f13, [%rd6]\n"), text.npos);
}

}  // namespace
}  // namespace warpvp::ptx
