// Video instructions against the pseudocode of the PTX ISA, written here with selectors as text.

#include <random>

#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

using i64 = std::int64_t;
using u32 = std::uint32_t;
using VideoRandom = std::mt19937;

constexpr unsigned kVideoThreads = 32;

/// One instruction of a kernel that applies many, with what each should give.
struct Written {
  std::string text;
  std::function<u32(u32 a, u32 b, u32 c)> reference;
};

i64 sign_or_zero(u32 v, unsigned bits, const std::string& type) {
  if (type == "s32") return bits == 8 ? std::int8_t(v) : bits == 16 ? std::int16_t(v) : std::int32_t(v);
  return bits == 8 ? v & 0xff : bits == 16 ? v & 0xffff : v;
}
i64 part(u32 v, const std::string& selector, const std::string& type) {
  if (selector.empty()) return sign_or_zero(v, 32, type);
  const unsigned n = static_cast<unsigned>(selector[2] - '0');
  return selector[1] == 'b' ? sign_or_zero(v >> (8 * n), 8, type) : sign_or_zero(v >> (16 * n), 16, type);
}
i64 clamped(i64 v, i64 low, i64 high) { return std::min(std::max(v, low), high); }
i64 saturated(i64 v, unsigned bits, const std::string& type) {
  if (type == "s32") return clamped(v, -(i64{1} << (bits - 1)), (i64{1} << (bits - 1)) - 1);
  return clamped(v, 0, (i64{1} << bits) - 1);
}
i64 operation(const std::string& name, i64 a, i64 b) {
  if (name == "vadd") return a + b;
  if (name == "vsub") return a - b;
  if (name == "vabsdiff") return std::abs(a - b);
  if (name == "vmin") return std::min(a, b);
  if (name == "vmax") return std::max(a, b);
  if (name == "vavrg") return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
  ADD_FAILURE() << name;
  return 0;
}
bool compared(const std::string& c, i64 a, i64 b) {
  return c == "eq"   ? a == b
         : c == "ne" ? a != b
         : c == "lt" ? a < b
         : c == "le" ? a <= b
         : c == "gt" ? a > b
                     : a >= b;
}
u32 merge(u32 c, i64 t, const std::string& selector) {
  if (selector.empty()) return static_cast<u32>(t);
  const unsigned bits = selector[1] == 'b' ? 8 : 16, shift = bits * static_cast<unsigned>(selector[2] - '0');
  const u32 mask = (bits == 8 ? 0xffu : 0xffffu) << shift;
  return (c & ~mask) | ((static_cast<u32>(t) << shift) & mask);
}
i64 second(const std::string& name, i64 t, u32 c, const std::string& dtype) {
  const i64 third = sign_or_zero(c, 32, dtype);
  return name == ".add"   ? t + third
         : name == ".min" ? std::min(t, third)
         : name == ".max" ? std::max(t, third)
                          : t;
}

template <class T>
const T& one_of(const std::vector<T>& from, VideoRandom& random) {
  return from[random() % from.size()];
}
const std::vector<std::string> kVideoTypes = {"u32", "s32"},
                               kParts = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"}, kSat = {"", ".sat"},
                               kSeconds = {".add", ".min", ".max"},
                               kCompares = {"eq", "ne", "lt", "le", "gt", "ge"};

// How a scalar instruction ends: alone, with a secondary operation, or merged into c.
struct Ending {
  std::string second, selector;
  bool third;
};
Ending ending(VideoRandom& random) {
  switch (random() % 3) {
    case 0:
      return {"", "", false};
    case 1:
      return {one_of(kSeconds, random), "", true};
    default:
      return {"", kParts[1 + random() % 6], true};
  }
}

Written scalar(VideoRandom& random) {
  const std::string name = one_of<std::string>({"vadd", "vsub", "vabsdiff", "vmin", "vmax"}, random),
                    d = one_of(kVideoTypes, random), a = one_of(kVideoTypes, random),
                    b = one_of(kVideoTypes, random), as = one_of(kParts, random), bs = one_of(kParts, random),
                    sat = one_of(kSat, random);
  const Ending e = ending(random);
  return {name + "." + d + "." + a + "." + b + sat + e.second + " %d" + e.selector + ", %a" + as + ", %b" +
              bs + (e.third ? ", %c" : ""),
          [=](u32 x, u32 y, u32 z) {
            i64 t = operation(name, part(x, as, a), part(y, bs, b));
            if (!sat.empty()) t = saturated(t, e.selector.empty() ? 32 : e.selector[1] == 'b' ? 8 : 16, d);
            return merge(z, second(e.second, t, z, d), e.selector);
          }};
}

