// wmma: matrices of small integers, which all types hold exactly, are loaded, multiplied and stored in every
// shape, type and layout, and compared with the product computed here.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "ptx/lexer.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

struct ElementType {
  const char* name;
  unsigned bits;
  int lowest, highest;  ///< values that are drawn
};
const ElementType kF16{"f16", 16, -8, 8}, kBf16{"bf16", 16, -8, 8}, kTf32{"tf32", 32, -8, 8},
    kF32{"f32", 32, -99, 99}, kF64{"f64", 64, -99, 99}, kS8{"s8", 8, -128, 127}, kU8{"u8", 8, 0, 255},
    kS4{"s4", 4, -8, 7}, kU4{"u4", 4, 0, 15}, kB1{"b1", 1, 0, 1}, kS32{"s32", 32, -99, 99};

/// Bits of a small integer.
std::uint64_t encode(const ElementType& type, int v) {
  const auto bits_of = [](auto value, auto bits) {
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  };
  const std::uint32_t single = bits_of(static_cast<float>(v), std::uint32_t{});
  const std::string name = type.name;
  if (name == "f64") return bits_of(static_cast<double>(v), std::uint64_t{});
  if (name == "bf16") return single >> 16;
  if (name == "f32" || name == "tf32") return single;
  if (name == "f16")
    return v == 0 ? 0
                  : (single >> 16 & 0x8000) | ((single >> 23 & 0xff) - 112) << 10 | (single >> 13 & 0x3ff);
  return static_cast<std::uint32_t>(v) & (type.bits == 32 ? ~0u : (1u << type.bits) - 1);
}

struct Matrix {
  const ElementType& type;
  unsigned rows, columns;
  bool by_column;
  unsigned stride;
  std::vector<std::uint8_t> bytes;
  std::vector<int> values;  ///< by row

  Matrix(const ElementType& t, unsigned r, unsigned c, bool column, unsigned padding)
      : type(t), rows(r), columns(c), by_column(column), stride((column ? r : c) + padding), values(r * c) {
    bytes.resize((column ? c : r) * stride * t.bits / 8);
  }
  void draw(std::mt19937& random) {
    std::uniform_int_distribution<int> value(type.lowest, type.highest);
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned c = 0; c < columns; ++c) {
        const int v = values[r * columns + c] = value(random);
        put(r, c, encode(type, v));
      }
  }
  std::size_t bit_of(unsigned r, unsigned c) const {
    return std::size_t{by_column ? c * stride + r : r * stride + c} * type.bits;
  }
  void put(unsigned r, unsigned c, std::uint64_t bits) {
    const std::size_t at = bit_of(r, c);
    for (unsigned b = 0; b < type.bits; ++b)
      if (bits >> b & 1) bytes[(at + b) / 8] |= static_cast<std::uint8_t>(1u << (at + b) % 8);
  }
  std::uint64_t get(unsigned r, unsigned c) const {
    const std::size_t at = bit_of(r, c);
    std::uint64_t bits = 0;
    for (unsigned b = 0; b < type.bits; ++b)
      bits |= static_cast<std::uint64_t>(bytes[(at + b) / 8] >> (at + b) % 8 & 1) << b;
    return bits;
  }
};

struct WmmaCase {
  unsigned m, n, k;
  const ElementType &a, &b, &c, &d;
  unsigned ra, rb, rc, rd;  ///< registers, by the PTX ISA's table
  std::string suffix;       ///< behind the types
};
using RegisterNames = std::string;

std::string registers(const char* prefix, unsigned count) {
  std::string all;
  for (unsigned i = 0; i < count; ++i) all += fmt::format("{}%{}{}", i ? ", " : "", prefix, i);
  return "{" + all + "}";
}
const char* register_of(const ElementType& t) {
  return t.bits == 64 ? "f64" : t.name == kF32.name ? "f32" : t.name == kS32.name ? "s32" : "b32";
}

enum class Stride { kRegister, kConstant, kNone };
struct Layouts {
  bool a, b, c, d;  ///< by column
  Stride stride;
};

