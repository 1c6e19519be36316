// tex against a computation of its own on the CPU: every type of texel, every addressing mode, coordinates
// inside and outside, and the faults.

#include "ptx/image/texture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

// A kernel `k` that reads texture `t` at the thread's coordinates (x[tid], y[tid]) into four words of `out`.
std::string reader(int dimensions, const std::string& type, const std::string& source) {
  const std::string coordinates = dimensions == 2 ? "{%x, %y}" : "{%x}";
  return ".version 7.5\n.target sm_70\n.address_size 64\n.global .texref t;\n"
         ".visible .entry k(.param .u64 out, .param .u64 xs, .param .u64 ys, .param .u32 count)\n{\n"
         ".reg .b32 %a, %b, %c, %d, %x, %y, %i, %n; .reg .b64 %o, %p, %q, %s; .reg .pred %g;\n"
         "mov.u32 %i, %tid.x;\nld.param.u32 %n, [count];\nsetp.lt.u32 %g, %i, %n;\n"
         "ld.param.u64 %o, [out];\nld.param.u64 %p, [xs];\nld.param.u64 %q, [ys];\n"
         "mul.wide.u32 %s, %i, 4;\nadd.u64 %p, %p, %s;\nadd.u64 %q, %q, %s;\n"
         "mul.wide.u32 %s, %i, 16;\nadd.u64 %o, %o, %s;\n"
         "@%g ld.global.b32 %x, [%p];\n@%g ld.global.b32 %y, [%q];\n"
         "@%g tex." +
         std::to_string(dimensions) + "d.v4." + type + "." + source + " {%a, %b, %c, %d}, [t, " +
         coordinates + "];\n@%g st.global.v4.b32 [%o], {%a, %b, %c, %d};\nret;\n}\n";
}

std::uint32_t bits(float f) {
  std::uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}

/// A module whose texture can be bound; reads are returned as rows of four words.
class Reader {
 public:
  Reader(int dimensions, const std::string& type, const std::string& source)
      : memory_(1 << 22),
        runner_(memory_),
        module_(Module::parse(reader(dimensions, type, source), "t.ptx", test::code_mode())) {
    module_->place([this](const GlobalVariable& v) { return symbol_ = memory_.allocate(v.bytes); },
                   [this](std::uint64_t at, const std::vector<std::uint8_t>& b) {
                     memory_.write(at, b.data(), b.size());
                   });
  }
  template <class T>
  std::uint64_t bind(const std::vector<T>& texels, const TextureDescription& description) {
    const std::uint64_t base = buffer(texels);
    const ImageDescriptor d = make_texture_descriptor("t", base, description);
    EXPECT_LE(image_bytes(d), texels.size() * sizeof(T));
    memory_.write(symbol_, &d, sizeof d);
    return base;
  }
  template <class T>
  FunctionalResult run(const std::vector<T>& x, const std::vector<T>& y) {
    static_assert(sizeof(T) == 4);
    out_ = buffer(std::vector<std::uint32_t>(4 * x.size(), 0xdeadbeef));
    const std::uint64_t arguments[3] = {out_, buffer(x), buffer(y)};
    const auto count = static_cast<std::uint32_t>(x.size());
    std::vector<std::uint8_t> block(28);
    std::memcpy(block.data(), arguments, 24);
    std::memcpy(block.data() + 24, &count, 4);
    // Whole warps, so that lanes beyond the count are switched off.
    return runner_.run(*module_->entry("k"), {1, 1, 1}, {(count + 31) / 32 * 32, 1, 1}, block);
  }
  template <class T>
  std::vector<std::uint32_t> read(const std::vector<T>& x, std::vector<T> y = {}) {
    y.resize(x.size());
    const FunctionalResult r = run(x, y);
    EXPECT_TRUE(r.ok()) << (r.fault ? r.fault->summary() : "");
    std::vector<std::uint32_t> words(4 * x.size());
    memory_.read(out_, words.data(), 4 * words.size());
    return words;
  }
  FlatMemory& memory() { return memory_; }
  std::uint64_t symbol() const { return symbol_; }

