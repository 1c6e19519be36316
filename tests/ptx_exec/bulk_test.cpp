// cp.async.bulk and its reductions, as one program after the other: what they move, what they tell mbarriers,
// and what is a fault. Reductions are compared with arithmetic of the tests' own.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/ptx_exec/matrix_elements.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

/// A kernel of (out, in, size, to, from, barrier): `to` and `from` are offsets in shared memory, `barrier`
/// its address. 32 threads; what stands in `text` is thread 0's, unless it says otherwise.
std::string bulk_kernel(const std::string& text, const std::string& behind = "") {
  return R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 size, .param .u32 to, .param .u32 from, .param .u32 barrier)
{
.reg .u64 %out, %in, %state, %x<4>, %where;
.reg .u32 %me, %size, %to, %from, %bar, %r<9>, %data;
.reg .pred %p, %first, %done;
.shared .align 16 .b8 data[8192];
.shared .align 8 .b64 bars[2];
ld.param.u64 %out, [out];
ld.param.u64 %in, [in];
ld.param.u32 %size, [size];
ld.param.u32 %to, [to];
ld.param.u32 %from, [from];
ld.param.u32 %bar, [barrier];
mov.u32 %me, %tid.x;
mov.u32 %data, data;
setp.eq.u32 %first, %me, 0;
@!%first bra others;
)" + text +
         R"(
others:
bar.sync 0;
)" + behind +
         R"(
ret;
}
)";
}

/// Threads store the 8192 bytes of shared memory to `out`.
const char* const kStoreAll = R"(
shl.b32 %r0, %me, 2;
cvt.u64.u32 %x0, %r0;
add.u64 %x0, %out, %x0;
add.u32 %r0, %data, %r0;
mov.u32 %r1, 0;
more:
ld.shared.u32 %r2, [%r0];
st.global.u32 [%x0], %r2;
add.u32 %r0, %r0, 128;
add.u64 %x0, %x0, 128;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p, %r1, 64;
@%p bra more;
)";
/// Thread 0 fills shared memory from `in`.
const char* const kLoadAll = R"(
mov.u64 %x1, %in;
mov.u32 %r0, %data;
mov.u32 %r1, 0;
fill:
ld.global.u32 %r2, [%x1];
st.shared.u32 [%r0], %r2;
add.u64 %x1, %x1, 4;
add.u32 %r0, %r0, 4;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p, %r1, 2048;
@%p bra fill;
)";
const char* const kWait = R"(
wait:
mbarrier.try_wait.parity.shared::cta.b64 %done, [bars], 0;
@!%done bra wait;
)";

constexpr unsigned kDataBytes = 8192;
std::vector<std::uint8_t> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<std::uint8_t> bytes(count);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(rng());
  return bytes;
}
FunctionalResult run(PtxModule& m, u64 out, u64 in, u32 size, u32 to = 0, u32 from = 0,
                     u32 barrier = kDataBytes) {
  return m.run("k", {1, 1, 1}, {32, 1, 1}, 0, out, in, size, to, from, barrier);
}

TEST(BulkCopy, BringsAnyMultipleOf16BytesAndTellsTheBarrier) {
  for (const char* space : {"shared::cta", "shared::cluster"}) {
    PtxModule m(bulk_kernel(std::string(R"(
mbarrier.init.shared::cta.b64 [bars], 1;
fence.mbarrier_init.release.cluster;
add.u32 %to, %data, %to;
cvt.u64.u32 %where, %from;
add.u64 %where, %in, %where;
mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %state, [bars], %size;
cp.async.bulk.)") + space + R"(.global.mbarrier::complete_tx::bytes [%to], [%where], %size, [bars];
)" + kWait,
                            kStoreAll));
    const auto bytes = random_bytes(2 * kDataBytes, 1);
    const u64 in = m.buffer(bytes), out = m.buffer(std::vector<std::uint8_t>(kDataBytes));
    std::mt19937 rng(2);
    for (unsigned size = 0; size <= kDataBytes; size += size < 1024 ? 16 : 1024) {
      const u32 to = static_cast<u32>(rng() % ((kDataBytes - size) / 16 + 1) * 16),
                from = static_cast<u32>(rng() % 512 * 16);
      const FunctionalResult r = run(m, out, in, size, to, from);
      ASSERT_TRUE(r.ok()) << r.fault->summary();
      std::vector<std::uint8_t> want(kDataBytes);
      std::copy_n(bytes.begin() + from, size, want.begin() + to);
      ASSERT_EQ(m.read<std::uint8_t>(out, kDataBytes), want)
          << size << " bytes from " << from << " to " << to;
    }
  }
}