std::string kernel(const WmmaCase& w, const Layouts& l, const Matrix& a, const Matrix& b, const Matrix& c,
                   const Matrix& d) {
  const std::string shape = fmt::format("m{}n{}k{}", w.m, w.n, w.k);
  const auto layout = [](bool by_column) { return by_column ? "col" : "row"; };
  const auto stride = [&](const Matrix& matrix) -> std::string {
    if (l.stride == Stride::kNone) return "";
    if (l.stride == Stride::kConstant) return fmt::format(", {}", matrix.stride);
    return ", %stride";
  };
  const auto set = [&](const Matrix& matrix) {
    return l.stride == Stride::kRegister ? fmt::format("mov.u32 %stride, {};\n", matrix.stride) : "";
  };
  std::string types;
  const bool half = w.a.name == kF16.name;
  if (half)
    types = fmt::format("{}.{}", w.d.name, w.c.name);
  else
    types = fmt::format("{}.{}.{}.{}", w.d.name, w.a.name, w.b.name, w.c.name);
  const std::string operation = w.a.name == kB1.name ? w.suffix + ".popc." : "";
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, "
      ".param .u64 c, .param .u64 d)\n{\n.reg .u64 %p<4>;\n.reg .u32 %stride;\n";
  text += fmt::format(".reg .{} %a<{}>;\n.reg .{} %b<{}>;\n.reg .{} %c<{}>;\n.reg .{} %d<{}>;\n",
                      w.a.bits == 64 ? "f64" : "b32", w.ra, w.b.bits == 64 ? "f64" : "b32", w.rb,
                      register_of(w.c), w.rc, register_of(w.d), w.rd);
  text += "ld.param.u64 %p0, [a];\nld.param.u64 %p1, [b];\nld.param.u64 %p2, [c];\nld.param.u64 %p3, [d];\n";
  text += set(a) + fmt::format("wmma.load.a.sync.aligned.{}.{}.global.{} {}, [%p0+64]{};\n", layout(l.a),
                               shape, w.a.name, registers("a", w.ra), stride(a));
  text += set(b) + fmt::format("wmma.load.b.sync.aligned.{}.{}.{} {}, [%p1+64]{};\n", layout(l.b), shape,
                               w.b.name, registers("b", w.rb), stride(b));
  text += set(c) + fmt::format("wmma.load.c.sync.aligned.{}.{}.global.{} {}, [%p2+64]{};\n", layout(l.c),
                               shape, w.c.name, registers("c", w.rc), stride(c));
  text += fmt::format("wmma.mma.{}sync.aligned.{}.{}.{}.{}{} {}, {}, {}, {};\n", operation, layout(l.a),
                      layout(l.b), shape, types, w.a.name == kB1.name ? "" : w.suffix, registers("d", w.rd),
                      registers("a", w.ra), registers("b", w.rb), registers("c", w.rc));
  text += set(d) + fmt::format("wmma.store.d.sync.aligned.{}.{}.global.{} [%p3+64], {}{};\n", layout(l.d),
                               shape, w.d.name, registers("d", w.rd), stride(d));
  return text + "ret;\n}\n";
}

int product(const WmmaCase& w, int a, int b) {
  if (w.a.name != kB1.name) return a * b;
  return w.suffix == "and" ? a & b : a ^ b;
}

struct Wmma : ::testing::TestWithParam<WmmaCase> {
  static std::vector<std::uint8_t> framed(const std::vector<std::uint8_t>& bytes) {
    std::vector<std::uint8_t> all(64 + bytes.size() + 64, 0xee);
    std::copy(bytes.begin(), bytes.end(), all.begin() + 64);
    return all;
  }
};