 private:
  template <class T>
  std::uint64_t buffer(const std::vector<T>& values) {
    const std::uint64_t at = memory_.allocate(values.size() * sizeof(T));
    memory_.write(at, values.data(), values.size() * sizeof(T));
    return at;
  }
  FlatMemory memory_;
  FunctionalRunner runner_;
  std::unique_ptr<Module> module_;
  std::uint64_t symbol_ = 0, out_ = 0;
};

TextureDescription line(std::uint32_t width, TexelType type = TexelType::f32, unsigned channels = 1) {
  TextureDescription t;
  t.width = width;
  t.type = type;
  t.channels = channels;
  return t;
}

TEST(Texture, FetchesByIntegerCoordinate) {
  Reader r(1, "f32", "s32");
  std::vector<float> texels(40);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = 0.5f * static_cast<float>(i) + 1;
  r.bind(texels, line(40));
  std::vector<std::int32_t> x;
  for (int i = -3; i < 43; ++i) x.push_back(i);
  x.push_back(std::numeric_limits<std::int32_t>::min());
  x.push_back(std::numeric_limits<std::int32_t>::max());
  const auto got = r.read(x);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const bool inside = x[k] >= 0 && x[k] < 40;
    EXPECT_EQ(got[4 * k], inside ? bits(texels[static_cast<std::size_t>(x[k])]) : 0) << x[k];
    EXPECT_EQ(got[4 * k + 1], 0u);
    EXPECT_EQ(got[4 * k + 2], 0u);
    EXPECT_EQ(got[4 * k + 3], bits(1.0f)) << "a missing fourth channel";
  }
}

TEST(Texture, ExtendsEveryIntegerType) {
  const std::vector<std::uint8_t> bytes = {0x01, 0x80, 0xff, 0x7f, 0x00, 0x90, 0xfe, 0xca,
                                           0xef, 0xbe, 0xad, 0xde, 0x12, 0x34, 0x56, 0x78};
  const auto at = [&](unsigned byte, unsigned n, bool sign) {
    std::uint32_t v = 0;
    std::memcpy(&v, &bytes[byte], n);
    const unsigned shift = 32 - 8 * n;
    return sign ? static_cast<std::uint32_t>(static_cast<std::int32_t>(v << shift) >> shift) : v;
  };
  const struct {
    TexelType type;
    unsigned bytes;
    bool sign;
  } types[] = {{TexelType::u8, 1, false}, {TexelType::s8, 1, true},   {TexelType::u16, 2, false},
               {TexelType::s16, 2, true}, {TexelType::u32, 4, false}, {TexelType::s32, 4, true}};
  for (const auto& t : types) {
    for (const unsigned channels : {1u, 2u, 4u}) {
      for (const std::string result : {"s32", "u32"}) {
        Reader r(1, result, "s32");
        const std::uint32_t width = 16 / (t.bytes * channels);
        r.bind(bytes, line(width, t.type, channels));
        std::vector<std::int32_t> x;
        for (std::uint32_t i = 0; i < width; ++i) x.push_back(static_cast<std::int32_t>(i));
        const auto got = r.read(x);
        for (std::uint32_t i = 0; i < width; ++i) {
          for (unsigned c = 0; c < 4; ++c) {
            const std::uint32_t expected =
                c < channels ? at((i * channels + c) * t.bytes, t.bytes, t.sign) : (c == 3 ? 1 : 0);
            EXPECT_EQ(got[4 * i + c], expected) << int(t.type) << " x" << channels << " " << i << " " << c;
          }
        }
      }
    }
  }
}

