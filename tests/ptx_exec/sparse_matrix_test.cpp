// mma.sp. The tests draw a matrix A with zeros where the pattern has them, compress it and write the metadata
// as the PTX ISA's section on sparse matrices has it (9.7.14.6), and compare with the product of all of A.

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "tests/ptx_exec/matrix_elements.h"
#include "tests/ptx_exec/matrix_fragments.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

using Matrix2d = std::vector<std::vector<u64>>;

/// Of the elements of A in a row: `kept` of every `chunk` are there, in units of `unit` side by side.
struct Pattern {
  unsigned chunk, kept, unit;
};
/// Where the four bits that describe chunk `n` of row `r` are.
struct Bits {
  unsigned lane, shift;
};
struct SparseCase {
  std::string name;  ///< suffixes behind mma.sp.sync.aligned
  unsigned k;
  Pattern pattern;
  ProductCase dense_a;  ///< of half the depth: A's layout is its
  ProductCase dense;    ///< of B, C and D
  unsigned selectors;
  std::function<Bits(unsigned selector, unsigned row, unsigned chunk)> metadata;
};
void PrintTo(const SparseCase& c, std::ostream* os) { *os << c.name; }

/// B of shapes that mma has not: register r holds rows `each` * 4 * r and on.
ProductCase of_depth(unsigned k, unsigned each) {
  ProductCase p = k16816;
  p.k = k;
  p.b = k / 4;
  p.of_b = [=](unsigned l, unsigned i) -> Place {
    return {i / each * 4 * each + in_group(l) * each + i % each, group(l)};
  };
  return p;
}

// The figures on metadata, one by one. A word of f16, bf16 and tf32 has 16 bits of row g and 16 of row g + 8.
Bits one_lane(unsigned f, unsigned row, unsigned n) { return {row % 8 * 4 + f, 4 * n + (row < 8 ? 0 : 16)}; }
Bits pair_of_halves(unsigned f, unsigned row, unsigned n) {
  const unsigned lane = f == 0 ? (n < 4 ? 0 : 1) : (n < 4 ? 2 : 3);
  return {row % 8 * 4 + lane, 4 * (n % 4) + (row < 8 ? 0 : 16)};
}
// One of narrower elements has 32 bits of a row.
Bits pair_of_rows(unsigned f, unsigned row, unsigned n) {
  return {row % 8 * 4 + 2 * f + (row < 8 ? 0 : 1), 4 * n};
}
Bits all_lanes(unsigned, unsigned row, unsigned n) {
  const unsigned lane = row < 8 ? (n < 8 ? 0 : 2) : (n < 8 ? 1 : 3);
  return {row % 8 * 4 + lane, 4 * (n % 8)};
}

std::vector<SparseCase> sparse_cases() {
  constexpr Pattern kTwoOfFour{4, 2, 1}, kOneOfTwo{2, 1, 1}, kPairs{8, 4, 2};
  std::vector<SparseCase> all;
  for (const char* types : {".f16.f16.f16.f16", ".f32.f16.f16.f32", ".f32.bf16.bf16.f32"}) {
    all.push_back(
        {std::string("m16n8k16.row.col") + types, 16, kTwoOfFour, k1688, of_depth(16, 2), 4, &one_lane});
    all.push_back({std::string("m16n8k32.row.col") + types, 32, kTwoOfFour, k16816, of_depth(32, 2), 2,
                   &pair_of_halves});
  }
  all.push_back({"m16n8k8.row.col.f32.tf32.tf32.f32", 8, kOneOfTwo, k1684Tf32, of_depth(8, 1), 4, &one_lane});
  all.push_back(
      {"m16n8k16.row.col.f32.tf32.tf32.f32", 16, kOneOfTwo, k1688Tf32, of_depth(16, 1), 2, &pair_of_halves});
  for (const char* a : {".e4m3", ".e5m2"})
    for (const char* b : {".e4m3", ".e5m2"})
      all.push_back({std::string("m16n8k64.row.col.f32") + a + b + ".f32", 64, kTwoOfFour, m16_long(32, 4),
                     of_depth(64, 4), 1, &all_lanes});
  for (const char* sat : {"", ".satfinite"})
    for (const char* a : {"8", "4"})
      for (const char* sa : {".s", ".u"})
        for (const char* sb : {".s", ".u"}) {
          const bool byte = *a == '8';
          const std::string types = std::string(sat) + ".s32" + sa + a + sb + a + ".s32";
          const unsigned k = byte ? 32 : 64, each = byte ? 4 : 8;
          const Pattern pattern = byte ? kTwoOfFour : kPairs;
          all.push_back({"m16n8k" + std::to_string(k) + ".row.col" + types, k, pattern,
                         m16_short(k / 2, each), of_depth(k, each), 2, &pair_of_rows});
          all.push_back({"m16n8k" + std::to_string(2 * k) + ".row.col" + types, 2 * k, pattern,
                         m16_long(k, each), of_depth(2 * k, each), 1, &all_lanes});
        }
  // .satfinite at the end, as some libraries write it.
  all.push_back({"m16n8k64.row.col.s32.s8.s8.s32.satfinite", 64, kTwoOfFour, m16_long(32, 4), of_depth(64, 4),
                 1, &all_lanes});
  return all;
}

