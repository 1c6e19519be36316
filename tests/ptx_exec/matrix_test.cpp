// Matrix instructions. Which element a register holds is in matrix_fragments.h; how sums are cut and rounded,
// written once more, in matrix_elements.h. What a chip gives for the same is in
// ../ptx_reference/single_instructions_test.cpp.

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/ptx_exec/matrix_elements.h"
#include "tests/ptx_exec/matrix_fragments.h"
#include "tests/ptx_exec/op_harness.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

/// A kernel that loads a lane's registers, multiplies and stores D; `in_place`: D has C's registers.
std::string kernel(const ProductCase& p, const std::vector<std::string>& types, bool in_place) {
  std::string text =
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 d, .param .u64 a, .param "
      ".u64 b, "
      ".param .u64 c) {\n  .reg .u64 %p<9>; .reg .u32 %t;\n  mov.u32 %t, %tid.x;\n";
  const char* names = "dabc";
  const unsigned counts[] = {p.d, p.a, p.b, p.c};
  std::string operands[4], loads, store;
  for (unsigned n = 0; n < 4; ++n) {
    const unsigned bits = element(types[n]).bits, width = bits == 64 ? 8 : 4;
    const unsigned registers = counts[n] * bits / (8 * width);
    const std::string type = bits == 64 ? "f64" : "b32";
    text += "  .reg ." + type + " %" + names[n] + "<" + std::to_string(registers) + ">;\n";
    loads += std::string("  ld.param.u64 %p") + std::to_string(n) + ", [" + names[n] +
             "];\n  mul.wide.u32 %p5, %t, " + std::to_string(registers * width) + ";\n  add.u64 %p" +
             std::to_string(n) + ", %p" + std::to_string(n) + ", %p5;\n";
    for (unsigned r = 0; r < registers; ++r) {
      const std::string name = std::string("%") + (in_place && n == 0 ? 'c' : names[n]) + std::to_string(r);
      operands[n] += (r == 0 ? "{" : ",") + name;
      const std::string place = "[%p" + std::to_string(n) + "+" + std::to_string(r * width) + "]";
      if (n == 0)
        store += "  st.global." + type + " " + place + ", " + name + ";\n";
      else
        loads += "  ld.global." + type + " " + name + ", " + place + ";\n";
    }
    operands[n] += "}";
  }
  return text + loads + "  mma.sync.aligned." + p.name + " " + operands[0] + ", " + operands[1] + ", " +
         operands[2] + ", " + operands[3] + ";\n" + store + "  ret;\n}\n";
}

/// Multiplies these elements and calls `check(result, row, column, quarter)` with each of D's.
struct Run {
  std::function<u64(unsigned quarter, unsigned row, unsigned column)> a, b, c;
  std::function<void(u64 d, unsigned quarter, unsigned row, unsigned column)> check;
};
void run_product(const ProductCase& p, const Run& run, bool in_place = false) {
  const auto types = types_of(p.name);  // D, A, B, C
  ASSERT_EQ(types.size(), 4u) << p.name;
  const auto quarter = [&](unsigned lane) { return p.quarters == 1 ? 0 : lane % 16 / 4; };
  const auto registers = [&](unsigned count, const std::string& type, const Layout& layout, const auto& of) {
    return registers_of(count, element(type).bits, [&](unsigned lane, unsigned i) {
      const Place at = layout(lane, i);
      return of(quarter(lane), at.row, at.column);
    });
  };
  PtxModule m(kernel(p, types, in_place));
  const auto a = registers(p.a, types[1], p.of_a, run.a), b = registers(p.b, types[2], p.of_b, run.b),
             c = registers(p.c, types[3], p.of_c, run.c);
  const unsigned bits = element(types[0]).bits;
  const auto d = m.outputs<u32>("k", 32, p.d * bits, m.buffer(a), m.buffer(b), m.buffer(c));
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < p.d; ++i) {
      const Place at = p.of_d(lane, i);
      run.check(element_of(d, p.d, bits, lane, i), quarter(lane), at.row, at.column);
      if (::testing::Test::HasFatalFailure()) return;
    }
}

