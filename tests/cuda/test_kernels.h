#pragma once
// Kernels that the programs of these tests have alike.

#include <string>

namespace warpvp::test {

/// A module of PTX: two variables, `add`, and what is more.
inline std::string module_with(const std::string& more) {
  static constexpr char kBegin[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .const .align 4 .b8 table[16];
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<8>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r2, [n];
  setp.ge.u32 %p, %r1, %r2;
  @%p bra END;
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];
  mul.wide.u32 %d4, %r1, 4;
  add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4;
  ld.global.u32 %r3, [%d1]; ld.global.u32 %r4, [%d2];
  add.u32 %r3, %r3, %r4;
  st.global.u32 [%d3], %r3;
END:
  ret;
}
)";
  return kBegin + more;
}

/// `say`, which prints a line.
inline constexpr char kSay[] = R"(
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 1 .b8 text[14] = {102, 114, 111, 109, 32, 107, 101, 114, 110, 101, 108, 10, 0, 0};
.visible .entry say()
{
  .reg .b64 %d<4>; .reg .b32 %r;
  mov.u64 %d1, text; cvta.global.u64 %d1, %d1; mov.u64 %d2, 0;
  { .param .b64 a; .param .b64 b; .param .b32 r;
    st.param.b64 [a], %d1; st.param.b64 [b], %d2;
    call.uni (r), vprintf, (a, b); ld.param.b32 %r, [r]; }
  ret;
}
)";

}  // namespace warpvp::test
