// Programs as code of the host (ptx/native). That each instruction computes what it should, alone and among
// others, is what the tests of all levels and those of tests/ptx_reference say; here is what is between
// instructions.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <tuple>

#include "ptx/code_blocks.h"
#include "ptx/exec/stretches.h"
#include "ptx/live_rows.h"
#include "tests/ptx_exec/native_harness.h"
#include "tests/ptx_exec/one_warp.h"
#include "tests/ptx_exec/random_branches.h"

namespace warpvp::ptx::testing {
namespace {

// The code that is executed without being translated is right, if slow: nothing else would tell.
TEST_F(NativeCodeTest, TranslatesWhatProgramsAreMadeOf) {
  if (test::code_mode().code == Code::kMachine) GTEST_SKIP() << "machine code leaves out what nobody uses";
  for (const char* const text : {"add.s32 %r1, %r2, %r3;",
                                 "sub.u64 %rd1, %rd2, 5;",
                                 "mul.lo.s32 %r1, %r2, %r3;",
                                 "mul.hi.u32 %r1, %r2, %r3;",
                                 "mul.wide.s32 %rd1, %r2, 8;",
                                 "mad.lo.s32 %r1, %r2, %r3, %r4;",
                                 "mad.wide.u32 %rd1, %r2, %r3, %rd4;",
                                 "min.s32 %r1, %r2, %r3;",
                                 "abs.s32 %r1, %r2;",
                                 "neg.s32 %r1, %r2;",
                                 "and.b32 %r1, %r2, 255;",
                                 "xor.b64 %rd1, %rd2, %rd3;",
                                 "not.b32 %r1, %r2;",
                                 "shl.b32 %r1, %r2, 3;",
                                 "shr.s32 %r1, %r2, %r3;",
                                 "shr.u64 %rd1, %rd2, %r3;",
                                 "shf.l.wrap.b32 %r1, %r2, %r3, 7;",
                                 "lop3.b32 %r1, %r2, %r3, %r4, 150;",
                                 "clz.b32 %r1, %r2;",
                                 "add.f32 %f1, %f2, %f3;",
                                 "mul.ftz.f32 %f1, %f2, %f3;",
                                 "fma.rn.f32 %f1, %f2, %f3, %f4;",
                                 "div.rn.f32 %f1, %f2, %f3;",
                                 "sqrt.rn.f32 %f1, %f2;",
                                 "max.f32 %f1, %f2, %f3;",
                                 "neg.f32 %f1, %f2;",
                                 "rsqrt.approx.f32 %f1, %f2;",
                                 "rcp.approx.ftz.f32 %f1, %f2;",
                                 "div.full.f32 %f1, %f2, %f3;",
                                 "add.f64 %d1, %d2, %d3;",
                                 "fma.rn.f64 %d1, %d2, %d3, %d4;",
                                 "setp.lt.s32 %p1, %r2, %r3;",
                                 "setp.geu.f32 %p1, %f2, %f3;",
                                 "setp.ne.s64 %p1, %rd2, 0;",
                                 "selp.b32 %r1, %r2, %r3, %p1;",
                                 "selp.f64 %d1, %d2, %d3, %p1;",
                                 "and.pred %p1, %p2, %p3;",
                                 "mov.u32 %r1, %r2;",
                                 "mov.f64 %d1, %d2;",
                                 "cvt.s64.s32 %rd1, %r2;",
                                 "cvt.u32.u64 %r1, %rd2;",
                                 "cvt.u32.u16 %r1, %h2;",
                                 "cvt.rn.f32.s32 %f1, %r2;",
                                 "cvt.rzi.s32.f32 %r1, %f2;",
                                 "cvta.to.global.u64 %rd1, %rd2;",
                                 "div.s32 %r1, %r2, %r3;",
                                 "rem.u32 %r1, %r2, 10;",
                                 "bfe.u32 %r1, %r2, 8, 8;",
                                 "bfi.b32 %r1, %r2, %r3, 4, 12;",
                                 "prmt.b32 %r1, %r2, %r3, 0x5410;",
                                 "neg.f64 %d1, %d2;",
                                 "min.f64 %d1, %d2, %d3;",
                                 "cvt.f64.f32 %d1, %f2;",
                                 "cvt.rn.f32.f64 %f1, %d2;",
                                 "mov.u32 %r1, %ntid.x;",
                                 "mov.u32 %r1, %ctaid.y;",
                                 "ld.param.u64 %rd1, [out];",
                                 "ld.global.u32 %r1, [%rd2+8];",
                                 "ld.shared.f32 %f1, [%r2];",
                                 "ld.global.u8 %h1, [%rd2];",
                                 "ld.global.f64 %d1, [%rd2];",
                                 "st.shared.u32 [%r1], %r2;",
                                 "st.shared.u8 [%r1], %h2;",
                                 "ld.shared.f32 %f1, [%rd2+4];",
                                 "ld.shared.u32 %r1, [word];",
                                 "st.shared.u64 [word], %rd1;",
                                 "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];",
                                 "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd1];",
                                 "st.shared.v2.u16 [%r1], {%h1, %h2};",
                                 "st.global.u32 [%rd1+4], %r2;",
                                 "st.global.u16 [%rd1], %h2;",
                                 "st.global.v2.f64 [%rd1], {%d1, %d2};",
                                 "ld.global.v2.f32 {%f1, %f2}, [%rd1+8];",
                                 "st.local.f64 [%rd1], %d1;",
                                 "ld.local.s8 %h1, [%rd1+1];",
                                 "shfl.sync.bfly.b32 %r1|%p1, %r2, 8, 31, -1;",
                                 "shfl.sync.up.b32 %r1, %r2, %r3, 0, -1;",
                                 "mov.u32 %r3, 16; mov.u32 %r4, 31; mov.u32 %r5, -1; "
                                 "shfl.sync.down.b32 %r1|%p1, %r2, %r3, %r4, %r5;",
                                 "bar.warp.sync -1;",
                                 "mov.u32 %r1, %tid.x;",
                                 "mov.u32 %r1, %tid.z;",
                                 "mov.u32 %r1, %laneid;",
                                 "mov.b64 %rd1, {%r1, %r2};",
                                 "mov.b64 {%r1, %r2}, %rd1;",
                                 "add.s16 %h1, %h2, 1;",
                                 "and.b16 %h1, %h2, 255;",
                                 "mov.u16 %h1, %h2;",
                                 "setp.lt.s16 %p1, %h1, %h2;",
                                 "selp.b16 %h1, %h2, 0, %p1;",
                                 "fma.rm.f32 %f1, %f2, %f3, %f4;",
                                 "cvt.sat.f32.f32 %f1, %f2;",
                                 "cvt.f32.f16 %f1, %h2;",
                                 "cvt.f32.bf16 %f1, %h2;",
                                 "cvt.rn.f16.f32 %h1, %f2;",
                                 "cvt.rn.bf16.f32 %h1, %f2;",
                                 "cvt.rn.f16x2.f32 %r1, %f2, %f3;",
                                 "cvt.rmi.f32.f32 %f1, %f2;",
                                 "cvt.rzi.s32.f64 %r1, %d2;",
                                 "cvt.rmi.u32.f64 %r1, %d2;",
                                 "rcp.rn.f64 %d1, %d2;",
                                 "fma.rn.f16x2 %r1, %r2, %r3, %r4;",
                                 "mul.bf16 %h1, %h2, %h3;",
                                 "setp.gt.f16 %p1, %h1, %h2;",
                                 "set.eq.f16.f16 %h1, %h2, %h3;",
                                 "@%p1 add.s32 %r1, %r2, %r3;",
                                 "@!%p1 st.global.u32 [%rd1], %r2;"}) {
    PtxModule module(native_kernel(std::string(text) + "\nbar.sync 0;\n"));
    const auto program = module.entry("k");
    const NativeCode* const code = Stretches::of(*program).native();
    ASSERT_NE(code, nullptr);
    EXPECT_GT(code->instructions(), 0u) << text;
    EXPECT_EQ(code->translated(), code->instructions()) << text;
  }
}

// More rows than the host has registers, lanes that are inactive, calls between, loops and their ends.
TEST_F(NativeCodeTest, IsTheSameAsInstructionByInstruction) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 draw(seed);
    const auto one_of = [&](unsigned n) { return static_cast<unsigned>(draw() % n); };
    std::string body =
        "ld.param.u64 %rd30, [out];\nmov.u32 %r70, %tid.x;\nmul.wide.u32 %rd31, %r70, 4;\n"
        "add.u64 %rd30, %rd30, %rd31;\nmov.u32 %r71, 0;\n";
    for (unsigned r = 0; r < 60; ++r)
      body += fmt::format("mad.lo.u32 %r{}, %r70, {}, {};\n", r, draw(), draw());
    for (unsigned r = 0; r < 20; ++r) body += fmt::format("mul.wide.u32 %rd{}, %r{}, {};\n", r, r, draw());
    body += fmt::format("loop:\nsetp.gt.u32 %p1, %r70, {};\n@%p1 bra join;\n", one_of(32));
    for (unsigned i = 0; i < 100; ++i) {
      const unsigned d = one_of(60), a = one_of(60), b = one_of(60), c = one_of(60);
      const unsigned begin = one_of(32), length = 1 + one_of(32 - begin);
      switch (one_of(14)) {
        case 0:
          body += fmt::format("add.u32 %r{}, %r{}, %r{};\n", d, a, b);
          break;
        case 1:
          body += fmt::format("lop3.b32 %r{}, %r{}, %r{}, %r{}, {};\n", d, a, b, c, one_of(256));
          break;
        case 2:
          body += fmt::format("mad.wide.s32 %rd{}, %r{}, %r{}, %rd{};\n", d % 20, a, b, c % 20);
          break;
        case 3:
          body += fmt::format("cvt.u32.u64 %r{}, %rd{};\n", d, a % 20);
          break;
        case 4:
          body += fmt::format("setp.lt.s32 %p{}, %r{}, %r{};\n", 2 + d % 8, a, b);
          break;
        case 5:
          body += fmt::format("selp.b64 %rd{}, %rd{}, %rd{}, %p{};\n", d % 20, a % 20, b % 20, 2 + c % 8);
          break;
        case 6:
          body += fmt::format("brev.b32 %r{}, %r{};\n", d, a);  // a call
          break;
        case 8:
          body += fmt::format("bfe.{}32 %r{}, %r{}, {}, {};\n", one_of(2) ? "s" : "u", d, a, begin, length);
          break;
        case 9:
          body += fmt::format("bfi.b32 %r{}, %r{}, %r{}, {}, {};\n", d, a, b, begin, length);
          break;
        case 10:
          body += fmt::format("prmt.b32 %r{}, %r{}, %r{}, {};\n", d, a, b, draw() & 0x7777);
          break;
        case 11:
          body += fmt::format("rem.s32 %r{}, %r{}, {};\n", d, a, 1 + one_of(1000));
          break;
        case 12:
          body += fmt::format("mov.u32 %r{}, %{}.{};\n", d, one_of(2) ? "ntid" : "nctaid", "xyz"[one_of(3)]);
          break;
        case 7:
          body += fmt::format("shf.r.wrap.b32 %r{}, %r{}, %r{}, {};\n", d, a, b, one_of(32));
          break;
        default:
          body += fmt::format("mul.hi.s32 %r{}, %r{}, %r{};\n", d, a, b);
      }
      if (i == 50) body += "join:\n";
    }
    body += "add.u32 %r71, %r71, 1;\nsetp.lt.u32 %p1, %r71, 3;\n@%p1 bra loop;\n";
    for (unsigned r = 0; r < 60; ++r) body += fmt::format("st.global.u32 [%rd30+{}], %r{};\n", 4096 * r, r);
    for (unsigned r = 0; r < 20; ++r)
      body += fmt::format(
          "shl.b64 %rd32, %rd{}, 1;\nst.global.u32 [%rd30+{}], %rd32;\nshr.u64 %rd33, %rd{}, 32;\n"
          "st.global.u32 [%rd30+{}], %rd33;\n",
          r, 4096 * (60 + r), r, 4096 * (80 + r));
    std::vector<std::uint32_t> results[2];
    std::uint64_t executed[2];
    for (const bool whole : {false, true}) {
      PtxModule module(native_kernel(body));
      module.runner().whole_turns = whole;
      const std::uint64_t out = module.buffer(std::vector<std::uint32_t>(1024 * 100));
      const FunctionalResult r = module.run("k", {1, 1, 1}, {45, 1, 1}, 0, out);
      ASSERT_TRUE(r.ok()) << r.fault->summary();
      results[whole] = module.read<std::uint32_t>(out, 1024 * 100);
      executed[whole] = r.thread_instructions;
    }
    EXPECT_EQ(results[0], results[1]) << "seed " << seed;
    EXPECT_EQ(executed[0], executed[1]) << "seed " << seed;
  }
}

