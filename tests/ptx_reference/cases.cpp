#include "tests/ptx_reference/cases.h"

#include <fmt/format.h>

namespace warpvp::reference {

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
      {"VoteWithSyncBehindTheMode", 32,
       "setp.lt.u32 %p1, %t, 5; vote.ballot.sync.b32 %r1, %p1, -1; st.global.u32 [%o], %r1;",
       [](unsigned) { return 0x1fu; }},
      {"VectorOfThreadNumbers", 8,
       "mov.v4.u32 {%r1, %r2, %r3, %r4}, %ntid; mov.v4.u32 {%r5, %r6, %r7, %r8}, %tid; mad.lo.u32 %r1, %r5, "
       "100, %r1; "
       "add.u32 %r1, %r1, %r6; st.global.u32 [%o], %r1;",
       [](unsigned t) { return 100 * t + 8; }},
      {"VectorAtomicsOnFloats", 8,
       "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f00000001; st.global.f32 [%o], %f1; st.global.f32 [%o+4], "
       "%f2; "
       "atom.global.add.v2.f32 {%f3, %f4}, [%o], {%f1, %f2}; red.global.add.v4.f32 [%o+16], {%f1, %f2, %f1, "
       "%f1}; "
       "st.global.v2.f32 [%o+32], {%f3, %f4};",
       [](unsigned) { return 0x40000000u; }},
      {"AllocationsOnTheStack", 8,
       "stacksave.u64 %d1; add.u32 %r1, %t, 1; shl.b32 %r1, %r1, 3; cvt.u64.u32 %d2, %r1; alloca.u64 %d3, "
       "%d2, 16; "
       "st.local.u32 [%d3], %t; alloca.u64 %d4, 64; st.local.u32 [%d4], 9; ld.local.u32 %r2, [%d3]; "
       "stackrestore.u64 %d1; st.global.u32 [%o], %r2;",
       [](unsigned t) { return t; }},
      {"LanesOnTwoPathsMeetAtAWarpBarrier", 32,
       "mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; xor.b32 %r4, %r2, 64; add.u32 %r4, "
       "%r1, %r4; "
       "setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;\nadd.u32 %r5, %t, 1000; st.shared.u32 [%r3], %r5; "
       "bar.warp.sync -1; "
       "ld.shared.u32 %r6, [%r4]; bra DONE;\nLOW:\nadd.u32 %r5, %t, 2000; st.shared.u32 [%r3], %r5; "
       "bar.warp.sync -1; ld.shared.u32 %r6, [%r4];\nDONE:\nst.global.u32 [%o], %r6;",
       [](unsigned t) { return t < 16 ? 1000 + t + 16 : 2000 + t - 16; }},
      {"SpinLockInsideAWarp", 32,
       "mov.u32 %r1, tile; setp.eq.u32 %p1, %t, 0; @%p1 st.shared.v2.u32 [%r1], {0, 0}; bar.sync 0;\nSPIN:\n"
       "atom.shared.cas.b32 %r2, [%r1], 0, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra "
       "SPIN;\nld.volatile.shared.u32 %r3, "
       "[%r1+4]; add.u32 %r3, %r3, %t; st.volatile.shared.u32 [%r1+4], %r3; membar.cta; atom.shared.exch.b32 "
       "%r2, "
       "[%r1], 0; bar.sync 0; ld.shared.u32 %r4, [%r1+4]; st.global.u32 [%o], %r4;",
       [](unsigned) { return 496u; }},
      {"ALaneWaitsForAnotherOfItsWarp", 32,
       "mov.u32 %r1, tile; setp.eq.u32 %p1, %t, 31; @%p1 bra GIVE;\nWAIT:\nld.volatile.shared.u32 %r2, "
       "[%r1]; "
       "setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;\nbra DONE;\nGIVE:\nst.volatile.shared.u32 [%r1], 77; mov.u32 "
       "%r2, 1;\n"
       "DONE:\nst.global.u32 [%o], %r2;",
       [](unsigned t) { return t == 31 ? 1u : 77u; }},
  };
  return kCases;
}

}  // namespace warpvp::reference
