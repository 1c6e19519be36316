// Values of instruction forms that compilers of recent toolkits write.

#include <cmath>

#include "tests/ptx_exec/op_harness.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::string module_of(const std::string& body, const std::string& before = "") {
  return ".version 8.6\n.target sm_100\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .u64 %o, %i, %x;\n.reg .u32 %t;\n"
         "ld.param.u64 %o, [out];\nld.param.u64 %i, [in];\nmov.u32 %t, %tid.x;\n" +
         body + "\nret;\n}\n";
}
// Moves %o to the thread's `words` words of output.
std::string own_output(unsigned words) {
  return "mul.wide.u32 %x, %t, " + std::to_string(4 * words) + ";\nadd.u64 %o, %o, %x;\n";
}

// ---- integers

TEST(Forms, SixteenBitPairs) {
  const auto half = [](u64 v, unsigned n, bool is_signed) {
    const u32 h = static_cast<u32>(v >> (16 * n)) & 0xffff;
    return is_signed && h >= 0x8000 ? static_cast<int>(h) - 0x10000 : static_cast<int>(h);
  };
  std::vector<u64> e;
  for (const u32 high : {0u, 1u, 0x7fffu, 0x8000u, 0xffffu, 0x1234u})
    for (const u32 low : {0u, 0x7fffu, 0x8000u, 0xfffeu, 0xffffu}) e.push_back(u64{high} << 16 | low);
  for (const Opcode op : {Opcode::add, Opcode::min, Opcode::max}) {
    for (const bool is_signed : {false, true}) {
      for (const bool relu : {false, true}) {
        OpSpec s{op, typed(is_signed ? Type::s16x2 : Type::u16x2), 32, {32, 32}};
        s.m.relu = relu;
        if (relu && (op == Opcode::add || !is_signed)) {
          EXPECT_TRUE(refused(s));
          continue;
        }
        check(s, {e, e}, [&](const std::vector<u64>& o) {
          u64 result = 0;
          for (unsigned n = 0; n < 2; ++n) {
            const int a = half(o[0], n, is_signed), b = half(o[1], n, is_signed);
            int r = op == Opcode::add ? a + b : op == Opcode::min ? std::min(a, b) : std::max(a, b);
            if (relu && r < 0) r = 0;
            result |= static_cast<u64>(static_cast<u32>(r) & 0xffff) << (16 * n);
          }
          return result;
        });
      }
    }
  }
}

TEST(Forms, CvtPackSaturatesAndPacks) {
  const auto e = int_edges(32);
  for (const unsigned bits : {2u, 4u, 8u, 16u}) {
    for (const bool is_signed : {false, true}) {
      OpSpec s{Opcode::cvt_pack, {}, 32, {32, 32}};
      if (bits < 16) s.src.push_back(32);
      s.m.pack_bits = static_cast<std::uint8_t>(bits);
      s.m.pack_signed = is_signed;
      const std::int64_t high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
      const std::int64_t low = is_signed ? -(1 << (bits - 1)) : 0;
      const auto reference = [=](const std::vector<u64>& o) {
        u64 d = 0;
        for (unsigned n = 0; n < 2; ++n) {
          const std::int64_t v = static_cast<std::int32_t>(o[1 - n]);
          const std::int64_t r = v < low ? low : v > high ? high : v;
          d |= (static_cast<u64>(r) & ((1u << bits) - 1)) << (bits * n);
        }
        return bits == 16 ? d : (d | o[2] << (2 * bits)) & 0xffffffff;
      };
      if (bits == 16)
        check(s, {e, e}, reference);
      else
        check(s, {e, e, {0, 0x12345678, 0xffffffff}}, reference);
    }
  }
}

