// Matrices between shared memory and registers: ldmatrix, stmatrix, movmatrix (PTX ISA 9.7.14).

#include <gmock/gmock.h>

#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

using u32 = std::uint32_t;

TEST(MatrixMemory, LoadsStoresAndTransposes) {
  for (const unsigned count : {1u, 2u, 4u}) {
    for (const bool transposed : {false, true}) {
      const std::string n = std::to_string(count), trans = transposed ? ".trans" : "";
      std::string registers = "{%r0";
      for (unsigned r = 1; r < count; ++r) registers += ",%r" + std::to_string(r);
      registers += "}";
      std::string results;
      for (unsigned r = 0; r < count; ++r)
        results += "  st.global.b32 [%o+" + std::to_string(4 * r) + "], %r" + std::to_string(r) + ";\n";
      // Element e of the shared memory is e; lanes beyond the addresses that count have wild ones.
      PtxModule m(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>; .reg .u64 %o, %x; .reg .u32 %t, %a, %v, %w; .reg .pred %p; .reg .b16 %h;
  .shared .align 16 .b8 s[1024];
  ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 16; add.u64 %o, %o, %x;
  mov.u32 %a, s; shl.b32 %v, %t, 5; add.u32 %a, %a, %v; shl.b32 %v, %t, 4; mov.u32 %w, 0;
L: cvt.u16.u32 %h, %v; st.shared.u16 [%a], %h; add.u32 %a, %a, 2; add.u32 %v, %v, 1; add.u32 %w, %w, 1;
  setp.lt.u32 %p, %w, 16; @%p bra L;
  bar.sync 0;
  mov.u32 %a, s; shl.b32 %v, %t, 4; add.u32 %a, %a, %v;
  setp.ge.u32 %p, %t, )" +
                  std::to_string(8 * count) + ";\n  @%p mov.u32 %a, 77777;\n  ldmatrix.sync.aligned.m8n8.x" +
                  n + trans + ".shared.b16 " + registers + ", [%a];\n" + results + R"(  bar.sync 0;
  mov.u32 %a, s; add.u32 %a, %a, 512; add.u32 %a, %a, %v; @%p mov.u32 %a, 77777;
  stmatrix.sync.aligned.m8n8.x)" +
                  n + trans + ".shared.b16 [%a], " + registers + R"(;
  bar.sync 0;
  ld.param.u64 %o, [out]; add.u64 %o, %o, 512; mul.wide.u32 %x, %t, 16; add.u64 %o, %o, %x;
  mov.u32 %a, s; add.u32 %a, %a, %v; ld.shared.b32 %r0, [%a+512]; ld.shared.b32 %r1, [%a+516]; ld.shared.b32 %r2, [%a+520]; ld.shared.b32 %r3, [%a+524];
  st.global.v4.b32 [%o], {%r0,%r1,%r2,%r3};
  ret;
})");
      const auto out = m.outputs<u32>("k", 32, 256);
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned j = 0; j < count; ++j)
          for (unsigned half = 0; half < 2; ++half) {
            const unsigned row = lane / 4, column = lane % 4 * 2 + half;
            const unsigned want = 64 * j + (transposed ? column * 8 + row : row * 8 + column);
            ASSERT_EQ(out[4 * lane + j] >> (16 * half) & 0xffff, want) << n << trans << " lane " << lane;
          }
      // Stored the same way, it is what it was.
      for (unsigned word = 0; word < 32 * count; ++word)
        ASSERT_EQ(out[128 + word], (2 * word + 1) << 16 | 2 * word) << n << trans;
    }
  }
}

TEST(MatrixMemory, RegistersAreTransposed) {
  PtxModule m(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>; .reg .u64 %o, %x; .reg .u32 %t;
  ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %x, %t, 4; add.u64 %o, %o, %x;
  shl.b32 %r0, %t, 1; add.u32 %r1, %r0, 1; shl.b32 %r1, %r1, 16; or.b32 %r0, %r0, %r1;
  movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r0;
  st.global.b32 [%o], %r2;
  ret;
})");
  const auto out = m.outputs<u32>("k", 32, 32);
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column)
      EXPECT_EQ(out[4 * row + column / 2] >> (16 * (column % 2)) & 0xffff, column * 8 + row);
}

}  // namespace
}  // namespace warpvp::ptx::testing