TEST(Texture, NormalisesValues) {
  std::vector<std::uint8_t> all(256);
  for (unsigned i = 0; i < 256; ++i) all[i] = static_cast<std::uint8_t>(i);
  for (const bool sign : {false, true}) {
    Reader r(1, "f32", "s32");
    TextureDescription t = line(256, sign ? TexelType::s8 : TexelType::u8);
    t.normalised_values = true;
    r.bind(all, t);
    std::vector<std::int32_t> x(256);
    for (int i = 0; i < 256; ++i) x[static_cast<std::size_t>(i)] = i;
    const auto got = r.read(x);
    for (int i = 0; i < 256; ++i) {
      const int s = i < 128 ? i : i - 256;
      const float expected =
          sign ? (s == -128 ? -1.0f : static_cast<float>(s) / 127.0f) : static_cast<float>(i) / 255.0f;
      EXPECT_EQ(got[4 * static_cast<std::size_t>(i)], bits(expected)) << i;
    }
  }
  Reader r(1, "f32", "s32");
  TextureDescription t = line(4, TexelType::s16);
  t.normalised_values = true;
  r.bind(std::vector<std::int16_t>{0, 32767, -32768, -32767}, t);
  const auto got = r.read(std::vector<std::int32_t>{0, 1, 2, 3});
  const float expected[4] = {0.0f, 1.0f, -1.0f, -1.0f};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(got[4 * i], bits(expected[i])) << i;
}

// The texel at a floating-point coordinate, written out case by case; -1: none.
int expected_index(float c, int n, bool normalised, TextureAddressing mode) {
  double x = c;
  if (normalised) {
    if (mode == TextureAddressing::kWrap) {
      while (x >= 1) x -= 1;
      while (x < 0) x += 1;
      x = std::min(x, std::nextafter(1.0, 0.0));  // from just below a period
    } else if (mode == TextureAddressing::kMirror) {
      while (x < 0) x += 2;
      while (x >= 2) x -= 2;
      if (x >= 1) x = 2 - x;
    }
    x *= n;
  }
  if (mode == TextureAddressing::kBorder) return x < 0 || x >= n ? -1 : static_cast<int>(x);
  if (x < 0) return 0;
  return x >= n ? n - 1 : static_cast<int>(x);
}

TEST(Texture, AddressesByFloatingPointCoordinates) {
  // 7 x 5 texels of four bytes in rows of 32 bytes.
  std::vector<std::uint8_t> texels(5 * 32, 0xee);
  for (unsigned y = 0; y < 5; ++y) {
    for (unsigned x = 0; x < 7; ++x) {
      const std::uint8_t texel[4] = {static_cast<std::uint8_t>(x + 1), static_cast<std::uint8_t>(y + 1), 0xa0,
                                     static_cast<std::uint8_t>(10 * x + y)};
      std::memcpy(&texels[y * 32 + 4 * x], texel, 4);
    }
  }
  std::vector<float> x, y;
  for (int i = 0; i < 90; ++i) {
    x.push_back(static_cast<float>(i - 40) * 0.21f);
    y.push_back(static_cast<float>(37 * i % 90 - 40) * 0.17f);
  }
  const float exact[] = {0.0f, 1.0f, 7.0f, 5.0f, 6.9999995f, -1e-20f, 0.99999994f, -0.5f, 2.0f};
  for (const float a : exact) {
    x.push_back(a);
    y.push_back(a);
  }
  using A = TextureAddressing;
  for (const bool normalised : {false, true}) {
    for (const A ax : {A::kClamp, A::kBorder, A::kWrap, A::kMirror}) {
      if (!normalised && (ax == A::kWrap || ax == A::kMirror)) continue;
      const A ay = ax == A::kClamp ? A::kBorder : A::kClamp;
      Reader r(2, "u32", "f32");
      TextureDescription t = line(7, TexelType::u8, 4);
      t.geometry = Geometry::d2;
      t.height = 5;
      t.pitch_bytes = 32;
      t.normalised_coordinates = normalised;
      t.addressing[0] = ax;
      t.addressing[1] = ay;
      r.bind(texels, t);
      const auto got = r.read(x, y);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const int ix = expected_index(x[i], 7, normalised, ax), iy = expected_index(y[i], 5, normalised, ay);
        for (unsigned c = 0; c < 4; ++c) {
          const std::uint32_t expected =
              ix < 0 || iy < 0 ? 0 : texels[static_cast<std::size_t>(iy * 32 + 4 * ix) + c];
          EXPECT_EQ(got[4 * i + c], expected)
              << x[i] << " " << y[i] << " " << int(ax) << normalised << " channel " << c;
        }
      }
    }
  }
}

