// Independent threads: paths of one warp that wait for each other make progress, or say where they cannot.

#include "tests/ptx_exec/independent_kernels.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

using independent::Case;

class IndependentThreads : public ::testing::TestWithParam<Case> {};

TEST_P(IndependentThreads, ComputeWhatTheirThreadsSay) {
  const Case& c = GetParam();
  for (unsigned switch_after : {1u, 2u, 7u, 64u, 1000u}) {
    PtxModule m(c.text);
    m.runner().divergence.switch_after = switch_after;
    const auto out = m.outputs<std::uint32_t>("k", c.threads, c.threads);
    for (unsigned t = 0; t < c.threads; ++t)
      ASSERT_EQ(out[t], c.expected(t)) << "thread " << t << ", switch_after " << switch_after;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, IndependentThreads, ::testing::ValuesIn(independent::cases()),
                         [](const auto& info) { return std::string(info.param.name); });

DeviceFault fault_of(const std::string& text, bool independent, unsigned threads = 32) {
  PtxModule m(text);
  m.runner().divergence.independent_threads = independent;
  m.runner().limit = 100'000;
  const FunctionalResult r =
      m.run("k", {1, 1, 1}, {threads, 1, 1}, 0, m.buffer(std::vector<std::uint32_t>(threads)));
  EXPECT_FALSE(r.ok());
  return r.fault.value_or(DeviceFault{});
}

TEST(IndependentThreads, AreAFaultWhereTheChipHasNone) {
  for (const Case& c : independent::cases()) {
    SCOPED_TRACE(c.name);
    const std::string name = c.name;
    if (name == "hand_over_by_bar_warp_sync" || name == "reduction_by_halves") {
      const DeviceFault f = fault_of(c.text, false);
      EXPECT_EQ(f.what, "bar.warp.sync whose mask names threads of the warp that are on another path");
      EXPECT_NE(f.ptx_location.find("bar.warp.sync"), std::string::npos) << f.ptx_location;
      EXPECT_EQ(f.warp, 0);
      EXPECT_EQ(f.lane, name == "reduction_by_halves" ? 0 : 16);
    }
    if (name == "one_operation_on_two_paths") {
      const DeviceFault f = fault_of(c.text, false);
      EXPECT_EQ(f.what,
                "instruction with a member mask that names threads of the warp that are on another path");
      EXPECT_NE(f.ptx_location.find("shfl.sync"), std::string::npos) << f.ptx_location;
    }
    if (name.find("spin") == 0) {
      EXPECT_EQ(fault_of(c.text, false, c.threads).what, "instruction limit reached");
    }
  }
}

TEST(IndependentThreads, SayWhereTheyWaitForEachOtherForEver) {
  const std::string text = independent::kernel(
      "setp.lt.u32 %p1, %r2, 8;\n@%p1 bra LOW;\nbar.warp.sync 0xffff;\nbra END;\n"
      "LOW:\nshfl.sync.idx.b32 %r5, %r1, 0, 31, 0xffffffff;\nEND:\nbar.sync 0;\n");
  const DeviceFault f = fault_of(text, true);
  EXPECT_EQ(f.what, "instruction with a member mask waits for threads of the warp that wait elsewhere");
  EXPECT_EQ(f.lane, 0);
  EXPECT_EQ(f.warp, 0);
  EXPECT_EQ(f.kernel, "k");
  EXPECT_NE(f.ptx_location.find("shfl.sync.idx.b32"), std::string::npos) << f.ptx_location;
  EXPECT_NE(f.detail.find("lanes 0x000000ff of the warp wait for lanes 0xffffff00 at test.ptx:"),
            std::string::npos)
      << f.detail;
  EXPECT_NE(f.detail.find("lanes 0x0000ff00 of the warp wait for lanes 0x000000ff at test.ptx:"),
            std::string::npos)
      << f.detail;
}

TEST(IndependentThreads, DifferentQualifiersDoNotMeet) {
  const std::string text = independent::kernel(
      "setp.lt.u32 %p1, %r2, 8;\n@%p1 bra LOW;\nshfl.sync.up.b32 %r5, %r1, 1, 0, 0xffffffff;\nbra END;\n"
      "LOW:\nshfl.sync.down.b32 %r5, %r1, 1, 31, 0xffffffff;\nEND:\n");
  EXPECT_EQ(fault_of(text, true).what,
            "instruction with a member mask waits for threads of the warp that wait elsewhere");
}

TEST(IndependentThreads, ArriveAtABarrierOnceForTheirWarp) {
  // Warp 0 arrives by two ways at a barrier that warp 1 waits at: both stores come before what it reads.
  const std::string text = independent::kernel(
      "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra READER;\nsetp.lt.u32 %p2, %r2, 5;\n@%p2 bra FEW;\n"
      "st.shared.u32 [%r4], %r1;\nbar.arrive 1, 64;\nbra END;\n"
      "FEW:\nst.shared.u32 [%r4], 77;\nbar.arrive 1, 64;\nbra END;\n"
      "READER:\nbar.sync 1, 64;\nld.shared.u32 %r9, [%r4+-128];\nEND:\n");
  PtxModule m(text);
  const auto out = m.outputs<std::uint32_t>("k", 64, 64);
  for (unsigned t = 32; t < 64; ++t) EXPECT_EQ(out[t], t - 32 < 5 ? 77 : t - 32) << t;
}

TEST(IndependentThreads, ThatExitNeedNotArrive) {
  // Five lanes of warp 0 arrive at the barrier that warp 1 waits at, and wait for what it says then. The
  // others of their warp exit without arriving, before that or after it.
  const std::string few =
      "st.shared.u32 [%r4], %r1;\nbar.arrive 1, 64;\n"
      "SPIN:\nld.volatile.shared.u32 %r9, [%r3+256];\nsetp.eq.u32 %p3, %r9, 0;\n@%p3 bra SPIN;\nbra END;\n";
  const std::string reader =
      "READER:\nbar.sync 1, 64;\nld.shared.u32 %r9, [%r4+-128];\nst.volatile.shared.u32 [%r3+256], "
      "9;\nEND:\n";
  const std::string head =
      "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra READER;\nsetp.lt.u32 %p2, %r2, 5;\nnot.pred %p4, %p2;\n";
  for (const std::string& body : {head + "@%p4 exit;\n" + few + reader,
                                  head + "@%p2 bra FEW;\n@%p4 exit;\nbra END;\nFEW:\n" + few + reader}) {
    PtxModule m(independent::kernel(body));
    const auto out = m.outputs<std::uint32_t>("k", 64, 64);
    for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(out[t], t < 5 ? 9u : t >= 32 && t < 37 ? t - 32 : 0u) << t;
  }
}

TEST(IndependentThreads, ThatExitReleaseAllWhoWaitForThem) {
  // Lanes 0 to 3 and 4 to 7 wait for the rest of the warp with masks of their own, then for each other.
  PtxModule m(independent::kernel(
      "setp.lt.u32 %p1, %r2, 8;\nnot.pred %p3, %p1;\n@%p1 bra WAIT;\n@%p3 exit;\nbra END;\n"
      "WAIT:\nsetp.lt.u32 %p2, %r2, 4;\n@%p2 bra LOW;\nbar.warp.sync 0xfffffff0;\nmov.u32 %r9, 5;\n"
      "bar.warp.sync 0xff;\nbra END;\n"
      "LOW:\nbar.warp.sync 0xffffff0f;\nmov.u32 %r9, 6;\nbar.warp.sync 0xff;\nEND:\n"));
  const auto out = m.outputs<std::uint32_t>("k", 32, 32);
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 4 ? 6u : t < 8 ? 5u : 0u) << t;
}