// What is written is held back from memory: more of it than the host has registers, with accesses between
// that are blocks, gathers and calls of their functions.
TEST_F(NativeCodeTest, KeepsMoreRowsThanTheHostHasRegisters) {
  for (const unsigned rows : {4u, 10u, 14u, 20u, 40u, 70u})
    for (const char* const index : {"%r70", "%r71", "%r72"})
      for (const unsigned threads : {32u, 20u}) {
        std::string body = fmt::format(
            "ld.param.u64 %rd30, [out];\nmov.u32 %r70, %tid.x;\nand.b32 %r71, %r70, 5;\nmov.u32 %r72, 3;\n"
            "mul.wide.u32 %rd31, {}, 4;\nadd.u64 %rd31, %rd31, %rd30;\nmul.wide.u32 %rd32, %r70, 4;\n"
            "add.u64 %rd30, %rd30, %rd32;\n",
            index);
        // Old rows in pairs with new ones, each read twice; one that its own guard may keep.
        for (unsigned r = 0; r < rows; ++r) {
          body += fmt::format("mad.lo.u32 %r{}, %r70, {}, {};\n", r, 2 * r + 3, r);
          if (r % 4 == 3) body += fmt::format("ld.global.u32 %r73, [%rd31+{}];\n", 1024 * (r % 8));
          if (r % 4 == 3) body += fmt::format("add.u32 %r{}, %r{}, %r73;\n", r, r);
          if (r % 8 == 6)
            body += fmt::format("setp.gt.u32 %p1, %r{}, 100;\n@%p1 not.b32 %r{}, %r0;\n", r, r / 2);
        }
        // Of a variable, whose address all lanes share.
        body += fmt::format("st.shared.u32 [word], %r{};\nld.shared.u32 %r74, [word];\n", rows - 1);
        for (unsigned r = rows; r-- > 0;) body += fmt::format("mad.lo.u32 %r74, %r74, 5, %r{};\n", r);
        body += "st.global.u32 [%rd30], %r74;\n";
        for (unsigned r = 0; r < rows; ++r) body += fmt::format("xor.b32 %r74, %r74, %r{};\n", r);
        body += "st.global.u32 [%rd30+16384], %r74;\n";
        std::vector<std::uint32_t> results[2];
        for (const bool whole : {false, true}) {
          PtxModule module(native_kernel(body));
          module.runner().whole_turns = whole;
          std::vector<std::uint32_t> words(8192);
          for (unsigned i = 0; i < words.size(); ++i) words[i] = i * 2654435761u;
          const std::uint64_t out = module.buffer(words);
          ASSERT_TRUE(module.run("k", {1, 1, 1}, {threads, 1, 1}, 0, out).ok());
          results[whole] = module.read<std::uint32_t>(out, 8192);
        }
        EXPECT_EQ(results[0], results[1]) << rows << ' ' << index << ' ' << threads;
      }
}

