// suld.b and sust.b against plain indexing into an array.

#include "tests/ptx_exec/image_harness.h"

namespace warpvp::ptx::testing {
namespace {

ImageLayout layout(Geometry g, TexelType type, unsigned channels) {
  ImageLayout s;
  s.geometry = g;
  s.type = type;
  s.channels = channels;
  s.width = 6;
  if (texel_dimensions(g) > 1) s.height = is_cube(g) ? 6 : 5;
  if (g == Geometry::d3) s.depth = 3;
  if (has_layers(g)) s.layers = 3;
  const unsigned texel = texel_type_bytes(type) * channels;
  s.pitch_bytes = texel * 7;
  s.slice_pitch_bytes = s.pitch_bytes * s.height + 2 * texel;
  return s;
}
unsigned slices(const ImageLayout& s) { return is_cube(s.geometry) ? 6 * s.layers : s.depth * s.layers; }

struct Access {
  const char* type;  ///< ".v4.b8"
  unsigned bytes, elements;
  TexelType texel;
  unsigned channels;
};
const Access kAccesses[] = {{".b8", 1, 1, TexelType::u8, 1},      {".v2.b8", 2, 2, TexelType::u8, 2},
                            {".v4.b8", 4, 4, TexelType::u8, 4},   {".b16", 2, 1, TexelType::u16, 1},
                            {".v4.b16", 8, 4, TexelType::u16, 4}, {".b32", 4, 1, TexelType::f32, 1},
                            {".v2.b32", 8, 2, TexelType::u32, 2}, {".v4.b32", 16, 4, TexelType::f32, 4},
                            {".b64", 8, 1, TexelType::f32, 2},    {".v2.b64", 16, 2, TexelType::u32, 4}};

struct Where {
  Geometry surface, instruction;
};
class Surface : public ::testing::TestWithParam<Where> {};

// Stores through one surface what was loaded through it from the place mirrored in x, y and slice.
TEST_P(Surface, MovesBytesAsTheyAre) {
  const Geometry g = GetParam().instruction;
  const std::string name = suffix_of(g);
  for (const Access& a : kAccesses) {
    const bool wide = a.bytes / a.elements == 8, narrow = a.bytes / a.elements < 4;
    std::string data = "{";
    for (unsigned k = 0; k < a.elements; ++k)
      data += (k ? ", " : "") +
              (wide ? std::string(k ? "%b" : "%a") : (narrow ? "%s" : "%r1") + std::to_string(k));
    data += "}";
    // %r4, %r5, %r6: x in bytes, y, slice of the source; %r7: x in bytes of the destination.
    const auto coordinates = [&](const char* x, const char* y, const char* slice) {
      const std::string X = x, Y = y, S = slice;
      switch (g) {
        case Geometry::d1:
          return "{" + X + "}";
        case Geometry::d2:
          return "{" + X + ", " + Y + "}";
        case Geometry::d3:
          return "{" + X + ", " + Y + ", " + S + ", " + S + "}";
        case Geometry::a1d:
          return "{" + S + ", " + X + "}";
        default:
          return "{" + S + ", " + X + ", " + Y + ", " + Y + "}";
      }
    };
    const ImageLayout s = layout(GetParam().surface, a.texel, a.channels);
    const std::string body = "sub.u32 %r4, " + std::to_string(s.width - 1) + ", %r0;\nmul.lo.u32 %r4, %r4, " +
                             std::to_string(a.bytes) + ";\nmul.lo.u32 %r7, %r0, " + std::to_string(a.bytes) +
                             ";\nsub.u32 %r5, " + std::to_string(s.height - 1) + ", %r1;\nsub.u32 %r6, " +
                             std::to_string(slices(s) - 1) + ", %r2;\nsuld.b." + name + a.type + ".trap " +
                             data + ", [%h, " + coordinates("%r4", "%r5", "%r6") + "];\nsust.b." + name +
                             a.type + ".trap [%h, " + coordinates("%r7", "%r1", "%r2") + "], " + data +
                             ";\nbar.sync 0;";
    ImageRunner runner(body);
    std::vector<std::uint8_t> bytes(s.slice_pitch_bytes * slices(s));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    const std::uint64_t h = runner.surface(bytes, s);
    // One place at a time, so that nothing races.
    std::vector<std::uint8_t> expected = bytes;
    const auto at = [&](unsigned x, unsigned y, unsigned z) {
      return z * s.slice_pitch_bytes + y * s.pitch_bytes + x * a.bytes;
    };
    for (unsigned z = 0; z < slices(s); ++z) {
      for (unsigned y = 0; y < s.height; ++y) {
        const unsigned x = (y + z) % s.width;
        runner.run(h, {Lane{{x, y, z, 0}}});
        const auto from = at(s.width - 1 - x, s.height - 1 - y, slices(s) - 1 - z);
        std::copy_n(expected.begin() + static_cast<std::ptrdiff_t>(from), a.bytes,
                    expected.begin() + static_cast<std::ptrdiff_t>(at(x, y, z)));
      }
    }
    EXPECT_EQ(runner.module().read<std::uint8_t>(runner.memory(), bytes.size()), expected) << name << a.type;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Surface, Surface,
    ::testing::Values(Where{Geometry::d1, Geometry::d1}, Where{Geometry::d2, Geometry::d2},
                      Where{Geometry::d3, Geometry::d3}, Where{Geometry::a1d, Geometry::a1d},
                      Where{Geometry::a2d, Geometry::a2d}, Where{Geometry::cube, Geometry::a2d},
                      Where{Geometry::acube, Geometry::a2d}),
    [](const auto& info) { return std::string("g") + suffix_of(info.param.surface); });

TEST(Surface, OutsideItIsClampedZeroOrAFault) {
  const ImageLayout s = layout(Geometry::d2, TexelType::f32, 1);
  std::vector<std::uint32_t> words(7 * 5 + 2);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i) + 100;
  const struct {
    std::int32_t x, y;
    bool inside;
    unsigned nearest;
  } places[] = {{0, 0, true, 100},
                {20, 4, true, 133},
                {24, 4, false, 133},
                {-4, 2, false, 114},
                {8, -1, false, 102},
                {8, 5, false, 130},
                {1 << 30, 1 << 30, false, 133},
                {-1, 0, false, 100},
                {21, 0, false, 105}};
  for (const std::string mode : {"clamp", "zero", "trap"}) {
    ImageRunner load("suld.b.2d.b32." + mode + " {%r10}, [%h, {%r0, %r1}];");
    ImageRunner store("sust.b.2d.b32." + mode + " [%h, {%r0, %r1}], {%r2};");
    for (const auto& p : places) {
      const Lane lane{{static_cast<std::uint32_t>(p.x), static_cast<std::uint32_t>(p.y), 7, 0}};
      std::vector<std::uint32_t> expected = words;
      if (p.inside || mode == "clamp") expected[p.nearest - 100] = 7;
      const std::uint64_t h = load.surface(words, s), to = store.surface(words, s);
      if (mode == "trap" && !p.inside) {
        const std::string text = load.fault(h, {lane});
        EXPECT_NE(text.find("surface load outside the surface"), std::string::npos) << text;
        EXPECT_NE(text.find("suld.b.2d.b32.trap"), std::string::npos) << "the place: " << text;
        EXPECT_NE(store.fault(to, {lane}).find("surface store outside the surface"), std::string::npos);
      } else {
        const std::uint32_t value = p.inside || mode == "clamp" ? p.nearest : 0;
        EXPECT_EQ(load.run(h, {lane})[0].word[0], value) << mode << " " << p.x << " " << p.y;
        store.run(to, {lane});
      }
      EXPECT_EQ(store.module().read<std::uint32_t>(store.memory(), words.size()), expected)
          << mode << " " << p.x << " " << p.y;
    }
  }
}

TEST(Surface, OtherFaults) {
  const ImageLayout s = layout(Geometry::d2, TexelType::f32, 1);
  const std::vector<std::uint32_t> words(7 * 5 + 2);
  const auto fault = [&](const std::string& body, const Lane& lane, bool texture = false) {
    ImageRunner runner(body);
    TextureDescription t;
    static_cast<ImageLayout&>(t) = s;
    return runner.fault(texture ? runner.texture(words, t) : runner.surface(words, s), {lane});
  };
  const std::string load = "suld.b.2d.b32.zero {%r10}, [%h, {%r0, %r1}];";
  EXPECT_NE(fault(load, Lane{{2, 0, 0, 0}}).find("misaligned surface load"), std::string::npos);
  EXPECT_NE(fault(load, Lane{}, true).find("handle that names no surface"), std::string::npos);
  EXPECT_NE(fault("suld.b.1d.b32.zero {%r10}, [%h, {%r0}];", Lane{}).find("surface of another geometry"),
            std::string::npos);
  // Wider than a row: nowhere inside.
  EXPECT_NE(fault("suld.b.2d.v4.b32.clamp {%r10, %r11, %r12, %r13}, [%h, {%r0, %r1}];", Lane{{20, 0, 0, 0}})
                .find("misaligned"),
            0u);
  ImageRunner gone(load);
  const std::uint64_t h = gone.surface(words, s);
  gone.module().memory().release(gone.memory());
  EXPECT_NE(gone.fault(h, {Lane{}}).find("surface load outside valid memory"), std::string::npos);
}

TEST(Surface, IsReportedAsAGlobalAccess) {
  ImageRunner runner("sust.b.2d.v2.b16.zero [%h, {%r0, %r1}], {%s0, %s1};");
  const ImageLayout s = layout(Geometry::d2, TexelType::u16, 2);
  const std::uint64_t h = runner.surface(std::vector<std::uint32_t>(7 * 5 + 2), s);
  const std::vector<Lane> lanes = {Lane{{4, 1, 0, 0}}, Lane{{24, 1, 0, 0}}, Lane{{8, 4, 0, 0}}};
  const std::uint64_t in = runner.module().buffer(lanes), out = runner.module().buffer(std::vector<Lane>(3));
  const std::uint64_t arguments[3] = {h, out, in};
  ExecEnv env;
  env.global = &runner.module().memory();
  ExecFault fault;
  env.fault = &fault;
  Cta cta;
  Warp warp;
  cta.start(*runner.module().entry("k"), env, {}, {3, 1, 1}, {}, 0, 0, 1,
            reinterpret_cast<const std::uint8_t*>(arguments));
  warp.launch(cta, 0);
  while (warp.next().opcode != Opcode::sust) ASSERT_NE(warp.step(), StepKind::kFault) << fault.what;
  ASSERT_EQ(warp.step(), StepKind::kMemory);
  const MemoryAccess& a = warp.access();
  EXPECT_TRUE(a.store);
  EXPECT_FALSE(a.returns_value);
  EXPECT_EQ(a.space, Space::kGlobal);
  EXPECT_EQ(a.bytes, 4);
  EXPECT_EQ(a.lanes, 5u) << "the second lane is outside";
  EXPECT_EQ(a.address[0], runner.memory() + 28 + 4);
  EXPECT_EQ(a.address[2], runner.memory() + 4 * 28 + 8);
}

}  // namespace
}  // namespace warpvp::ptx::testing
