#pragma once
// Kernels in which lanes of one warp are in different functions at once: they share the rows of the register
// file, of which the functions make different use (32-bit registers in one, 64-bit ones in the other), and
// wait for each other at barriers in the middle. With the same computation on the CPU.

#include <fmt/format.h>

#include <cstdint>
#include <ostream>
#include <string>

namespace warpvp::divergent_calls {

inline constexpr unsigned kThreads = 64, kValues = 20;
inline constexpr std::uint64_t kFactor = 0x1'0000'0193;

/// How the two functions are reached and what they call.
struct Shape {
  const char* name;
  bool recursive;    ///< two functions that call each other through a table; otherwise a pair for each depth
  bool indirect;     ///< through a table in memory; otherwise from the two sides of a branch
  unsigned depth;    ///< calls below the first
  const char* wait;  ///< the barrier in the middle of each function
};
inline void PrintTo(const Shape& s, std::ostream* os) { *os << s.name; }

/// At depth d a lane takes g where this bit of its number is set: halves first, then pairs of two, of four.
inline unsigned selector(unsigned depth) { return depth == 0 ? 16 : depth == 1 ? 2 : 4; }

/// What a lane computes at `depth`, `x` being its argument and `other_x` that of the lane beside it.
inline std::uint32_t expected(const Shape& shape, unsigned depth, unsigned lane, std::uint32_t x,
                              std::uint32_t other_x) {
  const bool wide = lane & selector(depth);
  const auto value = [&](std::uint32_t of, unsigned i) {
    return wide ? std::uint64_t{of} * kFactor * (2 * i + 3) + i : std::uint64_t{of * (2 * i + 3) + i};
  };
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < kValues; ++i) sum += value(x, i) * (i + 1);
  std::uint32_t result = wide ? static_cast<std::uint32_t>(sum) ^ static_cast<std::uint32_t>(sum >> 32)
                              : static_cast<std::uint32_t>(sum);
  result += static_cast<std::uint32_t>(value(other_x, 5));
  if (depth < shape.depth) result += expected(shape, depth + 1, lane, x * 3 + depth, other_x * 3 + depth);
  return result;
}

inline std::string choose(const Shape& shape, unsigned depth_of_callee, const std::string& depth_register) {
  // %r2: the lane's number. Leaves the result of f or g in %r4.
  const std::string suffix = shape.recursive ? "" : std::to_string(depth_of_callee);
  std::string text;
  if (depth_register.empty()) {
    text += fmt::format("and.b32 %r5, %r2, {};\n", selector(depth_of_callee));
  } else {  // bit 4, 1, 2 at depths 0, 1, 2
    text += fmt::format("setp.eq.u32 %p2, {0}, 1;\nselp.u32 %r5, 2, 4, %p2;\nand.b32 %r5, %r2, %r5;\n",
                        depth_register);
  }
  text += "setp.ne.u32 %p1, %r5, 0;\n";
  text += "{\n.param .b32 a; .param .b32 d; .param .b32 b;\nst.param.b32 [a], %r3;\nst.param.b32 [d], %r6;\n";
  if (shape.indirect) {
    text += "selp.u64 %rd1, 8, 0, %p1;\nmov.u64 %rd2, table" + suffix +
            ";\nadd.u64 %rd1, %rd1, %rd2;\nld.global.u64 %rd1, [%rd1];\n"
            "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n"
            "call (b), %rd1, (a, d), proto;\n";
  } else {
    text += fmt::format("@%p1 bra G;\ncall (b), f{0}, (a, d);\nbra MET;\nG:\ncall (b), g{0}, (a, d);\nMET:\n",
                        suffix);
  }
  return text + "ld.param.b32 %r4, [b];\n}\n";
}