// Code is entered at the beginning of a block alone, so one begins where something jumps to.
TEST_F(NativeCodeTest, BlocksBeginWhereOthersComeIn) {
  if (test::code_mode().code == Code::kMachine) GTEST_SKIP() << "machine code leaves out what nobody uses";
  PtxModule module(native_kernel(
      "mov.u32 %r1, 0;\nadd.u32 %r2, %r1, 1;\nloop:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 4;\n"
      "@%p1 bra loop;\nadd.u32 %r2, %r2, 1;\n"));
  const auto program = module.entry("k");
  const NativeCode& code = *Stretches::of(*program).native();
  Pc loop = kNoPc;
  for (const Inst& inst : program->code)
    if (inst.opcode == Opcode::bra) loop = inst.target;
  ASSERT_NE(loop, kNoPc);
  for (const LaneMask lanes : {~0u, 5u}) {
    EXPECT_NE(code.at(0, lanes), nullptr);
    EXPECT_EQ(code.at(1, lanes), nullptr);
    EXPECT_NE(code.at(loop, lanes), nullptr);
  }
}

// Behind a return of some lanes, for those that are left; and behind an atomic, for lanes that have waited
// for it. Of an atomic that is waited for, none.
TEST_F(NativeCodeTest, BlocksBeginBehindReturnsAndAtomics) {
  if (test::code_mode().code == Code::kMachine) GTEST_SKIP() << "machine code leaves out what nobody uses";
  PtxModule module(native_kernel(
      "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 ret;\n"
      "add.u32 %r2, %r1, 1;\nred.global.add.u32 [%rd1], %r2;\natom.global.add.u32 %r3, [%rd1], 1;\n"
      "add.u32 %r2, %r2, 1;\natom.global.add.u32 %r4, [%rd1], %r2;\nst.global.u32 [%rd1], %r4;\n"));
  const auto program = module.entry("k");
  const NativeCode& code = *Stretches::of(*program).native();
  std::vector<Pc> atomics;
  Pc after_return = kNoPc;
  for (Pc pc = 0; pc < program->code.size(); ++pc) {
    if (ends_lanes(program->code[pc])) after_return = pc + 1;
    if (program->code[pc].is_atomic) atomics.push_back(pc);
  }
  ASSERT_EQ(atomics.size(), 3u);
  ASSERT_NE(after_return, kNoPc);
  EXPECT_NE(code.at(after_return, 5u), nullptr);
  EXPECT_EQ(code.at(after_return, ~0u), nullptr);
  for (const LaneMask lanes : {~0u, 5u}) {
    EXPECT_NE(code.at(atomics[0] + 1, lanes), nullptr);
    EXPECT_NE(code.at(atomics[1] + 1, lanes), nullptr);
    EXPECT_EQ(code.at(atomics[2], lanes), nullptr);
  }
  const auto silent = silent_atomics_of(*program);
  EXPECT_TRUE(silent[atomics[0]] && silent[atomics[1]] && !silent[atomics[2]]);
}