std::vector<ProductCase> real_products() {
  std::vector<ProductCase> all;
  const auto add = [&](const std::string& types, const std::vector<ProductCase>& shapes) {
    for (const ProductCase& c : products_of(types, shapes)) all.push_back(c);
  };
  add(".f16.f16.f16.f16", {k1688, k16816});
  add(".f32.f16.f16.f32", {k1688, k16816});
  add(".f32.bf16.bf16.f32", {k1688, k16816});
  add(".f32.tf32.tf32.f32", {k1684Tf32, k1688Tf32});
  for (const char* a : {".e4m3", ".e5m2"})
    for (const char* b : {".e4m3", ".e5m2"})
      for (const char* sum : {".f32", ".f16"})
        add(std::string(sum) + a + b + sum, {m16_short(16, 4), m16_long(32, 4)});
  for (unsigned n = 0; n < 16; ++n)
    all.push_back(volta((n & 1) != 0, (n & 2) != 0, (n & 4) != 0, (n & 8) != 0));
  return all;
}
std::vector<ProductCase> integer_products() {
  std::vector<ProductCase> all;
  for (const char* a : {"s8", "u8"})
    for (const char* b : {"s8", "u8"})
      for (const char* sat : {"", ".satfinite"})
        for (const ProductCase& c : products_of(std::string(sat) + ".s32." + a + "." + b + ".s32",
                                                {m8(16, 4), m16_short(16, 4), m16_long(32, 4)}))
          all.push_back(c);
  for (const char* a : {"s4", "u4"})
    for (const char* b : {"s4", "u4"})
      for (const char* sat : {"", ".satfinite"})
        for (const ProductCase& c : products_of(std::string(sat) + ".s32." + a + "." + b + ".s32",
                                                {m8(32, 8), m16_short(32, 8), m16_long(64, 8)}))
          all.push_back(c);
  for (const char* op : {".xor.popc", ".and.popc"})
    for (const ProductCase& c : products_of(std::string(".s32.b1.b1.s32") + op,
                                            {m8(128, 32), m16_short(128, 32), m16_long(256, 32)}))
      all.push_back(c);
  return all;
}

std::string case_name(const ::testing::TestParamInfo<ProductCase>& info) {
  std::string name = info.param.name;
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
}

class RealProduct : public ::testing::TestWithParam<ProductCase> {};
class IntegerProduct : public ::testing::TestWithParam<ProductCase> {};
INSTANTIATE_TEST_SUITE_P(Every, RealProduct, ::testing::ValuesIn(real_products()), case_name);
INSTANTIATE_TEST_SUITE_P(Every, IntegerProduct, ::testing::ValuesIn(integer_products()), case_name);

// Small integers: every order of adding gives the same, so this is about who holds what.
TEST_P(RealProduct, PutsEachElementWhereThePtxIsaSays) {
  const ProductCase& p = GetParam();
  const auto types = types_of(p.name);
  const auto a = [](unsigned q, unsigned r, unsigned c) { return double((r * 5 + c * 3 + q) % 7) - 3; };
  const auto b = [](unsigned q, unsigned r, unsigned c) { return double((r * 3 + c * 5 + 2 * q) % 9) - 4; };
  const auto c = [](unsigned q, unsigned r, unsigned c) { return double(r * 8 + c + q); };
  for (const bool in_place : {false, true}) {
    if (in_place && types[0] != types[3]) continue;
    run_product(p,
                {[&](unsigned q, unsigned r, unsigned k) { return bits_of_value(types[1], a(q, r, k)); },
                 [&](unsigned q, unsigned k, unsigned n) { return bits_of_value(types[2], b(q, k, n)); },
                 [&](unsigned q, unsigned r, unsigned n) { return bits_of_value(types[3], c(q, r, n)); },
                 [&](u64 d, unsigned q, unsigned r, unsigned n) {
                   double want = c(q, r, n);
                   for (unsigned k = 0; k < p.k; ++k) want += a(q, r, k) * b(q, k, n);
                   ASSERT_EQ(element(types[0]).value(d), want) << p.name << " row " << r << " column " << n;
                 }},
                in_place);
  }
}