TEST_P(Wmma, LoadsMultipliesAndStoresInEveryLayout) {
  const WmmaCase& w = GetParam();
  std::mt19937 random(w.m * 100 + w.n + w.a.bits);
  const bool fixed = w.a.bits < 8;  // of bits and 4-bit numbers A lies by row, B by column
  for (const bool a_column : {false, true})
    for (const bool b_column : {false, true})
      for (const bool c_column : {false, true})
        for (const Stride stride : {Stride::kRegister, Stride::kConstant, Stride::kNone}) {
          if (fixed && (a_column || !b_column)) continue;
          const Layouts l{a_column, b_column, c_column, !c_column, stride};
          const unsigned padding = stride == Stride::kNone ? 0 : 128 / std::min(w.a.bits, 32u);
          Matrix a(w.a, w.m, w.k, l.a, padding), b(w.b, w.k, w.n, l.b, padding),
              c(w.c, w.m, w.n, l.c, padding * 2), d(w.d, w.m, w.n, l.d, padding * 2);
          a.draw(random);
          b.draw(random);
          c.draw(random);
          const std::string text = kernel(w, l, a, b, c, d);
          SCOPED_TRACE(text);
          PtxModule module(text);
          const std::uint64_t at_d = module.buffer(framed(d.bytes));
          const FunctionalResult r =
              module.run("k", {1, 1, 1}, {32, 1, 1}, 0, module.buffer(framed(a.bytes)),
                         module.buffer(framed(b.bytes)), module.buffer(framed(c.bytes)), at_d);
          ASSERT_TRUE(r.ok()) << (r.fault ? r.fault->summary() + "\n" + r.fault->detail : "");
          const std::vector<std::uint8_t> written = module.read<std::uint8_t>(at_d, d.bytes.size() + 128);
          d.bytes.assign(written.begin() + 64, written.end() - 64);
          for (unsigned row = 0; row < w.m; ++row)
            for (unsigned column = 0; column < w.n; ++column) {
              int sum = c.values[row * w.n + column];
              for (unsigned k = 0; k < w.k; ++k)
                sum += product(w, a.values[row * w.k + k], b.values[k * w.n + column]);
              ASSERT_EQ(d.get(row, column), encode(w.d, sum)) << row << ", " << column << ": " << sum;
            }
          // What lies between lines and around is as before.
          std::vector<std::uint8_t> untouched = written;
          for (unsigned row = 0; row < w.m; ++row)
            for (unsigned column = 0; column < w.n; ++column)
              for (unsigned byte = 0; byte < w.d.bits / 8; ++byte)
                untouched[64 + d.bit_of(row, column) / 8 + byte] = 0;
          Matrix empty(w.d, w.m, w.n, l.d, padding * 2);
          EXPECT_EQ(untouched, framed(empty.bytes));
        }
}

std::vector<WmmaCase> cases() {
  std::vector<WmmaCase> all;
  const unsigned shapes[][3] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};
  for (const auto& s : shapes) {
    const unsigned narrow_a = s[0] / 8, narrow_b = s[1] / 8;  // of bytes: 1, 2 or 4
    for (const ElementType* c : {&kF16, &kF32})
      for (const ElementType* d : {&kF16, &kF32})
        all.push_back(
            {s[0], s[1], s[2], kF16, kF16, *c, *d, 8, 8, c == &kF16 ? 4u : 8u, d == &kF16 ? 4u : 8u, ""});
    all.push_back({s[0], s[1], s[2], kBf16, kBf16, kF32, kF32, 2 * narrow_a, 2 * narrow_b, 8, 8, ""});
    all.push_back({s[0], s[1], s[2], kS8, kS8, kS32, kS32, narrow_a, narrow_b, 8, 8, ""});
    all.push_back({s[0], s[1], s[2], kU8, kU8, kS32, kS32, narrow_a, narrow_b, 8, 8, ".satfinite"});
    all.push_back({s[0], s[1], s[2], kS8, kU8, kS32, kS32, narrow_a, narrow_b, 8, 8, ""});
  }
  all.push_back({16, 16, 8, kTf32, kTf32, kF32, kF32, 4, 4, 8, 8, ""});
  all.push_back({8, 8, 4, kF64, kF64, kF64, kF64, 1, 1, 2, 2, ""});
  all.push_back({8, 8, 4, kF64, kF64, kF64, kF64, 1, 1, 2, 2, ".rn"});  // as nvcc writes it
  all.push_back({8, 8, 32, kS4, kS4, kS32, kS32, 1, 1, 2, 2, ""});
  all.push_back({8, 8, 32, kU4, kU4, kS32, kS32, 1, 1, 2, 2, ""});
  all.push_back({8, 8, 128, kB1, kB1, kS32, kS32, 1, 1, 2, 2, "xor"});
  all.push_back({8, 8, 128, kB1, kB1, kS32, kS32, 1, 1, 2, 2, "and"});
  return all;
}
std::string wmma_name(const ::testing::TestParamInfo<WmmaCase>& info) {
  const WmmaCase& w = info.param;
  std::string name = fmt::format("m{}n{}k{}_{}_{}_{}_{}_{}", w.m, w.n, w.k, w.a.name, w.b.name, w.c.name,
                                 w.d.name, w.suffix);
  for (char& c : name)
    if (c == '.') c = 's';
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Wmma, ::testing::ValuesIn(cases()), wmma_name);