// What faults in a block leaves everything behind it undone, and says where it was: a load, and what is no
// access of memory.
TEST_F(NativeCodeTest, FaultsNameTheirInstruction) {
  for (const auto& [text, named] :
       {std::pair("mov.u64 %rd2, 64;\nld.global.u32 %r3, [%rd2];\n", "ld.global"),
        std::pair("mov.u64 %rd3, 100000;\nalloca.u64 %rd2, %rd3;\nmov.u32 %r3, 9;\n", "alloca")}) {
    std::string summaries[2];
    for (const bool whole : {false, true}) {
      PtxModule module(native_kernel("ld.param.u64 %rd1, [out];\nmov.u32 %r1, 7;\nadd.u32 %r2, %r1, 1;\n" +
                                     std::string(text) +
                                     "add.u32 %r4, %r3, 1;\nst.global.u32 [%rd1], %r4;\n"));
      module.runner().whole_turns = whole;
      const std::uint64_t out = module.buffer(std::vector<std::uint32_t>{1});
      const FunctionalResult r = module.run("k", {1, 1, 1}, {32, 1, 1}, 0, out);
      ASSERT_FALSE(r.ok());
      summaries[whole] = r.fault->summary();
      EXPECT_NE(summaries[whole].find(named), std::string::npos) << summaries[whole];
      EXPECT_EQ(module.read<std::uint32_t>(out, 1)[0], 1u);
    }
    EXPECT_EQ(summaries[0], summaries[1]);
  }
}