TEST_P(RealProduct, CutsProductsAndRoundsTheirSumAsAChipDoes) {
  const ProductCase& p = GetParam();
  const auto types = types_of(p.name);
  std::mt19937 rng(7);
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::map<std::array<unsigned, 3>, u64> a, b, c;
    const auto drawn = [&](std::map<std::array<unsigned, 3>, u64>& of, const std::string& type, unsigned q,
                           unsigned r, unsigned n) {
      const auto [at, is_new] = of.emplace(std::array{q, r, n}, 0);
      // Magnitudes of 2^-6 to 2^6 with all bits of the fraction.
      if (is_new)
        at->second = bits_of_value(type, std::ldexp(1 + rng() * 0x1p-32, static_cast<int>(rng() % 13) - 6) *
                                             (rng() % 2 != 0 ? 1 : -1));
      return at->second;
    };
    run_product(p, {[&](unsigned q, unsigned r, unsigned k) { return drawn(a, types[1], q, r, k); },
                    [&](unsigned q, unsigned k, unsigned n) { return drawn(b, types[2], q, k, n); },
                    [&](unsigned q, unsigned r, unsigned n) { return drawn(c, types[3], q, r, n); },
                    [&](u64 d, unsigned q, unsigned r, unsigned n) {
                      const double before = element(types[3]).value(c.at({q, r, n}));
                      std::vector<std::pair<double, double>> products;
                      for (unsigned k = 0; k < p.k; ++k)
                        products.emplace_back(element(types[1]).value(a.at({q, r, k})),
                                              element(types[2]).value(b.at({q, k, n})));
                      double sum = 0;
                      if (p.quarters == 4) {  // m8n8k4: exact, then rounded
                        __float128 exact = before;
                        for (const auto& [x, y] : products) exact += static_cast<__float128>(x) * y;
                        sum = types[0] == "f16"
                                  ? value_of(kHalfFormat, bits_of_value("f16", static_cast<double>(exact)))
                                  : toward_zero(exact);
                      } else {
                        sum = gh100_product(types[0], types[1], before, products);
                      }
                      ASSERT_EQ(element(types[0]).value(d), sum) << p.name << " row " << r << " column " << n;
                    }});
  }
}

class DoubleProduct : public ::testing::TestWithParam<unsigned> {
 protected:
  /// m16n8k4, m16n8k8, m16n8k16; 0: m8n8k4.
  static ProductCase product() {
    ProductCase p = k884F64;
    if (const unsigned k = GetParam(); k != 0) {
      p.name = "m16n8k" + std::to_string(k) + ".row.col";
      p.m = 16;
      p.k = k;
      p.a = k / 2;
      p.b = k / 4;
      p.c = p.d = 4;
      p.of_a = [](unsigned l, unsigned i) -> Place {
        return {group(l) + 8 * (i % 2), in_group(l) + 4 * (i / 2)};
      };
      p.of_b = [](unsigned l, unsigned i) -> Place { return {in_group(l) + 4 * i, group(l)}; };
      p.of_c = p.of_d = &c_of_m16;
    }
    p.name += ".f64.f64.f64.f64";
    if (GetParam() == 4) p.name += ".rn";  // as nvcc and CUTLASS write it
    return p;
  }
};

TEST_P(DoubleProduct, IsAChainOfMultiplyAdds) {
  const ProductCase p = product();
  std::mt19937_64 rng(3);
  std::map<std::array<unsigned, 2>, double> a, b, c;
  const auto drawn = [&](std::map<std::array<unsigned, 2>, double>& of, unsigned r, unsigned n) {
    const auto [at, is_new] = of.emplace(std::array{r, n}, 0);
    if (is_new) at->second = std::ldexp(static_cast<double>(static_cast<std::int64_t>(rng())), -60);
    return bits(at->second);
  };
  run_product(p, {[&](unsigned, unsigned r, unsigned k) { return drawn(a, r, k); },
                  [&](unsigned, unsigned k, unsigned n) { return drawn(b, k, n); },
                  [&](unsigned, unsigned r, unsigned n) { return drawn(c, r, n); },
                  [&](u64 d, unsigned, unsigned r, unsigned n) {
                    double sum = c.at({r, n});
                    for (unsigned k = 0; k < p.k; ++k) sum = std::fma(a.at({r, k}), b.at({k, n}), sum);
                    ASSERT_EQ(d, bits(sum));
                  }});
}

INSTANTIATE_TEST_SUITE_P(Shapes, DoubleProduct, ::testing::Values(0, 4, 8, 16));

