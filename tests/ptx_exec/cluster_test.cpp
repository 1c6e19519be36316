// Instructions on clusters where each CTA is one: addresses of rank 0 are the CTA's own, and there is no
// other.

#include <gmock/gmock.h>

#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

using u32 = std::uint32_t;

std::string cluster_kernel(const std::string& text) {
  return R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 rank)
{
.reg .u64 %out, %x<5>;
.reg .u32 %me, %rank, %r<9>;
.reg .f32 %f<5>;
.reg .pred %p;
.shared .align 16 .b32 data[128];
.shared .align 8 .b64 bar;
ld.param.u64 %out, [out];
ld.param.u32 %rank, [rank];
mov.u32 %me, %tid.x;
mul.wide.u32 %x0, %me, 4;
add.u64 %out, %out, %x0;
)" + text +
         "\nst.global.u32 [%out], %r0;\nret;\n}\n";
}

TEST(Cluster, AddressesOfRankZeroAreTheCtasOwn) {
  // Written by its own name, read through each kind of mapped address.
  const std::string store =
      "shl.b32 %r1, %me, 2; mov.u32 %r2, data; add.u32 %r1, %r1, %r2; add.u32 %r3, %me, 100; "
      "st.shared::cluster.u32 [%r1], %r3; bar.sync 0;\n";
  const std::string reads[] = {
      "mapa.shared::cluster.u32 %r4, %r1, %rank; ld.shared::cluster.u32 %r0, [%r4];",
      "mapa.shared::cluster.u32 %r4, data+4, %rank; ld.shared::cluster.u32 %r0, [%r4]; add.u32 %r0, %r0, "
      "%me; sub.u32 "
      "%r0, %r0, 1;",
      "cvt.u64.u32 %x1, %r1; mapa.shared::cluster.u64 %x2, %x1, %rank; ld.shared::cluster.u32 %r0, [%x2];",
      "cvt.u64.u32 %x1, %r1; cvta.shared.u64 %x1, %x1; mapa.u64 %x2, %x1, %rank; ld.u32 %r0, [%x2];",
      "mapa.shared::cluster.u32 %r4, %r1, 0; atom.shared::cluster.add.u32 %r0, [%r4], 5;"};
  for (const std::string& read : reads) {
    PtxModule m(cluster_kernel(store + read));
    std::vector<u32> want;
    for (u32 n = 0; n < 32; ++n) want.push_back(n + 100);
    EXPECT_EQ(m.outputs<u32>("k", 32, 32, u32{0}), want) << read;
    // Another CTA's there is not.
    const auto out = m.buffer(std::vector<u32>(32));
    const FunctionalResult r = m.run("k", {1, 1, 1}, {32, 1, 1}, 0, out, u32{1});
    if (read.find("%rank") == std::string::npos) continue;
    ASSERT_FALSE(r.ok()) << read;
    EXPECT_THAT(r.fault->what, ::testing::HasSubstr("out-of-bounds shared")) << read;
  }
}

TEST(Cluster, RanksOfAddresses) {
  PtxModule m(cluster_kernel(R"(
mapa.shared::cluster.u32 %r1, data, %rank;
getctarank.shared::cluster.u32 %r2, %r1;
cvt.u64.u32 %x1, %r1;
getctarank.shared::cluster.u64 %r3, %x1;
mov.u32 %r5, data;
cvt.u64.u32 %x2, %r5;
cvta.shared.u64 %x2, %x2;
mapa.u64 %x3, %x2, %rank;
getctarank.u64 %r4, %x3;
getctarank.shared::cluster.u32 %r6, data;
isspacep.shared::cluster %p, %x2;
selp.u32 %r0, 1000, 0, %p;
add.u32 %r0, %r0, %r2;
mad.lo.u32 %r0, %r3, 10, %r0;
mad.lo.u32 %r0, %r4, 100, %r0;
mad.lo.u32 %r0, %r6, 5000, %r0;
)"));
  EXPECT_EQ(m.outputs<u32>("k", 1, 1, u32{0})[0], 1000u);
  EXPECT_EQ(m.outputs<u32>("k", 1, 1, u32{3})[0], 1333u);
}

TEST(Cluster, ItsBarrierIsOneOfAllThreads) {
  // 128 threads write, meet, and read what the opposite one wrote; twice, so that the barrier begins anew.
  PtxModule m(cluster_kernel(R"(
mov.u32 %r5, data;
mad.lo.u32 %r1, %me, 4, %r5;
sub.u32 %r2, 127, %me;
mad.lo.u32 %r2, %r2, 4, %r5;
mul.lo.u32 %r3, %me, 3;
st.shared.u32 [%r1], %r3;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
ld.shared.u32 %r0, [%r2];
barrier.cluster.arrive;
barrier.cluster.wait;
st.shared.u32 [%r1], %r0;
barrier.cluster.arrive.relaxed;
barrier.cluster.wait;
ld.shared.u32 %r4, [%r2];
mad.lo.u32 %r0, %r4, 1000, %r0;
)"));
  std::vector<u32> want;
  for (u32 n = 0; n < 128; ++n) want.push_back(n * 3 * 1000 + (127 - n) * 3);
  EXPECT_EQ(m.outputs<u32>("k", 128, 128, u32{0}), want);
  EXPECT_EQ(m.entry("k")->barriers, 0u) << "it is none of the named ones";
}

TEST(Cluster, NamedBarriersEndAt15) {
  PtxModule m(cluster_kernel("add.u32 %rank, %rank, 16; bar.sync %rank; mov.u32 %r0, 0;"));
  const auto out = m.buffer(std::vector<u32>(32));
  const FunctionalResult r = m.run("k", {1, 1, 1}, {32, 1, 1}, 0, out, u32{0});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.fault->what, "barrier number above 15");
}

TEST(Cluster, MbarriersByAddressesOfTheCluster) {
  PtxModule m(cluster_kernel(R"(
setp.ne.u32 %p, %me, 0;
@!%p mbarrier.init.shared.b64 [bar], 32;
bar.sync 0;
mov.u32 %r1, bar;
mapa.shared::cluster.u32 %r1, %r1, %rank;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];
wait:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p, [bar], 0;
@!%p bra wait;
mov.u32 %r0, 7;
)"));
  EXPECT_EQ(m.outputs<u32>("k", 32, 32, u32{0}), std::vector<u32>(32, 7));
}

// PTX for sm_1x: a fused multiply-add that flushes subnormal numbers (PTX ISA, mad).
TEST(OldMad, IsFused) {
  const auto result = [](const std::string& suffix, u32 a, u32 b, u32 c) {
    const auto hex = [](u32 v) {
      char text[16];
      std::snprintf(text, sizeof text, "0f%08X", v);
      return std::string(text);
    };
    PtxModule m(cluster_kernel("mov.f32 %f1, " + hex(a) + "; mov.f32 %f2, " + hex(b) + "; mov.f32 %f3, " +
                               hex(c) + "; mad" + suffix + ".f32 %f0, %f1, %f2, %f3; mov.b32 %r0, %f0;"));
    return m.outputs<u32>("k", 1, 1, u32{0})[0];
  };
  EXPECT_EQ(result("", 0x3f800001, 0x3f800001, 0xbf800002), 0x28800000u) << "the product is not rounded";
  EXPECT_EQ(result("", 0x00000001, 0x3f800000, 0), 0u) << "flushed";
  EXPECT_EQ(result(".sat", 0x40000000, 0x40000000, 0), 0x3f800000u);
}

}  // namespace
}  // namespace warpvp::ptx::testing