Written shift(VideoRandom& random) {
  const std::string name = one_of<std::string>({"vshl", "vshr"}, random), d = one_of(kVideoTypes, random),
                    a = one_of(kVideoTypes, random), as = one_of(kParts, random), bs = one_of(kParts, random),
                    sat = one_of(kSat, random), mode = one_of<std::string>({".clamp", ".wrap"}, random);
  const Ending e = ending(random);
  return {name + "." + d + "." + a + ".u32" + sat + mode + e.second + " %d" + e.selector + ", %a" + as +
              ", %b" + bs + (e.third ? ", %c" : ""),
          [=](u32 x, u32 y, u32 z) {
            const i64 n = part(y, bs, "u32"), by = mode == ".wrap" ? n % 32 : std::min<i64>(n, 32);
            i64 t = part(x, as, a);
            for (i64 k = 0; k < by; ++k)
              t = name == "vshl" ? static_cast<i64>(static_cast<std::uint64_t>(t) * 2) : t >> 1;
            if (!sat.empty()) t = saturated(t, e.selector.empty() ? 32 : e.selector[1] == 'b' ? 8 : 16, d);
            return merge(z, second(e.second, t, z, d), e.selector);
          }};
}

Written set(VideoRandom& random) {
  const std::string a = one_of(kVideoTypes, random), b = one_of(kVideoTypes, random),
                    c = one_of(kCompares, random), as = one_of(kParts, random), bs = one_of(kParts, random);
  const Ending e = ending(random);
  return {"vset." + a + "." + b + "." + c + e.second + " %d" + e.selector + ", %a" + as + ", %b" + bs +
              (e.third ? ", %c" : ""),
          [=](u32 x, u32 y, u32 z) {
            const i64 t = compared(c, part(x, as, a), part(y, bs, b)) ? 1 : 0;
            return merge(z, second(e.second, t, z, "u32"), e.selector);
          }};
}

Written multiply(VideoRandom& random) {
  const std::string d = one_of(kVideoTypes, random), a = one_of(kVideoTypes, random),
                    b = one_of(kVideoTypes, random), as = one_of(kParts, random), bs = one_of(kParts, random),
                    sat = one_of(kSat, random), scale = one_of<std::string>({"", ".shr7", ".shr15"}, random);
  const bool po = random() % 4 == 0;
  const unsigned sign = po ? 0 : random() % 4;  // 1: -a, 2: -b, 3: -c
  return {"vmad." + d + "." + a + "." + b + (po ? ".po" : "") + sat + scale + " %d, " +
              (sign == 1 ? "-" : "") + "%a" + as + ", " + (sign == 2 ? "-" : "") + "%b" + bs + ", " +
              (sign == 3 ? "-" : "") + "%c",
          [=](u32 x, u32 y, u32 z) {
            const bool is_signed = a == "s32" || b == "s32" || sign != 0;
            __int128 t = static_cast<__int128>(part(x, as, a)) * part(y, bs, b);
            if (sign == 1 || sign == 2) t = -t;
            // The ISA negates c as ~c, extended, plus 1.
            const u32 third = sign == 3 ? ~z : z;
            t += is_signed ? i64{std::int32_t(third)} : i64{third};
            if (sign == 3 || po) t += 1;
            const unsigned right = scale.empty() ? 0 : scale == ".shr7" ? 7 : 15;
            const auto result = static_cast<std::uint64_t>(t >> right);
            if (sat.empty()) return static_cast<u32>(result);
            if (is_signed) return static_cast<u32>(clamped(static_cast<i64>(result), INT32_MIN, INT32_MAX));
            return static_cast<u32>(std::min<std::uint64_t>(result, UINT32_MAX));
          }};
}