// Where a warp that may stop early stops follows from the program, not from the host.
TEST_F(NativeCodeTest, StopsEarlyWhereAllLevelsDo) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 draw(seed);
    const auto one_of = [&](unsigned n) { return static_cast<unsigned>(draw() % n); };
    std::string body = "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nloop:\n";
    for (unsigned block = 0; block < 10; ++block) {
      body += fmt::format("setp.gt.u32 %p1, %r1, {};\n", one_of(70));
      if (one_of(3) != 0) body += fmt::format("@%p1 bra b{};\n", block);
      for (unsigned i = 0; i < 1 + one_of(150); ++i)
        body += fmt::format("{0}mad.lo.u32 %r{1}, %r{1}, %r{1}, %r2;\n", one_of(8) == 0 ? "@%p1 " : "",
                            10 + one_of(20));
      if (one_of(4) == 0) body += "shfl.sync.idx.b32 %r5, %r1, 3, 31, -1;\n";
      body += fmt::format("b{}:\n", block);
    }
    body += "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 5;\n@%p2 bra loop;\n";
    for (unsigned r = 10; r < 30; ++r) body += fmt::format("st.global.u32 [%rd1+{}], %r{};\n", 4 * r, r);
    body += "st.global.u32 [%rd1], %r5;\n";
    std::vector<std::uint64_t> stops[2];
    for (const IsaLevel level : {IsaLevel::kNative, IsaLevel::kBaseline}) {
      ASSERT_TRUE(set_isa_level(level));
      PtxModule m(native_kernel(body));
      OneWarp one(m, "k", false, 64);
      for (const unsigned index : {0u, 1u}) {
        one.start(index);
        std::mt19937 lengths(seed);
        while (!one.warp.exited()) {
          InstructionTally tally;
          ASSERT_NE(one.warp.run(1 + lengths() % 200, tally, lengths() % 4 != 0), StepKind::kFault);
          ASSERT_GE(tally.warp_instructions, 1u);
          stops[level == IsaLevel::kNative].push_back(4 * tally.thread_instructions + tally.early);
        }
      }
    }
    set_isa_level(IsaLevel::kNative);
    EXPECT_EQ(stops[0], stops[1]) << "seed " << seed;
    EXPECT_GT(std::count_if(stops[0].begin(), stops[0].end(), [](std::uint64_t s) { return s % 4 != 0; }), 5);
  }
}

