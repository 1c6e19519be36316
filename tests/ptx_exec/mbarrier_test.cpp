// mbarrier: what an arrival makes of a word, and kernels whose threads hand values over through one.

#include "ptx/mbarrier.h"

#include <gmock/gmock.h>

#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

u64 word(unsigned phase, u64 bytes, u64 expected, u64 pending) {
  return u64{phase} << 63 | (bytes & mbarrier::kBytes) << 40 | expected << 20 | pending;
}

TEST(MbarrierWord, ChangesByHand) {
  const auto change = [](u64 arrivals, u64 leave, u64 bytes) { return word(0, bytes, leave, arrivals); };
  EXPECT_EQ(mbarrier::changed(word(0, 0, 3, 3), change(1, 0, 0)), word(0, 0, 3, 2));
  EXPECT_EQ(mbarrier::changed(word(0, 0, 3, 1), change(1, 0, 0)), word(1, 0, 3, 3)) << "the last one";
  EXPECT_EQ(mbarrier::changed(word(1, 0, 3, 2), change(2, 0, 0)), word(0, 0, 3, 3)) << "two at once";
  EXPECT_EQ(mbarrier::changed(word(0, 0, 3, 2), change(1, 1, 0)), word(0, 0, 2, 1)) << "it leaves";
  EXPECT_EQ(mbarrier::changed(word(0, 0, 3, 1), change(1, 1, 0)), word(1, 0, 2, 2))
      << "two are left for the next";
  EXPECT_EQ(mbarrier::changed(word(0, 0, 1, 1), change(1, 0, static_cast<u64>(-16))), word(0, 16, 1, 0))
      << "bytes are still to come";
  EXPECT_EQ(mbarrier::changed(word(0, 16, 1, 0), change(0, 0, 12)), word(0, 4, 1, 0));
  EXPECT_EQ(mbarrier::changed(word(0, 4, 1, 0), change(0, 0, 4)), word(1, 0, 1, 1));
  EXPECT_EQ(mbarrier::changed(word(0, 0, 1, 1), change(0, 0, 8)), word(0, static_cast<u64>(-8), 1, 1))
      << "bytes that nobody expects yet";
  EXPECT_EQ(mbarrier::changed(word(0, static_cast<u64>(-8), 1, 1), change(1, 0, static_cast<u64>(-8))),
            word(1, 0, 1, 1));
}

const std::string kBarrierHead = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .u64 %o, %a, %state, %old;
.reg .u32 %me, %r<8>, %other, %n, %b, %t;
.reg .pred %p, %q;
.shared .align 8 .b64 bar;
.shared .align 16 .b32 slots[64];
ld.param.u64 %o, [out];
mov.u32 %me, %tid.x;
mov.u32 %b, bar;
)";

// Each of 64 threads writes a value, arrives, waits, reads that of the thread opposite; five times.
std::string exchange(const std::string& arrive, const std::string& wait) {
  return kBarrierHead + R"(
setp.ne.u32 %p, %me, 0;
@!%p mbarrier.init.shared.b64 [bar], 64;
bar.sync 0;
mov.u32 %n, 0;
mov.u32 %r5, 0;
shl.b32 %r0, %me, 2;
mov.u32 %t, slots;
add.u32 %r1, %t, %r0;
xor.b32 %r2, %r0, 252;
add.u32 %r2, %t, %r2;
round:
mad.lo.u32 %r3, %n, 1000, %me;
st.shared.u32 [%r1], %r3;
)" + arrive +
         R"(
waiting:
)" + wait +
         R"(
@!%p bra waiting;
ld.shared.u32 %r4, [%r2];
add.u32 %r5, %r5, %r4;
bar.sync 0;
add.u32 %n, %n, 1;
setp.lt.u32 %q, %n, 5;
@%q bra round;
mul.wide.u32 %a, %me, 4;
add.u64 %a, %o, %a;
st.global.u32 [%a], %r5;
ret;
})";
}

class MbarrierExchange : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(MbarrierExchange, HandsValuesOver) {
  PtxModule module(exchange(GetParam().first, GetParam().second));
  const std::vector<u32> got = module.outputs<u32>("k", 64, 64);
  for (u32 tid = 0; tid < 64; ++tid) ASSERT_EQ(got[tid], 5 * (63 - tid) + 10 * 1000) << tid;
}
INSTANTIATE_TEST_SUITE_P(
    Forms, MbarrierExchange,
    ::testing::Values(std::pair{"mbarrier.arrive.shared.b64 %state, [bar];",
                                "mbarrier.test_wait.shared.b64 %p, [bar], %state;"},
                      std::pair{"mbarrier.arrive.release.cta.shared::cta.b64 %state, [%b];",
                                "mbarrier.try_wait.acquire.cta.shared::cta.b64 %p, [%b], %state, 1000;"},
                      std::pair{"mbarrier.arrive.shared.b64 _, [bar];",
                                "mbarrier.test_wait.parity.shared.b64 %p, [bar], %n;"},
                      std::pair{"cvta.shared.u64 %a, bar;\nmbarrier.arrive.b64 %state, [%a];",
                                "mbarrier.try_wait.parity.b64 %p, [%a], %n, 10;"},
                      // One thread of two arrives for both.
                      std::pair{"and.b32 %r6, %me, 1;\nsetp.eq.u32 %q, %r6, 0;\n@%q "
                                "mbarrier.arrive.shared.b64 %state, [bar], 2;",
                                "mbarrier.test_wait.parity.shared.b64 %p, [bar], %n;"},
                      std::pair{"mov.u32 %r6, 1;\nmbarrier.arrive.noComplete.shared.b64 %state, [bar], %r6;",
                                "mbarrier.test_wait.parity.shared.b64 %p, [bar], %n;"}));