/// f with 32-bit values or g with 64-bit ones.
inline std::string function(const Shape& shape, unsigned depth, bool wide) {
  const std::string suffix = shape.recursive ? "" : std::to_string(depth);
  std::string text = fmt::format(
      ".func (.param .b32 out) {}{} (.param .b32 in, .param .b32 level)\n{{\n.reg .u32 %r<20>; .reg .u32 "
      "%a<{}>; "
      ".reg .u64 %rd<9>; .reg .u64 %b<{}>; .reg .pred %p<4>;\n"
      "ld.param.u32 %r1, [in];\nld.param.u32 %r6, [level];\nmov.u32 %r2, %laneid;\n",
      wide ? "g" : "f", suffix, kValues, kValues);
  if (wide) text += fmt::format("cvt.u64.u32 %rd3, %r1;\nmul.lo.u64 %rd3, %rd3, {};\n", kFactor);
  for (unsigned i = 0; i < kValues; ++i)
    text += wide ? fmt::format("mad.lo.u64 %b{0}, %rd3, {1}, {0};\n", i, 2 * i + 3)
                 : fmt::format("mad.lo.u32 %a{0}, %r1, {1}, {0};\n", i, 2 * i + 3);
  text += fmt::format("{};\nactivemask.b32 %r7;\nbar.warp.sync %r7;\n", shape.wait);
  text += wide ? "cvt.u32.u64 %r8, %b5;\n" : "mov.u32 %r8, %a5;\n";
  text += "shfl.sync.bfly.b32 %r8, %r8, 1, 31, %r7;\nmov.u32 %r9, 0;\n";
  if (depth < shape.depth || shape.recursive) {
    text += fmt::format("setp.ge.u32 %p3, %r6, {};\n@%p3 bra LEAF;\n", shape.depth);
    text += "mad.lo.u32 %r3, %r1, 3, %r6;\nadd.u32 %r6, %r6, 1;\n" +
            choose(shape, depth + 1, shape.recursive ? "%r6" : "") + "mov.u32 %r9, %r4;\nLEAF:\n";
  }
  text += fmt::format("{};\n", shape.wait);
  text += wide ? "mov.u64 %rd4, 0;\n" : "mov.u32 %r10, 0;\n";
  for (unsigned i = 0; i < kValues; ++i)
    text += wide ? fmt::format("mad.lo.u64 %rd4, %b{}, {}, %rd4;\n", i, i + 1)
                 : fmt::format("mad.lo.u32 %r10, %a{}, {}, %r10;\n", i, i + 1);
  if (wide) text += "shr.u64 %rd5, %rd4, 32;\nxor.b64 %rd4, %rd4, %rd5;\ncvt.u32.u64 %r10, %rd4;\n";
  return text + "add.u32 %r10, %r10, %r8;\nadd.u32 %r10, %r10, %r9;\nst.param.b32 [out], %r10;\nret;\n}\n";
}

inline std::string program(const Shape& shape) {
  std::string text = ".version 8.0\n.target sm_70\n.address_size 64\n";
  const unsigned levels = shape.recursive ? 1 : shape.depth + 1;
  for (unsigned d = 0; d < levels; ++d) {
    const std::string suffix = shape.recursive ? "" : std::to_string(d);
    for (const char* f : {"f", "g"})
      text += fmt::format(".func (.param .b32 out) {}{} (.param .b32 in, .param .b32 level);\n", f, suffix);
    text += fmt::format(".global .u64 table{0}[2] = {{f{0}, g{0}}};\n", suffix);
  }
  for (unsigned d = levels; d-- > 0;) text += function(shape, d, false) + function(shape, d, true);
  return text +
         ".visible .entry k (.param .u64 out)\n{\n.reg .u32 %r<9>; .reg .u64 %rd<9>; .reg .pred %p<3>;\n"
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %laneid;\nmad.lo.u32 %r3, %r1, 17, 3;\nmov.u32 %r6, 0;\n" +
         choose(shape, 0, "") +
         "ld.param.u64 %rd3, [out];\nmul.wide.u32 %rd4, %r1, 4;\nadd.u64 %rd3, %rd3, %rd4;\n"
         "st.global.u32 [%rd3], %r4;\nret;\n}\n";
}

/// What thread `t` of the kernel stores.
inline std::uint32_t expected(const Shape& shape, unsigned t) {
  return expected(shape, 0, t % 32, t * 17 + 3, (t ^ 1) * 17 + 3);
}

}  // namespace warpvp::divergent_calls
