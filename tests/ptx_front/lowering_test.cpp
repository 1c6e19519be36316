// From the intermediate form to programs: constants, addresses, spaces, control flow, sizes.

#include <cstring>

#include "support.h"

namespace warpvp::ptx {
namespace {

std::shared_ptr<Program> lower(const std::string& body, const std::string& before = "") {
  return Module::parse(kernel(body, before), "t.ptx")->entry("k");
}

std::uint32_t word(const Program& p, unsigned row, unsigned lane = 0) {
  return p.constants.at(row * kWarpSize + lane);
}
std::uint64_t wide(const Program& p, unsigned row, unsigned lane = 0) {
  return p.constants.at(row * kWarpSize + 2 * lane) |
         static_cast<std::uint64_t>(p.constants.at(row * kWarpSize + 2 * lane + 1)) << 32;
}

TEST(Lowering, ConstantsAreConvertedSharedAndBroadcast) {
  const auto p =
      lower(std::string(kRegisters) +
            "add.u32 %r1, %r2, 5;\nadd.u32 %r3, %r4, 5;\nadd.f32 %f1, %f2, 1.5;\nadd.f64 %fd1, %fd2, 1.5;\n"
            "add.u64 %rd1, %rd2, -1;\nadd.u16 %h1, %h2, -1;\nadd.f64 %fd1, %fd2, 0f3F800000;\nmov.b32 %r5, "
            "0f3FC00000;\n"
            "st.global.u8 [%rd1], 5;\nret;");
  const auto src = [&](std::size_t i) { return p->code[i].src[1]; };
  EXPECT_EQ(src(0).kind, OperandKind::kConst);
  EXPECT_EQ(src(0).index, src(1).index);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) EXPECT_EQ(word(*p, src(0).index, lane), 5u);
  EXPECT_EQ(word(*p, src(2).index), 0x3fc00000u);
  EXPECT_EQ(p->code[7].src[0].index, src(2).index);  // the same bits
  EXPECT_EQ(wide(*p, src(3).index), 0x3ff8000000000000u);
  EXPECT_EQ(wide(*p, src(4).index, 31), ~0ull);
  EXPECT_EQ(src(4).index % 2, 0);
  EXPECT_TRUE(p->code[4].wide >> (kMaxDst + 1) & 1);
  EXPECT_FALSE(p->code[0].wide >> (kMaxDst + 1) & 1);
  EXPECT_EQ(word(*p, src(5).index) & 0xffff, 0xffffu);
  EXPECT_EQ(wide(*p, src(6).index), 0x3ff0000000000000u);
  EXPECT_EQ(p->code[8].src[1].index, src(0).index);
}

TEST(Lowering, ParametersLieInOrderAndAligned) {
  const auto p =
      Module::parse(kHeader +
                        ".entry k(.param .u8 a, .param .u64 b, .param .f32 c, .param .align 16 .b8 s[20], "
                        ".param .u16 d)\n"
                        "{ .reg .u32 %r; .reg .b16 %h; ld.param.u32 %r, [s+16]; ld.param.u16 %h, [d]; ret; }",
                    "t.ptx")
          ->entry("k");
  ASSERT_EQ(p->params.size(), 5u);
  const std::uint32_t offsets[] = {0, 8, 16, 32, 52};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(p->params[i].offset, offsets[i]) << i;
  EXPECT_EQ(p->param_bytes, 54u);
  EXPECT_EQ(p->params[3].type, ".b8[20]");
  EXPECT_EQ(p->code[0].space, Space::kParam);
  EXPECT_FALSE(p->code[0].depot);
  EXPECT_EQ(p->code[0].offset, 48);
  EXPECT_EQ(p->code[1].offset, 52);
  EXPECT_EQ(p->code[0].src[0].kind, OperandKind::kNone);
}

TEST(Lowering, ControlFlowAndEffects) {
  const auto p = lower(std::string(kRegisters) +
                       "setp.eq.u32 %p1, %r1, 0;\n"  // 0
                       "@!%p1 bra A;\n"              // 1
                       "mov.u32 %r2, 1;\n"           // 2
                       "bra.uni B;\n"                // 3
                       "A: bar.sync 3;\n"            // 4
                       "B: membar.gl;\n"             // 5
                       "@%p1 exit;\n"                // 6
                       "ret;");                      // 7
  EXPECT_EQ(p->code[1].effect, Effect::kBranch);
  EXPECT_EQ(p->code[1].target, 4u);
  EXPECT_EQ(p->code[1].reconverge, 5u);
  EXPECT_EQ(p->code[1].guard.kind, OperandKind::kPred);
  EXPECT_TRUE(p->code[1].guard.negated);
  EXPECT_TRUE(p->code[3].uniform);
  EXPECT_EQ(p->code[4].effect, Effect::kBarrier);
  EXPECT_EQ(p->barriers, 4u);
  EXPECT_EQ(p->code[5].effect, Effect::kFence);
  EXPECT_EQ(p->code[6].effect, Effect::kExit);
  EXPECT_EQ(p->code[7].effect, Effect::kExit);
  EXPECT_EQ(p->code[1].line, 8u);
  EXPECT_EQ(p->locate(1), "t.ptx:8: @!%p1 bra A");
  for (const Inst& i : p->code) EXPECT_NE(i.exec, nullptr);
}

TEST(Lowering, BranchTables) {
  const auto p = lower(std::string(kRegisters) +
                       "T: .branchtargets A, B;\nbrx.idx %r1, T;\nA: mov.u32 %r1, 1;\nB: ret;");
  ASSERT_EQ(p->branch_tables.size(), 1u);
  EXPECT_EQ(p->branch_tables[0], (std::vector<Pc>{1, 2}));
  EXPECT_EQ(p->code[0].reconverge, 2u);
  EXPECT_EQ(p->code[0].src[0].kind, OperandKind::kReg);
}

TEST(Lowering, FallingOffTheEndReturns) {
  const auto p = lower(std::string(kRegisters) + "mov.u32 %r1, 1;\n@%p1 bra E;\nmov.u32 %r1, 2;\nE:");
  EXPECT_EQ(p->code.back().effect, Effect::kExit);
  EXPECT_EQ(p->code[1].target, p->code.size() - 1);
  EXPECT_EQ(lower("").get()->code.size(), 1u);
}

TEST(Lowering, WidthsAndWrites) {
  const auto p = lower(std::string(kRegisters) +
                       "ld.global.v2.u32 {%r1, %r2}, [%rd1+8];\nmul.wide.u32 %rd2, %r1, %r2;\nst.global.s16 "
                       "[%rd1], %rd2;\nret;");
  const Inst& load = p->code[0];
  EXPECT_EQ(load.unit, Unit::kLsu);
  EXPECT_EQ(load.vector, 2);
  EXPECT_EQ(load.access_bytes, 4);
  EXPECT_EQ(load.offset, 8);
  EXPECT_EQ(load.dst_count, 2);
  EXPECT_EQ(load.written_rows, 2);
  EXPECT_EQ(load.read_rows, 2);  // the address, both rows
  EXPECT_TRUE(load.wide >> kMaxDst & 1);
  const Inst& mul = p->code[1];
  EXPECT_EQ(mul.written_rows, 2);
  EXPECT_EQ(mul.writes[1], mul.writes[0] + 1);
  EXPECT_EQ(mul.writes[0] % 2, 0);
  EXPECT_TRUE(mul.wide & 1);
  const Inst& store = p->code[2];
  EXPECT_TRUE(store.is_store);
  EXPECT_EQ(store.access_bytes, 2);
  EXPECT_TRUE(store.wide >> (kMaxDst + 1) & 1);
  EXPECT_EQ(store.read_rows, 4);
}

TEST(Lowering, SharedMemoryIsLaidOutPerKernel) {
  const std::string text = kHeader +
                           ".shared .align 8 .b8 a[12]; .shared .f64 b; .shared .u32 unused[1000]; .extern "
                           ".shared .align 32 .b8 dyn[];\n"
                           ".entry one() { .reg .u32 %r; .shared .u8 mine; mov.u32 %r, b; ld.shared.u32 %r, "
                           "[a+4]; st.shared.u8 [mine], %r;\n"
                           "  ld.shared.u32 %r, [dyn+8]; ret; }\n"
                           ".entry two() { .reg .u32 %r; mov.u32 %r, a; ret; }\n";
  const auto m = Module::parse(text, "t.ptx");
  const auto one = m->entry("one"), two = m->entry("two");
  EXPECT_EQ(word(*one, one->code[0].src[0].index), 16u);
  EXPECT_EQ(one->code[1].offset, 4);
  EXPECT_EQ(one->code[2].offset, 24);
  EXPECT_EQ(one->code[3].offset, 40);  // dynamic memory begins at 32
  EXPECT_EQ(one->static_shared_bytes, 32u);
  EXPECT_TRUE(one->uses_dynamic_shared);
  EXPECT_EQ(two->static_shared_bytes, 12u);
  EXPECT_FALSE(two->uses_dynamic_shared);
}

TEST(Lowering, LocalVariablesLieInTheDepot) {
  const auto p = lower(
      std::string(kRegisters) +
      ".local .align 8 .b8 depot[20]; .local .u64 v;\nmov.u64 %rd1, depot;\ncvta.local.u64 %rd2, %rd1;\n"
      "st.local.u32 [depot+4], %r1;\nld.local.u64 %rd3, [v];\nld.local.u32 %r1, [%rd1+8];\nret;");
  EXPECT_TRUE(p->code[0].depot);
  EXPECT_EQ(p->code[1].space, Space::kLocal);
  EXPECT_TRUE(p->code[2].depot);
  EXPECT_EQ(p->code[2].offset, 4);
  EXPECT_EQ(p->code[3].offset, 24);
  EXPECT_FALSE(p->code[4].depot);
  EXPECT_EQ(p->depot_bytes, 32u);
}

// A kernel is lowered when it is first asked for, be it before its module's variables have places or after.
TEST(Lowering, KernelsAskedForBeforeAndAfterPlacingAreTheSame) {
  const std::string body =
      "() { .reg .u32 %r; .reg .u64 %rd; mov.u64 %rd, a+12; ld.const.u32 %r, [c]; st.global.u32 [%rd], %r; "
      "ret; }\n";
  const auto m =
      Module::parse(kHeader + ".global .u32 a[4]; .const .u32 c = 7;\n.entry early" + body + ".entry late" +
                        body + ".entry never() { bra NOWHERE_AT_ALL; }\n.entry plain() { ret; }\n",
                    "t.ptx");
  const auto early = m->entry("early");
  std::uint64_t next = 0x1000000000ull;
  m->place([&](const GlobalVariable&) { return next += 0x100; }, [](std::uint64_t, const auto&) {});
  const auto late = m->entry("late");
  for (const auto& p : {early, late}) {
    EXPECT_EQ(wide(*p, p->code[0].src[0].index), 0x100000010cu);
    ASSERT_EQ(p->const_ranges.size(), 1u);
    EXPECT_EQ(p->const_ranges[0].first, 0x1000000200u);
  }
  EXPECT_EQ(early->constants, late->constants);
  EXPECT_EQ(m->entries(), (std::vector<std::string>{"early", "late", "plain"}));
  EXPECT_EQ(m->refused().count("never"), 1u);
  EXPECT_EQ(m->entry("early"), early) << "once";
}

TEST(Lowering, GlobalsArePlacedAndPatched) {
  const auto m = Module::parse(kHeader +
                                   ".global .u32 a[4] = {1, 2}; .const .f32 c = 2.0; .global .u64 p[2] = {c, "
                                   "a+8}; .func f() { ret; } .global .u64 fp = f;\n"
                                   ".entry k() { .reg .u32 %r; .reg .u64 %rd; ld.global.u32 %r, [a+4]; "
                                   "mov.u64 %rd, a+12; ld.const.b32 %r, [c];\n"
                                   "  ld.u32 %r, [a]; add.u64 %rd, %rd, p; mov.u64 %rd, f; ret; }",
                               "t.ptx");
  ASSERT_EQ(m->globals().size(), 4u);
  EXPECT_EQ(m->globals()[0].name, "a");
  EXPECT_EQ(m->globals()[1].space, Space::kConst);
  std::map<std::uint64_t, std::vector<std::uint8_t>> written;
  std::uint64_t next = 0x1000000000ull;
  m->place([&](const GlobalVariable&) { return next += 0x100; },
           [&](std::uint64_t a, const std::vector<std::uint8_t>& bytes) { written[a] = bytes; });
  const auto p = m->entry("k");
  EXPECT_EQ(p->code[0].src[0].kind, OperandKind::kConst);
  EXPECT_EQ(wide(*p, p->code[0].src[0].index, 7), 0x1000000100u);
  EXPECT_EQ(p->code[0].offset, 4);
  EXPECT_EQ(wide(*p, p->code[1].src[0].index), 0x100000010cu);
  EXPECT_EQ(wide(*p, p->code[2].src[0].index), 0x1000000200u);
  EXPECT_EQ(p->code[3].space, Space::kGeneric);
  // A symbol outside mov gets one.
  EXPECT_EQ(p->code[4].opcode, Opcode::mov);
  EXPECT_EQ(p->code[5].opcode, Opcode::add);
  EXPECT_EQ(wide(*p, p->code[6].src[0].index), kFunctionWindow);
  ASSERT_EQ(written.size(), 4u);
  ASSERT_EQ(written[0x1000000100].size(), 16u);
  EXPECT_EQ(written[0x1000000100][4], 2);
  std::uint64_t pointers[2], function;
  std::memcpy(pointers, written[0x1000000300].data(), 16);
  EXPECT_EQ(pointers[0], 0x1000000200u);
  EXPECT_EQ(pointers[1], 0x1000000108u);
  std::memcpy(&function, written[0x1000000400].data(), 8);
  EXPECT_EQ(function, kFunctionWindow);
}

TEST(Lowering, SpecialRegistersAndPredicateConstantsGetTheirOwnInstruction) {
  const auto p = lower(std::string(kRegisters) +
                       "add.u32 %r1, %tid.x, %r2;\ncvt.u64.u32 %rd1, %laneid;\nmov.u32 %r3, %ctaid.y;\n"
                       "mov.pred %p1, -1;\nmov.pred %p2, 0;\nvote.sync.all.pred %p3, 1, -1;\nret;");
  std::vector<std::string> texts = p->texts;
  const std::vector<std::string> want = {"mov.u32 %$t0, %tid.x",
                                         "add.u32 %r1, %$t0, %r2",
                                         "mov.u32 %$t1, %laneid",
                                         "cvt.u64.u32 %rd1, %$t1",
                                         "mov.u32 %r3, %ctaid.y",
                                         "setp.eq.u32 %p1, 0, 0",
                                         "setp.ne.u32 %p2, 0, 0",
                                         "setp.eq.u32 %$t2, 0, 0",
                                         "vote.sync.all.pred %p3, %$t2, -1",
                                         "ret"};
  EXPECT_EQ(texts, want);
  EXPECT_EQ(p->code[0].src_count, 0);
}

TEST(Lowering, BarrierOperandsKeepTheirSlots) {
  const auto p =
      lower(std::string(kRegisters) +
            "bar.red.popc.u32 %r1, 2, !%p1;\nbar.red.and.pred %p2, 1, 64, %p1;\nbar.sync %r2;\nret;");
  EXPECT_EQ(p->code[0].src[1].kind, OperandKind::kNone);
  EXPECT_EQ(p->code[0].src[2].kind, OperandKind::kPred);
  EXPECT_TRUE(p->code[0].src[2].negated);
  EXPECT_EQ(p->code[1].src[1].kind, OperandKind::kConst);
  EXPECT_EQ(p->barriers, 16u);
}

TEST(Lowering, PrintfAndAssertAreSingleInstructions) {
  const std::string text = kHeader +
                           ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                           ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param "
                           ".b64 fn, .param .b64 cs) .noreturn;\n"
                           ".global .b8 text[4] = {72, 105, 10, 0};\n"
                           ".entry k() { .reg .u64 %rd<4>; .reg .u32 %r<4>;\n"
                           "{ .param .b64 a; st.param.b64 [a], %rd1; .param .b64 b; st.param.b64 [b], 0; "
                           ".param .b32 r; call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r]; }\n"
                           "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; "
                           "st.param.b64 [a], text; st.param.b64 [b], text;\n"
                           "  st.param.b32 [c], 7; st.param.b64 [d], text; st.param.b64 [e], 1; call.uni "
                           "__assertfail, (a, b, c, d, e); }\nret; }\n";
  const auto p = Module::parse(text, "t.ptx")->entry("k");
  int prints = 0, traps = 0;
  for (const Inst& i : p->code) {
    EXPECT_NE(i.opcode, Opcode::call);
    if (i.opcode == Opcode::vprintf) {
      ++prints;
      EXPECT_EQ(i.src_count, 2);
      EXPECT_EQ(i.dst_count, 1);
      EXPECT_EQ(i.wide >> kMaxDst & 3, 3);
    }
    if (i.opcode == Opcode::trap) {
      ++traps;
      EXPECT_EQ(i.aux, 1u);
      EXPECT_EQ(i.src_count, 5);
      EXPECT_EQ(i.effect, Effect::kTrap);
      EXPECT_EQ(i.wide >> kMaxDst & 31, 0b11011);
    }
  }
  EXPECT_EQ(prints, 1);
  EXPECT_EQ(traps, 1);
}

TEST(Lowering, CallFramesAndDepths) {
  const std::string text =
      kHeader +
      ".func (.param .u32 r) leaf(.param .u32 x) { .reg .u32 %a<4>; .local .u64 buffer[4]; ld.param.u32 %a1, "
      "[x]; add.u32 %a2, %a1, 1; st.param.u32 [r], %a2; ret; }\n"
      ".func (.param .u32 r) middle(.param .u32 x) { .reg .u32 %a<4>; ld.param.u32 %a1, [x];\n"
      "  { .param .u32 q; .param .u32 s; st.param.u32 [q], %a1; call (s), leaf, (q); ld.param.u32 %a2, [s]; "
      "}\n"
      "  st.param.u32 [r], %a2; ret; }\n"
      ".entry k(.param .u32 n) { .reg .u32 %b<4>; .param .u32 q; .param .u32 s; ld.param.u32 %b1, [n];\n"
      "  st.param.u32 [q], %b1; call (s), middle, (q); ld.param.u32 %b2, [s]; ret; }\n";
  const auto p = Module::parse(text, "t.ptx")->entry("k");
  ASSERT_EQ(p->function_of, (std::vector<std::string>{"k", "middle", "leaf"}));
  EXPECT_FALSE(p->recursive);
  // Frames: k 0 bytes, middle 32 (result and parameter), leaf 32 and its buffer of 32.
  EXPECT_EQ(p->depot_bytes, 32u + 64u);
  const Inst *call = nullptr, *argument = nullptr, *result = nullptr;
  for (std::size_t i = 0; i < 5; ++i) {
    const Inst& inst = p->code[i];
    if (inst.opcode == Opcode::call) call = &inst;
    if (inst.opcode == Opcode::st) argument = &inst;
    if (inst.opcode == Opcode::ld && call) result = &inst;
  }
  ASSERT_TRUE(call && argument && result);
  EXPECT_EQ(call->frame_param_bytes, 0u);
  EXPECT_EQ(call->frame_rows % 2, 0);
  EXPECT_EQ(call->target, p->functions[1]);
  ASSERT_EQ(p->functions.size(), 2u);  // the entry cannot be called
  EXPECT_TRUE(argument->depot && result->depot);
  EXPECT_EQ(argument->space, Space::kParam);
  EXPECT_EQ(argument->offset, 16);  // behind the result, straight in the callee's frame
  EXPECT_EQ(result->offset, 0);
  EXPECT_EQ(p->code[call->target].opcode, Opcode::ld);
  EXPECT_EQ(p->code.back().opcode, Opcode::ret);
  EXPECT_EQ(p->code.back().effect, Effect::kBranch);
}

TEST(Lowering, RegistersCountTheDeepestChain) {
  const auto deep =
      Module::parse(
          kHeader + ".func f() { .reg .u32 %a<30>; " +
              [] {
                std::string s;
                for (int i = 0; i < 20; ++i) s += "mov.u32 %a" + std::to_string(i) + ", %laneid; ";
                for (int i = 0; i < 20; ++i) s += "st.shared.u32 [0], %a" + std::to_string(i) + "; ";
                return s;
              }() +
              "ret; }\n.entry k() { .reg .u32 %r<9>; mov.u32 %r1, 1; call f; st.shared.u32 [0], %r1; ret; }",
          "t.ptx")
          ->entry("k");
  EXPECT_EQ(deep->rows, 22u);  // one row, made even, and twenty
  EXPECT_EQ(deep->registers_per_thread, 21u);
}

TEST(Lowering, UnknownEntryNamesTheNearest) {
  const auto m = Module::parse(kHeader + ".entry vector_add() { ret; } .entry scale() { ret; }", "t.ptx");
  EXPECT_EQ(m->entries(), (std::vector<std::string>{"scale", "vector_add"}));
  try {
    m->entry("vectoradd");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "t.ptx: no kernel 'vectoradd'; did you mean 'vector_add'? It has: scale, vector_add");
  }
  EXPECT_THROW(Module::load("no/such/file.ptx"), InputError);
}

}  // namespace
}  // namespace warpvp::ptx
