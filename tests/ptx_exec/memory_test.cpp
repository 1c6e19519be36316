// Memory spaces, widths, atomics, and the faults of bad addresses.

#include <algorithm>
#include <functional>
#include <numeric>

#include "ptx/exec/select.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

const std::uint8_t kTable[16] = {1, 2, 3, 4, 0xfe, 0xff, 0x80, 0x7f, 9, 10, 11, 12, 13, 14, 15, 16};

TEST(Memory, SubWordAccessesExtendToTheRegister) {
  PtxModule m("memory.ptx");
  const auto out = m.outputs<std::uint8_t>("subword", 32, 32 * 64);
  const auto at = [&](unsigned i, unsigned offset, unsigned bytes) {
    std::uint64_t v = 0;
    std::memcpy(&v, &out[64 * i + offset], bytes);
    return v;
  };
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint8_t b = kTable[i & 7];
    const std::int64_t sb = static_cast<std::int8_t>(b);
    EXPECT_EQ(at(i, 0, 4), b);
    EXPECT_EQ(at(i, 4, 4), static_cast<std::uint32_t>(sb));
    EXPECT_EQ(at(i, 8, 8), static_cast<std::uint64_t>(sb));
    EXPECT_EQ(at(i, 16, 4), b);
    std::int16_t h;
    std::memcpy(&h, kTable + (i & 6), 2);
    EXPECT_EQ(at(i, 20, 4), static_cast<std::uint32_t>(std::int32_t{h}));
    std::uint16_t u;
    std::memcpy(&u, kTable + (i & 6) + 8, 2);
    EXPECT_EQ(at(i, 24, 8), u);
    EXPECT_EQ(at(i, 32, 4), 0xddu | (i << 8) | (i << 16)) << "byte and half stores touch only their bytes";
  }
}

TEST(Memory, VectorsSharedLocalAndConstant) {
  PtxModule m("memory.ptx");
  const auto out = m.outputs<std::uint32_t>("vectors", 64, 64 * 8);
  const std::uint32_t coefficients[4] = {10, 20, 30, 40};
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint32_t n = i ^ 1;
    const std::uint32_t expected[8] = {
        n + 2, n + 3, n, n + 2, 7 * i + (i & 15), 7 * i + 2, coefficients[i & 3], 40};
    for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(out[8 * i + k], expected[k]) << i << " " << k;
  }
}

TEST(Memory, RegistersOf128BitsAreTheirHalves) {
  PtxModule m(R"(.version 8.3
.target sm_70
.address_size 64
.visible .entry wide(.param .u64 out) {
  .reg .b64 %rd<5>;
  .reg .b32 %r1;
  .reg .b128 %q<2>, %last;
  .reg .pred %p;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 32;
  add.u64 %rd1, %rd1, %rd2;
  cvt.u64.u32 %rd3, %r1;
  add.u64 %rd4, %rd3, 1000;
  mov.b128 %q1, {%rd3, %rd4};
  st.release.gpu.b128 [%rd1], %q1;
  ld.acquire.gpu.b128 %q0, [%rd1];
  mov.b128 %last, %q0;
  setp.gt.u32 %p, %r1, 15;
  @%p mov.b128 {%rd4, %rd3}, %last;
  mov.b128 %q1, {%rd3, %rd4};
  st.global.b128 [%rd1+16], %q1;
  ret;
}
)");
  const auto out = m.outputs<std::uint64_t>("wide", 32, 32 * 4);
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t expected[] = {i, i + 1000, i > 15 ? i + 1000 : i, i > 15 ? i : i + 1000};
    for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(out[4 * i + k], expected[k]) << i << " " << k;
  }
}

