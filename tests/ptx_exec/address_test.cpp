// An address is computed in the width of its register: a 32-bit register plus an offset wraps at 2^32.

#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

const char* const kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

// Each access goes through a register that holds its place minus 64, with +64 as offset; all places lie below
// 64, so every sum passes 2^32.
TEST(Addresses, WrapInEverySpaceThatTakes32BitRegisters) {
  PtxModule m(std::string(kHeader) + R"(
.visible .entry k(.param .u64 out, .param .u64 in)
{
  .reg .u64 %o, %i, %w;
  .reg .u32 %t, %s, %l, %c, %p, %v<9>;
  .reg .u16 %h;
  .reg .u64 %x;
  .shared .align 16 .b8 sh[64];
  .local .align 16 .b8 lo[32];
  ld.param.u64 %o, [out];
  ld.param.u64 %i, [in];
  mov.u32 %t, %laneid;
  mov.u32 %s, sh;
  add.u32 %s, %s, -64;
  mov.u32 %l, lo;
  add.u32 %l, %l, -64;
  mov.u32 %v0, 7;
  st.shared.u32 [%s+64], %v0;
  atom.shared.add.u32 %v1, [%s+64], 1;
  red.shared.add.u32 [%s+64], 1;
  ld.shared.u32 %v2, [%s+64];
  st.shared.v4.u32 [%s+80], {%v0, %v1, %v2, %t};
  ld.shared.v2.u32 {%v3, %v4}, [%s+88];
  st.local.u32 [%l+68], %t;
  ld.local.u32 %v5, [%l+68];
  cp.async.ca.shared.global [%s+96], [%i], 8;
  cp.async.wait_all;
  ld.shared.u64 %x, [%s+96];
  prefetch.local.L1 [%l+64];
  mov.u32 %p, -8;
  ld.param.u64 %w, [%p+8];
  mul.wide.u32 %x, %t, 40;
  add.u64 %o, %o, %x;
  st.global.u32 [%o], %v1;
  st.global.u32 [%o+4], %v2;
  st.global.u32 [%o+8], %v3;
  st.global.u32 [%o+12], %v4;
  st.global.u32 [%o+16], %v5;
  ld.shared.u64 %x, [%s+96];
  st.global.u64 [%o+24], %x;
  st.global.u64 [%o+32], %w;
  ret;
})");
  const std::uint64_t in = m.buffer(std::vector<std::uint64_t>{0x1122334455667788ull});
  const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(320));
  const FunctionalResult r = m.run("k", {}, {32, 1, 1}, 0, out, in);
  ASSERT_TRUE(r.ok()) << r.fault->summary();
  const auto v = m.read<std::uint32_t>(out, 320);
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t* o = &v[10 * i];
    EXPECT_EQ(o[0], 7 + i) << "what the atomic saw";
    EXPECT_EQ(o[1], 7u + 64) << "64 additions of 1";
    EXPECT_EQ(o[2], 7u + 64) << "third element of the vector";
    EXPECT_EQ(o[3], 31u) << "fourth element: the highest lane's store";
    EXPECT_EQ(o[4], i);
    EXPECT_EQ(o[6], 0x55667788u);
    EXPECT_EQ(o[7], 0x11223344u);
    EXPECT_EQ(o[8] | static_cast<std::uint64_t>(o[9]) << 32, out) << "the first parameter";
  }
}

TEST(Addresses, SixtyFourBitRegistersDoNotWrapAt32Bits) {
  PtxModule m(std::string(kHeader) + R"(
.visible .entry k()
{
  .reg .u64 %s;
  .reg .u32 %v;
  .shared .align 4 .b8 sh[64];
  mov.u64 %s, 0xffffffc0;
  ld.shared.u32 %v, [%s+64];
  ret;
})");
  const FunctionalResult r = m.run("k", {}, {32, 1, 1}, 0);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.fault->address, 0x100000000u);
}

// Constant and global variables both lie in device memory; isspacep tells them apart by their places.
TEST(Isspacep, TellsConstantFromGlobal) {
  PtxModule m(R"(.version 7.5
.target sm_70
.address_size 64
.const .u32 c[4] = {1, 2, 3, 4};
.global .u32 g[4];
.visible .entry k(.param .u64 out)
{
  .reg .pred %p;
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  mov.u64 %rd1, c;
  cvta.const.u64 %rd1, %rd1;
  mov.u64 %rd2, g;
  cvta.global.u64 %rd2, %rd2;
  isspacep.const %p, %rd1;
  selp.u32 %r0, 1, 0, %p;
  st.global.u32 [%rd0], %r0;
  isspacep.const %p, %rd2;
  selp.u32 %r0, 1, 0, %p;
  st.global.u32 [%rd0+4], %r0;
  isspacep.global %p, %rd1;
  selp.u32 %r0, 1, 0, %p;
  st.global.u32 [%rd0+8], %r0;
  isspacep.global %p, %rd2;
  selp.u32 %r0, 1, 0, %p;
  st.global.u32 [%rd0+12], %r0;
  add.u64 %rd1, %rd1, 16;
  isspacep.const %p, %rd1;
  selp.u32 %r0, 1, 0, %p;
  st.global.u32 [%rd0+16], %r0;
  ret;
}
)");
  EXPECT_EQ(m.outputs<std::uint32_t>("k", 1, 5), (std::vector<std::uint32_t>{1, 0, 0, 1, 0}));
}

}  // namespace
}  // namespace warpvp::ptx::testing
