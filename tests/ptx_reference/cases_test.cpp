// What random programs meet seldom or never, on the platform and on the reference: flags read across kinds,
// addresses that wrap, threads of a warp that wait for each other. Each case also says what must come out.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "tests/ptx_reference/differential.h"

namespace warpvp::reference {
namespace {

struct Case {
  const char* name;
  unsigned threads;
  /// Body of the entry: %t is the thread's number, %o its 512 bytes of `out`, %r<40> and %d<16> are free.
  const char* body;
  /// The first word of a thread's output; nothing where the reference alone decides.
  std::function<std::uint32_t(unsigned thread)> first;
};

GeneratedProgram program_of(const Case& c) {
  GeneratedProgram p;
  p.block = {c.threads, 1, 1};
  p.in.resize(p.threads() * GeneratedProgram::kInputBytes);
  p.cells.resize(GeneratedProgram::kCellBytes);
  p.root.text = fmt::format(
      ".version 8.5\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 cells)\n{{\n"
      ".reg .b16 %h<8>; .reg .b32 %t, %r<40>; .reg .b64 %o, %c, %d<16>; .reg .f32 %f<16>; .reg .pred %p<8>;\n"
      ".shared .align 16 .b8 tile[4096];\n.local .align 16 .b8 depot[64];\n"
      "mov.u32 %t, %tid.x; ld.param.u64 %o, [out]; mad.wide.u32 %o, %t, 512, %o; ld.param.u64 %c, "
      "[cells];\n{}\nret;\n}}\n",
      c.body);
  return p;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"SubtractionLeavesACarry", 2,
       "sub.cc.u32 %r1, 5, %t; subc.cc.u32 %r1, 0, 0; addc.u32 %r2, 0, 0; st.global.u32 [%o], %r2;",
       [](unsigned) { return 1u; }},
      {"SubtractionThatBorrows", 2,
       "sub.cc.u32 %r1, %t, 7; subc.cc.u32 %r1, 0, 0; addc.u32 %r2, 0, 0; st.global.u32 [%o], %r2;",
       [](unsigned) { return 0u; }},
      {"AdditionFeedsASubtraction", 2,
       "add.cc.u32 %r1, 0xffffffff, %t; subc.u32 %r2, 10, 3; st.global.u32 [%o], %r2;",
       [](unsigned t) { return 6 + t; }},
      {"SharedAddressWraps", 32,
       "mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r1, %r1, %r2; sub.u32 %r1, %r1, 64; st.shared.u32 "
       "[%r1+64], %t; "
       "bar.warp.sync -1; mov.u32 %r3, tile; sub.u32 %r4, 31, %t; shl.b32 %r4, %r4, 2; add.u32 %r3, %r3, "
       "%r4; "
       "ld.shared.u32 %r5, [%r3]; st.global.u32 [%o], %r5;",
       [](unsigned t) { return 31 - t; }},
      {"LocalAddressWraps", 4,
       "mov.u32 %r1, depot; sub.u32 %r1, %r1, 16; st.local.u32 [%r1+20], %t; mov.u64 %d1, depot; "
       "ld.local.u32 %r2, [%d1+4]; st.global.u32 [%o], %r2;",
       [](unsigned t) { return t; }},
      {"GuardedActiveMask", 32,
       "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 7; @%p1 activemask.b32 %r2; st.global.u32 "
       "[%o], %r2;",
       [](unsigned t) { return t % 2 == 0 ? 0x55555555u : 7u; }},
  };
  return kCases;
}

class Cases : public testing::TestWithParam<std::size_t> {};

TEST_P(Cases, AgreeWithTheReference) {
  const Case& c = cases()[GetParam()];
  const GeneratedProgram p = program_of(c);
  EXPECT_EQ(difference(p), "");
  const Outcome reference = run_reference(p);
  for (unsigned t = 0; c.first && t < c.threads; ++t) {
    std::uint32_t got = 0;
    std::memcpy(&got, reference.out.data() + t * GeneratedProgram::kOutputBytes, 4);
    EXPECT_EQ(got, c.first(t)) << "thread " << t;
  }
}
INSTANTIATE_TEST_SUITE_P(Ptx, Cases, testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& info) { return std::string(cases()[info.param].name); });

}  // namespace
}  // namespace warpvp::reference
