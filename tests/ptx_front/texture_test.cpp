// `.texref` variables and the texture instructions: what is accepted, what they become, what is refused.

#include "ptx/disassemble.h"
#include "support.h"

namespace warpvp::ptx {
namespace {

const char* const kRegs = ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n";

// The instruction stands on line 8, column 1; texture `t` on line 4.
std::string with(const std::string& instruction) {
  return kernel(kRegs + instruction, ".global .texref t;\n");
}

TEST(Texture, EveryFormReadsBackAndLowers) {
  for (const int dimensions : {1, 2}) {
    for (const std::string type : {"f32", "s32", "u32"}) {
      for (const std::string source : {"f32", "s32"}) {
        const std::string d = type == "f32" ? "{%f1, %f2, %f3, %f4}" : "{%r1, %r2, %r3, %r4}";
        const std::string c = source == "f32" ? "%f5" : "%r5", c2 = source == "f32" ? "%f6" : "%r6";
        const std::string instruction = "tex." + std::to_string(dimensions) + "d.v4." + type + "." + source +
                                        " " + d + ", [t, {" + c + (dimensions == 2 ? ", " + c2 : "") + "}]";
        const std::string text = with(instruction + "; ret;");
        const std::string once = disassemble(parse(text));
        EXPECT_NE(once.find(instruction), std::string::npos) << once;
        EXPECT_NE(once.find(".global .texref t;"), std::string::npos) << once;
        EXPECT_EQ(once, disassemble(parse(once)));

        const auto module = Module::parse(text, "t.ptx");
        const Inst& inst = module->entry("k")->code[0];
        EXPECT_EQ(inst.effect, Effect::kMemory);
        EXPECT_EQ(inst.unit, Unit::kLsu);
        EXPECT_EQ(inst.dst_count, 4);
        EXPECT_EQ(inst.src_count, 1 + dimensions);
        EXPECT_EQ(inst.src[0].kind, OperandKind::kConst);
        EXPECT_EQ(inst.read_rows, dimensions) << "the scoreboard waits for the coordinates";
        EXPECT_EQ(inst.written_rows, 4);
      }
    }
  }
}

TEST(Texture, IsAVariableOfSixtyFourBytes) {
  const auto module = Module::parse(
      kHeader + ".global .u32 x;\n.visible .global .texref a, b;\n.tex .u64 c;\n.entry k() { ret; }",
      "t.ptx");
  ASSERT_EQ(module->globals().size(), 4u);
  EXPECT_FALSE(module->globals()[0].is_texture);
  for (int i = 1; i < 4; ++i) {
    const GlobalVariable& g = module->globals()[static_cast<std::size_t>(i)];
    EXPECT_TRUE(g.is_texture) << g.name;
    EXPECT_EQ(g.bytes, 64u);
    EXPECT_EQ(g.alignment, 64u);
    EXPECT_EQ(g.space, Space::kGlobal);
    EXPECT_TRUE(g.initial.empty());
  }
  EXPECT_EQ(module->globals()[3].name, "c");
}

TEST(Texture, ASingleCoordinateNeedsNoBraces) {
  EXPECT_EQ(disassemble(parse(with("tex.1d.v4.f32.s32 {%f1, _, _, _}, [t, %r1]; ret;"))),
            disassemble(parse(with("tex.1d.v4.f32.s32 {%f1, _, _, _}, [t, {%r1}]; ret;"))));
}

TEST(Texture, PlacementPutsTheDescriptorsAddressIntoTheConstantBank) {
  const auto module = Module::parse(with("tex.1d.v4.f32.s32 {%f1, _, _, _}, [t, {%r1}]; ret;"), "t.ptx");
  module->place([](const GlobalVariable&) { return 0x1'2345'6780ull; },
                [](std::uint64_t, const std::vector<std::uint8_t>& bytes) {
                  EXPECT_EQ(bytes, std::vector<std::uint8_t>(64)) << "nothing is bound";
                });
  const auto program = module->entry("k");
  const std::uint32_t* row = program->constants.data() + program->code[0].src[0].index * kWarpSize;
  EXPECT_EQ(row[0], 0x2345'6780u);
  EXPECT_EQ(row[1], 1u);
}

struct Case {
  const char* name;
  std::string text;
  const char* message;
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }
class TextureError : public testing::TestWithParam<Case> {};

TEST_P(TextureError, NamesPlaceAndRemedy) { EXPECT_EQ(error_of(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Texture, TextureError,
    testing::Values(
        Case{"three_dimensions", with("tex.3d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2,%r3,%r4}];"),
             "t.ptx:8:4: instruction 'tex.3d.v4.f32.s32': '.3d' is not supported here; allowed: .1d .2d"},
        Case{"level", with("tex.level.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}], %f3;"),
             "t.ptx:8:4: instruction 'tex.level.2d.v4.f32.f32': '.level' is not supported here; allowed: .1d "
             ".2d"},
        Case{"half", with("tex.1d.v4.f16.s32 {%f1,%f2,%f3,%f4}, [t, {%r1}];"),
             "t.ptx:8:10: instruction 'tex.1d.v4.f16.s32' is not supported: type '.f16'"},
        Case{"gather", with("tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}];"),
             "t.ptx:8:1: instruction 'tld4' is not supported"},
        Case{"query", with("txq.width.b32 %r1, [t];"), "t.ptx:8:1: instruction 'txq' is not supported"},
        Case{"too_few_coordinates", with("tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1}];"),
             "t.ptx:8:42: 'tex.2d.v4.f32.s32' needs 2 coordinates, found 1"},
        Case{"too_many_coordinates", with("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2}];"),
             "t.ptx:8:42: 'tex.1d.v4.f32.s32' needs 1 coordinate, found 2"},
        Case{"coordinate_type", with("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%f5}];"),
             "t.ptx:8:43: 'tex.1d.v4.f32.s32' cannot take '%f5' of type .f32 here; it needs .s32"},
        Case{"destination_type", with("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%rd4}, [t, {%r5}];"),
             "t.ptx:8:32: 'tex.1d.v4.f32.s32' cannot take '%rd4' of type .b64 here; it needs .f32"},
        Case{"destinations", with("tex.1d.v4.f32.s32 {%f1,%f2}, [t, {%r5}];"),
             "t.ptx:8:19: 'tex.1d.v4.f32.s32' needs a vector of 4 elements"},
        Case{"register", with("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r5}];"),
             "t.ptx:8:39: textures in registers are not supported; name a .texref"},
        Case{"sampler", with("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, t, {%r5}];"),
             "t.ptx:8:42: 't' is a texture: only the texture operand of 'tex' may name it"},
        Case{"offset", with("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r5}], {%r6};"),
             "t.ptx:8:48: offsets and depth values of 'tex' are not supported"},
        Case{"unknown", with("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [s, {%r5}];"),
             "t.ptx:8:39: unknown name 's'"},
        Case{"no_texture", with(".shared .u32 s; tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [s, {%r5}];"),
             "t.ptx:8:55: the first operand in brackets must be a .texref"},
        Case{"element", with("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t+8, {%r5}];"),
             "t.ptx:8:40: unexpected '+' after the name of a texture; expected ','"},
        Case{"stored_to", with("st.global.u32 [t], %r1;"),
             "t.ptx:8:16: 't' is a texture: only the texture operand of 'tex' may name it"},
        Case{"moved", with("mov.u64 %rd1, t;"),
             "t.ptx:8:15: 't' is a texture: only the texture operand of 'tex' may name it"},
        Case{"in_initial_value", using_variable("pointer", ".global .texref t;\n.global .u64 pointer = t;"),
             "t.ptx:5:24: texture 't' cannot appear in an initial value"},
        Case{"array", using_variable("t", ".global .texref t[2];"),
             "t.ptx:4:18: arrays of textures are not supported"},
        Case{"initialised", using_variable("t", ".global .texref t = {width = 4};"),
             "t.ptx:4:19: initial values of textures are not supported; the host binds them"},
        Case{"const_space", using_variable("t", ".const .texref t;"),
             "t.ptx:4:8: type '.texref' is only supported for module-scope '.global' variables"},
        Case{"parameter", kHeader + ".entry k(.param .texref t) { ret; }",
             "t.ptx:4:17: type '.texref' is only supported for module-scope '.global' variables"},
        Case{"older_type", kHeader + ".tex .f32 t;",
             "t.ptx:4:6: unexpected '.f32'; expected .u32 or .u64 after '.tex'"},
        Case{"twice", kHeader + ".global .texref t;\n.global .b64 t;", "t.ptx:5:14: 't' is declared twice"},
        Case{"external",
             kernel(kRegs + std::string("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r5}];"),
                    ".extern .global .texref t;\n"),
             "t.ptx:8:38: 't' is declared .extern and not defined"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpvp::ptx