TEST(BulkCopy, StoresWhatSharedMemoryHolds) {
  PtxModule m(bulk_kernel(std::string(kLoadAll) + R"(
fence.proxy.async.shared::cta;
add.u32 %from, %data, %from;
cvt.u64.u32 %where, %to;
add.u64 %where, %out, %where;
cp.async.bulk.global.shared::cta.bulk_group [%where], [%from], %size;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
cp.async.bulk.wait_group 0;
)"));
  const auto bytes = random_bytes(kDataBytes, 3);
  const u64 in = m.buffer(bytes);
  for (const unsigned size : {0u, 16u, 48u, 1024u, 4096u, kDataBytes}) {
    const u64 out = m.buffer(std::vector<std::uint8_t>(kDataBytes));
    const u32 to = (kDataBytes - size) / 32 * 16, from = (kDataBytes - size) / 16 * 16;
    const FunctionalResult r = run(m, out, in, size, to, from);
    ASSERT_TRUE(r.ok()) << r.fault->summary();
    std::vector<std::uint8_t> want(kDataBytes);
    std::copy_n(bytes.begin() + from, size, want.begin() + to);
    ASSERT_EQ(m.read<std::uint8_t>(out, kDataBytes), want) << size << " bytes";
  }
}

TEST(BulkCopy, IsEachThreadsOwn) {
  // Thread n brings 16 (n % 16 + 1) bytes to 256 n; one barrier has them all.
  PtxModule m(bulk_kernel("mbarrier.init.shared::cta.b64 [bars], 32;", std::string(R"(
and.b32 %r3, %me, 15;
add.u32 %r3, %r3, 1;
shl.b32 %r3, %r3, 4;
shl.b32 %r4, %me, 8;
cvt.u64.u32 %where, %r4;
add.u64 %where, %in, %where;
add.u32 %r4, %r4, %data;
mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bars], %r3;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r4], [%where], %r3, [bars];
)") + kWait + "bar.sync 0;" + kStoreAll));
  const auto bytes = random_bytes(kDataBytes, 4);
  const u64 out = m.buffer(std::vector<std::uint8_t>(kDataBytes));
  const FunctionalResult r = run(m, out, m.buffer(bytes), 0);
  ASSERT_TRUE(r.ok()) << r.fault->summary();
  std::vector<std::uint8_t> want(kDataBytes);
  for (unsigned n = 0; n < 32; ++n)
    std::copy_n(bytes.begin() + 256 * n, 16 * (n % 16 + 1), want.begin() + 256 * n);
  EXPECT_EQ(m.read<std::uint8_t>(out, kDataBytes), want);
}

TEST(BulkCopy, EndsAPhaseWithItsLastByteAlone) {
  // Test results of the phase, a bit after each step.
  const std::string look = R"(
mbarrier.test_wait.parity.shared::cta.b64 %done, [bars], 0;
selp.u32 %r1, 1, 0, %done;
shl.b32 %r2, %r2, 1;
or.b32 %r2, %r2, %r1;
)";
  const std::string copy =
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [data], [%in], 32, [bars];\n";
  const std::string begin = "mbarrier.init.shared::cta.b64 [bars], 1;\nmov.u32 %r2, 0;\n",
                    end = "st.global.u32 [%out], %r2;\n";
  const auto bits = [&](const std::string& text) {
    PtxModule m(bulk_kernel(begin + text + end));
    const u64 out = m.buffer(std::vector<u32>(1));
    const FunctionalResult r = run(m, out, m.buffer(random_bytes(64, 5)), 0);
    EXPECT_TRUE(r.ok()) << r.fault->summary();
    return m.read<u32>(out, 1)[0];
  };
  const std::string expect = "mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bars], 64;\n";
  EXPECT_EQ(bits(expect + look + copy + look + copy + look), 0b001u);
  EXPECT_EQ(bits(copy + look + copy + look + expect + look), 0b001u)
      << "bytes that come before they are expected";
  EXPECT_EQ(bits("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bars], 32;\n" + look + copy + look +
                 "mbarrier.arrive.shared::cta.b64 %state, [bars];\n" + look),
            0b001u)
      << "bytes without an arrival";
  EXPECT_EQ(bits("mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bars], 32;\n" + copy + look +
                 "mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bars], 64;\n" + copy +
                 "mbarrier.test_wait.parity.shared::cta.b64 %done, [bars], 1;\nselp.u32 %r1, 1, 0, %done;\n"
                 "shl.b32 %r2, %r2, 1;\nor.b32 %r2, %r2, %r1;\n" +
                 copy +
                 "mbarrier.test_wait.parity.shared::cta.b64 %done, [bars], 1;\nselp.u32 %r1, 1, 0, %done;\n"
                 "shl.b32 %r2, %r2, 1;\nor.b32 %r2, %r2, %r1;\n"),
            0b101u)
      << "the next phase";
}