// A result narrower than its register fills it by its sign.
TEST(Forms, FloatToNarrowIntegerInAWiderRegister) {
  const double values[] = {0,    1,     -1,    2.5,    3.5,     -2.5,    126.6, 127.5,        -128.4,
                           -129, 255.2, 300,   -40000, 32767.5, 65535.4, 70000, 2147483647.0, -2147483648.0,
                           3e9,  1e20,  -1e20, 0.49};
  struct Target {
    Type type;
    unsigned bits;
    bool is_signed;
  };
  for (const Target t :
       {Target{Type::s8, 8, true}, Target{Type::u8, 8, false}, Target{Type::s16, 16, true},
        Target{Type::u16, 16, false}, Target{Type::s32, 32, true}, Target{Type::u32, 32, false}}) {
    for (const bool from_double : {false, true}) {
      for (const unsigned width : {32u, 64u}) {
        OpSpec s{Opcode::cvt, typed(t.type), width, {from_double ? 64u : 32u}};
        s.m.src_type = from_double ? Type::f64 : Type::f32;
        s.m.rounding = Rounding::rni;
        std::vector<u64> in;
        for (const double v : values) in.push_back(from_double ? bits(v) : bits(static_cast<float>(v)));
        check(s, {in}, [&](const std::vector<u64>& o) {
          const double v = from_double ? f64(o[0]) : static_cast<double>(f32(o[0]));
          const double low = t.is_signed ? -std::ldexp(1.0, static_cast<int>(t.bits) - 1) : 0;
          const double high = std::ldexp(1.0, static_cast<int>(t.bits) - (t.is_signed ? 1 : 0)) - 1;
          const double r = std::min(std::max(std::nearbyint(v), low), high);
          const u64 wide = static_cast<u64>(static_cast<std::int64_t>(r));
          return width == 64 ? wide : wide & 0xffffffff;
        });
      }
    }
  }
}