TEST(Memory, GenericAddressesOfSeveralSpacesInOneWarp) {
  PtxModule m("memory.ptx");
  const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(64));
  const FunctionalResult r = m.run("generic", {}, {32, 1, 1}, 256, out);
  ASSERT_TRUE(r.ok()) << r.fault->summary();
  const auto v = m.read<std::uint32_t>(out, 64);
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned base[3] = {3000, 1000, 2000}, space[3] = {4, 1, 2};
    EXPECT_EQ(v[2 * i], base[i % 3] + i + 1) << i;
    EXPECT_EQ(v[2 * i + 1], space[i % 3]) << i;
  }
}

// What the lanes read may be one block, one word, or anything, each half of the warp by itself.
TEST(Memory, LoadsOfAnyShapeGiveEachLaneItsWord) {
  const std::string text = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry gather(.param .u64 out, .param .u64 index, .param .u64 data, .param .u32 lanes)
{
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<2>; .shared .align 4 .b8 copy[1024];
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [index]; ld.param.u64 %rd3, [data]; ld.param.u32 %r1, [lanes];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd4, %r2, 4;
  add.u64 %rd5, %rd2, %rd4; ld.global.u32 %r3, [%rd5];
  mul.wide.u32 %rd6, %r3, 4; add.u64 %rd6, %rd3, %rd6;
  mov.u32 %r4, copy; shl.b32 %r5, %r3, 2; add.u32 %r4, %r4, %r5;
  mov.u32 %r6, 7; mov.u32 %r7, 9;
  shr.u32 %r1, %r1, %r2; and.b32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0;
  @%p1 ld.global.u32 %r6, [%rd6];
  st.shared.u32 [%r4], %r6;
  @%p1 ld.shared.u32 %r7, [%r4];
  mul.wide.u32 %rd4, %r2, 8; add.u64 %rd1, %rd1, %rd4;
  st.global.u32 [%rd1], %r6; st.global.u32 [%rd1+4], %r7;
  ret;
})";
  std::vector<std::uint32_t> data(256);
  for (unsigned i = 0; i < data.size(); ++i) data[i] = 1000 + i * i;
  const std::function<std::uint32_t(unsigned)> shapes[] = {[](unsigned l) { return l; },
                                                           [](unsigned) { return 5u; },
                                                           [](unsigned l) { return l / 16; },
                                                           [](unsigned l) { return l < 16 ? l : 40; },
                                                           [](unsigned l) { return l < 16 ? 3 : l * 3; },
                                                           [](unsigned l) { return l % 16 + l / 16 * 100; },
                                                           [](unsigned l) { return l == 15 ? 99 : l; },
                                                           [](unsigned l) { return 200 - 5 * l; }};
  const IsaLevel before = isa_level();
  for (const IsaLevel level : {IsaLevel::kBaseline, IsaLevel::kAvx2, IsaLevel::kAvx512, IsaLevel::kNative}) {
    if (!set_isa_level(level)) continue;
    PtxModule m(text);
    for (const auto& shape : shapes)
      for (const std::uint32_t lanes : {~0u, 0xffff0000u, 0x0000ffffu, 0x80000001u, 0x5a5a5a5au}) {
        std::vector<std::uint32_t> index(32);
        for (unsigned l = 0; l < 32; ++l) index[l] = shape(l);
        const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(64));
        const FunctionalResult r =
            m.run("gather", {}, {32, 1, 1}, 0, out, m.buffer(index), m.buffer(data), lanes);
        ASSERT_TRUE(r.ok()) << r.fault->summary();
        const auto got = m.read<std::uint32_t>(out, 64);
        for (unsigned l = 0; l < 32; ++l) {
          const bool active = lanes >> l & 1;
          EXPECT_EQ(got[2 * l], active ? data[index[l]] : 7u) << "lane " << l << " of " << lanes;
          if (!active) {
            EXPECT_EQ(got[2 * l + 1], 9u) << "lane " << l << " of " << lanes;
          }
        }
        // In shared memory the highest lane's store to a word stands, also that of a lane that read nothing.
        for (unsigned l = 0; l < 32; ++l) {
          if (!(lanes >> l & 1)) continue;
          unsigned last = l;
          for (unsigned k = l; k < 32; ++k)
            if (index[k] == index[l]) last = k;
          EXPECT_EQ(got[2 * l + 1], lanes >> last & 1 ? data[index[l]] : 7u)
              << "lane " << l << " of " << lanes;
        }
      }
  }
  set_isa_level(before);
}