// Two paths of a warp that may wait for each other have turns as if they were stepped.
TEST_F(NativeCodeTest, PathsHaveTurns) {
  PtxModule m(native_kernel(
      "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nmul.lo.u32 %r5, %r1, 40;\n"
      "setp.lt.u32 %p1, %r1, 11;\n@%p1 bra b;\na:\nld.global.u32 %r3, [%rd1];\n"
      "add.u32 %r4, %r4, %r3;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, %r5;\n@%p2 bra a;\n"
      "bra join;\nb:\nld.global.u32 %r3, [%rd1+4];\nadd.u32 %r4, %r4, %r3;\nadd.u32 %r2, %r2, 1;\n"
      "setp.lt.u32 %p2, %r2, 700;\n@%p2 bra b;\njoin:\nmul.wide.u32 %rd2, %r1, 4;\n"
      "add.u64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1+8], %r4;\n"));
  std::vector<std::uint32_t> results[2];
  std::uint64_t switches[2];
  for (const bool whole : {false, true}) {
    OneWarp one(m, "k", false);
    one.env.divergence.switch_after = 1;
    const std::vector<std::uint32_t> threes(64, 3);
    m.memory().write(one.out, threes.data(), 4 * threes.size());
    InstructionTally tally;
    while (!one.warp.exited())
      ASSERT_NE(whole ? one.warp.run(100000, tally) : one.warp.step(), StepKind::kFault);
    results[whole] = m.read<std::uint32_t>(one.out, 64);
    switches[whole] = one.env.group_switches;
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(switches[0], switches[1]);
  EXPECT_GT(switches[0], 10u);
}

// Lanes that are read by a distance that is known and by one that is not, in segments of every size.
TEST_F(NativeCodeTest, ShufflesAreThoseOfTheirFunctions) {
  for (const char* const mode : {"up", "down", "bfly", "idx"}) {
    for (const unsigned width : {1u, 2u, 4u, 8u, 16u, 32u}) {
      const unsigned limits = (32 - width) << 8 | (mode[0] == 'u' ? 0 : 31);
      std::string body =
          "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 1024;\n"
          "add.u64 %rd1, %rd1, %rd2;\nmad.lo.u32 %r2, %r1, 77777, 99;\n";
      unsigned place = 0;
      const auto keep = [&] {
        body +=
            fmt::format("selp.u32 %r6, 1, 0, %p1;\nst.global.v2.u32 [%rd1+{}], {{%r5, %r6}};\n", 8 * place++);
      };
      for (unsigned by = 0; by < 40; by += 3) {
        body += fmt::format("shfl.sync.{}.b32 %r5|%p1, %r2, {}, {}, -1;\n", mode, by, limits);
        keep();
        // Into the register that is read.
        body +=
            fmt::format("mov.u32 %r5, %r2;\nshfl.sync.{}.b32 %r5|%p1, %r5, {}, {}, -1;\n", mode, by, limits);
        keep();
        // The same distance for all lanes, and one of each lane's own.
        body += fmt::format("mov.u32 %r3, {0};\nmad.lo.u32 %r4, %r1, {0}, {1};\n", by, by / 2);
        for (const char* const from : {"%r3", "%r4"}) {
          body += fmt::format("shfl.sync.{}.b32 %r5|%p1, %r2, {}, {}, -1;\n", mode, from, limits);
          keep();
        }
      }
      std::vector<std::uint32_t> results[2];
      for (const bool whole : {false, true}) {
        PtxModule m(native_kernel(body));
        m.runner().whole_turns = whole;
        const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(32 * 256));
        ASSERT_TRUE(m.run("k", {}, {32, 1, 1}, 0, out).ok());
        results[whole] = m.read<std::uint32_t>(out, 32 * 256);
      }
      EXPECT_EQ(results[0], results[1]) << mode << " " << width;
    }
  }
}