Written simd(VideoRandom& random) {
  const unsigned lanes = random() % 2 ? 2 : 4, bits = 32 / lanes;
  const char letter = lanes == 2 ? 'h' : 'b';
  const bool compares = random() % 4 == 0, accumulates = random() % 3 == 0;
  const std::string name = one_of<std::string>({"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"}, random),
                    d = one_of(kVideoTypes, random), a = one_of(kVideoTypes, random),
                    b = one_of(kVideoTypes, random), c = one_of(kCompares, random),
                    sat = accumulates || compares ? "" : one_of(kSat, random);
  // Selectors as lists of elements, lowest first.
  const auto choose = [&](unsigned first, std::string& text) {
    std::vector<unsigned> list(lanes);
    const bool given = random() % 2 == 0;
    for (unsigned i = 0; i < lanes; ++i) list[i] = given ? random() % (2 * lanes) : first + i;
    if (given) {
      text = std::string(".") + letter;
      for (unsigned i = lanes; i-- > 0;) text += static_cast<char>('0' + list[i]);
    }
    return list;
  };
  std::string as, bs, ms;
  const std::vector<unsigned> al = choose(0, as), bl = choose(lanes, bs);
  unsigned mask = (1u << lanes) - 1;
  if (random() % 2) {
    mask = 1 + random() % ((1u << lanes) - 1);
    ms = std::string(".") + letter;
    for (unsigned i = lanes; i-- > 0;) {
      if ((mask >> i) & 1) ms += static_cast<char>('0' + i);
    }
  }
  const std::string n = std::to_string(lanes);
  const std::string opcode =
      compares ? "vset" + n + "." + a + "." + b + "." + c : name + n + "." + d + "." + a + "." + b;
  return {opcode + sat + (accumulates ? ".add" : "") + " %d" + ms + ", %a" + as + ", %b" + bs + ", %c",
          [=](u32 x, u32 y, u32 z) {
            u32 result = accumulates ? z : 0;
            for (unsigned i = 0; i < lanes; ++i) {
              const auto element = [&](unsigned k, const std::string& type) {
                return sign_or_zero((k < lanes ? x : y) >> (bits * (k % lanes)), bits, type);
              };
              const i64 va = element(al[i], a), vb = element(bl[i], b);
              i64 t = compares ? (compared(c, va, vb) ? 1 : 0) : operation(name, va, vb);
              if (!sat.empty()) t = saturated(t, bits, d);
              const u32 keep = (1u << bits) - 1, old = (z >> (bits * i)) & keep;
              const bool on = (mask >> i) & 1;
              if (accumulates)
                result += on ? static_cast<u32>(t) : 0;
              else
                result |= (on ? static_cast<u32>(t) & keep : old) << (bits * i);
            }
            return result;
          }};
}

void expect_all(const std::vector<Written>& list, unsigned seed) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in) {\n"
      ".reg .u64 %o, %i, %x;\n.reg .u32 %t, %a, %b, %c, %d;\nld.param.u64 %o, [out];\n"
      "ld.param.u64 %i, [in];\nmov.u32 %t, %laneid;\nmul.wide.u32 %x, %t, 12;\nadd.u64 %i, %i, %x;\n"
      "ld.global.u32 %a, [%i];\nld.global.u32 %b, [%i+4];\nld.global.u32 %c, [%i+8];\n"
      "mul.wide.u32 %x, %t, 4;\nadd.u64 %o, %o, %x;\n";
  for (std::size_t n = 0; n < list.size(); ++n)
    text += list[n].text + ";\nst.global.u32 [%o+" + std::to_string(4 * kVideoThreads * n) + "], %d;\n";
  PtxModule m(text + "ret;\n}\n");
  const u32 edges[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff, 0x80007fff,
                       0x7f80ff01, 0x0000ffff, 0x80808080, 31,         33};
  VideoRandom random(seed);
  std::vector<u32> in(3 * kVideoThreads);
  for (u32& v : in) v = random() % 2 ? edges[random() % 11] : random();
  const auto got = m.outputs<u32>("k", kVideoThreads, kVideoThreads * list.size(), m.buffer(in));
  unsigned failures = 0;
  for (std::size_t n = 0; n < list.size(); ++n) {
    for (unsigned i = 0; i < kVideoThreads && failures < 5; ++i) {
      const u32 a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], want = list[n].reference(a, b, c);
      if (got[kVideoThreads * n + i] == want) continue;
      ++failures;
      ADD_FAILURE() << list[n].text << std::hex << ": a " << a << " b " << b << " c " << c << " gives "
                    << got[kVideoThreads * n + i] << ", not " << want;
    }
  }
}