TEST(Memory, AtomicsActLaneByLane) {
  PtxModule m("memory.ptx");
  std::vector<std::uint32_t> words(22, 0);
  words[1] = 0x80000000;
  words[2] = 0x7fffffff;
  words[4] = 0xffffffff;
  words[5] = 0x40;
  words[9] = 5;
  words[18] = 100;  // min.s64
  const std::uint64_t address = m.buffer(words);
  ASSERT_TRUE(m.run("atomics", {}, {32, 1, 1}, 0, address).ok());
  const auto w = m.read<std::uint32_t>(address, 22);
  EXPECT_EQ(w[0], 32u * 33 / 2);
  EXPECT_EQ(w[1], 32u);
  EXPECT_EQ(w[2], 0u);
  EXPECT_EQ(w[3], 0xffffffffu);
  EXPECT_EQ(w[4], 0u);
  EXPECT_EQ(w[5], 0x40u) << "0 xor ... xor 31 is 0";
  EXPECT_EQ(w[6], 32u % 10) << "inc wraps above 9";
  EXPECT_EQ(w[7], 8u) << "dec of 0 gives 9; 32 steps";
  EXPECT_EQ(w[8], 31u) << "ascending lanes: the last exchange wins";
  EXPECT_EQ(w[9], 32u) << "cas from 5 climbs, lane by lane, to 32";
  float f;
  std::memcpy(&f, &w[10], 4);
  EXPECT_EQ(f, 496.0f);
  const auto q = m.read<std::uint64_t>(address + 48, 5);
  EXPECT_EQ(q[0], 496u);
  double d;
  std::memcpy(&d, &q[1], 8);
  EXPECT_EQ(d, 496.0);
  EXPECT_EQ(q[2], 31u);
  EXPECT_EQ(q[3], static_cast<std::uint64_t>(-31));
  EXPECT_EQ(q[4], 0u) << "0 becomes -0, further compares fail";
}

TEST(Memory, SharedTicketsAreAPermutation) {
  PtxModule m("memory.ptx");
  auto out = m.outputs<std::uint32_t>("tickets", 96, 97);
  EXPECT_EQ(out[96], 96u);
  out.pop_back();
  std::sort(out.begin(), out.end());
  for (unsigned i = 0; i < 96; ++i) EXPECT_EQ(out[i], i);
}

TEST(Memory, FloatAddsFlushSubnormalsInGlobalMemoryOnly) {
  PtxModule m(R"(
.version 7.5
.target sm_70
.address_size 64
.visible .entry k (.param .u64 p)
{
	.shared .f32 s;
	.reg .u64 %rd<3>;
	.reg .f32 %f<4>;
	ld.param.u64 %rd1, [p];
	mov.f32 %f1, 0f00000003;
	st.shared.f32 [s], %f1;
	red.global.add.f32 [%rd1], %f1;
	red.shared.add.f32 [s], %f1;
	ld.shared.f32 %f2, [s];
	st.global.f32 [%rd1+4], %f2;
	ret;
}
)");
  const std::uint64_t p = m.buffer(std::vector<std::uint32_t>{5, 0});
  ASSERT_TRUE(m.run("k", {}, {1, 1, 1}, 0, p).ok());
  EXPECT_EQ(m.read<std::uint32_t>(p, 2), (std::vector<std::uint32_t>{0, 6}));
}