TEST(BulkCopy, WithinSharedMemoryAndAhead) {
  PtxModule m(bulk_kernel(std::string(kLoadAll) + R"(
mbarrier.init.shared::cta.b64 [bars+8], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bars+8], 256;
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [data+512], [data+16], 256, [bars+8];
cp.async.bulk.prefetch.L2.global [%in], 4096;
cp.async.bulk.prefetch.L2.global [0x123450], 4096;
wait:
mbarrier.try_wait.parity.shared::cta.b64 %done, [bars+8], 0;
@!%done bra wait;
)",
                          kStoreAll));
  auto bytes = random_bytes(kDataBytes, 6);
  const u64 out = m.buffer(std::vector<std::uint8_t>(kDataBytes));
  const FunctionalResult r = run(m, out, m.buffer(bytes), 0);
  ASSERT_TRUE(r.ok()) << r.fault->summary();
  std::copy_n(bytes.begin() + 16, 256, bytes.begin() + 512);
  EXPECT_EQ(m.read<std::uint8_t>(out, kDataBytes), bytes);
}

TEST(BulkCopy, FaultsNameWhatIsWrong) {
  PtxModule in(bulk_kernel(R"(
mbarrier.init.shared::cta.b64 [bars], 1;
add.u32 %to, %data, %to;
cvt.u64.u32 %where, %from;
add.u64 %where, %in, %where;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%to], [%where], %size, [%bar];
)"));
  PtxModule out(bulk_kernel(R"(
add.u32 %from, %data, %from;
cvt.u64.u32 %where, %to;
add.u64 %where, %out, %where;
cp.async.bulk.global.shared::cta.bulk_group [%where], [%from], %size;
)"));
  PtxModule null(
      bulk_kernel("mov.u64 %where, 0; cp.async.bulk.global.shared::cta.bulk_group [%where], [data], 16;"));
  const auto fault = [](PtxModule& m, u32 size, u32 to, u32 from, u32 barrier) {
    const u64 memory = m.buffer(std::vector<std::uint8_t>(1024));
    const FunctionalResult r = run(m, memory, memory, size, to, from, barrier);
    EXPECT_EQ(r.ok() ? 0 : r.fault->lane, 0);
    return r.ok() ? std::string("none") : r.fault->what;
  };
  EXPECT_EQ(fault(in, 64, 0, 0, kDataBytes), "none");
  EXPECT_EQ(fault(in, 24, 0, 0, kDataBytes), "bulk copy whose size is no multiple of 16");
  EXPECT_EQ(fault(in, 64, 8, 0, kDataBytes), "misaligned shared copy of 64 bytes");
  EXPECT_EQ(fault(in, 64, 0, 8, kDataBytes), "misaligned global copy of 64 bytes");
  EXPECT_EQ(fault(in, 64, kDataBytes - 48, 0, kDataBytes), "none") << "the barriers follow";
  EXPECT_EQ(fault(in, 64, kDataBytes - 32, 0, kDataBytes), "out-of-bounds shared copy of 64 bytes");
  EXPECT_EQ(fault(in, 0xfffffff0, 0, 0, kDataBytes), "out-of-bounds global copy of 4294967280 bytes");
  EXPECT_EQ(fault(in, 64, 0, 976, kDataBytes), "out-of-bounds global copy of 64 bytes");
  EXPECT_EQ(fault(in, 64, 0, 0, kDataBytes + 4), "misaligned shared copy of 8 bytes");
  EXPECT_EQ(fault(in, 64, 0, 0, kDataBytes + 16), "out-of-bounds shared copy of 8 bytes");
  EXPECT_EQ(fault(in, 64, 0, 0, 1u << 24), "out-of-bounds shared copy of 8 bytes") << "another CTA's";
  EXPECT_EQ(fault(out, 64, 0, 0, 0), "none");
  EXPECT_EQ(fault(out, 64, 8, 0, 0), "misaligned global copy of 64 bytes");
  EXPECT_EQ(fault(out, 64, 0, 8, 0), "misaligned shared copy of 64 bytes");
  EXPECT_EQ(fault(out, 2048, 0, 0, 0), "out-of-bounds global copy of 2048 bytes");
  EXPECT_EQ(fault(null, 0, 0, 0, 0), "global copy through a null pointer of 16 bytes");
}

TEST(BulkCopy, ForbiddenFormsAreRefused) {
  const auto refusal = [](const std::string& instruction) {
    try {
      PtxModule m(bulk_kernel(instruction));
      m.entry("k");
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("cp.async.bulk.global.shared::cta.bulk_group [%out], [data], 24;"),
              ::testing::HasSubstr("is 24; allowed: multiples of 16"));
  EXPECT_THAT(
      refusal("cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [data], [%in, "
              "{%r1}], [bars];"),
      ::testing::HasSubstr("'.tensor' is not supported here"));
  EXPECT_THAT(
      refusal("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [data], "
              "[%in], 16, [bars], %r1;"),
      ::testing::HasSubstr("'.multicast::cluster' is not supported here"));
  EXPECT_THAT(
      refusal("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%in], [data], 16, [bars];"),
      ::testing::HasSubstr("'data' is not in the state space"));
  EXPECT_THAT(refusal("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%out], [data], 16;"),
              ::testing::HasSubstr("is not supported"));
}

// ---- reductions

struct Reduction {
  std::string op, type;
  bool within = false;  ///< shared memory
};
void PrintTo(const Reduction& r, std::ostream* os) { *os << r.op << '.' << r.type; }

std::vector<Reduction> reductions() {
  std::vector<Reduction> all;
  const auto add = [&](std::initializer_list<const char*> ops, std::initializer_list<const char*> types,
                       bool within) {
    for (const char* op : ops)
      for (const char* type : types) all.push_back({op, type, within});
  };
  add({"and", "or", "xor"}, {"b32", "b64"}, false);
  add({"add"}, {"u32", "s32", "u64", "f32", "f64"}, false);
  add({"add.noftz", "min", "max"}, {"f16", "bf16"}, false);
  add({"inc", "dec"}, {"u32"}, false);
  add({"min", "max"}, {"u32", "s32", "u64", "s64"}, false);
  add({"and", "or", "xor"}, {"b32"}, true);
  add({"add"}, {"u32", "s32", "u64"}, true);
  add({"inc", "dec"}, {"u32"}, true);
  add({"min", "max"}, {"u32", "s32"}, true);
  return all;
}

template <class T>
T integer_of(const std::string& op, T old, T b) {
  using U = std::make_unsigned_t<T>;
  if (op == "and") return old & b;
  if (op == "or") return old | b;
  if (op == "xor") return old ^ b;
  if (op == "add") return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
  if (op == "inc") return old >= b ? 0 : static_cast<T>(old + 1);
  if (op == "dec") return old == 0 || old > b ? b : static_cast<T>(old - 1);
  return op == "min" ? std::min(old, b) : std::max(old, b);
}
/// Of numbers, by the reference's soft floating point.
u64 real_of(const Reduction& r, reference::Format f, u64 old, u64 b) {
  if (r.op == "min" || r.op == "max") return (value_of(f, old) < value_of(f, b)) == (r.op == "min") ? old : b;
  // Both are exact in double precision, and so is their sum in quadruple.
  const __float128 sum = static_cast<__float128>(value_of(f, old)) + value_of(f, b);
  const auto near = static_cast<double>(sum);
  u64 bits;
  std::memcpy(&bits, &near, sizeof bits);
  return reference::pack(f, reference::unpack(reference::kF64, bits), Round::kNearestEven);
}

template <class T, class F>
std::vector<std::uint8_t> each(std::vector<std::uint8_t> old, const std::vector<std::uint8_t>& b, F&& f) {
  for (std::size_t at = 0; at < old.size(); at += sizeof(T)) {
    T x, y;
    std::memcpy(&x, &old[at], sizeof x);
    std::memcpy(&y, &b[at], sizeof y);
    const T z = static_cast<T>(f(x, y));
    std::memcpy(&old[at], &z, sizeof z);
  }
  return old;
}
std::vector<std::uint8_t> reduced(const Reduction& r, const std::vector<std::uint8_t>& old,
                                  const std::vector<std::uint8_t>& b) {
  const auto whole = [&](auto zero) {
    using T = decltype(zero);
    return each<T>(old, b, [&](T x, T y) { return integer_of<T>(r.op, x, y); });
  };
  if (r.type == "u32" || r.type == "b32") return whole(u32{});
  if (r.type == "s32") return whole(std::int32_t{});
  if (r.type == "u64" || r.type == "b64") return whole(u64{});
  if (r.type == "s64") return whole(std::int64_t{});
  if (r.type == "f32")
    return each<u32>(old, b, [&](u32 x, u32 y) { return real_of(r, reference::kF32, x, y); });
  if (r.type == "f64") return each<u64>(old, b, [&](u64 x, u64 y) { return bits(f64(x) + f64(y)); });
  const reference::Format f = r.type == "f16" ? kHalfFormat : kBrainFormat;
  return each<std::uint16_t>(old, b, [&](u32 x, u32 y) { return real_of(r, f, x, y); });
}
/// Random numbers of a type, no NaNs and none that flushing would touch.
std::vector<std::uint8_t> drawn(const std::string& type, std::size_t count, unsigned seed) {
  std::vector<std::uint8_t> bytes = random_bytes(count, seed);
  std::mt19937 rng(seed + 100);
  const auto real = [&](unsigned size, const std::string& name) {
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      const double v =
          std::ldexp(1 + rng() * 0x1p-32, static_cast<int>(rng() % 21) - 10) * (rng() % 2 != 0 ? 1 : -1);
      const u64 b = name == "f64" ? bits(v) : bits_of_value(name, v);
      std::memcpy(&bytes[at], &b, size);
    }
  };
  if (type == "f16" || type == "bf16") real(2, type);
  if (type == "f32") real(4, type);
  if (type == "f64") real(8, type);
  return bytes;
}

class BulkReduction : public ::testing::TestWithParam<Reduction> {};
std::string reduction_name(const ::testing::TestParamInfo<Reduction>& info) {
  std::string name = info.param.op + "_" + info.param.type + (info.param.within ? "_within" : "");
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Every, BulkReduction, ::testing::ValuesIn(reductions()), reduction_name);

TEST_P(BulkReduction, CombinesElementByElement) {
  const Reduction& r = GetParam();
  const std::string suffix = r.op + "." + r.type;
  constexpr unsigned kSpan = 1024;
  auto b = drawn(r.type, kDataBytes, 7), old = drawn(r.type, kDataBytes, 8);
  const std::vector<std::uint8_t> from(b.begin(), b.begin() + kSpan);
  if (!r.within) {
    PtxModule m(
        bulk_kernel(std::string(kLoadAll) + "cp.reduce.async.bulk.global.shared::cta.bulk_group." + suffix +
                    " [%out+64], [data], 1024;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"));
    const u64 out = m.buffer(old);
    const FunctionalResult result = run(m, out, m.buffer(b), 0);
    ASSERT_TRUE(result.ok()) << result.fault->summary();
    const auto part = reduced(r, {old.begin() + 64, old.begin() + 64 + kSpan}, from);
    std::copy(part.begin(), part.end(), old.begin() + 64);
    EXPECT_EQ(m.read<std::uint8_t>(out, kDataBytes), old);
    return;
  }
  PtxModule m(bulk_kernel(std::string(kLoadAll) + R"(
mbarrier.init.shared::cta.b64 [bars], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 %state, [bars], 1024;
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.)" +
                              suffix + " [data+4096], [data], 1024, [bars];\n" + kWait,
                          kStoreAll));
  const u64 out = m.buffer(std::vector<std::uint8_t>(kDataBytes));
  const FunctionalResult result = run(m, out, m.buffer(b), 0);
  ASSERT_TRUE(result.ok()) << result.fault->summary();
  const auto part = reduced(r, {b.begin() + 4096, b.begin() + 4096 + kSpan}, from);
  std::copy(part.begin(), part.end(), b.begin() + 4096);
  EXPECT_EQ(m.read<std::uint8_t>(out, kDataBytes), b);
}