TEST_P(IntegerProduct, OfRandomElements) {
  const ProductCase& p = GetParam();
  const auto types = types_of(p.name);
  const bool clamps = p.name.find("satfinite") != std::string::npos,
             is_and = p.name.find(".and.") != std::string::npos;
  std::mt19937 rng(11);
  std::map<std::array<unsigned, 2>, u64> a, b, c;
  const auto drawn = [&](std::map<std::array<unsigned, 2>, u64>& of, unsigned bits, unsigned r, unsigned n) {
    const auto [at, is_new] = of.emplace(std::array{r, n}, 0);
    if (is_new) at->second = rng() & ((u64{1} << bits) - 1);
    return at->second;
  };
  run_product(
      p, {[&](unsigned, unsigned r, unsigned k) { return drawn(a, element(types[1]).bits, r, k); },
          [&](unsigned, unsigned k, unsigned n) { return drawn(b, element(types[2]).bits, k, n); },
          // Near both ends, so that some sums leave the range.
          [&](unsigned, unsigned r, unsigned n) {
            return c.emplace(std::array{r, n}, ((r + n) % 2 != 0 ? 0x7fffff00u : 0x80000100u) + rng() % 256)
                .first->second;
          },
          [&](u64 d, unsigned, unsigned r, unsigned n) {
            std::int64_t sum = static_cast<std::int32_t>(c.at({r, n}));
            for (unsigned k = 0; k < p.k; ++k) {
              const auto x = static_cast<std::int64_t>(element(types[1]).value(a.at({r, k})));
              const auto y = static_cast<std::int64_t>(element(types[2]).value(b.at({k, n})));
              sum += types[1] != "b1" ? x * y : is_and ? x & y : x ^ y;
            }
            if (clamps) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
            ASSERT_EQ(d, static_cast<u32>(sum)) << p.name << " row " << r << " column " << n;
          }});
}

// What exact sums and their rounding do at the edges. One row and column are looked at; the rest is zero.
u64 edge(const std::string& types, std::vector<double> a, std::vector<double> b, double c) {
  ProductCase p = k1688;
  p.name += types;
  const auto names = types_of(p.name);
  u64 result = 0;
  run_product(
      p, {[&](unsigned, unsigned r, unsigned k) {
            return r == 3 && k < a.size() ? bits_of_value(names[1], a[k]) : 0;
          },
          [&](unsigned, unsigned k, unsigned n) {
            return n == 5 && k < b.size() ? bits_of_value(names[2], b[k]) : 0;
          },
          [&](unsigned, unsigned r, unsigned n) { return r == 3 && n == 5 ? bits_of_value(names[3], c) : 0; },
          [&](u64 d, unsigned, unsigned r, unsigned n) {
            if (r == 3 && n == 5) result = d;
          }});
  return result;
}

TEST(MatrixProduct, TermsAreCutTwoPlacesBelowTheLastAndAddedAtOnce) {
  const std::string singles = ".f32.f16.f16.f32", halves = ".f16.f16.f16.f16", brains = ".f32.bf16.bf16.f32";
  // Two of an eighth of the last place of 1 are lost one by one; of a quarter each, four are a last place.
  const double eighth = 0x1p-13, quarter = 0x1p-12;
  EXPECT_EQ(f32(edge(singles, {eighth, eighth, eighth, eighth, eighth, eighth, eighth, eighth},
                     {eighth, eighth, eighth, eighth, eighth, eighth, eighth, eighth}, 1)),
            1.0f);
  EXPECT_EQ(f32(edge(singles, {quarter, quarter, quarter, quarter}, {eighth, eighth, eighth, eighth}, 1)),
            1 + 0x1p-23f);
  EXPECT_EQ(f32(edge(singles, {quarter, quarter, quarter}, {eighth, eighth, eighth}, 1)), 1.0f);
  EXPECT_EQ(f32(edge(singles, {-quarter}, {eighth}, 1)), std::nextafter(1.0f, 0.0f)) << "toward zero";
  EXPECT_EQ(f32(edge(singles, {-eighth}, {eighth}, 1)), 1.0f) << "cut to nothing";
  // Large terms cancel, and what was small beside them is gone with them, wherever they stand.
  EXPECT_EQ(f32(edge(brains, {0x1p60, -0x1p60, 0x1p-20}, {0x1p30, 0x1p30, 1}, 0)), 0.0f);
  EXPECT_EQ(f32(edge(brains, {0x1p60, 0x1p65, -0x1p60}, {0x1p30, 1, 0x1p30}, 0)), 0x1p65f);
  // The largest is the one of the greatest exponents: 3 * 3 has 2 and is cut as 4 is.
  EXPECT_EQ(f32(edge(singles, {3, -3, 0x1p-12}, {3, 3, 0x1p-11}, 0)), 0x1p-23f);
  EXPECT_EQ(f32(edge(singles, {4, -4, 0x1p-11}, {2, 2, 0x1p-12}, 0)), 0.0f);
  EXPECT_EQ(edge(halves, {1, 0x1p-10}, {0x1p-11, 0x1p-4}, 1), 0x3c01u) << "to nearest: above the middle";
  EXPECT_EQ(edge(halves, {1}, {0x1p-11}, 1), 0x3c00u) << "the middle, to even";
}
// Of m8n8k4 nothing is cut, also what double precision does not hold beside the accumulator.
TEST(MatrixProduct, OfVoltaIsExactBeforeItIsRounded) {
  const ProductCase p = volta(true, true, false, false);
  ASSERT_EQ(types_of(p.name)[0], "f32") << p.name;
  ASSERT_EQ(types_of(p.name)[3], "f32") << p.name;
  run_product(p, {[](unsigned, unsigned, unsigned k) { return bits_of_value("f16", k == 0 ? -0x1p-14 : 0); },
                  [](unsigned, unsigned k, unsigned) { return bits_of_value("f16", k == 0 ? 0x1p-14 : 0); },
                  [](unsigned, unsigned, unsigned) { return bits_of_value("f32", 0x1p80); },
                  [](u64 d, unsigned, unsigned, unsigned) {
                    ASSERT_EQ(f32(static_cast<u32>(d)), std::nextafter(0x1p80f, 0.0f))
                        << "toward zero, however far";
                  }});
}
TEST(MatrixProduct, InfinitiesAndNaNs) {
  const std::string singles = ".f32.f16.f16.f32", halves = ".f16.f16.f16.f16", brains = ".f32.bf16.bf16.f32";
  EXPECT_EQ(edge(singles, {INFINITY}, {1}, 5), 0x7f800000u);
  EXPECT_EQ(edge(singles, {INFINITY, -INFINITY}, {1, 1}, 5), 0x7fffffffu);
  EXPECT_EQ(edge(singles, {INFINITY}, {0}, 5), 0x7fffffffu);
  EXPECT_EQ(edge(singles, {1}, {1}, NAN), 0x7fffffffu);
  EXPECT_EQ(edge(halves, {INFINITY}, {0}, 5), 0x7fffu);
  EXPECT_EQ(edge(halves, {60000}, {2}, 0), 0x7c00u);
  EXPECT_EQ(edge(brains, {0x1p100}, {0x1p100}, 0), 0x7f800000u);
  EXPECT_EQ(edge(singles, {0x1p-24}, {0x1p-24}, 0x1p-149), 0x27800000u) << "subnormal numbers count";
}

