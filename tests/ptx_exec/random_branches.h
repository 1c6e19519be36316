#pragma once
// Random kernels of branches that all lanes take or some, guards, loops, accesses and calls of functions of
// instructions.

#include <fmt/format.h>

#include <random>
#include <string>

namespace warpvp::ptx::testing {

/// The body of a native_kernel() for at most 64 threads, which store what their registers hold at its end.
inline std::string random_branches(std::mt19937& draw) {
  const auto one_of = [&](unsigned n) { return static_cast<unsigned>(draw() % n); };
  std::string body =
      "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 256;\n"
      "add.u64 %rd1, %rd1, %rd2;\nmov.u32 %r2, 0;\n";
  for (unsigned r = 10; r < 20; ++r)
    body += fmt::format("mad.lo.u32 %r{}, %r1, {}, {};\n", r, draw(), draw());
  for (unsigned f = 1; f < 8; ++f)
    body += fmt::format("cvt.rn.f32.s32 %f{}, %r{};\ncvt.f64.f32 %d{}, %f{};\n", f, 9 + f, f, f);
  body += fmt::format("setp.gt.u32 %p10, %r1, 50;\n@%p10 {};\nloop:\n", one_of(2) ? "exit" : "ret");
  for (unsigned block = 0; block < 12; ++block) {
    const unsigned p = 1 + one_of(6);
    // Often all lanes go one way.
    body += one_of(2) ? fmt::format("setp.gt.u32 %p{}, %r1, {};\n", p, one_of(80))
                      : fmt::format("setp.gt.u32 %p{}, %r2, {};\n", p, one_of(4));
    const bool jumps = one_of(3) != 0;
    if (jumps) body += fmt::format("@{}%p{} bra b{};\n", one_of(2) ? "!" : "", p, block);
    for (unsigned i = 0; i < 1 + one_of(90); ++i) {
      const std::string guard =
          one_of(3) == 0 ? fmt::format("@{}%p{} ", one_of(2) ? "!" : "", 1 + one_of(6)) : "";
      const unsigned d = 10 + one_of(10), a = 10 + one_of(10), b = 10 + one_of(10);
      switch (one_of(7)) {
        case 0:
          body += fmt::format("{}mad.lo.u32 %r{}, %r{}, %r{}, %r2;\n", guard, d, a, b);
          break;
        case 1:
          body +=
              fmt::format("{}fma.rn.f32 %f{}, %f{}, %f{}, %f1;\n", guard, 1 + d % 7, 1 + a % 7, 1 + b % 7);
          break;
        case 2:
          body += fmt::format("{}add.f64 %d{}, %d{}, %d{};\n", guard, 1 + d % 7, 1 + a % 7, 1 + b % 7);
          break;
        case 3:
          body += fmt::format("{}brev.b32 %r{}, %r{};\n", guard, d, a);  // a call
          break;
        case 4:
          body += fmt::format("{}st.global.u32 [%rd1+{}], %r{};\n", guard, 4 * one_of(64), a);
          break;
        case 5:
          body += fmt::format("{}ld.global.u32 %r{}, [%rd1+{}];\n", guard, d, 4 * one_of(64));
          break;
        default:
          body += fmt::format("{}setp.lt.s32 %p{}, %r{}, %r{};\n", guard, 1 + one_of(6), a, b);
      }
    }
    if (jumps) body += fmt::format("b{}:\n", block);
  }
  body += "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p9, %r2, 4;\n@%p9 bra loop;\n";
  for (unsigned r = 10; r < 20; ++r) body += fmt::format("st.global.u32 [%rd1+{}], %r{};\n", 4 * r, r);
  for (unsigned f = 1; f < 8; ++f)
    body += fmt::format("st.global.f32 [%rd1+{}], %f{};\nst.global.f64 [%rd1+{}], %d{};\n", 80 + 4 * f, f,
                        120 + 8 * f, f);
  return body;
}

}  // namespace warpvp::ptx::testing