// Distances and limits in registers: known on all ways, on one of two, changed in a loop, and by a guard.
TEST_F(NativeCodeTest, ShufflesReadWhatTheirRegistersHave) {
  const std::string body =
      "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
      "add.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r9, [%rd1];\nmad.lo.u32 %r2, %r1, 77777, 99;\n"
      "mov.u32 %r3, 31;\nmov.u32 %r4, 2;\nsetp.eq.u32 %p1, %r9, 1;\nbar.warp.sync -1;\n@%p1 bra one;\n"
      "mov.u32 %r5, 5;\nbra.uni both;\none:\nmov.u32 %r5, 9;\nboth:\n"
      "shfl.sync.down.b32 %r6, %r2, %r4, %r3, -1;\nshfl.sync.bfly.b32 %r7, %r2, %r5, %r3, -1;\n"
      "xor.b32 %r6, %r6, %r7;\nmov.u32 %r10, 1;\n@%p1 mov.u32 %r4, 3;\n"
      "again:\nshfl.sync.up.b32 %r7, %r2, %r10, 0, -1;\nadd.u32 %r6, %r6, %r7;\n"
      "shfl.sync.idx.b32 %r7, %r2, %r4, %r3, -1;\nxor.b32 %r6, %r6, %r7;\n"
      "shl.b32 %r10, %r10, 1;\nsetp.lt.u32 %p2, %r10, 32;\n@%p2 bra again;\n"
      "st.global.u32 [%rd3+128], %r6;\n";
  for (const std::uint32_t which : {0u, 1u}) {
    std::vector<std::uint32_t> results[2], expected(32);
    for (const bool whole : {false, true}) {
      PtxModule m(native_kernel(body));
      m.runner().whole_turns = whole;
      const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(64, which));
      ASSERT_TRUE(m.run("k", {}, {32, 1, 1}, 0, out).ok());
      results[whole] = m.read<std::uint32_t>(out + 128, 32);
    }
    const auto value = [](std::uint32_t lane) { return lane * 77777 + 99; };
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      std::uint32_t r = value(lane + 2 < 32 ? lane + 2 : lane) ^ value(lane ^ (which == 1 ? 9 : 5));
      for (std::uint32_t by = 1; by < 32; by *= 2) {
        r += value(lane >= by ? lane - by : lane);
        r ^= value(which == 1 ? 3 : 2);
      }
      expected[lane] = r;
    }
    EXPECT_EQ(results[0], expected) << which;
    EXPECT_EQ(results[1], expected) << which;
  }
}

// Thread numbers of blocks of every kind of shape.
TEST_F(NativeCodeTest, ThreadNumbersAreThoseOfTheBlock) {
  PtxModule m(native_kernel(
      "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\n"
      "mov.u32 %r4, %ntid.x;\nmov.u32 %r5, %ntid.y;\nmad.lo.u32 %r6, %r3, %r5, %r2;\n"
      "mad.lo.u32 %r6, %r6, %r4, %r1;\nmul.wide.u32 %rd2, %r6, 16;\nadd.u64 %rd1, %rd1, %rd2;\n"
      "st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r6};\n"));
  for (const auto& [x, y, z] :
       {std::tuple(1024u, 1u, 1u), std::tuple(1u, 1024u, 1u), std::tuple(16u, 16u, 4u),
        std::tuple(33u, 31u, 1u), std::tuple(7u, 5u, 29u), std::tuple(1u, 3u, 64u), std::tuple(10u, 10u, 10u),
        std::tuple(3u, 341u, 1u), std::tuple(341u, 3u, 1u)}) {
    const unsigned threads = x * y * z;
    const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(4 * threads, ~0u));
    ASSERT_TRUE(m.run("k", {}, {x, y, z}, 0, out).ok());
    const std::vector<std::uint32_t> got = m.read<std::uint32_t>(out, 4 * threads);
    for (unsigned t = 0; t < threads; ++t) {
      ASSERT_EQ(got[4 * t], t % x) << t;
      ASSERT_EQ(got[4 * t + 1], t / x % y) << t;
      ASSERT_EQ(got[4 * t + 2], t / x / y) << t;
      ASSERT_EQ(got[4 * t + 3], t);
    }
  }
}