// One thread: what stands in a barrier, as far as programs see it.
TEST(Mbarrier, PhasesEndWhenThreadsAndBytesHaveCome) {
  PtxModule module(kBarrierHead + R"(
mbarrier.init.shared.b64 [bar], 2;
mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 96;
mbarrier.pending_count.b64 %r0, %state;
mbarrier.arrive.shared.b64 %old, [bar];
mbarrier.pending_count.b64 %r1, %old;
mbarrier.test_wait.shared.b64 %p, [bar], %state;
selp.u32 %r2, 1, 0, %p;
mov.u32 %t, 64;
mbarrier.complete_tx.shared.b64 [bar], %t;
mbarrier.test_wait.shared.b64 %p, [bar], %state;
selp.u32 %r3, 1, 0, %p;
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 32;
mbarrier.complete_tx.shared.b64 [bar], 64;
mbarrier.test_wait.shared.b64 %p, [bar], %state;
selp.u32 %r4, 1, 0, %p;
mbarrier.arrive_drop.shared.b64 %state, [bar];
mbarrier.arrive.shared.b64 %old, [bar];
mbarrier.test_wait.shared.b64 %p, [bar], %state;
selp.u32 %r5, 1, 0, %p;
mbarrier.arrive.shared.b64 %old, [bar];
mbarrier.pending_count.b64 %r6, %old;
mbarrier.test_wait.shared.b64 %p, [bar], %old;
selp.u32 %r7, 1, 0, %p;
mbarrier.inval.shared.b64 [bar];
st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};
st.global.v4.u32 [%o+16], {%r4, %r5, %r6, %r7};
ret;
})");
  EXPECT_THAT(module.outputs<u32>("k", 1, 8), ::testing::ElementsAre(2, 1, 0, 0, 1, 1, 1, 1))
      << "pending before each arrival; not over; 32 bytes are missing; over; over by one that has left; one "
         "is enough now";
}

// Copies arrive when they are there.
TEST(Mbarrier, AwaitsCopies) {
  for (const char* arrive :
       {"cp.async.mbarrier.arrive.noinc.shared.b64 [bar];",
        "cp.async.mbarrier.arrive.shared::cta.b64 [bar];\nmbarrier.arrive.shared.b64 _, [bar];"}) {
    PtxModule module(kBarrierHead + R"(
setp.ne.u32 %p, %me, 0;
@!%p mbarrier.init.shared.b64 [bar], 64;
bar.sync 0;
mul.wide.u32 %a, %me, 4;
add.u64 %a, %o, %a;
shl.b32 %r0, %me, 2;
mov.u32 %t, slots;
add.u32 %r1, %t, %r0;
xor.b32 %r2, %r0, 252;
add.u32 %r2, %t, %r2;
cp.async.ca.shared.global [%r1], [%a], 4;
)" + arrive + R"(
waiting:
mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
@!%p bra waiting;
ld.shared.u32 %r3, [%r2];
st.global.u32 [%a+256], %r3;
ret;
})");
    std::vector<u32> data(128);
    for (u32 i = 0; i < 64; ++i) data[i] = 7 * i;
    const u64 at = module.buffer(data);
    ASSERT_TRUE(module.run("k", {1, 1, 1}, {64, 1, 1}, 0, at).ok());
    const std::vector<u32> copied = module.read<u32>(at + 256, 64);
    for (u32 i = 0; i < 64; ++i) ASSERT_EQ(copied[i], 7 * (63 - i)) << arrive;
  }
}

TEST(Mbarrier, ForbiddenFormsAreRefused) {
  const auto refused = [](const std::string& line) {
    try {
      PtxModule(kBarrierHead + line + ";\nret;\n}").entry("k");
    } catch (const std::exception&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused("mbarrier.test_wait.shared.b64 _, [bar], %r0"));
  EXPECT_TRUE(refused("mbarrier.init.global.b64 [%o], 1"));
  EXPECT_FALSE(refused("mbarrier.arrive.release.cluster.shared::cta.b64 _, [%b]"));
  EXPECT_FALSE(refused("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%b]"));
}

}  // namespace
}  // namespace warpvp::ptx::testing