std::string kernel(const SparseCase& c, bool ordered, unsigned selector, const std::vector<unsigned>& words) {
  std::string text =
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 d, .param .u64 a, .param "
      ".u64 b, .param .u64 c, .param .u64 e) {\n  .reg .u64 %p<9>; .reg .u32 %t;\n  mov.u32 %t, %tid.x;\n";
  std::string operands, loads, store;
  const char* names = "dabce";
  for (unsigned n = 0; n < 5; ++n) {
    const std::string p = "%p" + std::to_string(n);
    text += std::string("  .reg .b32 %") + names[n] + "<" + std::to_string(words[n]) + ">;\n";
    loads += "  ld.param.u64 " + p + ", [" + names[n] + "];\n  mul.wide.u32 %p5, %t, " +
             std::to_string(4 * words[n]) + ";\n  add.u64 " + p + ", " + p + ", %p5;\n";
    operands += n == 4 ? "" : "{";
    for (unsigned r = 0; r < words[n]; ++r) {
      const std::string name = std::string("%") + names[n] + std::to_string(r);
      operands += (r == 0 ? "" : ",") + name;
      const std::string place = "[" + p + "+" + std::to_string(4 * r) + "]";
      (n == 0 ? store : loads) += n == 0 ? "  st.global.b32 " + place + ", " + name + ";\n"
                                         : "  ld.global.b32 " + name + ", " + place + ";\n";
    }
    operands += n == 4 ? ", " : "}, ";
  }
  return text + loads + "  mma.sp" + (ordered ? "::ordered_metadata" : "") + ".sync.aligned." + c.name + " " +
         operands + std::to_string(selector) + ";\n" + store + "  ret;\n}\n";
}

/// A with zeros, its other elements side by side, the columns where they are, and the metadata of all lanes.
struct Compressed {
  Matrix2d all, kept, columns;
  std::vector<u32> metadata;
};
Compressed compressed(const SparseCase& c, bool ordered, unsigned selector, std::mt19937& rng,
                      const std::function<u64()>& draw) {
  const Pattern& p = c.pattern;
  Compressed m{Matrix2d(16, std::vector<u64>(c.k)), Matrix2d(16), Matrix2d(16), std::vector<u32>(32)};
  std::vector<u32> ours(32);
  for (u32& word : m.metadata) word = static_cast<u32>(rng());  // of lanes that are not asked
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned n = 0; n < c.k / p.chunk; ++n) {
      const unsigned places = p.chunk / p.unit;
      unsigned first = static_cast<unsigned>(rng() % places),
               second = static_cast<unsigned>(rng() % (places - 1));
      second += second >= first ? 1 : 0;
      std::vector<unsigned> chosen = {first, second};
      if (p.chunk == 2) chosen = {first};
      if (ordered) std::sort(chosen.begin(), chosen.end());
      unsigned bits = 0;
      for (unsigned i = 0; i < chosen.size(); ++i) {
        bits |= chosen[i] << (2 * i);
        for (unsigned u = 0; u < p.unit; ++u) {
          const u64 v = draw();
          m.all[row][n * p.chunk + chosen[i] * p.unit + u] = v;
          m.kept[row].push_back(v);
          m.columns[row].push_back(n * p.chunk + chosen[i] * p.unit + u);
        }
      }
      // 1:2: the two numbers are those of the halves of the element.
      if (p.chunk == 2) bits = first == 0 ? 0b0100 : 0b1110;
      const Bits at = c.metadata(selector, row, n);
      m.metadata[at.lane] &= ~(15u << at.shift);
      m.metadata[at.lane] |= bits << at.shift;
    }
  return m;
}

