// Half precision in whole programs: as compilers write it, in atomics, and what the front end refuses.

#include <gmock/gmock.h>

#include "tests/ptx_exec/op_harness.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

using u32 = std::uint32_t;

TEST(HalfPrecision, IsWrittenAsCompilersWriteIt) {
  PtxModule m(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b16 %h<9>; .reg .b32 %r<4>; .reg .f32 %f<3>; .reg .u64 %o; .reg .pred %p<3>; .reg .f16 %x; .reg .bf16x2 %y;
  ld.param.u64 %o, [out];
  mov.b32 %f1, 0f40490fdb;
  { cvt.rn.f16.f32 %h1, %f1; }
  { mov.u16 %h2, 15360; add.f16 %h3, %h1, %h2; }
  { fma.rn.f16 %h4, %h1, %h3, %h2; }
  mov.b32 %r1, {%h4, %h3};
  { mul.f16x2 %r2, %r1, %r1; }
  st.global.u32 [%o], %r2;
  { cvt.f32.f16 %f2, %h4; }
  st.global.f32 [%o+4], %f2;
  { setp.gt.f16 %p1, %h4, %h3; }
  selp.u32 %r3, 1, 2, %p1;
  st.global.u32 [%o+8], %r3;
  cvt.rn.bf16x2.f32 %y, %f1, %f2;
  mov.b32 %r3, %y;
  st.global.u32 [%o+12], %r3;
  mov.b16 %x, %h2;
  st.global.b16 [%o+16], %x;
  atom.global.add.noftz.f16 %h5, [%o+16], %h2;
  red.global.add.noftz.f16 [%o+16], %h2;
  st.global.b16 [%o+20], %h5;
  ret;
})");
  const auto out = m.outputs<u32>("k", 1, 6);
  // pi is 3.140625 as f16; 3.140625 * 4.140625 + 1 = 14.0042, which becomes 14.0078125. Squares: 196.2189
  // becomes 196.25, and 17.1448 17.140625.
  EXPECT_EQ(out[0], 0x4c495a22u);
  EXPECT_EQ(f32(out[1]), 14.0078125f);
  EXPECT_EQ(out[2], 1u);
  EXPECT_EQ(out[3], 0x40494160u);
  EXPECT_EQ(out[4], 0x4200u) << "1 + 1 + 1";
  EXPECT_EQ(out[5], 0x3c00u);
}

TEST(HalfPrecision, AtomicsAddEachLane) {
  for (const auto& [type, unit] : {std::pair{"f16x2", 0x3c003c00u}, std::pair{"bf16x2", 0x3f803f80u}}) {
    PtxModule m(std::string(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<3>; .reg .u64 %o; .shared .align 4 .b32 s; .reg .u32 %t; .reg .pred %p;
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x;
  setp.ne.u32 %p, %t, 0;
  mov.b32 %r1, )") +
                std::to_string(unit) +
                ";\n  @!%p st.shared.b32 [s], 0;\n  bar.sync 0;\n  red.shared.add.noftz." + type +
                " [s], %r1;\n  red.global.add.noftz." + type + R"( [%o], %r1;
  bar.sync 0;
  ld.shared.b32 %r2, [s];
  @!%p st.global.b32 [%o+4], %r2;
  ret;
})");
    const auto out = m.outputs<u32>("k", 64, 2);
    const u32 sum = type[0] == 'f' ? 0x54005400u : 0x42804280u;  // 64
    EXPECT_THAT(out, ::testing::ElementsAre(sum, sum)) << type;
  }
}

TEST(HalfPrecision, FormsThatPtxHasNotAreRefused) {
  const auto refusal = [](const std::string& instruction) {
    try {
      PtxModule m(
          ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k() { .reg .b16 %h<4>; .reg .b32 "
          "%r<4>; "
          ".reg .f32 %f<4>; " +
          instruction + "; ret; }");
      m.entry("k");
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  for (const char* wrong : {"div.rn.f16 %h1, %h2, %h3", "fma.f16 %h1, %h2, %h3, %h1",
                            "add.ftz.bf16 %h1, %h2, %h3", "cvt.f16.f32 %h1, %f1", "cvt.rn.f16x2.f32 %r1, %f1",
                            "add.f16 %f1, %h2, %h3", "sqrt.rn.f16 %h1, %h2", "atom.add.f16 %h1, [%h2], %h3"})
    EXPECT_NE(refusal(wrong), "") << wrong;
}

}  // namespace
}  // namespace warpvp::ptx::testing