template <class Make>
void expect_many(Make make, unsigned seed) {
  VideoRandom random(seed);
  for (unsigned round = 0; round < 4; ++round) {
    std::vector<Written> list;
    for (unsigned n = 0; n < 250; ++n) list.push_back(make(random));
    expect_all(list, seed + round);
  }
}

TEST(Video, ScalarArithmeticWithSelectorsSaturationSecondOperationAndMerge) { expect_many(scalar, 1); }
TEST(Video, Shifts) { expect_many(shift, 2); }
TEST(Video, Comparisons) { expect_many(set, 3); }
TEST(Video, MultiplyAddWithNegationScaleAndPlusOne) { expect_many(multiply, 4); }
TEST(Video, HalfWordsAndBytesInParallel) { expect_many(simd, 5); }

// By hand, one of each kind.
TEST(Video, WorkedExamples) {
  const auto is = [](u32 value) { return [value](u32, u32, u32) { return value; }; };
  expect_all({{"vadd.s32.u32.u32.sat %d, 0x7fffffff, 1", is(0x7fffffff)},
              {"vadd.u32.u32.u32 %d.b2, 0xf1, 0x22, 0x11223344", is(0x11133344)},
              {"vsub.u32.u32.u32.sat %d, 3, 5", is(0)},
              {"vabsdiff.u32.s32.s32 %d, -3, 5", is(8)},
              {"vmad.u32.u32.u32.shr7 %d, 1000, 1000, 28", is(1000028 >> 7)},
              {"vmad.s32.u32.u32 %d, 6, 7, 40", is(82)},
              {"vshr.s32.s32.u32.clamp %d, -256, 99", is(0xffffffff)},
              {"vset.s32.s32.lt %d, -1, 0", is(1)}},
             9);
}

TEST(Video, WhatTheAssemblerRefusesIsRefused) {
  struct Case {
    const char* text;
    const char* part;
  };
  const Case cases[] = {
      {"vadd.u32.u32.u32 %d, %a.h10, %b;", "cannot take the selector '.h10'"},
      {"vadd.u32.u32.u32 %d.b0, %a, %b;", "destination selector"},
      {"vadd.u32.u32.u32.add %d.b0, %a, %b, %c;", "destination selector"},
      {"vadd.u32.u32.u32.min %d, %a, %b;", "takes 4 operands, found 3"},
      {"vadd2.u32.u32.u32 %d, %a, %b;", "takes 4 operands, found 3"},
      {"vadd2.u32.u32.u32 %d.h01, %a, %b, %c;", "cannot take the selector '.h01'"},
      {"vadd4.u32.u32.u32 %d.b00, %a, %b, %c;", "cannot take the selector '.b00'"},
      {"vadd2.u32.u32.u32.sat.add %d, %a, %b, %c;", "'.add' is not supported here"},
      {"vadd2.u32.u32.u32 %d, %a, 5, %c;", "cannot take a constant"},
      {"vset4.u32.u32.ne.max %d, %a, %b, %c;", "'.max' is not supported here"},
      {"vmad.u32.u32.u32.po %d, -%a, %b, %c;", "neither with '.po'"},
      {"vmad.s32.u32.u32 %d, -%a, %b, -%c;", "negates the product or the third source"},
      {"vmad.u32.u32.u32 %d.b0, %a, %b, %c;", "destination selector"},
      {"vadd.u32.u32.u32 %d, -%a, %b;", "no negated operands"},
      {"vshl.u32.u32.s32.clamp %d, %a, %b;", "'.s32' is not supported here"},
      {"vset.u32.u32.lo %d, %a, %b;", "'.lo' is not supported here"},
  };
  for (const Case& c : cases) {
    try {
      PtxModule m(std::string(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
                              ".reg .u32 %a, %b, %c, %d;\n") +
                  c.text + "\nret;\n}\n");
      m.entry("k");
      ADD_FAILURE() << c.text << " is accepted";
    } catch (const std::exception& e) {
      EXPECT_NE(std::string(e.what()).find(c.part), std::string::npos) << c.text << " says " << e.what();
    }
  }
}

}  // namespace
}  // namespace warpvp::ptx::testing
