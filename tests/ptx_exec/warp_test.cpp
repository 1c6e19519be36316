// Shuffles, votes, matches, reductions and special registers.

#include <random>

#include "tests/ptx_exec/op_harness.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

void expect_shuffles() {
  PtxModule m("warp.ptx");
  const auto out = m.outputs<std::uint32_t>("shuffles", 32, 32 * 9);
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t* o = &out[9 * i];
    EXPECT_EQ(o[0], 100 + (i >= 3 ? i - 3 : i)) << "up by 3, lane " << i;
    EXPECT_EQ(o[1], i >= 3 ? 1u : 0u);
    EXPECT_EQ(o[2], 100 + (i + 5 <= 31 ? i + 5 : i)) << "down by 5";
    EXPECT_EQ(o[3], 100 + (i ^ 6));
    EXPECT_EQ(o[4], 109u);
    const unsigned segment = i & ~7u, last = segment + 7;
    EXPECT_EQ(o[5], 100 + (i + 2 <= last ? i + 2 : i)) << "down by 2 in segments of 8";
    EXPECT_EQ(o[6], i + 2 <= last ? 1u : 0u);
    EXPECT_EQ(o[7], 100 + (segment | (12 & 7)));
    EXPECT_EQ(o[8], 100 + (i - segment >= 2 ? i - 2 : i));
  }
}
TEST(Warp, ShufflesInAllModesAndSegmentsAtEveryLevel) {
  const IsaLevel before = isa_level();
  for (const IsaLevel level : available_levels()) {
    SCOPED_TRACE(static_cast<int>(level));
    ASSERT_TRUE(set_isa_level(level));
    expect_shuffles();
  }
  set_isa_level(before);
}

/// Random steps, clamps and segments in each lane, with lanes outside and the source as destination.
TEST(Warp, ShufflesAreAsTheIsaSays) {
  std::mt19937 rng(5);
  for (const IsaLevel level : available_levels()) {
    for (const ShuffleMode mode : {ShuffleMode::up, ShuffleMode::down, ShuffleMode::bfly, ShuffleMode::idx}) {
      OpSpec spec;
      spec.opcode = Opcode::shfl;
      spec.m.type = Type::b32;
      spec.m.shuffle = mode;
      spec.src = {32, 32, 32};
      spec.dst2 = 1;
      OpRunner runner(spec, level);
      ASSERT_TRUE(runner.ok());
      for (int round = 0; round < 200; ++round) {
        Lanes a, b, c;
        for (unsigned i = 0; i < kWarpSize; ++i) a[i] = rng(), b[i] = rng(), c[i] = rng();
        const LaneMask active = round % 2 == 0 ? ~0u : rng();
        Lanes before;
        before.fill(1);
        const Lanes got = runner.run({a, b, c}, active, before), in_range = runner.second();
        for (int lane = 0; lane < int{kWarpSize}; ++lane) {
          const int step = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
          const int first = lane & segment, last = first | (clamp & ~segment);
          int from = 0;
          bool ok = false;
          switch (mode) {
            case ShuffleMode::up:
              from = lane - step, ok = from >= last;
              break;
            case ShuffleMode::down:
              from = lane + step, ok = from <= last;
              break;
            case ShuffleMode::bfly:
              from = lane ^ step, ok = from <= last;
              break;
            default:
              from = first | (step & ~segment), ok = from <= last;
          }
          const bool on = active >> lane & 1;
          ASSERT_EQ(got[lane], !on ? 1 : a[ok ? from & 31 : lane])
              << "mode " << int(mode) << " lane " << lane;
          ASSERT_EQ(in_range[lane], on ? ok : 1) << "mode " << int(mode) << " lane " << lane;
        }
      }
    }
  }
}

TEST(Warp, VotesMatchesAndReductionsAmongMembers) {
  PtxModule m("warp.ptx");
  const auto out = m.outputs<std::uint32_t>("votes", 32, 32 * 10);
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t* o = &out[10 * i];
    const std::uint32_t members = i < 20 ? 0x000fffffu : 0xfff00000u;
    std::uint32_t ballot = 0, same = 0, sum = 0, xors = 0, highest = 0;
    for (unsigned j = 0; j < 32; ++j) {
      if (((members >> j) & 1) == 0) continue;
      if ((j & 3) == 1) ballot |= 1u << j;
      if ((j & 3) == (i & 3)) same |= 1u << j;
      sum += j;
      xors ^= j;
      highest = j;
    }
    EXPECT_EQ(o[0], ballot) << i;
    EXPECT_EQ(o[1], 7u) << "any, all and uni hold in both groups";
    EXPECT_EQ(o[2], same);
    EXPECT_EQ(o[3], members);
    EXPECT_EQ(o[4], 1u);
    EXPECT_EQ(o[5], sum);
    EXPECT_EQ(o[6], 0u - highest) << "minimum of the negated lane numbers";
    EXPECT_EQ(o[7], same);
    EXPECT_EQ(o[8], xors);
    EXPECT_EQ(o[9], i < 20 ? 0x000fffffu : 0u) << "activemask inside the branch";
  }
}

