// What PTX can say, and the form it takes.

#include <cstring>

#include "ptx/disassemble.h"
#include "support.h"

namespace warpvp::ptx {
namespace {

using Kind = ir::Operand::Kind;

const ir::Function& first(const ir::Module& m) { return m.functions.at(0); }

TEST(Parser, ModuleDirectives) {
  const ir::Module m = parse(
      "// comment\n.version 8.4\n.target sm_80, debug\n.address_size 64\n.file 1 \"a.cu\", 12, 34\n"
      ".pragma \"nounroll\";\n.section .debug_str { a: .b8 1,2 { } }\n"
      ".visible .entry k() { .loc 1 2 3\n.loc 1 4 5, function_name L+4, inlined_at 1 2 3\n.pragma \"x\"; "
      "ret; }\n");
  EXPECT_EQ(m.version_major, 8u);
  EXPECT_EQ(m.version_minor, 4u);
  EXPECT_EQ(m.target, "sm_80, debug");
  ASSERT_EQ(m.functions.size(), 1u);
  EXPECT_EQ(first(m).code.size(), 1u);
}

// In a body it is of the block that it begins; before one, or the module, of all.
TEST(Parser, PragmasAgainstUnrolling) {
  const auto marked = [&](const std::string& module, const std::string& function, const std::string& body) {
    std::string marks;
    const ir::Module m =
        parse(kHeader + module + ".entry k() " + function + "{ .reg .b32 %r<2>; " + body + "}");
    for (const ir::Label& l : first(m).labels) marks += l.no_unroll ? l.name : "-";
    return marks;
  };
  const std::string pragma = ".pragma \"nounroll\";\n";
  EXPECT_EQ(
      marked("", "", "A: B: " + pragma + "mov.b32 %r1, 0; C: bra A; D: .pragma \"x\", \"nounroll\"; bra C;"),
      "AB-D");
  EXPECT_EQ(marked("", "", "A: mov.b32 %r1, 0; " + pragma + "B: bra A;"), "--");
  EXPECT_EQ(marked("", pragma, "A: bra A; B: bra B;"), "AB");
  EXPECT_EQ(marked(pragma, "", "A: bra A; B: bra B;"), "AB");
  const ir::Module m = parse(kHeader + ".entry k() " + pragma + "{ A: bra A; }" + ".entry l() { A: bra A; }");
  EXPECT_TRUE(m.functions[0].labels[0].no_unroll);
  EXPECT_FALSE(m.functions[1].labels[0].no_unroll);
  const std::string text = disassemble(parse(kHeader + ".entry k() { A: " + pragma + "bra A; B: bra B; }"));
  EXPECT_NE(text.find("A:\n\t" + pragma + "\tbra"), std::string::npos) << text;
  EXPECT_EQ(disassemble(parse(text)), text);
}

TEST(Parser, TrailingNulBytesAreIgnored) {
  EXPECT_EQ(parse(kHeader + ".entry k() { ret; }" + std::string(3, '\0')).functions.size(), 1u);
}

TEST(Parser, EntryDirectivesAndParameters) {
  const ir::Module m = parse(
      kHeader +
      ".weak .entry k(.param .u64 .ptr .shared .align 8 a, .param .align 16 .b8 s[24], .param .v4 .f32 v)\n"
      ".maxntid 128, 2\n.reqntid 64, 2, 1\n.minnctapersm 3\n.maxnreg 40\n{ ret; }\n");
  const ir::Function& f = first(m);
  EXPECT_EQ(f.linkage, ir::Linkage::kWeak);
  ASSERT_EQ(f.params.size(), 3u);
  EXPECT_TRUE(f.variables[0].is_pointer);
  EXPECT_EQ(f.variables[1].bytes, 24u);
  EXPECT_EQ(f.variables[1].alignment, 16u);
  EXPECT_EQ(f.variables[2].bytes, 16u);
  EXPECT_EQ(f.variables[2].alignment, 16u);
  EXPECT_EQ(f.max_threads[0], 128u);
  EXPECT_EQ(f.max_threads[1], 2u);
  EXPECT_EQ(f.max_threads[2], 1u);
  EXPECT_EQ(f.required_threads[0], 64u);
  EXPECT_EQ(f.min_ctas_per_sm, 3u);
  EXPECT_EQ(f.max_registers, 40u);
}

TEST(Parser, VariablesOfAModule) {
  const ir::Module m =
      parse(kHeader +
            ".visible .global .align 8 .u32 a[2][3] = {{1, 2}, {0x10}};\n.const .f32 f = 1.5;\n.global .f64 "
            "d[] = {1.0, 0f40000000, 3};\n"
            ".extern .shared .align 16 .b8 dyn[];\n.shared .u16 s[4+2*3];\n.common .global .u64 c;\n"
            ".global .attribute(.managed) .s8 e = -1;\n.global .u64 ptr[2] = {a, generic(a)+8};\n"
            ".extern .global .u32 late; .global .u32 late = 5;\n.global .u32 w = WARP_SZ;\n.global .f32 neg "
            "= -2.0;\n"
            ".global .u32 t = 1 ? 2 : 3;\n.global .b8 str[3] = {72, 105, 0};\n");
  ASSERT_EQ(m.variables.size(), 13u);
  const std::vector<std::uint8_t> a = m.variables[0].initial;
  ASSERT_EQ(a.size(), 24u);
  EXPECT_EQ(a[0], 1);
  EXPECT_EQ(a[4], 2);
  EXPECT_EQ(a[8], 0);
  EXPECT_EQ(a[12], 0x10);
  float f;
  std::memcpy(&f, m.variables[1].initial.data(), 4);
  EXPECT_EQ(f, 1.5f);
  double d[3];
  ASSERT_EQ(m.variables[2].bytes, 24u);
  std::memcpy(d, m.variables[2].initial.data(), 24);
  EXPECT_EQ(d[0], 1.0);
  EXPECT_EQ(d[1], 2.0);
  EXPECT_EQ(d[2], 3.0);
  EXPECT_EQ(m.variables[3].linkage, ir::Linkage::kExtern);
  EXPECT_EQ(m.variables[4].bytes, 20u);
  EXPECT_EQ(m.variables[6].initial[0], 0xff);
  ASSERT_EQ(m.variables[7].relocations.size(), 2u);
  EXPECT_EQ(m.variables[7].relocations[1].addend, 8);
  EXPECT_TRUE(m.variables[7].relocations[1].generic);
  EXPECT_EQ(m.variables[8].linkage, ir::Linkage::kNone);
  EXPECT_EQ(m.variables[8].initial[0], 5);
  EXPECT_EQ(m.variables[9].initial[0], 32);
  std::memcpy(&f, m.variables[10].initial.data(), 4);
  EXPECT_EQ(f, -2.0f);
  EXPECT_EQ(m.variables[11].initial[0], 2);
}

TEST(Parser, ConstantExpressions) {
  const struct {
    const char* text;
    std::int64_t value;
  } cases[] = {{"1+2*3", 7},   {"(1+2)*3", 9},       {"10-4-3", 3},   {"-7/2", -3},    {"-7%3", -1},
               {"1<<4|1", 17}, {"0xf0&~0x10", 0xe0}, {"5>3&&2<1", 0}, {"5>3||2<1", 1}, {"1==1?4:5", 4},
               {"!3+!0", 1},   {"6^3", 5},           {"-8>>1", -4},   {"(.s64)7", 7},  {"3!=3", 0},
               {"2>=2", 1},    {"- - 4", 4},         {"100/7%5", 4}};
  for (const auto& c : cases) {
    const ir::Module m = parse(kHeader + ".global .s64 x = " + c.text + ";");
    std::int64_t value;
    std::memcpy(&value, m.variables[0].initial.data(), 8);
    EXPECT_EQ(value, c.value) << c.text;
  }
}

TEST(Parser, NestedScopesShadow) {
  const ir::Module m =
      parse(kernel(".reg .u32 %a, %b<3>;\nmov.u32 %a, 1;\n{ .reg .u64 %a; mov.u64 %a, 2; { .reg .f32 %b<2>; "
                   "mov.f32 %b1, 0f00000000; } mov.u32 %b1, 3; }\n"
                   "mov.u32 %a, 4; ret;"));
  const ir::Function& f = first(m);
  const auto type = [&](std::size_t i) {
    return f.registers[static_cast<std::size_t>(f.code[i].operands[0].index)].type;
  };
  EXPECT_EQ(type(0), Type::u32);
  EXPECT_EQ(type(1), Type::u64);
  EXPECT_EQ(type(2), Type::f32);
  EXPECT_EQ(type(3), Type::u32);
  EXPECT_EQ(f.code[0].operands[0].index, f.code[4].operands[0].index);
}

TEST(Parser, ALargeFamilyCostsOnlyWhatIsUsed) {
  const ir::Module m = parse(kernel(".reg .u32 %r<1000000>;\nmov.u32 %r999999, 1; ret;"));
  EXPECT_EQ(first(m).registers.size(), 1u);
}

TEST(Parser, LabelsBelongToTheirScope) {
  const ir::Module m =
      parse(kernel(".reg .pred %p;\nL: @%p bra M;\n{ L: @!%p bra L; bra.uni M; }\nM: bra L;\nret;"));
  const ir::Function& f = first(m);
  EXPECT_EQ(f.labels[static_cast<std::size_t>(f.code[0].label)].position, 3u);  // outer M
  EXPECT_EQ(f.labels[static_cast<std::size_t>(f.code[1].label)].position, 1u);  // inner L
  EXPECT_TRUE(f.code[1].guard_negated);
  EXPECT_TRUE(f.code[2].uniform);
  EXPECT_EQ(f.labels[static_cast<std::size_t>(f.code[3].label)].position, 0u);  // outer L
}

TEST(Parser, Addresses) {
  const ir::Module m =
      parse(kernel(".reg .u64 %rd<3>; .reg .u32 %r<3>;\n"
                   "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r1, [%rd1+16];\nld.global.u32 %r1, "
                   "[%rd1+-16];\nld.global.u32 %r1, [%rd1-2*4];\n"
                   "ld.shared.u32 %r1, [tile+4];\nld.shared.u32 %r1, [tile];\nld.shared.u32 %r1, "
                   "[%r2+8];\nld.shared.u32 %r1, [64];\n"
                   "mov.u32 %r1, tile[3];\nmov.u64 %rd1, tile+12;\nld.param.u64 %rd1, [p]; ret;",
                   ".shared .u32 tile[16];\n"));
  const std::vector<ir::Instruction>& code = first(m).code;
  const std::int64_t offsets[] = {0, 16, -16, -8, 4, 0, 8, 64};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(code[i].operands[1].kind, Kind::kAddress);
    EXPECT_EQ(code[i].operands[1].offset, offsets[i]) << i;
  }
  EXPECT_EQ(code[4].operands[1].base, ir::Operand::Base::kVariable);
  EXPECT_TRUE(code[4].operands[1].module_scope);
  EXPECT_EQ(code[7].operands[1].base, ir::Operand::Base::kAbsolute);
  EXPECT_EQ(code[8].operands[1].offset, 12);
  EXPECT_EQ(code[9].operands[1].offset, 12);
  EXPECT_FALSE(code[10].operands[1].module_scope);
}

TEST(Parser, VectorsPairsAndSinks) {
  const ir::Module m =
      parse(kernel(".reg .u32 %r<9>; .reg .u64 %rd<3>; .reg .b16 %h<5>; .reg .pred %p<3>;\n"
                   "mov.b64 {%r1, %r2}, %rd1;\nmov.b64 %rd1, {%r1, 7};\nmov.b64 {%h1, %h2, %h3, %h4}, "
                   "%rd1;\nmov.b32 {%h1, _}, %r1;\n"
                   "ld.global.v4.u32 {%r1, _, %r3, %r4}, [%rd1];\nst.global.v2.u32 [%rd1], {%r1, 5};\n"
                   "setp.lt.u32 %p1|%p2, %r1, %r2;\nsetp.lt.and.u32 %p1|_, %r1, %r2, !%p2;\nshfl.sync.up.b32 "
                   "%r1|%p1, %r2, 1, 0, -1;\n"
                   "atom.global.add.u32 _, [%rd1], 1; ret;"));
  const std::vector<ir::Instruction>& code = first(m).code;
  EXPECT_EQ(code[0].operands[0].kind, Kind::kVector);
  EXPECT_EQ(code[0].dst_count, 1);
  EXPECT_EQ(code[2].operands[0].elements.size(), 4u);
  EXPECT_EQ(code[3].operands[0].elements[1].kind, Kind::kSink);
  EXPECT_EQ(code[4].vector, 4);
  EXPECT_EQ(code[6].operands[0].kind, Kind::kPair);
  EXPECT_TRUE(code[7].operands[3].negated);
  EXPECT_EQ(code[9].operands[0].kind, Kind::kSink);
}

TEST(Parser, ModifiersSayWhatSuffixesMean) {
  const ir::Module m = parse(kernel(
      ".reg .u32 %r<9>; .reg .u64 %rd<3>; .reg .f32 %f<5>; .reg .pred %p<3>;\n"
      "fma.rz.ftz.sat.f32 %f1, %f2, %f3, %f4;\ncvt.rzi.ftz.s32.f32 %r1, %f1;\nset.ltu.xor.ftz.f32.f32 %f1, "
      "%f2, %f3, %p1;\n"
      "mad.hi.cc.u32 %r1, %r2, %r3, %r4;\nshf.r.wrap.b32 %r1, %r2, %r3, %r4;\nprmt.b32.rc16 %r1, %r2, %r3, "
      "%r4;\n"
      "atom.acq_rel.gpu.shared.cas.b32 %r1, [%r2], %r3, %r4;\nld.volatile.global.v2.f32 {%f1, %f2}, [%rd1];\n"
      "ld.global.nc.L1::no_allocate.L2::128B.f32 %f1, [%rd1];\nst.relaxed.sys.global.u32 [%rd1], "
      "%r1;\nst.global.wt.u32 [%rd1], %r1;\n"
      "min.ftz.NaN.xorsign.abs.f32 %f1, %f2, %f3;\nvote.sync.ballot.b32 %r1, %p1, -1;\nbar.red.popc.u32 %r1, "
      "0, !%p1;\n"
      "bfind.shiftamt.u32 %r1, %r2;\ncvta.to.shared.u64 %rd1, %rd2;\nmatch.all.sync.b32 %r1|%p1, %r2, -1; "
      "ret;"));
  const std::vector<ir::Instruction>& c = first(m).code;
  EXPECT_EQ(c[0].modifiers.rounding, Rounding::rz);
  EXPECT_TRUE(c[0].modifiers.ftz && c[0].modifiers.sat);
  EXPECT_EQ(c[1].modifiers.type, Type::s32);
  EXPECT_EQ(c[1].modifiers.src_type, Type::f32);
  EXPECT_EQ(c[1].modifiers.rounding, Rounding::rzi);
  EXPECT_EQ(c[2].modifiers.compare, Compare::ltu);
  EXPECT_EQ(c[2].modifiers.bool_op, BoolOp::xor_);
  EXPECT_TRUE(c[3].modifiers.cc);
  EXPECT_EQ(c[3].modifiers.mul, MulMode::hi);
  EXPECT_EQ(c[4].modifiers.direction, Direction::right);
  EXPECT_EQ(c[4].modifiers.shift, ShiftMode::wrap);
  EXPECT_EQ(c[5].modifiers.prmt, PrmtMode::rc16);
  EXPECT_EQ(c[6].modifiers.atom, AtomOp::cas);
  EXPECT_EQ(c[6].space, Space::kShared);
  EXPECT_TRUE(c[7].is_volatile);
  EXPECT_EQ(c[7].vector, 2);
  EXPECT_EQ(c[8].cache, CacheOp::nc);
  EXPECT_TRUE(c[9].is_volatile);
  EXPECT_EQ(c[10].cache, CacheOp::wt);
  EXPECT_TRUE(c[11].modifiers.nan && c[11].modifiers.xor_sign_abs && c[11].modifiers.ftz);
  EXPECT_EQ(c[12].modifiers.vote, VoteMode::ballot);
  EXPECT_TRUE(c[12].modifiers.sync);
  EXPECT_EQ(c[13].modifiers.bar, BarOp::red_popc);
  EXPECT_TRUE(c[14].modifiers.shiftamt);
  EXPECT_TRUE(c[15].modifiers.to_space);
  EXPECT_TRUE(c[16].modifiers.match_all);
}

TEST(Parser, FunctionsCallsAndPrototypes) {
  const ir::Module m =
      parse(kHeader +
            ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
            ".func (.reg .u32 r) f(.reg .u32 x, .param .u64 y);\n"
            ".weak .func (.reg .u32 r) f(.reg .u32 x, .param .u64 y) { add.u32 r, x, 1; ret.uni; }\n"
            ".func g() .noreturn { exit; }\n"
            ".entry k() {\n.reg .u32 %r<3>; .reg .u64 %rd<3>; .param .u64 q;\n"
            "call.uni (%r1), f, (%r2, q);\ncall g;\nmov.u64 %rd1, f;\n"
            "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]) .noreturn;\n"
            "proto2: .callprototype _;\nlist: .calltargets g;\n"
            "call %rd1, proto2;\ncall %rd1, (), list;\nret; }\n");
  ASSERT_EQ(m.functions.size(), 4u);
  EXPECT_FALSE(m.functions[0].has_body);
  EXPECT_TRUE(m.functions[1].has_body);
  EXPECT_TRUE(m.functions[1].params[0].is_register);
  EXPECT_FALSE(m.functions[1].params[1].is_register);
  EXPECT_TRUE(m.functions[2].noreturn);
  const ir::Function& k = m.functions[3];
  EXPECT_EQ(k.code[0].callee, 1);
  EXPECT_TRUE(k.code[0].uniform);
  EXPECT_EQ(k.code[0].arguments.size(), 2u);
  EXPECT_EQ(k.code[2].operands[1].kind, Kind::kFunction);
  ASSERT_EQ(k.shapes.size(), 3u);
  EXPECT_EQ(k.shapes[0].params[1].bytes, 16u);
  EXPECT_TRUE(k.shapes[2].is_targets);
  EXPECT_EQ(k.code[3].shape, 1);
  EXPECT_EQ(k.code[4].shape, 2);
}

TEST(Parser, PredicatesOnAnyInstruction) {
  const ir::Module m = parse(kernel(
      ".reg .u32 %r<3>; .reg .pred %p<3>;\n@%p1 add.u32 %r1, %r2, 1;\n@!%p2 ret;\n@%p1 bar.sync 0;\nret;"));
  EXPECT_GE(first(m).code[0].guard, 0);
  EXPECT_TRUE(first(m).code[1].guard_negated);
}

TEST(Parser, LdAndStTakeWiderRegisters) {
  EXPECT_EQ(error_of(kernel(".reg .u32 %r; .reg .u64 %rd; .reg .b16 %h;\n"
                            "ld.global.u8 %h, [%rd]; ld.global.s8 %r, [%rd]; ld.global.s16 %rd, [%rd]; "
                            "st.global.u8 [%rd], %rd;\n"
                            "cvt.u8.u32 %r, %r; cvt.s64.s8 %rd, %r; cvt.u32.u8 %r, %h; ret;")),
            "");
}

}  // namespace
}  // namespace warpvp::ptx