// Single precision flushes subnormal numbers, half precision does not; a NaN loses against a number.
TEST(BulkReductionEdges, SubnormalNumbersAndNaNs) {
  const auto word = [](const std::string& suffix, u32 old, u32 b) {
    PtxModule m(
        bulk_kernel("ld.global.u32 %r1, [%in]; st.shared.u32 [data], %r1; "
                    "cp.reduce.async.bulk.global.shared::cta.bulk_group." +
                    suffix + " [%out], [data], 16; cp.async.bulk.wait_group 0;"));
    const u64 out = m.buffer(std::vector<u32>{old, 0, 0, 0});
    const FunctionalResult r = run(m, out, m.buffer(std::vector<u32>{b}), 0);
    EXPECT_TRUE(r.ok()) << r.fault->summary();
    return m.read<u32>(out, 1)[0];
  };
  EXPECT_EQ(word("add.f32", 0x00000003, 0x80000001), 0u);
  EXPECT_EQ(word("add.f32", 0x3f800000, 0x7fc00000), 0x7fffffffu);
  EXPECT_EQ(word("add.noftz.f16", 0x00030001, 0x00040001), 0x00070002u);
  EXPECT_EQ(word("min.f16", 0x7e003c00, 0x3c007e00), 0x3c003c00u);
  EXPECT_EQ(word("max.f16", 0x7e007e00, 0x7e007e00), 0x7fff7fffu);
  EXPECT_EQ(word("min.bf16", 0x80000000, 0x00008000), 0x80008000u) << "-0 is below +0";
  EXPECT_EQ(word("max.bf16", 0x80000000, 0x00008000), 0u);
}

}  // namespace
}  // namespace warpvp::ptx::testing