constexpr const char* kHead =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
    ".reg .u64 %p;\n.reg .b32 %a<8>;\n.reg .b32 %b<8>;\n.reg .f32 %c<8>;\n.reg .u32 %s;\n"
    ".shared .align 32 .b8 tile[1024];\nld.param.u64 %p, [a];\n";

// Results take the registers of A, and a load those of its own stride: all is read before it is written.
TEST(WmmaRegisters, MayBeThoseOfOperands) {
  const std::string load =
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%p], 16;\n"
      "wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, [%p], 16;\n";
  const std::string apart =
      load +
      "wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%b4,%b5,%b6,%b7}, {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, "
      "{%b0,%b1,%b2,%b3,%b0,%b1,%b2,%b3}, {%a0,%a1,%a2,%a3};\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%p+512], {%b4,%b5,%b6,%b7}, 16;\n";
  const std::string over =
      load +
      "wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%a0,%a1,%a2,%a3}, {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, "
      "{%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, {%a0,%a1,%a2,%a3};\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%p+512], {%a0,%a1,%a2,%a3}, 16;\n";
  const std::string stride =
      "mov.u32 %a0, 16;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%p], %a0;\n" +
      apart.substr(apart.find("wmma.load.b"));
  std::vector<std::vector<std::uint16_t>> results;
  for (const std::string& body : {apart, over, stride}) {
    PtxModule module(kHead + body + "ret;\n}\n");
    std::vector<std::uint16_t> data(512);
    for (unsigned i = 0; i < 256; ++i) data[i] = static_cast<std::uint16_t>(0x3800 + i % 7 * 0x100);
    const std::uint64_t at = module.buffer(data);
    ASSERT_TRUE(module.run("k", {1, 1, 1}, {32, 1, 1}, 0, at).ok());
    results.push_back(module.read<std::uint16_t>(at + 512, 256));
  }
  EXPECT_NE(results[0][0], 0);
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

// A 32-bit address of shared memory, a variable, and a guard that holds for nobody.
TEST(WmmaAddresses, AreThoseOfLoads) {
  PtxModule module(
      std::string(kHead) +
      ".reg .pred %q;\n.reg .f32 %d<8>;\n"
      "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, [%p];\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [tile], {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};\n"
      "mov.u32 %s, tile;\nsetp.eq.u32 %q, %s, -1;\n"
      "@%q wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [tile+4], {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};\n"
      "wmma.load.c.sync.aligned.col.m16n16k16.shared.f32 {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7}, [%s];\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%p], {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7};\n"
      "ret;\n}\n");
  std::vector<float> data(256);
  for (unsigned i = 0; i < 256; ++i) data[i] = static_cast<float>(i);
  const std::uint64_t at = module.buffer(data);
  ASSERT_TRUE(module.run("k", {1, 1, 1}, {32, 1, 1}, 0, at).ok());
  const std::vector<float> transposed = module.read<float>(at, 256);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 16; ++column)
      ASSERT_EQ(transposed[16 * row + column], static_cast<float>(16 * column + row));
}

TEST(WmmaForms, OfOtherRegistersOrShapesAreRefused) {
  const auto refusal = [](const std::string& line) -> std::string {
    try {
      PtxModule module(std::string(kHead) + line + "\nret;\n}\n");
      module.entry("k");
    } catch (const std::exception& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0,%a1,%a2,%a3}, [%p], 16;"),
              ::testing::HasSubstr("needs 8 registers here, found 4"));
  EXPECT_THAT(refusal("wmma.load.a.sync.aligned.row.m16n16k8.global.f16 {%a0,%a1,%a2,%a3}, [%p], 16;"),
              ::testing::HasSubstr("wmma"));
  EXPECT_THAT(refusal("wmma.load.a.sync.aligned.col.m8n8k32.global.s4 {%a0}, [%p], 32;"),
              ::testing::HasSubstr("wmma"));
}

}  // namespace
}  // namespace warpvp::ptx::testing