TEST(Warp, SpecialRegistersInThreeDimensions) {
  PtxModule m("warp.ptx");
  const unsigned threads = 5 * 3 * 4, ctas = 2 * 3 * 2;
  const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(threads * ctas * 8));
  ASSERT_TRUE(m.run("specials", {2, 3, 2}, {5, 3, 4}, 0, out).ok());
  const auto v = m.read<std::uint32_t>(out, threads * ctas * 8);
  for (unsigned n = 0; n < threads * ctas; ++n) {
    const unsigned t = n % threads, lane = t % 32;
    const std::uint32_t lt = (1u << lane) - 1, eq = 1u << lane;
    const std::uint32_t expected[8] = {lane, t / 32, lt, lt | eq, eq, ~lt, ~(lt | eq), 2};
    for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(v[8 * n + k], expected[k]) << n << " " << k;
  }
}

TEST(Warp, ThreadsHaveTheirPlacesInBlocksOfAnyShape) {
  PtxModule m(R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry places(.param .u64 to)
{
  .reg .b32 %r<9>; .reg .b64 %d<3>;
  mov.u32 %r1, %warpid; mov.u32 %r2, %laneid; mad.lo.u32 %r1, %r1, 32, %r2;
  mov.u32 %r3, %tid.x; mov.u32 %r4, %tid.y; mov.u32 %r5, %tid.z;
  ld.param.u64 %d1, [to]; mad.wide.u32 %d1, %r1, 12, %d1;
  st.global.u32 [%d1], %r3; st.global.u32 [%d1+4], %r4; st.global.u32 [%d1+8], %r5;
  ret;
})");
  for (const Dim3 block : {Dim3{1024, 1, 1}, Dim3{256, 2, 2}, Dim3{32, 4, 2}, Dim3{48, 3, 2}, Dim3{33, 1, 9},
                           Dim3{16, 16, 4}, Dim3{7, 5, 3}, Dim3{1, 1, 64}, Dim3{1, 70, 2}, Dim3{3, 1, 1}}) {
    SCOPED_TRACE(::testing::Message() << block.x << "," << block.y << "," << block.z);
    const unsigned threads = block.x * block.y * block.z;
    const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(threads * 3));
    ASSERT_TRUE(m.run("places", {1, 1, 1}, block, 0, out).ok());
    std::vector<std::uint32_t> expected;
    for (unsigned z = 0; z < block.z; ++z)
      for (unsigned y = 0; y < block.y; ++y)
        for (unsigned x = 0; x < block.x; ++x) expected.insert(expected.end(), {x, y, z});
    EXPECT_EQ(m.read<std::uint32_t>(out, threads * 3), expected);
  }
}

// The lanes that execute an instruction are those its guard leaves, for each of these.
TEST(Warp, GuardsNarrowTheLanesThatTakePart) {
  PtxModule m(R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .u64 %o, %x;
  .reg .u32 %t, %c, %v<8>;
  .reg .pred %p, %q, %e, %always;
  ld.param.u64 %o, [out];
  mov.u32 %t, %laneid;
  mul.wide.u32 %x, %t, 32;
  add.u64 %o, %o, %x;
  rem.u32 %c, %t, 3;
  setp.eq.u32 %p, %c, 1;
  setp.eq.u32 %always, 0, 0;
  setp.ne.u32 %e, 0, 0;
  @%p activemask.b32 %v0;
  @%p vote.sync.ballot.b32 %v1, %always, -1;
  @%p match.any.sync.b32 %v2, 5, -1;
  @%p match.all.sync.b32 %v3|%q, 5, -1;
  @%p redux.sync.add.s32 %v4, 1, -1;
  @%p elect.sync %v5|%e, -1;
  @%p vote.ballot.b32 %v6, %always;
  selp.u32 %v7, 1, 0, %e;
  st.global.v4.u32 [%o], {%v0, %v1, %v2, %v3};
  st.global.v4.u32 [%o+16], {%v4, %v5, %v6, %v7};
  ret;
})");
  const auto v = m.outputs<std::uint32_t>("k", 32, 32 * 8);
  std::uint32_t members = 0, count = 0;
  for (unsigned i = 1; i < 32; i += 3) {
    members |= 1u << i;
    ++count;
  }
  for (unsigned i = 0; i < 32; ++i) {
    const bool on = (members >> i) & 1;
    for (const unsigned k : {0u, 1u, 2u, 3u, 6u}) EXPECT_EQ(v[8 * i + k], on ? members : 0) << i << " " << k;
    EXPECT_EQ(v[8 * i + 4], on ? count : 0) << i;
    EXPECT_EQ(v[8 * i + 5], on ? 1u : 0u) << "the elected lane, read by lane " << i;
    EXPECT_EQ(v[8 * i + 7], i == 1 ? 1u : 0u) << i;
  }
}

}  // namespace
}  // namespace warpvp::ptx::testing