class SparseProduct : public ::testing::TestWithParam<SparseCase> {
 protected:
  /// Runs the product of the drawn matrices and hands each element of D to `check`.
  void run(const std::function<u64(unsigned operand)>& draw,
           const std::function<void(const Compressed&, const Matrix2d& b, u64 c, u64 d, unsigned row,
                                    unsigned column)>& check) {
    const SparseCase& c = GetParam();
    const auto types = types_of(c.name);  // D, A, B, C
    ASSERT_EQ(types.size(), 4u);
    std::mt19937 rng(17);
    for (const bool ordered : {false, true})
      for (unsigned selector = 0; selector < c.selectors; ++selector) {
        const Compressed m = compressed(c, ordered, selector, rng, [&] { return draw(1); });
        Matrix2d b(c.k, std::vector<u64>(8)), sums(16, std::vector<u64>(8));
        for (auto& row : b)
          for (u64& v : row) v = draw(2);
        for (auto& row : sums)
          for (u64& v : row) v = draw(3);
        const auto of = [](const Layout& layout, const Matrix2d& matrix) {
          return [&layout, &matrix](unsigned lane, unsigned i) {
            const Place at = layout(lane, i);
            return matrix[at.row][at.column];
          };
        };
        const unsigned bits[] = {element(types[0]).bits, element(types[1]).bits, element(types[2]).bits};
        const auto a = registers_of(c.dense_a.a, bits[1], of(c.dense_a.of_a, m.kept)),
                   bs = registers_of(c.dense.b, bits[2], of(c.dense.of_b, b)),
                   cs = registers_of(4, bits[0], of(c.dense.of_c, sums));
        const auto words = [](const std::vector<u32>& v) { return static_cast<unsigned>(v.size() / 32); };
        PtxModule module(kernel(c, ordered, selector, {words(cs), words(a), words(bs), words(cs), 1}));
        const auto d = module.outputs<u32>("k", 32, cs.size(), module.buffer(a), module.buffer(bs),
                                           module.buffer(cs), module.buffer(m.metadata));
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned i = 0; i < 4; ++i) {
            const Place at = c.dense.of_d(lane, i);
            check(m, b, sums[at.row][at.column], element_of(d, 4, bits[0], lane, i), at.row, at.column);
            if (HasFatalFailure()) return;
          }
      }
  }
};

std::string sparse_case_name(const ::testing::TestParamInfo<SparseCase>& info) {
  std::string name = info.param.name;
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
}
INSTANTIATE_TEST_SUITE_P(Every, SparseProduct, ::testing::ValuesIn(sparse_cases()), sparse_case_name);

// Integers, and reals that are small integers: every order of adding gives the same.
TEST_P(SparseProduct, IsThatOfTheMatrixWithItsZeros) {
  const auto types = types_of(GetParam().name);
  const bool real = types[0] != "s32", clamps = GetParam().name.find("satfinite") != std::string::npos;
  std::mt19937 rng(5);
  run(
      [&](unsigned operand) -> u64 {
        const std::string& type = types[operand];
        if (real) return bits_of_value(type, static_cast<double>(rng() % 9) - 4);
        if (operand == 3) return (rng() % 2 != 0 ? 0x7fffff00u : 0x80000100u) + rng() % 256;
        return rng() & ((1u << element(type).bits) - 1);
      },
      [&](const Compressed& m, const Matrix2d& b, u64 c, u64 d, unsigned row, unsigned column) {
        double sum = element(types[3]).value(c);
        for (unsigned k = 0; k < GetParam().k; ++k)
          sum += element(types[1]).value(m.all[row][k]) * element(types[2]).value(b[k][column]);
        if (real) {
          ASSERT_EQ(element(types[0]).value(d), sum) << "row " << row << " column " << column;
          return;
        }
        auto whole = static_cast<std::int64_t>(sum);
        if (clamps) whole = std::min<std::int64_t>(std::max<std::int64_t>(whole, INT32_MIN), INT32_MAX);
        ASSERT_EQ(d, static_cast<u32>(whole)) << "row " << row << " column " << column;
      });
}