TEST(Memory, AsynchronousCopiesFillWithZeros) {
  PtxModule m(R"(
.version 7.5
.target sm_80
.address_size 64
.visible .entry k (.param .u64 p, .param .u64 out)
{
	.shared .align 16 .b8 s[512];
	.reg .u32 %r<10>;
	.reg .u64 %rd<8>;
	ld.param.u64 %rd1, [p];
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 4;
	mov.u32 %r3, s;
	add.u32 %r4, %r3, %r2;
	cvt.u64.u32 %rd3, %r2;
	add.u64 %rd4, %rd1, %rd3;
	and.b32 %r5, %r1, 15;
	cp.async.cg.shared.global [%r4], [%rd4], 16, %r5;
	cp.async.commit_group;
	cp.async.wait_group 0;
	bar.sync 0;
	add.u64 %rd5, %rd2, %rd3;
	ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r4];
	st.global.v4.u32 [%rd5], {%r6, %r7, %r8, %r9};
	ret;
}
)");
  std::vector<std::uint8_t> in(512);
  for (unsigned i = 0; i < 512; ++i) in[i] = static_cast<std::uint8_t>(i * 7 + 1);
  const std::uint64_t p = m.buffer(in), out = m.buffer(std::vector<std::uint8_t>(512, 0xee));
  const FunctionalResult r = m.run("k", {}, {32, 1, 1}, 0, p, out);
  ASSERT_TRUE(r.ok()) << r.fault->summary();
  const auto v = m.read<std::uint8_t>(out, 512);
  for (unsigned i = 0; i < 512; ++i) EXPECT_EQ(v[i], i % 16 < (i / 16) % 16 ? in[i] : 0) << i;
}

// ---- faults: the message, the lane and the address; and that the instruction took no effect

struct FaultCase {
  const char* name;
  const char* body;  ///< %rd1: buffer of 64 words; %r1: tid; %rd2: &buffer[tid]; %rd3: tid * 4 as 64 bits
  const char* what;
  int lane;
  long long offset;  ///< address expected: relative to the buffer, or absolute when `absolute`
  bool absolute = false;
};
void PrintTo(const FaultCase& c, std::ostream* os) { *os << c.name; }