TEST(MatrixProduct, WrongFragmentsAndFormsAreRefused) {
  const auto refusal = [](const std::string& instruction) {
    try {
      PtxModule m(
          ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k() { .reg .b32 %r<9>; .reg .f32 "
          "%f<9>; "
          ".reg .b16 %h<9>; .reg .f64 %d<9>; " +
          instruction + "; ret; }");
      m.entry("k");
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, "
                      "{%r3,%r4}, {%f1,%f2,%f3,%f4}"),
              ::testing::HasSubstr("needs 4 registers here, found 2"));
  EXPECT_THAT(refusal("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%h1}, "
                      "{%f1,%f2,%f3,%f4}"),
              ::testing::HasSubstr("'%h1' of type .b16"));
  EXPECT_THAT(refusal("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,1}, {%r3}, "
                      "{%f1,%f2,%f3,%f4}"),
              ::testing::HasSubstr("needs registers here"));
  EXPECT_NE(refusal("mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, "
                    "{%f1,%f2,%f3,%f4}"),
            "");
  EXPECT_NE(refusal("mma.sync.aligned.m16n8k32.row.col.f64.f64.f64.f64 {%f1}, {%f1}, {%f1}, {%f1}"), "");
  for (const std::string name :
       {"mma.sync.aligned.m8n8k4.row.col.", "wmma.mma.sync.aligned.row.col.m8n8k4."}) {
    const std::string operands = " {%d1,%d2}, {%d3}, {%d4}, {%d1,%d2}";
    EXPECT_EQ(refusal(name + "rn.f64.f64.f64.f64" + operands), "");
    EXPECT_EQ(refusal(name + "f64.f64.f64.f64.rn" + operands), "");
    EXPECT_NE(refusal(name + "rn.f64.f64.f64.f64.rn" + operands), "");
  }
  EXPECT_THAT(refusal("wgmma.fence.sync.aligned"),
              ::testing::HasSubstr("instruction 'wgmma' is not supported"));
  EXPECT_THAT(refusal("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%r2]"),
              ::testing::HasSubstr("needs 2 registers"));
}

}  // namespace
}  // namespace warpvp::ptx::testing