// Groups that come apart come together again: at the places that docs/ptx.md names they run as one. The lock
// makes lanes leave their loop one by one, the others being still in it.
struct Meeting {
  const char* name;
  unsigned threads;
  std::string body;  ///< leaves in %r9 the lanes that a lane is together with
  std::uint32_t lanes;
};
void PrintTo(const Meeting& m, std::ostream* os) { *os << m.name; }
class Meetings : public ::testing::TestWithParam<Meeting> {};

TEST_P(Meetings, JoinTheGroups) {
  const Meeting& c = GetParam();
  for (unsigned switch_after : {2u, 5u, 64u}) {
    PtxModule m(independent::kernel(c.body));
    m.runner().divergence.switch_after = switch_after;
    const auto out = m.outputs<std::uint32_t>("k", c.threads, c.threads);
    for (unsigned t = 0; t < c.threads; ++t)
      if (c.lanes >> t % 32 & 1) {
        EXPECT_EQ(out[t], c.lanes) << "thread " << t << ", " << switch_after;
      }
  }
}

const std::string kLock = independent::spin_lock("shared", "%r3", "");
INSTANTIATE_TEST_SUITE_P(
    Of, Meetings,
    ::testing::Values(
        Meeting{"bar_warp_sync", 32, kLock + "bar.warp.sync 0xffffffff;\nactivemask.b32 %r9;\n", ~0u},
        Meeting{"cta_barrier", 64, kLock + "bar.sync 0;\nactivemask.b32 %r9;\n", ~0u},
        // Lanes 0 to 3 leave the first loop before lanes 4 to 7, which find them in the second: both wait
        // there for the rest.
        Meeting{"two_groups_in_one_loop", 32,
                "mov.u32 %r5, 0;\nsetp.lt.u32 %p1, %r2, 4;\nselp.u32 %r6, 1, 300, %p1;\n"
                "setp.lt.u32 %p2, %r2, 8;\nselp.u32 %r6, %r6, 1000, %p2;\n"
                "FIRST:\nld.volatile.shared.u32 %r7, [%r3+4];\nadd.u32 %r5, %r5, 1;\n"
                "setp.lt.u32 %p3, %r5, %r6;\n@%p3 bra FIRST;\n@!%p2 st.volatile.shared.u32 [%r3], 1;\n"
                "SECOND:\nld.volatile.shared.u32 %r7, [%r3];\nsetp.eq.u32 %p4, %r7, 0;\n@%p4 bra SECOND;\n"
                "activemask.b32 %r9;\n",
                0xff}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(IndependentThreads, CountOnceAtABarrierHoweverLongTheOthersTake) {
  // Eight lanes wait at a reducing barrier while the others go round a loop: no turn makes them arrive anew.
  const std::string text = independent::kernel(
      "setp.eq.u32 %p2, %r1, %r1;\nsetp.lt.u32 %p1, %r2, 8;\n@%p1 bra FEW;\nmov.u32 %r5, 0;\n"
      "LOOP:\nld.volatile.shared.u32 %r6, [%r3];\nadd.u32 %r5, %r5, 1;\nadd.u32 %r6, %r6, %r5;\n"
      "setp.lt.u32 %p3, %r6, 100;\n@%p3 bra LOOP;\n"
      "bar.red.popc.u32 %r9, 0, %p2;\nbra END;\n"
      "FEW:\nbar.red.popc.u32 %r9, 0, %p2;\nEND:\n");
  PtxModule m(text);
  m.runner().divergence.switch_after = 1;
  for (std::uint32_t counted : m.outputs<std::uint32_t>("k", 32, 32)) EXPECT_EQ(counted, 32u);
}

TEST(IndependentThreads, OfCodeThatNeedsThemNotRunInTheOldOrder) {
  // The order of execution shows in the results of the atomics: it is that of the stack.
  const std::string text = independent::kernel(
      "mov.u32 %r5, 0;\nLOOP:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 30;\n@%p1 bra SKIP;\n"
      "atom.shared.add.u32 %r6, [%r3], 1;\nmad.lo.u32 %r9, %r9, 3, %r6;\nSKIP:\nsetp.lt.u32 %p2, %r5, %r1;\n"
      "@%p2 bra LOOP;\natom.shared.add.u32 %r6, [%r3], 1;\nmad.lo.u32 %r9, %r9, 3, %r6;\n");
  std::vector<std::uint32_t> before;
  for (bool independent : {false, true}) {
    PtxModule m(text);
    m.runner().divergence.independent_threads = independent;
    const auto out = m.outputs<std::uint32_t>("k", 32, 32);
    if (independent) {
      EXPECT_EQ(out, before);
    }
    before = out;
  }
}

}  // namespace
}  // namespace warpvp::ptx::testing