TEST(Texture, TakesStrangeCoordinates) {
  Reader r(1, "f32", "f32");
  r.bind(std::vector<float>{1, 2, 3, 4}, line(4));
  const float inf = std::numeric_limits<float>::infinity();
  const auto got = r.read(std::vector<float>{inf, -inf, std::nanf(""), 3e38f});
  EXPECT_EQ(got[0], bits(4));
  EXPECT_EQ(got[4], bits(1));
  EXPECT_EQ(got[8], bits(1)) << "a NaN counts as 0";
  EXPECT_EQ(got[12], bits(4));
}

TEST(Texture, IntegerCoordinatesOfTwoDimensions) {
  Reader r(2, "s32", "s32");
  std::vector<std::int32_t> texels(6 * 3);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = -static_cast<std::int32_t>(i) - 1;
  TextureDescription t = line(5, TexelType::s32);
  t.geometry = Geometry::d2;
  t.height = 3;
  t.pitch_bytes = 24;
  r.bind(texels, t);
  std::vector<std::int32_t> x, y;
  for (int j = -1; j < 4; ++j) {
    for (int i = -1; i < 7; ++i) {
      x.push_back(i);
      y.push_back(j);
    }
  }
  const auto got = r.read(x, y);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const bool inside = x[k] >= 0 && x[k] < 5 && y[k] >= 0 && y[k] < 3;
    EXPECT_EQ(static_cast<std::int32_t>(got[4 * k]), inside ? -(6 * y[k] + x[k]) - 1 : 0)
        << x[k] << " " << y[k];
  }
}

TEST(Texture, ReportsOneReadOnlyLoadPerLaneInside) {
  FlatMemory memory(1 << 20);
  const auto module = Module::parse(reader(1, "f32", "s32"), "t.ptx", test::code_mode());
  std::uint64_t symbol = 0;
  module->place(
      [&](const GlobalVariable& v) { return symbol = memory.allocate(v.bytes); },
      [&](std::uint64_t at, const std::vector<std::uint8_t>& b) { memory.write(at, b.data(), b.size()); });
  const std::uint64_t base = memory.allocate(20 * 8), xs = memory.allocate(128), out = memory.allocate(512);
  const ImageDescriptor d = make_texture_descriptor("t", base, line(20, TexelType::f32, 2));
  memory.write(symbol, &d, sizeof d);
  std::int32_t x[32];
  for (int i = 0; i < 32; ++i) x[i] = 31 - i;
  memory.write(xs, x, sizeof x);
  std::vector<std::uint8_t> arguments(28);
  const std::uint64_t pointers[3] = {out, xs, xs};
  const std::uint32_t count = 30;
  std::memcpy(arguments.data(), pointers, 24);
  std::memcpy(arguments.data() + 24, &count, 4);
  ExecEnv env;
  env.global = &memory;
  ExecFault fault;
  env.fault = &fault;
  Cta cta;
  Warp warp;
  cta.start(*module->entry("k"), env, {}, {32, 1, 1}, {}, 0, 0, 1, arguments.data());
  warp.launch(cta, 0);
  while (warp.next().opcode != Opcode::tex) ASSERT_NE(warp.step(), StepKind::kFault) << fault.what;
  ASSERT_EQ(warp.step(), StepKind::kMemory);
  const MemoryAccess& a = warp.access();
  EXPECT_EQ(a.space, Space::kGlobal);
  EXPECT_EQ(a.bytes, 8);
  EXPECT_FALSE(a.store || a.atomic || a.async || a.shared_lanes);
  EXPECT_TRUE(a.returns_value);
  EXPECT_EQ(a.cache_op, static_cast<std::uint8_t>(CacheOp::nc));
  EXPECT_EQ(a.lanes, 0x3ffff000u) << "lanes 0 to 11 are outside the texture, 30 and 31 off";
  for (unsigned lane = 12; lane < 30; ++lane) EXPECT_EQ(a.address[lane], base + 8 * (31 - lane));
}