TEST(Forms, Lop3CombinesItsPredicate) {
  PtxModule m(module_of(own_output(4) + R"(
.reg .u32 %a, %b, %c, %d, %v<3>;
.reg .pred %p, %q;
and.b32 %a, %t, 1;
shr.u32 %b, %t, 1;
and.b32 %b, %b, 1;
and.b32 %c, %t, 4;
setp.ne.u32 %q, %c, 0;
lop3.or.b32 %d|%p, %a, %b, 1, 0x80, %q;
selp.u32 %v0, 1, 0, %p;
lop3.and.b32 _|%p, %a, %b, 1, 0x80, !%q;
selp.u32 %v1, 1, 0, %p;
lop3.b32.and %v2|%p, %a, %b, 0, 0x3c, %q;
st.global.v4.u32 [%o], {%d, %v0, %v1, %v2};
)"));
  const auto v = m.outputs<u32>("k", 32, 128, u64{0});
  for (unsigned i = 0; i < 32; ++i) {
    const u32 a = i & 1, b = (i >> 1) & 1;
    const bool q = (i & 4) != 0;
    EXPECT_EQ(v[4 * i], a & b) << i;
    EXPECT_EQ(v[4 * i + 1], (a & b) != 0 || q ? 1u : 0u) << i;
    EXPECT_EQ(v[4 * i + 2], (a & b) != 0 && !q ? 1u : 0u) << i;
    EXPECT_EQ(v[4 * i + 3], a ^ b) << i;
  }
}

// ---- vectors and special registers

TEST(Forms, VectorMovesAndVectorRegisters) {
  PtxModule m(module_of(own_output(16) + R"(
.reg .u32 %a, %b, %c, %d;
.reg .v4 .u32 %v, %w<2>;
.reg .v2 .f32 %f;
.reg .u16 %h;
mov.v4.u32 {%a, %b, %c, %d}, %tid;
st.global.v4.u32 [%o], {%a, %b, %c, %d};
mov.v4.u32 %v, %ntid;
st.global.v4.u32 [%o+16], %v;
mov.v4.u32 {%a, %b, %c, %d}, {%d, %a, %b, %c};
st.global.v4.u32 [%o+32], {%a, %b, %c, %d};
mov.v4.b32 %w1, {7, %t, 9, %v.x};
mov.v4.u32 {_, %a, _, %b}, %w1;
mov.u16 %h, %tid.x;
cvt.u32.u16 %c, %h;
ld.global.v2.f32 %f, [%i];
add.f32 %f.x, %f.x, %f.y;
mov.b32 %d, %f.x;
st.global.v4.u32 [%o+48], {%a, %b, %c, %d};
)"));
  const u64 in = m.buffer(std::vector<float>{1.5f, 2.0f}), out = m.buffer(std::vector<u32>(16 * 60));
  ASSERT_TRUE(m.run("k", {}, {10, 3, 2}, 0, out, in).ok());
  const auto v = m.read<u32>(out, 16 * 60);
  for (unsigned n = 0; n < 10; ++n) {  // the threads of the first row have a place of their own
    const u32* o = &v[16 * n];
    EXPECT_EQ(o[0], n);
    EXPECT_EQ(o[3], 0u) << "the fourth component reads as 0";
    EXPECT_EQ(o[4], 10u);
    EXPECT_EQ(o[5], 3u);
    EXPECT_EQ(o[6], 2u);
    EXPECT_EQ(o[7], 0u);
    EXPECT_EQ(o[8], 0u) << "{d, a, b, c} of {a, b, c, d}";
    EXPECT_EQ(o[9], n);
    EXPECT_EQ(o[10], o[1]);
    EXPECT_EQ(o[11], o[2]);
    EXPECT_EQ(o[12], n);
    EXPECT_EQ(o[13], 10u);
    EXPECT_EQ(o[14], n);
    EXPECT_EQ(o[15], 0x40600000u) << "1.5 + 2";
  }
}

TEST(Forms, SpecialRegistersOfDriversToolsAndClusters) {
  PtxModule m(module_of(own_output(8) + R"(
.reg .u32 %v<8>;
.reg .u64 %w;
.reg .pred %p;
.shared .u32 own[4];
mov.u32 %v0, %envreg31;
mov.u64 %w, %pm7_64;
cvt.u32.u64 %v1, %w;
mov.u32 %v2, %clusterid.x;
mov.u32 %v3, %cluster_nctaid.x;
mov.u32 %v4, %cluster_ctarank;
mov.pred %p, %is_explicit_cluster;
selp.u32 %v5, 1, 0, %p;
mov.u32 %v6, %aggr_smem_size;
mov.u32 %v7, %total_smem_size;
st.global.v4.u32 [%o], {%v0, %v1, %v2, %v3};
st.global.v4.u32 [%o+16], {%v4, %v5, %v6, %v7};
st.shared.u32 [own], %t;
)"));
  const u64 out = m.buffer(std::vector<u32>(8));
  ASSERT_TRUE(m.run("k", {3, 1, 1}, {1, 1, 1}, 0, out, u64{0}).ok());
  const auto v = m.read<u32>(out, 8);
  EXPECT_EQ(v, (std::vector<u32>{0, 0, 2, 1, 0, 0, 16, 16})) << "of the last CTA; every CTA is a cluster";
}

// Cooperative groups put their own data at %reserved_smem_offset_1: it must not be the kernel's.
TEST(Forms, ReservedSharedMemoryIsApart) {
  PtxModule m(module_of(own_output(8) + R"(
.reg .u32 %v<8>, %r;
.shared .align 16 .u32 own[4];
mov.u32 %r, %reserved_smem_offset_1;
mov.u32 %v0, 11;
st.shared.u32 [own], %v0;
mov.u32 %v0, 22;
st.shared.u32 [%r], %v0;
st.shared.u32 [%r+284], %v0;
ld.shared.u32 %v0, [own];
ld.shared.u32 %v1, [%r];
mov.u32 %v2, %reserved_smem_offset_begin;
mov.u32 %v3, %reserved_smem_offset_end;
mov.u32 %v4, own;
mov.u32 %v5, %total_smem_size;
mov.u32 %v6, %aggr_smem_size;
mov.u32 %v7, %reserved_smem_offset_cap;
st.global.v4.u32 [%o], {%v0, %v1, %v2, %v3};
st.global.v4.u32 [%o+16], {%v4, %v5, %v6, %v7};
)"));
  const auto v = m.outputs<u32>("k", 1, 8, u64{0});
  EXPECT_EQ(v, (std::vector<u32>{11, 22, 0, 1024, 1024, 16, 1040, 1024}));
}

// ---- memory

TEST(Forms, HintsMmioAndFencesChangeNoValue) {
  PtxModule m(module_of(own_output(8) + R"(
.reg .u32 %v<8>;
.reg .u64 %p<4>;
.reg .f32 %half;
.reg .pred %q<2>;
.shared .align 16 .b8 sh[16];
createpolicy.fractional.L2::evict_last.b64 %p0, 0f3F000000;
mov.f32 %half, 0f3F000000;
createpolicy.fractional.L2::evict_last.b64 %p1, %half;
createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %p2, [%i], 16, 32;
createpolicy.cvt.L2.b64 %p3, %p0;
setp.eq.u64 %q0, %p0, %p1;
setp.eq.and.u64 %q0, %p0, %p3, %q0;
selp.u32 %v5, 1, 0, %q0;
ld.global.L2::cache_hint.u32 %v0, [%i], %p0;
ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.v2.u32 {%v1, %v2}, [%i], 5;
ld.mmio.relaxed.sys.global.u32 %v3, [%i+4];
cp.async.ca.shared.global.L2::cache_hint [sh], [%i], 4, %p2;
cp.async.ca.shared.global.L2::cache_hint [sh+8], [%i], 8, 4, %p2;
cp.async.wait_all;
ld.shared.u32 %v4, [sh+8];
fence.proxy.alias;
fence.proxy.async;
fence.proxy.async.shared::cta;
fence.proxy.tensormap::generic.release.gpu;
fence.proxy.tensormap::generic.acquire.gpu [%i], 128;
fence.acquire.gpu;
fence.mbarrier_init.release.cluster;
applypriority.global.L2::evict_normal [%i], 128;
st.global.L2::cache_hint.v4.u32 [%o], {%v0, %v1, %v2, %v3}, %p0;
st.mmio.relaxed.sys.global.u32 [%o+16], %v4;
st.global.u32 [%o+20], %v5;
atom.global.add.L2::cache_hint.u32 %v6, [%o+24], 3, %p0;
red.global.add.L2::cache_hint.u32 [%o+24], 4, %p0;
atom.add.L2::cache_hint.u32 %v6, [%o+28], 3, %p0;
)"));
  const auto v = m.outputs<u32>("k", 1, 8, m.buffer(std::vector<u32>{70, 80, 90, 100}));
  EXPECT_EQ(v, (std::vector<u32>{70, 70, 80, 80, 70, 1, 7, 3}));
}

TEST(Forms, AtomicsOnVectorsOfFloatsAddElementByElement) {
  PtxModule m(module_of(R"(
.reg .f32 %f<9>, %b;
cvt.rn.f32.u32 %b, %t;
mul.wide.u32 %x, %t, 32;
add.u64 %o, %o, %x;
atom.global.v2.f32.add {%f0, %f1}, [%i], {0f3F800000, %b};
atom.global.add.v4.f32 {%f2, %f3, %f4, _}, [%i+16], {%b, %b, 0f40000000, %b};
red.global.add.v2.f32 [%i+32], {%b, 0f3F800000};
red.add.v4.f32 [%i+48], {%b, %b, %b, %b};
atom.add.v2.f32 _, [%i+8], {%b, %b};
st.global.v4.f32 [%o], {%f0, %f1, %f2, %f3};
st.global.f32 [%o+16], %f4;
)"));
  std::vector<float> start(16, 0.5f);
  start[7] = 1e-42f;  // subnormal: flushed by additions to global memory
  const u64 in = m.buffer(start), out = m.buffer(std::vector<float>(32 * 8));
  ASSERT_TRUE(m.run("k", {}, {32, 1, 1}, 0, out, in).ok());
  const auto v = m.read<float>(out, 32 * 8), after = m.read<float>(in, 16);
  for (unsigned i = 0; i < 32; ++i) {
    const float before = static_cast<float>(i * (i - 1) / 2);  // lanes act in ascending order
    EXPECT_EQ(v[8 * i], 0.5f + static_cast<float>(i)) << i;
    EXPECT_EQ(v[8 * i + 1], 0.5f + before) << i;
    EXPECT_EQ(v[8 * i + 2], 0.5f + before) << i;
    EXPECT_EQ(v[8 * i + 3], 0.5f + before) << i;
    EXPECT_EQ(v[8 * i + 4], 0.5f + 2 * static_cast<float>(i)) << i;
  }
  const float all = 496;
  EXPECT_EQ(after, (std::vector<float>{32.5f, all + 0.5f, all + 0.5f, all + 0.5f, all + 0.5f, all + 0.5f,
                                       64.5f, all, all + 0.5f, 32.5f, 0.5f, 0.5f, all + 0.5f, all + 0.5f,
                                       all + 0.5f, all + 0.5f}));
}

TEST(Forms, AtomicsOnVectorsNeedTheirAlignment) {
  PtxModule m(module_of("atom.global.add.v2.f32 _, [%i+4], {0f3F800000, 0f3F800000};"));
  const FunctionalResult r = m.run("k", {}, {1, 1, 1}, 0, u64{0}, m.buffer(std::vector<float>(4)));
  ASSERT_FALSE(r.ok());
  EXPECT_NE(r.fault->summary().find("misaligned"), std::string::npos) << r.fault->summary();
}

// ---- the stack

const char* const kStackFunctions = R"(
.func (.reg .u32 %sum) fill(.reg .u32 %n)
{
  .reg .u64 %p, %q, %s;
  .reg .u32 %k, %v;
  .reg .pred %c;
  mul.wide.u32 %s, %n, 4;
  alloca.u64 %p, %s, 16;
  mov.u32 %k, 0;
  mov.u64 %q, %p;
L1:
  st.local.u32 [%q], %k;
  add.u64 %q, %q, 4;
  add.u32 %k, %k, 1;
  setp.lt.u32 %c, %k, %n;
  @%c bra L1;
  mov.u32 %sum, 0;
  mov.u64 %q, %p;
  mov.u32 %k, 0;
L2:
  ld.local.u32 %v, [%q];
  add.u32 %sum, %sum, %v;
  add.u64 %q, %q, 4;
  add.u32 %k, %k, 1;
  setp.lt.u32 %c, %k, %n;
  @%c bra L2;
  ret;
}
)";

TEST(Forms, StackOfEachThreadIsGivenBackAtReturn) {
  PtxModule m(module_of(own_output(4) + R"(
.reg .u32 %n, %sum, %total, %k, %top, %place;
.reg .u64 %p;
.reg .pred %c;
.local .align 4 .u32 own[4];
mov.u32 %k, 77;
st.local.u32 [own+8], %k;
alloca.u32 %place, 12;
st.local.u32 [%place+8], %t;
add.u32 %n, %t, 1;
mov.u32 %total, 0;
mov.u32 %k, 0;
LOOP:
call (%sum), fill, (%n);
add.u32 %total, %total, %sum;
add.u32 %k, %k, 1;
setp.lt.u32 %c, %k, 200;
@%c bra LOOP;
stacksave.u32 %top;
alloca.u64 %p, 64;
stackrestore.u32 %top;
alloca.u64 %p, 8, 64;
cvt.u32.u64 %k, %p;
ld.local.u32 %n, [own+8];
ld.local.u32 %sum, [%place+8];
st.global.v4.u32 [%o], {%total, %sum, %n, %k};
)",
                        kStackFunctions));
  const auto v = m.outputs<u32>("k", 64, 256, u64{0});
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(v[4 * i], 200 * (i * (i + 1) / 2))
        << "200 calls fit because each gives back its part, lane " << i;
    EXPECT_EQ(v[4 * i + 1], i);
    EXPECT_EQ(v[4 * i + 2], 77u) << "local variables lie elsewhere";
    EXPECT_EQ(v[4 * i + 3] % 64, 0u) << "alignment";
    EXPECT_LT(v[4 * i + 3], 128u) << "stackrestore freed what lay above";
  }
}

TEST(Forms, StackOverflowIsAFault) {
  PtxModule m(module_of(R"(
.reg .u64 %p, %s;
mul.wide.u32 %s, %t, 1000;
alloca.u64 %p, %s;
st.local.u32 [%p], %t;
)"));
  const FunctionalResult r = m.run("k", {}, {8, 1, 1}, 0, u64{0}, u64{0});
  ASSERT_FALSE(r.ok());
  EXPECT_NE(r.fault->summary().find("stack overflow"), std::string::npos) << r.fault->summary();
  EXPECT_EQ(r.fault->lane, 5) << "4 threads fit with 4000 bytes";
}

TEST(Forms, StackRestoreOutsideTheStackIsAFault) {
  PtxModule m(module_of(".reg .u64 %p;\nalloca.u64 %p, 8;\nmov.u64 %p, 1000000;\nstackrestore.u64 %p;\n"));
  const FunctionalResult r = m.run("k", {}, {1, 1, 1}, 0, u64{0}, u64{0});
  ASSERT_FALSE(r.ok());
  EXPECT_NE(r.fault->summary().find("stackrestore"), std::string::npos) << r.fault->summary();
}

// Suffixes in the order that compilers chose, not that of the manual.
TEST(Forms, SuffixesInAnyOrderMeanTheSame) {
  PtxModule m(module_of(own_output(8) + R"(
.reg .u32 %v<8>;
.reg .pred %p, %q;
setp.u32.lt %p, %t, 8;
vote.ballot.sync.b32 %v0, %p, -1;
vote.b32.ballot.sync %v1, %p, -1;
shfl.down.sync.b32 %v2, %t, 1, 31, -1;
match.sync.any.b32 %v3, 5, -1;
redux.add.sync.u32 %v4, 1, -1;
max.s32.relu %v5, -5, -7;
vote.any.sync.pred %q, %p, -1;
selp.u32 %v6, 1, 0, %q;
mov.u32 %v7, 0;
st.global.v4.u32 [%o], {%v0, %v1, %v2, %v3};
st.v4.global.u32 [%o+16], {%v4, %v5, %v6, %v7};
atom.add.u32.global %v7, [%o+28], 9;
)"));
  const auto v = m.outputs<u32>("k", 32, 256, u64{0});
  for (unsigned i = 0; i < 32; ++i) {
    const std::vector<u32> got(v.begin() + 8 * i, v.begin() + 8 * i + 8);
    EXPECT_EQ(got, (std::vector<u32>{0xff, 0xff, i < 31 ? i + 1 : i, ~0u, 32, 0, 1, 9})) << i;
  }
}

}  // namespace
}  // namespace warpvp::ptx::testing
