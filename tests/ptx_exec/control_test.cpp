// Divergence, calls and exits on the SIMT stack.

#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

TEST(Control, NestedBranchesReconverge) {
  PtxModule m("control.ptx");
  const auto out = m.outputs<std::uint32_t>("nested", 32, 32);
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t value = 10 + (i & 1 ? (i & 2 ? 301 : 101) : i > 15 ? 5000 : 0);
    EXPECT_EQ(out[i] & 0xffff, value) << i;
    EXPECT_EQ(out[i] >> 16, 32u) << "lane " << i << ": all lanes must be together again";
  }
}

TEST(Control, LanesLeaveALoopAtTheirOwnTimeAndWaitBehindIt) {
  PtxModule m("control.ptx");
  const auto out = m.outputs<std::uint32_t>("loops", 32, 32);
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned n = i < 10 ? i : 10;
    EXPECT_EQ(out[i] & 0xffff, n * (n + 1) / 2) << i;
    EXPECT_EQ(out[i] >> 16, 32u) << i;
  }
}

TEST(Control, ALoopDoesNotGrowTheStack) {
  // The same loop entered by lanes with very different counts: a stack entry an iteration would need
  // gigabytes.
  PtxModule m(R"(
.version 7.5
.target sm_70
.address_size 64
.visible .entry k (.param .u64 out)
{
	.reg .u32 %r<6>;
	.reg .u64 %rd<4>;
	.reg .pred %p<3>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
	mul.lo.u32 %r2, %r1, 5000;
	mov.u32 %r3, 0;
L:
	and.b32 %r4, %r3, 1;
	setp.eq.u32 %p1, %r4, 1;
	@%p1 bra SKIP;
	add.u32 %r5, %r5, 1;
SKIP:
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p2, %r3, %r2;
	@%p2 bra L;
	st.global.u32 [%rd3], %r5;
	ret;
}
)");
  const auto out = m.outputs<std::uint32_t>("k", 32, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i == 0 ? 1u : i * 2500) << i;
}

TEST(Control, GuardedAndLateExits) {
  PtxModule m("control.ptx");
  const auto out = m.outputs<std::uint32_t>("exits", 32, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], i & 1 ? 1u : 100 + i) << i;
}

TEST(Control, IndexedBranch) {
  PtxModule m("control.ptx");
  const auto out = m.outputs<std::uint32_t>("switches", 32, 32);
  const std::uint32_t expected[4] = {11, 22, 33, 22};
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], expected[i & 3] | (32u << 16)) << i;
}

TEST(Control, DirectCallsEarlyReturnsAndDivergentIndirectCalls) {
  PtxModule m("control.ptx");
  const auto out = m.outputs<std::uint32_t>("calls", 32, 32);
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t tripled = 3 * i, early = tripled & 1 ? tripled : tripled + 1000;
    EXPECT_EQ(out[i] & 0xffffff, i < 10 ? early + 7 : early * 5) << i;
    EXPECT_EQ(out[i] >> 24, 32u) << i;
  }
}

// Of several targets that of the lanes behind runs first. Neither the table's order nor that of the functions
// is that of the lanes. Each lane takes a ticket where it has come to.
struct Targets {
  const char* name;
  const char* functions;
  std::string go;
};
void PrintTo(const Targets& t, std::ostream* os) { *os << t.name; }
class SeveralTargets : public ::testing::TestWithParam<Targets> {};

TEST_P(SeveralTargets, RunInTheirOrder) {
  PtxModule m(
      ".version 7.5\n.target sm_70\n.address_size 64\n" + std::string(GetParam().functions) +
      ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 s[4];\n"
      ".reg .u32 %r<8>;\n.reg .u64 %rd<8>;\n"
      "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
      "add.u64 %rd3, %rd1, %rd2;\nmov.u32 %r2, s;\n"
      // 2, 0, 3 and 1 for lanes 0 to 3, and so on
      "and.b32 %r3, %r1, 3;\nshl.b32 %r3, %r3, 2;\nshr.u32 %r3, 0x1302, %r3;\nand.b32 %r3, %r3, 3;\n" +
      GetParam().go + "st.global.u32 [%rd3], %r4;\nret;\n}\n");
  const auto out = m.outputs<std::uint32_t>("k", 32, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], (3 - i % 4) * 8 + i / 4) << i;
}

#define TAKE(name)                                                                                 \
  ".func (.param .b32 ticket) " name                                                               \
  " (.param .b32 from)\n{\n.reg .u32 %r<3>;\nld.param.b32 %r1, [from];\natom.shared.add.u32 %r2, " \
  "[%r1], 1;\nst.param.b32 [ticket], %r2;\nret;\n}\n"
#define ARM(name) name ":\natom.shared.add.u32 %r4, [%r2], 1;\nbra.uni END;\n"

INSTANTIATE_TEST_SUITE_P(
    Control, SeveralTargets,
    ::testing::Values(Targets{"indirect_call",
                              TAKE("a") TAKE("b") TAKE("c")
                                  TAKE("d") ".global .u64 table[4] = {a, b, c, d};\n",
                              "mov.u64 %rd4, table;\nmul.wide.u32 %rd5, %r3, 8;\nadd.u64 %rd4, %rd4, %rd5;\n"
                              "ld.global.u64 %rd6, [%rd4];\n{\n.param .b32 from; .param .b32 ticket;\n"
                              "st.param.b32 [from], %r2;\n"
                              "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                              "call (ticket), %rd6, (from), proto;\nld.param.b32 %r4, [ticket];\n}\n"},
                      Targets{"indexed_branch", "",
                              "ts: .branchtargets A, B, C, D;\nbrx.idx %r3, ts;\n" ARM("A") ARM("B") ARM("C")
                                  ARM("D") "END:\n"}),
    [](const auto& info) { return std::string(info.param.name); });
#undef TAKE
#undef ARM

TEST(Control, DivergentRecursionKeepsFramesApart) {
  PtxModule m("control.ptx");
  const auto out = m.outputs<std::uint32_t>("recursion", 32, 32);
  std::uint32_t fib[16] = {0, 1};
  for (unsigned i = 2; i < 16; ++i) fib[i] = fib[i - 1] + fib[i - 2];
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], fib[i & 15]) << i;
}

TEST(Control, EndlessRecursionIsAFault) {
  PtxModule m("control.ptx");
  const FunctionalResult r = m.run("overflow", {}, {32, 1, 1}, 0, m.buffer(std::vector<std::uint32_t>(1)));
  ASSERT_FALSE(r.ok());
  EXPECT_NE(r.fault->what.find("call stack overflow"), std::string::npos) << r.fault->what;
}

TEST(Control, PartialLastWarpAndThreadCounts) {
  PtxModule m("control.ptx");
  const auto out = m.outputs<std::uint32_t>("nested", 45, 64);
  EXPECT_EQ(out[44] >> 16, 13u) << "the second warp has 13 lanes";
  EXPECT_EQ(out[45], 0u) << "lanes beyond the block do not run";
}

}  // namespace
}  // namespace warpvp::ptx::testing