TEST(Texture, Faults) {
  const std::vector<std::int32_t> zero(3);
  const auto fault_of = [&](Reader& r) {
    const FunctionalResult result = r.run(zero, zero);
    EXPECT_FALSE(result.ok());
    return result.fault ? result.fault->summary() + "\n" + result.fault->detail : std::string();
  };
  {
    Reader r(1, "f32", "s32");
    const std::string text = fault_of(r);
    EXPECT_NE(text.find("read of a texture that is not bound"), std::string::npos) << text;
    EXPECT_NE(text.find("[t, {%x}]"), std::string::npos) << "the texture's name: " << text;
    r.bind(std::vector<std::uint32_t>(4), line(4, TexelType::u32));
    EXPECT_NE(fault_of(r).find("floating-point read of a texture that holds integers"), std::string::npos);
    const std::uint64_t base = r.bind(std::vector<float>(4), line(4));
    r.memory().release(base);
    EXPECT_NE(fault_of(r).find("texture read outside valid memory"), std::string::npos);
    ImageDescriptor d = make_texture_descriptor("t", base, line(4));
    d.channels = 77;
    r.memory().write(r.symbol(), &d, sizeof d);
    EXPECT_NE(fault_of(r).find("texture descriptor overwritten"), std::string::npos);
  }
  {
    Reader r(2, "s32", "s32");
    r.bind(std::vector<std::int32_t>(4), line(4, TexelType::s32));
    EXPECT_NE(fault_of(r).find("read of a texture of another geometry"), std::string::npos);
  }
  {
    Reader r(1, "u32", "s32");
    r.bind(std::vector<float>(4), line(4));
    EXPECT_NE(fault_of(r).find("integer read of a texture that holds floating-point values"),
              std::string::npos);
  }
}

// Descriptors lie in device memory, where programs may write what they like.
TEST(Texture, DescriptorsWithAnyFieldOutOfItsRangeAreNotWellFormed) {
  TextureDescription t = line(8);
  t.geometry = Geometry::a2d;
  t.height = 4;
  t.layers = 3;
  const ImageDescriptor good = make_texture_descriptor("t", 0x1000, t);
  EXPECT_TRUE(well_formed(good, kTextureMagic));
  EXPECT_FALSE(well_formed(good, kSurfaceMagic));
  const struct {
    const char* field;
    void (*spoil)(ImageDescriptor&);
  } cases[] = {
      {"magic", [](ImageDescriptor& d) { d.magic = 0; }},
      {"version", [](ImageDescriptor& d) { ++d.version; }},
      {"size", [](ImageDescriptor& d) { --d.size; }},
      {"no geometry", [](ImageDescriptor& d) { d.geometry = 0; }},
      {"geometry", [](ImageDescriptor& d) { d.geometry = static_cast<std::uint8_t>(Geometry::acube) + 1; }},
      {"type", [](ImageDescriptor& d) { d.type = static_cast<std::uint8_t>(TexelType::f16) + 1; }},
      {"no channels", [](ImageDescriptor& d) { d.channels = 0; }},
      {"channels", [](ImageDescriptor& d) { d.channels = 3; }},
      {"no width", [](ImageDescriptor& d) { d.width = 0; }},
      {"no height", [](ImageDescriptor& d) { d.height = 0; }},
      {"no depth", [](ImageDescriptor& d) { d.depth = 0; }},
      {"no layers", [](ImageDescriptor& d) { d.layers = 0; }},
      {"width", [](ImageDescriptor& d) { d.width = (1u << 27) + 1; }},
      {"height", [](ImageDescriptor& d) { d.height = (1u << 17) + 1; }},
      {"depth", [](ImageDescriptor& d) { d.depth = (1u << 14) + 1; }},
      {"layers", [](ImageDescriptor& d) { d.layers = (1u << 14) + 1; }},
      {"pitch", [](ImageDescriptor& d) { d.pitch_bytes = (std::uint64_t{1} << 40) + 1; }},
      {"slice pitch", [](ImageDescriptor& d) { d.slice_pitch_bytes = (std::uint64_t{1} << 40) + 1; }},
      {"filter", [](ImageDescriptor& d) { d.filter = 2; }},
      {"addressing in x", [](ImageDescriptor& d) { d.addressing[0] = 4; }},
      {"addressing in z", [](ImageDescriptor& d) { d.addressing[2] = 4; }},
  };
  for (const auto& c : cases) {
    ImageDescriptor d = good;
    c.spoil(d);
    EXPECT_FALSE(well_formed(d, kTextureMagic)) << c.field;
  }
}

