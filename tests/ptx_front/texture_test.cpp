// `.texref` variables and the texture instructions: what is accepted, what they become, what is refused.

#include "ptx/disassemble.h"
#include "support.h"

namespace warpvp::ptx {
namespace {

const char* const kTextureRegisters =
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .b16 %rs<9>; .reg .pred %p<9>;\n";

// The instruction stands on line 8, column 1; texture `t` on line 4.
std::string with_texture(const std::string& instruction) {
  return kernel(kTextureRegisters + instruction, ".global .texref t;\n");
}

TEST(Texture, EveryFormReadsBackAndLowers) {
  for (const int dimensions : {1, 2}) {
    for (const std::string type : {"f32", "s32", "u32"}) {
      for (const std::string source : {"f32", "s32"}) {
        const std::string d = type == "f32" ? "{%f1, %f2, %f3, %f4}" : "{%r1, %r2, %r3, %r4}";
        const std::string c = source == "f32" ? "%f5" : "%r5", c2 = source == "f32" ? "%f6" : "%r6";
        const std::string instruction = "tex." + std::to_string(dimensions) + "d.v4." + type + "." + source +
                                        " " + d + ", [t, {" + c + (dimensions == 2 ? ", " + c2 : "") + "}]";
        const std::string text = with_texture(instruction + "; ret;");
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

// Each as nvcc writes it; it must read back as it is, lower, and keep the scoreboard waiting for what it
// reads.
struct Form {
  const char* text;
  int destinations, sources, read_rows;
};
const Form kForms[] = {
    {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}]", 4, 2, 3},
    {"tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f7}]", 4, 4, 5},
    {"tex.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5}]", 4, 3, 4},
    {"tex.a2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %f5, %f6, %f6}]", 4, 4, 5},
    {"tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f7}]", 4, 4, 5},
    {"tex.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5, %f6, %f7}]", 4, 5, 6},
    {"tex.base.2d.v4.f32.f32 {%f1, _, _, _}, [t, {%f5, %f6}]", 4, 3, 2},
    {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7", 4, 3, 5},
    {"tex.level.a2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r3}], %r4", 4, 4, 6},
    {"tex.grad.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5, %f6, %f7}], {%f1, %f2, %f3, %f3}, "
     "{%f4, %f8, %r2, %r2}",
     4, 5, 12},
    {"tex.grad.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}], {%f6}, {%f7}", 4, 2, 5},
    {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f5, %f6}]", 5, 3, 4},
    {"tld4.g.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f5, %f6}]", 4, 3, 4},
    {"tld4.a.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5, %f6, %f7}]", 4, 5, 6},
    {"txq.width.b32 %r1, [%rd1]", 1, 1, 2},
    {"txq.addr_mode_1.b32 %r1, [t]", 1, 1, 0},
    {"txq.level.height.b32 %r1, [%rd1], %r2", 1, 2, 3},
    {"suq.array_size.b32 %r1, [%rd1]", 1, 1, 2},
    {"istypep.texref %p1, %rd1", 1, 1, 2},
    {"suld.b.1d.v4.b32.trap {%r1, %r2, %r3, %r4}, [%rd1, {%r5}]", 4, 2, 3},
    {"suld.b.a2d.cg.b16.zero {%rs1}, [%rd1, {%r1, %r2, %r3, %r3}]", 1, 4, 5},
    {"suld.b.3d.v2.b64.clamp {%rd2, %rd3}, [%rd1, {%r1, %r2, %r3, %r3}]", 2, 4, 5},
    {"sust.b.2d.v4.b8.clamp [%rd1, {%r1, %r2}], {%rs1, %rs2, %rs3, %rs4}", 0, 7, 8},
    {"sust.b.3d.v4.b32.trap [%rd1, {%r1, %r2, %r3, %r3}], {%r4, %r5, %f1, %r7}", 0, 8, 9},
    {"sust.b.a1d.wb.b64.zero [%rd1, {%r1, %r2}], {%rd2}", 0, 4, 6},
};
void PrintTo(const Form& f, std::ostream* os) { *os << f.text; }
class ImageForm : public testing::TestWithParam<Form> {};

TEST_P(ImageForm, ReadsBackAndLowers) {
  const Form& f = GetParam();
  const std::string text = with_texture(f.text + std::string("; ret;"));
  const std::string once = disassemble(parse(text));
  EXPECT_NE(once.find(f.text + std::string(";")), std::string::npos) << once;
  EXPECT_EQ(once, disassemble(parse(once)));
  const auto module = Module::parse(text, "t.ptx");
  const Inst& inst = module->entry("k")->code[0];
  EXPECT_EQ(inst.dst_count, f.destinations);
  EXPECT_EQ(inst.src_count, f.sources);
  EXPECT_EQ(inst.read_rows, f.read_rows);
}
INSTANTIATE_TEST_SUITE_P(Texture, ImageForm, testing::ValuesIn(kForms));

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
  EXPECT_EQ(disassemble(parse(with_texture("tex.1d.v4.f32.s32 {%f1, _, _, _}, [t, %r1]; ret;"))),
            disassemble(parse(with_texture("tex.1d.v4.f32.s32 {%f1, _, _, _}, [t, {%r1}]; ret;"))));
}

TEST(Texture, PlacementPutsTheDescriptorsAddressIntoTheConstantBank) {
  const auto module =
      Module::parse(with_texture("tex.1d.v4.f32.s32 {%f1, _, _, _}, [t, {%r1}]; ret;"), "t.ptx");
  module->place([](const GlobalVariable&) { return 0x1'2345'6780ull; },
                [](std::uint64_t, const std::vector<std::uint8_t>& bytes) {
                  EXPECT_EQ(bytes, std::vector<std::uint8_t>(64)) << "nothing is bound";
                });
  const auto program = module->entry("k");
  const std::uint32_t* row = program->constants.data() + program->code[0].src[0].index * kWarpSize;
  EXPECT_EQ(row[0], 0x2345'6780u);
  EXPECT_EQ(row[1], 1u);
}

struct WrongTexture {
  const char* name;
  std::string text;
  const char* message;
};
void PrintTo(const WrongTexture& c, std::ostream* os) { *os << c.name; }
class TextureError : public testing::TestWithParam<WrongTexture> {};

TEST_P(TextureError, NamesPlaceAndRemedy) { EXPECT_EQ(error_of(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Texture, TextureError,
    testing::Values(
        WrongTexture{
            "multisampled", with_texture("tex.2dms.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2,%r3,%r4}];"),
            "t.ptx:8:4: instruction 'tex.2dms.v4.f32.s32': '.2dms' is not supported here; allowed: .base .1d "
            ".2d .3d .a1d .a2d .cube .acube .level .grad"},
        WrongTexture{"half", with_texture("tex.1d.v4.f16.s32 {%f1,%f2,%f3,%f4}, [t, {%r1}];"),
                     "t.ptx:8:10: instruction 'tex.1d.v4.f16.s32' is not supported: type '.f16'"},
        WrongTexture{
            "gather_of_one_dimension", with_texture("tld4.r.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1}];"),
            "t.ptx:8:7: instruction 'tld4.r.1d.v4.f32.f32': '.1d' is not supported here; allowed: .2d .a2d "
            ".cube .acube"},
        WrongTexture{
            "cube_by_integers",
            with_texture("tex.cube.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2,%r3,%r4}];"),
            "t.ptx:8:16: instruction 'tex.cube.v4.f32.s32': '.s32' is not supported here; allowed: .f32"},
        WrongTexture{"three_for_a_volume",
                     with_texture("tex.3d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2,%r3}];"),
                     "t.ptx:8:42: 'tex.3d.v4.f32.s32' needs 4 coordinates, found 3"},
        WrongTexture{"layer_type", with_texture("tex.a1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5,%f6}];"),
                     "t.ptx:8:44: 'tex.a1d.v4.f32.f32' cannot take '%f5' of type .f32 here; it needs .u32"},
        WrongTexture{
            "gradient",
            with_texture("tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5,%f6}], {%f1,%f2}, {%f3};"),
            "t.ptx:8:70: 'tex.grad.2d.v4.f32.f32' needs 2 parts, found 1"},
        WrongTexture{"no_level", with_texture("tex.level.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5}];"),
                     "t.ptx:8:54: unexpected ';' after the coordinates; expected ','"},
        WrongTexture{
            "surface_by_name", with_texture("suld.b.1d.b32.trap {%r1}, [t, {%r2}];"),
            "t.ptx:8:28: the first operand in brackets must be a 64-bit register with a surface's handle"},
        WrongTexture{
            "surface_without_clamp", with_texture("suld.b.1d.b32 {%r1}, [%rd1, {%r2}];"),
            "t.ptx:8:10: instruction 'suld.b.1d.b32' is incomplete; may be followed by: .trap .clamp .zero"},
        WrongTexture{"formatted_surface", with_texture("sust.p.1d.b32.trap [%rd1, {%r2}], {%r1};"),
                     "t.ptx:8:5: instruction 'sust.p.1d.b32.trap': '.p' is not supported here; allowed: .b"},
        WrongTexture{"surface_reduction", with_texture("sured.b.add.1d.u32.trap [%rd1, {%r2}], %r1;"),
                     "t.ptx:8:1: instruction 'sured' is not supported"},
        WrongTexture{"wide_surface",
                     with_texture("suld.b.1d.v4.b64.trap {%rd1,%rd2,%rd3,%rd4}, [%rd5, {%r2}];"),
                     "t.ptx:8:1: 'suld.b.1d.v4.b64.trap': vectors of more than 16 bytes are not supported"},
        WrongTexture{"independent", "// one\n.version 7.0\n.target sm_70, texmode_independent\n",
                     "t.ptx:3:16: 'texmode_independent' is not supported: textures are read in unified mode"},
        WrongTexture{"too_few_coordinates", with_texture("tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1}];"),
                     "t.ptx:8:42: 'tex.2d.v4.f32.s32' needs 2 coordinates, found 1"},
        WrongTexture{"too_many_coordinates",
                     with_texture("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2}];"),
                     "t.ptx:8:42: 'tex.1d.v4.f32.s32' needs 1 coordinate, found 2"},
        WrongTexture{"coordinate_type", with_texture("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%f5}];"),
                     "t.ptx:8:43: 'tex.1d.v4.f32.s32' cannot take '%f5' of type .f32 here; it needs .s32"},
        WrongTexture{"destination_type", with_texture("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%rd4}, [t, {%r5}];"),
                     "t.ptx:8:32: 'tex.1d.v4.f32.s32' cannot take '%rd4' of type .b64 here; it needs .f32"},
        WrongTexture{"destinations", with_texture("tex.1d.v4.f32.s32 {%f1,%f2}, [t, {%r5}];"),
                     "t.ptx:8:19: 'tex.1d.v4.f32.s32' needs a vector of 4 elements"},
        WrongTexture{
            "narrow_handle", with_texture("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%r1, {%r5}];"),
            "t.ptx:8:39: '%r1' of type .b32 cannot be an address here; it needs a 64-bit integer register"},
        WrongTexture{
            "sampler", with_texture("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, t, {%r5}];"),
            "t.ptx:8:42: samplers of their own are not supported; a texture is read in unified mode"},
        WrongTexture{"offset", with_texture("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r5}], {%r6};"),
                     "t.ptx:8:48: offsets and depth values of 'tex' are not supported"},
        WrongTexture{"unknown", with_texture("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [s, {%r5}];"),
                     "t.ptx:8:39: unknown name 's'"},
        WrongTexture{"no_texture",
                     with_texture(".shared .u32 s; tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [s, {%r5}];"),
                     "t.ptx:8:55: the first operand in brackets must be a .texref or a 64-bit register"},
        WrongTexture{"element", with_texture("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t+8, {%r5}];"),
                     "t.ptx:8:40: unexpected '+' after the name of a texture; expected ','"},
        WrongTexture{"stored_to", with_texture("st.global.u32 [t], %r1;"),
                     "t.ptx:8:16: 't' is a texture: only the texture operand of 'tex' may name it"},
        WrongTexture{"moved", with_texture("mov.u64 %rd1, t;"),
                     "t.ptx:8:15: 't' is a texture: only the texture operand of 'tex' may name it"},
        WrongTexture{"in_initial_value",
                     using_variable("pointer", ".global .texref t;\n.global .u64 pointer = t;"),
                     "t.ptx:5:24: texture 't' cannot appear in an initial value"},
        WrongTexture{"array", using_variable("t", ".global .texref t[2];"),
                     "t.ptx:4:18: arrays of textures are not supported"},
        WrongTexture{"initialised", using_variable("t", ".global .texref t = {width = 4};"),
                     "t.ptx:4:19: initial values of textures are not supported; the host binds them"},
        WrongTexture{"const_space", using_variable("t", ".const .texref t;"),
                     "t.ptx:4:8: type '.texref' is only supported for module-scope '.global' variables"},
        WrongTexture{"parameter", kHeader + ".entry k(.param .texref t) { ret; }",
                     "t.ptx:4:17: type '.texref' is only supported for module-scope '.global' variables"},
        WrongTexture{"older_type", kHeader + ".tex .f32 t;",
                     "t.ptx:4:6: unexpected '.f32'; expected .u32 or .u64 after '.tex'"},
        WrongTexture{"twice", kHeader + ".global .texref t;\n.global .b64 t;",
                     "t.ptx:5:14: 't' is declared twice"},
        WrongTexture{
            "external",
            kernel(kTextureRegisters + std::string("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r5}];"),
                   ".extern .global .texref t;\n"),
            "t.ptx:8:39: 't' is declared .extern and not defined"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpvp::ptx