// Along branches that lanes take together, those where they part, and behind guards: as many instructions
// and operations, and the same results, as one after the other.
TEST_F(NativeCodeTest, GoesAlongBranchesAndGuards) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 draw(seed);
    const auto one_of = [&](unsigned n) { return static_cast<unsigned>(draw() % n); };
    const std::string body = random_branches(draw);
    std::vector<std::uint32_t> results[2];
    InstructionTally tallies[2];
    std::uint64_t executed[2], lanes[2];
    for (const bool whole : {false, true}) {
      PtxModule m(native_kernel(body));
      m.runner().whole_turns = whole;
      const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(64 * 64));
      const FunctionalResult r = m.run("k", {1, 1, 1}, {61, 1, 1}, 0, out);
      ASSERT_TRUE(r.ok()) << r.fault->summary();
      results[whole] = m.read<std::uint32_t>(out, 64 * 64);
      executed[whole] = r.warp_instructions;
      lanes[whole] = r.thread_instructions;
    }
    EXPECT_EQ(results[0], results[1]) << "seed " << seed;
    EXPECT_EQ(executed[0], executed[1]) << "seed " << seed;
    EXPECT_EQ(lanes[0], lanes[1]) << "seed " << seed;
    // Of one warp, in calls of run() of every length, against its steps.
    for (const bool whole : {false, true}) {
      PtxModule m(native_kernel(body));
      OneWarp one(m, "k", false, 61);
      one.start(1);
      InstructionTally& tally = tallies[whole];
      while (!one.warp.exited()) {
        if (whole) {
          const std::uint64_t before = tally.warp_instructions, most = 1 + one_of(200);
          ASSERT_NE(one.warp.run(most, tally), StepKind::kFault) << one.fault.what;
          ASSERT_LE(tally.warp_instructions - before, most);
        } else {
          const Inst& inst = one.warp.next();
          ASSERT_NE(one.warp.step(), StepKind::kFault) << one.fault.what;
          tally.add(inst, one.warp.executed());
        }
      }
    }
    EXPECT_EQ(tallies[0].warp_instructions, tallies[1].warp_instructions);
    EXPECT_EQ(tallies[0].thread_instructions, tallies[1].thread_instructions);
    for (const unsigned precision : {0u, 1u})
      EXPECT_EQ(tallies[0].flops[precision], tallies[1].flops[precision]);
    EXPECT_EQ(tallies[0].parts, tallies[1].parts);
  }
}

// Rubbish in all rows that are not live, behind instructions that all lanes have executed, changes nothing.
TEST(LiveRows, OthersAreNotRead) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 draw(seed);
    const std::string body = random_branches(draw);
    std::vector<std::uint8_t> memory[2];
    std::uint64_t spoilt = 0;
    for (const bool spoils : {false, true}) {
      PtxModule m(native_kernel(body));
      OneWarp one(m, "k", false, 61);
      const LiveRows live(*one.program);
      auto* const registers = const_cast<std::uint32_t*>(one.warp.registers());
      while (!one.warp.exited()) {
        const Pc pc = one.warp.pc();
        ASSERT_NE(one.warp.step(), StepKind::kFault) << one.fault.what;
        if (!spoils || one.warp.executed() != ~LaneMask{0}) continue;
        const RowSet rows = live.behind(pc);
        for (std::size_t row = 0; row < rows.size(); ++row) {
          if (rows[row]) continue;
          std::fill_n(registers + row * kWarpSize, kWarpSize, 0xdeadbeef);
          ++spoilt;
        }
      }
      memory[spoils] = one.memory();
    }
    EXPECT_TRUE(memory[0] == memory[1]) << "seed " << seed;
    EXPECT_GT(spoilt, 100u);
  }
}

}  // namespace
}  // namespace warpvp::ptx::testing