class Faults : public ::testing::TestWithParam<FaultCase> {};
INSTANTIATE_TEST_SUITE_P(
    Table, Faults,
    ::testing::Values(
        FaultCase{"LoadBeyond", "ld.global.u32 %r2, [%rd2+132];", "out-of-bounds global load of 4 bytes", 31,
                  256},
        FaultCase{"StoreBelow", "st.global.u32 [%rd2+-8], %r1;", "out-of-bounds global store of 4 bytes", 0,
                  -8},
        FaultCase{"VectorStraddlesTheEnd",
                  "shl.b64 %rd4, %rd3, 1; add.u64 %rd4, %rd4, %rd1; ld.global.v2.u32 {%r2, %r3}, [%rd4+8];",
                  "out-of-bounds global load of 8 bytes", 31, 256},
        FaultCase{"Misaligned", "add.u64 %rd4, %rd2, 2; ld.global.u32 %r2, [%rd4];",
                  "misaligned global load of 4 bytes", 0, 2},
        FaultCase{"MisalignedVector", "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd2];",
                  "misaligned global load of 16 bytes", 1, 4},
        FaultCase{"Null", "mov.u64 %rd4, 0; ld.global.u32 %r2, [%rd4+16];",
                  "global load through a null pointer of 4 bytes", 0, 16, true},
        FaultCase{"OneBadLane",
                  "setp.eq.u32 %p1, %r1, 17; mov.u64 %rd5, 0x7000000000; selp.b64 %rd4, %rd5, %rd2, %p1; "
                  "st.global.u32 [%rd4], %r1;",
                  "out-of-bounds global store of 4 bytes", 17, 0x7000000000, true},
        FaultCase{"Shared", "mov.u32 %r3, s; add.u32 %r3, %r3, %r1; st.shared.u32 [%r3+64], %r1;",
                  "misaligned shared store of 4 bytes", 1, 65, true},
        FaultCase{"SharedBeyond",
                  "mov.u32 %r3, s; shl.b32 %r2, %r1, 3; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], %r1;",
                  "out-of-bounds shared store of 4 bytes", 16, 128, true},
        FaultCase{"GenericShared", "mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4; ld.u32 %r2, [%rd4+128];",
                  "out-of-bounds shared load of 4 bytes", 0, 128, true},
        FaultCase{"Local", "mov.u64 %rd4, l; ld.local.u32 %r2, [%rd4+16];",
                  "out-of-bounds local load of 4 bytes", 0, 16, true},
        FaultCase{"Atomic", "atom.global.add.u32 %r2, [%rd2+200], 1;",
                  "out-of-bounds global atomic of 4 bytes", 14, 256},
        FaultCase{"AtomicWraps", "mov.u64 %rd4, -4; red.global.add.u32 [%rd4], 1;",
                  "out-of-bounds global atomic of 4 bytes", 0, -4, true},
        FaultCase{"Trap", "setp.eq.u32 %p1, %r1, 9; @%p1 trap;", "trap instruction", 9, -1},
        FaultCase{"BadBranchIndex",
                  "t: .branchtargets X; brx.idx %r1, t; X:", "brx.idx with an index beyond its table", 1, -1},
        FaultCase{"BadCall", "shape: .callprototype _ (); call %rd1, shape;",
                  "indirect call of an address that is no function", 0, 0},
        FaultCase{
            "BadCallWithOperands",
            ".param .b32 a; .param .b64 b; .param .b32 r; st.param.b32 [a], %r1; st.param.b64 [b], %rd1; "
            "shape: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _); "
            "call (r), %rd1, (a, b), shape; ld.param.b32 %r2, [r];",
            "indirect call of an address that is no function", 0, 0},
        FaultCase{"BarrierNumber", "mov.u32 %r2, 16; bar.sync %r2;", "barrier number above 15", 0, -1},
        FaultCase{"BarrierCount", "bar.sync 1, 40;", "barrier thread count is not a positive multiple", 0,
                  -1}),
    [](const auto& info) { return info.param.name; });

TEST_P(Faults, NameLaneAndAddress) {
  const FaultCase& c = GetParam();
  PtxModule m(std::string(R"(
.version 7.5
.target sm_70
.address_size 64
.visible .entry k (.param .u64 p)
{
	.shared .align 16 .b8 s[128];
	.local .align 16 .b8 l[16];
	.reg .u32 %r<8>;
	.reg .u64 %rd<8>;
	.reg .pred %p<3>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd2, %rd1, %rd3;
)") + c.body + "\n\tret;\n}\n");
  const std::uint64_t p = m.buffer(std::vector<std::uint32_t>(64, 0x55));
  const FunctionalResult r = m.run("k", {}, {32, 1, 1}, 0, p);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.fault->what.substr(0, std::strlen(c.what)), c.what);
  EXPECT_EQ(r.fault->lane, c.lane);
  if (c.offset != -1) {
    ASSERT_TRUE(r.fault->address.has_value());
    EXPECT_EQ(*r.fault->address, static_cast<std::uint64_t>(c.offset) + (c.absolute ? 0 : p));
  }
  EXPECT_NE(r.fault->ptx_location.find("test.ptx:"), std::string::npos);
  for (const std::uint32_t v : m.read<std::uint32_t>(p, 64))
    EXPECT_EQ(v, 0x55u) << "a faulting instruction took effect";
}

TEST(Memory, ReleasedMemoryIsNoLongerValid) {
  PtxModule m("memory.ptx");
  const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(100));
  ASSERT_TRUE(m.run("tickets", {}, {32, 1, 1}, 0, out).ok());
  m.memory().release(out);
  EXPECT_FALSE(m.run("tickets", {}, {32, 1, 1}, 0, out).ok()) << "the cached range must be looked up again";
}

}  // namespace
}  // namespace warpvp::ptx::testing