class SparseRealProduct : public SparseProduct {};
std::vector<SparseCase> sparse_real_cases() {
  std::vector<SparseCase> all = sparse_cases();
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const SparseCase& c) { return types_of(c.name)[0] == "s32"; }),
            all.end());
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, SparseRealProduct, ::testing::ValuesIn(sparse_real_cases()),
                         sparse_case_name);

TEST_P(SparseRealProduct, AddsWhatADenseOneOfHalfTheDepthAdds) {
  const auto types = types_of(GetParam().name);
  std::mt19937 rng(23);
  run(
      [&](unsigned operand) {
        return bits_of_value(
            types[operand],
            std::ldexp(1 + rng() * 0x1p-32, static_cast<int>(rng() % 13) - 6) * (rng() % 2 != 0 ? 1 : -1));
      },
      [&](const Compressed& m, const Matrix2d& b, u64 c, u64 d, unsigned row, unsigned column) {
        std::vector<std::pair<double, double>> products;
        for (unsigned k = 0; k < m.kept[row].size(); ++k)
          products.emplace_back(element(types[1]).value(m.kept[row][k]),
                                element(types[2]).value(b[m.columns[row][k]][column]));
        ASSERT_EQ(products.size(), GetParam().k / 2);
        ASSERT_EQ(element(types[0]).value(d),
                  gh100_product(types[0], types[1], element(types[3]).value(c), products))
            << "row " << row << " column " << column;
      });
}

// The A100 has twice the rate for them (its whitepaper, "Fine-grained structured sparsity").
TEST(SparseMatrix, CountsTheMultiplyAddsOfADenseProductOfHalfTheDepth) {
  struct Size {
    unsigned multiply_adds;
    bool sparse;
  };
  const auto size = [](const std::string& instruction) -> Size {
    PtxModule m(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k() { .reg .b32 %r<20>; .reg .f32 "
        "%f<9>; " +
        instruction + "; ret; }");
    for (const Inst& i : m.entry("k")->code)
      if (i.opcode == Opcode::mma)
        return {1u << (i.access_bytes & ~kSparseProduct), (i.access_bytes & kSparseProduct) != 0};
    return {0, false};
  };
  const std::string types = ".row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, ",
                    c = "{%f1,%f2,%f3,%f4}";
  const Size dense = size("mma.sync.aligned.m16n8k16" + types + "{%r5,%r6}, " + c),
             sparse = size("mma.sp.sync.aligned.m16n8k32" + types + "{%r5,%r6,%r7,%r8}, " + c + ", %r9, 0");
  EXPECT_EQ(dense.multiply_adds, 16u * 8 * 16);
  EXPECT_EQ(sparse.multiply_adds, 16u * 8 * 16);
  EXPECT_FALSE(dense.sparse);
  EXPECT_TRUE(sparse.sparse);
}

TEST(SparseMatrix, ForbiddenFormsAreRefused) {
  const auto refusal = [](const std::string& instruction) {
    try {
      PtxModule m(
          ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k() { .reg .b32 %r<20>; .reg .f32 "
          "%f<9>; " +
          instruction + "; ret; }");
      m.entry("k");
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string half = "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, ",
                    a = "{%r1,%r2,%r3,%r4}, ", b = "{%r5,%r6,%r7,%r8}, ", c = "{%f1,%f2,%f3,%f4}, ";
  EXPECT_EQ(refusal(half + a + b + c + "%r9, 1"), "");
  EXPECT_THAT(
      refusal(half + a + b + c + "%r9, 2"),
      ::testing::HasSubstr("the sparsity selector of 'mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32' "
                           "is 2; a constant there is between 0 and 1"));
  EXPECT_THAT(refusal(half + a + b + c + "%r9, %r10"),
              ::testing::HasSubstr("needs an integer constant here"));
  EXPECT_THAT(refusal(half + a + b + c + "17, 0"), ::testing::HasSubstr("needs registers here"));
  EXPECT_THAT(refusal(half + "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, " + b + c + "%r9, 0"),
              ::testing::HasSubstr("needs 4 registers here, found 8"));
  EXPECT_THAT(refusal(half + a + b + c + "%r9"), ::testing::HasSubstr("takes 6 operands, found 5"));
  EXPECT_NE(refusal("mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1}, {%r2}, "
                    "{%f1,%f2,%f3,%f4}, %r3, 0"),
            "");
}

}  // namespace
}  // namespace warpvp::ptx::testing