TEST(Texture, DescriptionsAreChecked) {
  const auto error = [](std::uint64_t base, const TextureDescription& t) {
    try {
      make_texture_descriptor("t", base, t);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  TextureDescription t = line(8);
  EXPECT_EQ(error(0x1000, t), "");
  EXPECT_EQ(error(0x1008, t), "texture 't': 0x1008 is not aligned to 16 bytes");
  t.filter = TextureFilter::kLinear;
  EXPECT_EQ(error(0x1000, t), "");
  t.type = TexelType::u8;
  EXPECT_EQ(error(0x1000, t),
            "texture 't': linear filtering needs texels that are read as floating point: f32, f16 or "
            "normalised values");
  t.normalised_values = true;
  EXPECT_EQ(error(0x1000, t), "");
  t = line(0);
  EXPECT_EQ(error(0x1000, t), "texture 't': width is 0, allowed are 1 to 134217728");
  t = line(8);
  t.height = 2;
  EXPECT_EQ(error(0x1000, t), "texture 't': height is 2, allowed are 1 to 1");
  t.geometry = Geometry::cube;
  EXPECT_EQ(error(0x1000, t), "texture 't': a face of 8 x 2 texels; the faces of a cube are square");
  t.geometry = Geometry::d3;
  t.depth = 20000;
  EXPECT_EQ(error(0x1000, t), "texture 't': depth is 20000, allowed are 1 to 16384");
  t.depth = 2;
  t.layers = 2;
  EXPECT_EQ(error(0x1000, t), "texture 't': number of layers is 2, allowed are 1 to 1");
  t.layers = 1;
  t.slice_pitch_bytes = 60;
  EXPECT_EQ(error(0x1000, t), "texture 't': a slice pitch of 60 bytes is less than a slice of 64");
  t.pitch_bytes = 40;  // the last row of a slice need not be followed by its gap
  t.slice_pitch_bytes = 72;
  EXPECT_EQ(error(0x1000, t), "");
  t.slice_pitch_bytes = 68;
  EXPECT_EQ(error(0x1000, t), "texture 't': a slice pitch of 68 bytes is less than a slice of 72");
  t.slice_pitch_bytes = (std::uint64_t{1} << 40) + 4;
  EXPECT_EQ(error(0x1000, t), "texture 't': a slice pitch of 1099511627780 bytes is more than 2^40");
  EXPECT_EQ(error(0, line(8)), "texture 't': 0x0 is not aligned to 16 bytes");
  t = line(8, TexelType::f32, 3);
  EXPECT_EQ(error(0x1000, t), "texture 't': 3 channels; allowed are 1, 2 and 4");
  t = line(8);
  t.normalised_values = true;
  EXPECT_EQ(error(0x1000, t), "texture 't': only integer texels of 8 and 16 bits can be read normalised");
  t.type = TexelType::f16;
  EXPECT_EQ(error(0x1000, t), "texture 't': only integer texels of 8 and 16 bits can be read normalised");
  t = line(8);
  t.depth = 2;
  EXPECT_EQ(error(0x1000, t), "texture 't': depth is 2, allowed are 1 to 1");
  t = line(8);
  t.addressing[1] = TextureAddressing::kWrap;  // has no such coordinate
  EXPECT_EQ(error(0x1000, t), "");
  t = line(8);
  t.addressing[0] = TextureAddressing::kWrap;
  EXPECT_EQ(error(0x1000, t), "texture 't': wrap and mirror addressing need normalised coordinates");
  t = line(8);
  t.pitch_bytes = 31;
  EXPECT_EQ(error(0x1000, t), "texture 't': a pitch of 31 bytes is less than a row of 32");
  t.pitch_bytes = 34;
  EXPECT_EQ(error(0x1000, t), "texture 't': a pitch of 34 bytes is not a multiple of a texel's 4");
}

}  // namespace
}  // namespace warpvp::ptx::testing
