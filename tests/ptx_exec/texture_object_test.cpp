// Texture objects against the reference of texture_reference.h: every geometry, filter, addressing mode and
// type of texel, bit for bit.

#include <algorithm>

#include "tests/ptx_exec/image_harness.h"
#include "tests/ptx_exec/texture_reference.h"

namespace warpvp::ptx::testing {
namespace {

struct TypeCase {
  TexelType type;
  bool normalised;
  unsigned bytes;
};
const TypeCase kReal[] = {{TexelType::f32, false, 4}, {TexelType::f16, false, 2}, {TexelType::u8, true, 1},
                          {TexelType::s8, true, 1},   {TexelType::u16, true, 2},  {TexelType::s16, true, 2}};
const TypeCase kWhole[] = {{TexelType::u8, false, 1},  {TexelType::s8, false, 1},
                           {TexelType::u16, false, 2}, {TexelType::s16, false, 2},
                           {TexelType::u32, false, 4}, {TexelType::s32, false, 4}};

double real_of(std::uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

/// The value of a channel's bytes: numbers of every type fit a double.
double channel_value(const std::uint8_t* p, const TypeCase& t) {
  std::uint32_t u = 0;
  std::memcpy(&u, p, t.bytes);
  const auto s = static_cast<std::int32_t>(u << (32 - 8 * t.bytes)) >> (32 - 8 * t.bytes);
  const float most = t.bytes == 1 ? 127.0f : 32767.0f;
  switch (t.type) {
    case TexelType::f32:
      return real_of(u);
    case TexelType::f16: {
      const int exponent = static_cast<int>(u >> 10 & 31);
      const double fraction = u & 1023;
      const double size =
          exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
      return (u & 0x8000) != 0 ? -size : size;
    }
    case TexelType::u8:
    case TexelType::u16:
    case TexelType::u32:
      return t.normalised ? double{static_cast<float>(u) / (2 * most + 1)} : static_cast<double>(u);
    default:
      return t.normalised ? double{std::max(static_cast<float>(s) / most, -1.0f)} : static_cast<double>(s);
  }
}

class TexelRandom {
 public:
  explicit TexelRandom(std::uint64_t seed) : engine_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(engine_() % n); }
  float real(float low, float high) {
    return low + (high - low) * static_cast<float>(engine_() >> 40) / 16777216.0f;
  }

 private:
  std::mt19937_64 engine_;
};

/// A random image of a geometry and type, with gaps between rows and slices.
struct Image {
  TextureDescription t;
  std::vector<std::uint8_t> bytes;
  ReferenceTexture reference;
};

Image random_image(Geometry g, const TypeCase& type, unsigned channels, TexelRandom& random) {
  Image image;
  TextureDescription& t = image.t;
  t.geometry = g;
  t.type = type.type;
  t.normalised_values = type.normalised;
  t.channels = channels;
  t.width = 1 + random.below(7);
  if (texel_dimensions(g) > 1) t.height = is_cube(g) ? t.width : 1 + random.below(6);
  if (g == Geometry::d3) t.depth = 1 + random.below(4);
  if (has_layers(g)) t.layers = 1 + random.below(3);
  const unsigned texel = type.bytes * channels;
  t.pitch_bytes = texel * (t.width + random.below(3));
  t.slice_pitch_bytes = t.pitch_bytes * t.height + texel * random.below(3);
  const unsigned slices = is_cube(g) ? 6 * t.layers : t.depth * t.layers;
  image.bytes.resize(t.slice_pitch_bytes * slices);
  for (std::size_t at = 0; at < image.bytes.size(); at += type.bytes) {
    std::uint32_t word = random.below(0x10000) | random.below(0x10000) << 16;
    if (type.type == TexelType::f32) {
      const float f = random.real(-100.0f, 100.0f);
      std::memcpy(&word, &f, 4);
    }
    if (type.type == TexelType::f16 && (word >> 10 & 31) == 31) word ^= 0x4000;  // neither infinite nor NaN
    std::memcpy(&image.bytes[at], &word, type.bytes);
  }
  ReferenceTexture& r = image.reference;
  r.geometry = g;
  r.size[0] = static_cast<int>(t.width);
  r.size[1] = static_cast<int>(t.height);
  r.size[2] = static_cast<int>(t.depth);
  r.layers = static_cast<int>(t.layers);
  const std::vector<std::uint8_t> bytes = image.bytes;
  const TextureDescription layout = t;
  r.texel = [bytes, layout, type](int x, int y, int slice) {
    std::array<double, 4> out{};
    for (unsigned c = 0; c < layout.channels; ++c) {
      const std::uint64_t at = static_cast<unsigned>(slice) * layout.slice_pitch_bytes +
                               static_cast<unsigned>(y) * layout.pitch_bytes +
                               (static_cast<unsigned>(x) * layout.channels + c) * type.bytes;
      out[c] = channel_value(&bytes.at(at), type);
    }
    return out;
  };
  return image;
}

std::vector<Lane> random_lanes(const Image& image, TexelRandom& random) {
  std::vector<Lane> lanes(64);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    float at[3];
    for (int k = 0; k < 3; ++k) {
      const auto n = static_cast<float>(image.reference.size[k]);
      if (is_cube(image.t.geometry))
        at[k] = random.real(-1.0f, 1.0f);
      else if (image.t.normalised_coordinates)
        at[k] = random.real(-2.5f, 3.5f);
      else
        at[k] = random.real(-2.0f, n + 2.0f);
      // Some exactly on texels and their borders, and some far away.
      if (i % 8 == 0) at[k] = std::floor(at[k] * 2.0f) / 2.0f + 0.25f * static_cast<float>(k == 2);
      if (i % 31 == 30) at[k] *= 1e6f;
    }
    if (is_cube(image.t.geometry) && i % 8 == 0) at[0] = at[0] * 0.25f, at[1] = at[1] * 0.5f + 0.03125f;
    lanes[i] = Lane::of(at[0], at[1], at[2], i % 9 == 8 ? 1000 : random.below(4));
  }
  return lanes;
}

void set_modes(Image& image, bool linear, bool normalised, TexelRandom& random) {
  image.t.filter = linear ? TextureFilter::kLinear : TextureFilter::kPoint;
  image.t.normalised_coordinates = normalised;
  image.reference.linear = linear;
  image.reference.normalised = normalised;
  for (int k = 0; k < 3; ++k) {
    const auto mode =
        static_cast<TextureAddressing>(random.below(normalised || is_cube(image.t.geometry) ? 4 : 2));
    image.t.addressing[k] = image.reference.mode[k] = mode;
  }
}

std::uint32_t result_bits(double value, bool real) {
  if (!real) return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  const auto f = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}
float float_of(std::uint32_t word) {
  float f;
  std::memcpy(&f, &word, 4);
  return f;
}

class TextureObject : public ::testing::TestWithParam<Geometry> {};

TEST_P(TextureObject, ReadsAsTheGuideSays) {
  const Geometry g = GetParam();
  TexelRandom random(static_cast<unsigned>(g) * 1000 + 7);
  for (const bool real : {true, false}) {
    ImageRunner runner(std::string("tex.") + suffix_of(g) + ".v4." + (real ? "f32" : "u32") +
                       ".f32 {%r10, %r11, %r12, %r13}, [%h, " + coordinates_of(g) + "];");
    for (const TypeCase& type : real ? kReal : kWhole) {
      for (const unsigned channels : {1u, 2u, 4u}) {
        for (const bool linear : {false, true}) {
          if (linear && !real) continue;
          for (int round = 0; round < 8; ++round) {
            Image image = random_image(g, type, channels, random);
            set_modes(image, linear, round % 2 == 0, random);
            const auto lanes = random_lanes(image, random);
            const auto got = runner.run(runner.texture(image.bytes, image.t), lanes);
            ReferenceReader reference(image.reference);
            for (std::size_t i = 0; i < lanes.size(); ++i) {
              const float at[3] = {float_of(lanes[i].word[0]), float_of(lanes[i].word[1]),
                                   float_of(lanes[i].word[2])};
              const auto expected = reference.read(at, lanes[i].word[3]);
              for (unsigned c = 0; c < 4; ++c) {
                const double value = c < channels ? expected[c] : c == 3 ? 1 : 0;
                ASSERT_EQ(got[i].word[c], result_bits(value, real))
                    << suffix_of(g) << " type " << int(type.type) << " channels " << channels << " linear "
                    << linear << " normalised " << image.t.normalised_coordinates << " modes "
                    << int(image.t.addressing[0]) << int(image.t.addressing[1]) << int(image.t.addressing[2])
                    << " size " << image.t.width << "," << image.t.height << " at " << at[0] << "," << at[1]
                    << "," << at[2] << " layer " << lanes[i].word[3] << " channel " << c;
              }
            }
          }
        }
      }
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<Geometry>& info) {
  return std::string("g") + suffix_of(info.param);
}
INSTANTIATE_TEST_SUITE_P(Texture, TextureObject,
                         ::testing::Values(Geometry::d1, Geometry::d2, Geometry::d3, Geometry::a1d,
                                           Geometry::a2d, Geometry::cube, Geometry::acube),
                         name_of);

TEST(TextureObject, GathersTheFootprintOfLinearFiltering) {
  for (const Geometry g : {Geometry::d2, Geometry::a2d, Geometry::cube, Geometry::acube}) {
    TexelRandom random(static_cast<unsigned>(g) * 100 + 3);
    for (unsigned c = 0; c < 4; ++c) {
      ImageRunner runner(std::string("tld4.") + "rgba"[c] + "." + suffix_of(g) +
                         ".v4.f32.f32 {%r10, %r11, %r12, %r13}, [%h, " + coordinates_of(g) + "];");
      for (int round = 0; round < 12; ++round) {
        const unsigned channels = 1u << random.below(3);
        Image image = random_image(g, kReal[random.below(6)], channels, random);
        set_modes(image, round % 3 == 0, round % 2 == 0, random);
        const auto lanes = random_lanes(image, random);
        const auto got = runner.run(runner.texture(image.bytes, image.t), lanes);
        ReferenceReader reference(image.reference);
        for (std::size_t i = 0; i < lanes.size(); ++i) {
          const float at[3] = {float_of(lanes[i].word[0]), float_of(lanes[i].word[1]),
                               float_of(lanes[i].word[2])};
          const auto expected = reference.gather(at, lanes[i].word[3], c);
          for (unsigned k = 0; k < 4; ++k) {
            const double value = c < channels ? expected[k] : c == 3 ? 1 : 0;
            ASSERT_EQ(got[i].word[k], result_bits(value, true)) << suffix_of(g) << " " << i << " " << k;
          }
        }
      }
    }
  }
}

TextureDescription square(std::uint32_t n) {
  TextureDescription t;
  t.geometry = Geometry::d2;
  t.width = t.height = n;
  t.filter = TextureFilter::kLinear;
  return t;
}

// The guide's own words, by hand: a quarter of the way between texels, rounded to 1/256.
TEST(TextureObject, LinearFilteringByHand) {
  ImageRunner runner("tex.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%h, {%r0, %r1}];");
  const std::uint64_t h = runner.texture(std::vector<float>{0, 256, 512, 1024}, square(2));
  const auto got = runner.run(h, {Lane::of(0.75f, 0.5f), Lane::of(0.5f, 0.75f), Lane::of(1.0f, 1.0f),
                                  Lane::of(0.5f + 1.0f / 300, 0.5f), Lane::of(1.4999f, 0.5f)});
  EXPECT_EQ(float_of(got[0].word[0]), 64.0f);
  EXPECT_EQ(float_of(got[1].word[0]), 128.0f);
  EXPECT_EQ(float_of(got[2].word[0]), 448.0f);
  EXPECT_EQ(float_of(got[3].word[0]), 1.0f) << "1/300 is nearest to 1/256";
  EXPECT_EQ(float_of(got[4].word[0]), 256.0f) << "and 0.9999 to 1";
}

TEST(TextureObject, OfEqualMagnitudesZGoesBeforeYBeforeX) {
  ImageRunner runner("tex.cube.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%h, {%r0, %r1, %r2, %r2}];");
  TextureDescription t;
  t.geometry = Geometry::cube;
  t.width = t.height = 1;
  const std::uint64_t h = runner.texture(std::vector<float>{0, 1, 2, 3, 4, 5}, t);
  const auto got = runner.run(h, {Lane::of(1, 1, 1), Lane::of(1, -1, 0), Lane::of(-1, 0, 0),
                                  Lane::of(1, 1, -1), Lane::of(0, 0, 0), Lane::of(std::nanf(""), 1, 2)});
  const float face[] = {4, 3, 1, 5, 4};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(float_of(got[i].word[0]), face[i]) << i;
}

TEST(TextureObject, LevelsGradientsAndResidencyOfATextureWithOneLevel) {
  ImageRunner runner(
      "tex.level.2d.v4.f32.f32 {%r10, _, _, _}, [%h, {%r0, %r1}], %r2;\n"
      "tex.grad.2d.v4.f32.f32 {%r11, _, _, _}, [%h, {%r0, %r1}], {%r2, %r2}, {%r2, %r0};\n"
      "tex.base.2d.v4.f32.f32 {%r12, _, _, _}|%p1, [%h, {%r0, %r1}];\nselp.b32 %r13, 5, 6, %p1;");
  const std::uint64_t h = runner.texture(std::vector<float>{10, 20, 30, 40}, square(2));
  for (const float level : {0.0f, 3.5f, -7.0f, std::nanf("")}) {
    const auto got = runner.run(h, {Lane::of(0.5f, 1.5f, level), Lane::of(1.5f, 0.5f, level)});
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(float_of(got[0].word[k]), 30.0f);
      EXPECT_EQ(float_of(got[1].word[k]), 20.0f);
    }
    EXPECT_EQ(got[0].word[3], 5u) << "resident";
  }
}

TEST(TextureObject, IntegerCoordinatesAreNotFiltered) {
  ImageRunner runner("tex.a2d.v4.f32.s32 {%r10, %r11, %r12, %r13}, [%h, {%r3, %r0, %r1, %r1}];");
  TextureDescription t = square(2);
  t.geometry = Geometry::a2d;
  t.layers = 2;
  const std::uint64_t h = runner.texture(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, t);
  const auto got =
      runner.run(h, {Lane{{1, 0, 0, 0}}, Lane{{1, 1, 0, 1}}, Lane{{0, 1, 0, 77}}, Lane{{2, 0, 0, 0}}});
  const float expected[] = {2, 8, 7, 0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(float_of(got[i].word[0]), expected[i]) << i;
}

// Handles out of an array in memory, one a lane, as an array of textures in a struct gives.
TEST(TextureObject, LanesMayReadDifferentTextures) {
  ImageRunner runner(
      "and.b32 %r4, %r19, 1;\nmul.wide.u32 %a, %r4, 8;\nadd.s64 %a, %h, %a;\nld.global.u64 %b, [%a];\n"
      "tex.1d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%b, {%r0}];");
  PtxModule& m = runner.module();
  TextureDescription t;
  t.width = 4;
  const std::uint64_t first = m.buffer(std::vector<float>{1, 2, 3, 4}),
                      second = m.buffer(std::vector<float>{10, 11, 20, 21, 30, 31, 40, 41});
  TextureDescription two = t;
  two.channels = 2;
  two.filter = TextureFilter::kLinear;
  const std::uint64_t a = m.buffer(std::vector<ImageDescriptor>{make_texture_descriptor("a", first, t)}),
                      b = m.buffer(std::vector<ImageDescriptor>{make_texture_descriptor("b", second, two)});
  const auto got =
      runner.run(m.buffer(std::vector<std::uint64_t>{a, b}), std::vector<Lane>(64, Lane::of(2.0f)));
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(float_of(got[i].word[0]), i % 2 == 0 ? 3.0f : 25.0f);
    EXPECT_EQ(float_of(got[i].word[1]), i % 2 == 0 ? 0.0f : 26.0f);
  }
}

TEST(TextureObject, AHandleThatIsNoTextureIsAFault) {
  ImageRunner runner("tex.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%h, {%r0, %r1}];");
  const std::vector<Lane> lanes(3);
  const std::uint64_t h = runner.texture(std::vector<float>{1, 2, 3, 4}, square(2));
  EXPECT_EQ(runner.fault(h, lanes), "");
  for (const std::uint64_t bad :
       {std::uint64_t{0}, h + 8, h + 64, runner.memory(), ~std::uint64_t{63}, std::uint64_t{1} << 40})
    EXPECT_NE(runner.fault(bad, lanes).find("handle that names no texture"), std::string::npos) << bad;
  EXPECT_NE(runner.fault(0, lanes).find("tex.2d.v4.f32.f32"), std::string::npos) << "the place";
  runner.surface(std::vector<float>{1, 2, 3, 4}, square(2));
  EXPECT_NE(runner.fault(h, lanes).find("handle that names no texture"), std::string::npos) << "a surface";
  // Every byte of the descriptor overwritten in turn: a fault or a read, never anything worse.
  TexelRandom random(5);
  for (unsigned at = 0; at < kTextureBytes; ++at) {
    for (int round = 0; round < 8; ++round) {
      runner.texture(std::vector<float>{1, 2, 3, 4}, square(2));
      const auto byte = static_cast<std::uint8_t>(random.below(256));
      runner.module().memory().write(h + at, &byte, 1);
      const std::string text = runner.fault(h, lanes);
      EXPECT_TRUE(text.empty() || text.find("textur") != std::string::npos) << text;
    }
  }
}

TEST(TextureObject, Queries) {
  TextureDescription t;
  t.geometry = Geometry::acube;
  t.width = t.height = 4;
  t.layers = 3;
  t.type = TexelType::u8;
  t.channels = 2;
  t.normalised_values = true;
  t.filter = TextureFilter::kLinear;
  t.addressing[0] = TextureAddressing::kWrap;
  t.addressing[1] = TextureAddressing::kMirror;
  t.addressing[2] = TextureAddressing::kBorder;
  const struct {
    const char* query;
    std::uint32_t value;
  } cases[] = {{"txq.width", 4},
               {"txq.height", 4},
               {"txq.depth", 1},
               {"txq.channel_data_type", 0x10d2},
               {"txq.channel_order", 0x10b2},
               {"txq.normalized_coords", 1},
               {"txq.array_size", 3},
               {"txq.num_mipmap_levels", 0},
               {"txq.num_samples", 0},
               {"txq.force_unnormalized_coords", 0},
               {"txq.filter_mode", 1},
               {"txq.addr_mode_0", 0},
               {"txq.addr_mode_1", 1},
               {"txq.addr_mode_2", 4}};
  for (const auto& c : cases) {
    ImageRunner runner(std::string(c.query) + ".b32 %r10, [%h];");
    const std::uint64_t h = runner.texture(std::vector<std::uint8_t>(4 * 4 * 2 * 18), t);
    EXPECT_EQ(runner.run(h, {Lane()})[0].word[0], c.value) << c.query;
  }
  const struct {
    const char* query;
    std::uint32_t value;
  } surfaces[] = {{"suq.width", 4},
                  {"suq.height", 4},
                  {"suq.array_size", 3},
                  {"suq.channel_data_type", 0x10da},
                  {"suq.memory_layout", 1}};
  for (const auto& c : surfaces) {
    ImageRunner runner(std::string(c.query) + ".b32 %r10, [%h];");
    const std::uint64_t h = runner.surface(std::vector<std::uint8_t>(4 * 4 * 2 * 18), t);
    EXPECT_EQ(runner.run(h, {Lane()})[0].word[0], c.value) << c.query;
  }
  ImageRunner kinds(
      "istypep.texref %p1, %h;\nselp.b32 %r10, 1, 0, %p1;\nistypep.surfref %p1, %h;\n"
      "selp.b32 %r11, 1, 0, %p1;\nistypep.samplerref %p1, %h;\nselp.b32 %r12, 1, 0, %p1;");
  const std::uint64_t h = kinds.texture(std::vector<std::uint8_t>(4 * 4 * 2 * 18), t);
  Lane got = kinds.run(h, {Lane()})[0];
  EXPECT_EQ(got.word[0] * 100 + got.word[1] * 10 + got.word[2], 100u);
  kinds.surface(std::vector<std::uint8_t>(4 * 4 * 2 * 18), t);
  got = kinds.run(h, {Lane()})[0];
  EXPECT_EQ(got.word[0] * 100 + got.word[1] * 10 + got.word[2], 10u);
  got = kinds.run(0, {Lane()})[0];
  EXPECT_EQ(got.word[0] * 100 + got.word[1] * 10 + got.word[2], 0u);
}

// What the timing model is told: all texels of the footprint, a row for each corner.
TEST(TextureObject, ReportsEveryTexelOfTheFootprint) {
  ImageRunner runner("tex.2d.v4.f32.f32 {%r10, %r11, %r12, %r13}, [%h, {%r0, %r1}];");
  TextureDescription t = square(4);
  t.addressing[0] = TextureAddressing::kBorder;
  const std::uint64_t h = runner.texture(std::vector<float>(16, 1.0f), t);
  std::vector<Lane> lanes(3);
  lanes[0] = Lane::of(1.0f, 1.0f);
  lanes[1] = Lane::of(0.0f, 4.0f);  // to the left there is the border
  lanes[2] = Lane::of(-9.0f, 1.0f);
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
  while (warp.next().opcode != Opcode::tex) ASSERT_NE(warp.step(), StepKind::kFault) << fault.what;
  ASSERT_EQ(warp.step(), StepKind::kMemory);
  const MemoryAccess& a = warp.access();
  EXPECT_EQ(a.cache_op, static_cast<std::uint8_t>(CacheOp::tex));
  EXPECT_EQ(a.lanes, 3u) << "the third lane touches nothing";
  EXPECT_EQ(a.bytes, 4);
  ASSERT_EQ(a.texels->count, 4u);
  const auto at = [&](unsigned x, unsigned y) { return runner.memory() + 4 * (x + 4 * y); };
  const std::uint64_t first[4] = {at(0, 0), at(1, 0), at(0, 1), at(1, 1)};
  const LaneMask masks[4] = {1, 3, 1, 3};
  for (unsigned row = 0; row < 4; ++row) {
    EXPECT_EQ(a.texels->lanes[row], masks[row]) << row;
    EXPECT_EQ(a.texels->address[row][0], first[row]) << row;
  }
  EXPECT_EQ(a.texels->address[1][1], at(0, 3));
  EXPECT_EQ(a.texels->address[3][1], at(0, 3)) << "clamped below";
}

}  // namespace
}  // namespace warpvp::ptx::testing
