// What the spin probe says of an SM's warps, at each moment of their lives.

#include "platform/guard/spin_probe.h"

#include "base/registry.h"
#include "modules/sm/frontend/separate_front_end.h"
#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

using Finding = SpinProbe::Finding;

/// A CTA of `warps` warps, and what a probe finds out.
struct Scene {
  const char* name;
  unsigned warps;
  std::string body;  ///< %r1: the thread, %r2: s, which holds zeros; %r3 = 0
  Finding end;       ///< what an impatient probe says first that is not kLooking; that itself: never else
  std::uint64_t budget = 1 << 20;
  Cycle from = 0;  ///< when the probe comes
  std::uint32_t switch_after = 8;
  std::uint32_t barrier = 2;  ///< its latency
};
void PrintTo(const Scene& s, std::ostream* os) { *os << s.name; }

/// Skips the instructions of one opcode, with their values computed.
class SkipsOpcode final : public SeparateFrontEndOf<SkipsOpcode> {
 public:
  static constexpr bool kDrops = true;
  using SeparateFrontEndOf::SeparateFrontEndOf;
  void warp_started(unsigned warp, const WarpInfo& info, const ptx::Program& program,
                    const AccessOwner& owner, FetchCounters& counters) override {
    code_ = &program.code;
    SeparateFrontEndOf::warp_started(warp, info, program, owner, counters);
  }
  bool drops(unsigned, ptx::Pc pc) { return (*code_)[pc].opcode == which(); }
  static ptx::Opcode& which() {
    static ptx::Opcode opcode{};
    return opcode;
  }

 private:
  const std::vector<ptx::Inst>* code_ = nullptr;
};
struct SkipsOpcodeType : FrontEndType {
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<SkipsOpcode>(context);
  }
};
WARPVP_REGISTER_POLICY(FrontEndType, SkipsOpcodeType, "test_skips_opcode", "For tests.");

SmConfig small_sm(std::uint32_t switch_after, std::uint32_t barrier, const char* front_end) {
  SmConfig config = plain_sm();
  config.frontend.mode = front_end;
  config.latency.barrier = barrier;
  config.divergence.switch_after = switch_after;
  return config;
}

/// An SM whose loads from SLOW take long.
struct Bench : SmBench {
  explicit Bench(const char* name, std::uint32_t switch_after = 8, std::uint32_t barrier = 2,
                 const char* front_end = "separate")
      : SmBench(small_sm(switch_after, barrier, front_end), 10, name), slow(*memory.allocate(4096)) {
    target.latency_of = [this](const tlm::tlm_generic_payload& p) {
      return p.get_address() - slow < 4096 ? Cycle{20'000} : Cycle{10};
    };
  }
  /// Launches a CTA and waits until it is there. `body` as in Scene.
  void begin(std::string body, unsigned warps) {
    if (const auto at = body.find("SLOW"); at != std::string::npos) body.replace(at, 4, std::to_string(slow));
    load(
        ".shared .align 16 .b8 s[256];\n.local .align 8 .b8 own[64];\n.reg .u32 %r<20>;\n.reg .u64 %rd<8>;\n"
        ".reg .pred %p<8>;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\nmov.u32 %r3, 0;\n" +
            body + "ret;\n",
        32 * warps);
    launch();
    while (read(regmap::sm::kResidentWarps) == 0) pass(1);
  }
  void pass(Cycle cycles) { sc_core::sc_start(static_cast<double>(cycles) * clock.period()); }
  std::uint64_t slow;
};

class Probed : public ::testing::TestWithParam<Scene> {};

TEST_P(Probed, FindsWhatTheWarpsDo) {
  const Scene& scene = GetParam();
  Bench bench("bench", scene.switch_after, scene.barrier);
  bench.begin(scene.body, scene.warps);
  bench.pass(scene.from);
  SpinProbe probe(bench.sms, bench.memory, scene.budget);
  Finding finding = Finding::kLooking;
  for (unsigned step = 0; step < 40'000 && finding == Finding::kLooking; ++step) {
    bench.pass(1);
    finding = probe.finding(0);
  }
  EXPECT_EQ(finding, scene.end);
  EXPECT_FALSE(bench.faults.fault().has_value());
}

/// Waits until the word at s + `at` is not zero.
std::string wait_for(unsigned at) {
  const std::string n = std::to_string(at);
  return "W" + n + ":\nld.volatile.shared.u32 %r4, [%r2+" + n + "];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra W" +
         n + ";\n";
}
/// Counts to `rounds`.
std::string work(const char* label, unsigned rounds) {
  return std::string("mov.u32 %r5, 0;\n") + label + ":\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, " +
         std::to_string(rounds) + ";\n@%p2 bra " + label + ";\n";
}
/// Looks at the word at s + `at`; jumps to OUT for a value that it never has.
std::string look(unsigned at) {
  const std::string n = std::to_string(at);
  return "ld.volatile.shared.u32 %r6, [%r2+" + n + "];\nsetp.eq.u32 %p3, %r6, 4000000000;\n@%p3 bra OUT;\n";
}
/// Warp 0 jumps to ZERO.
const std::string kByWarp = "setp.lt.u32 %p7, %r1, 32;\n@%p7 bra ZERO;\n";
/// Lanes below 16 jump to LOW.
const std::string kByLane = "setp.lt.u32 %p7, %r1, 16;\n@%p7 bra LOW;\n";

INSTANTIATE_TEST_SUITE_P(
    SpinProbe, Probed,
    ::testing::Values(
        Scene{"all_wait", 2, wait_for(0), Finding::kSpins},
        Scene{"converged_warps_take_no_turns", 2, wait_for(0), Finding::kSpins, 1 << 20, 0, 1 << 30},
        // Who is at a barrier waits for the others; who awaits a load need not.
        Scene{"others_at_a_barrier", 2, kByWarp + wait_for(0) + "ZERO:\nbar.sync 0;\n", Finding::kSpins,
              1 << 20, 1000},
        Scene{"one_awaits_a_load", 2,
              kByWarp + wait_for(0) +
                  "ZERO:\nmov.u64 %rd1, SLOW;\nld.global.u32 %r6, [%rd1];\n"
                  "add.u32 %r6, %r6, 1;\nst.shared.u32 [%r2], %r6;\n",
              Finding::kMoves, 1 << 20, 1000},
        Scene{"ends", 1, work("A", 50), Finding::kMoves},
        Scene{"counts", 1, work("A", 1'000'000), Finding::kLooking},
        Scene{"counts_beyond_the_budget", 1, work("A", 1'000'000), Finding::kGaveUp, 2048},
        // Stores: of what is there already, of something else, of what nobody looks at.
        Scene{"stores_the_same", 1,
              "L:\nst.volatile.shared.u32 [%r2+8], 5;\nst.volatile.shared.v4.u32 [%r2+16], {%r3, %r3, %r3, "
              "%r3};\n" +
                  look(8) + look(28) +
                  "ld.volatile.shared.u32 %r4, [%r2];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nOUT:\n",
              Finding::kSpins},
        Scene{"stores_a_count", 1,
              "L:\nadd.u32 %r5, %r5, 1;\nst.volatile.shared.u32 [%r2+8], %r5;\n" + look(8) + "bra L;\nOUT:\n",
              Finding::kMoves},
        Scene{"stores_a_count_in_the_last_word", 1,
              "L:\nadd.u32 %r5, %r5, 1;\nst.volatile.shared.v4.u32 [%r2+16], {%r3, %r3, %r3, %r5};\n" +
                  look(28) + "bra L;\nOUT:\n",
              Finding::kMoves},
        Scene{"stores_a_count_beside", 1,
              "L:\nadd.u32 %r5, %r5, 1;\nst.volatile.shared.v4.u32 [%r2+16], {%r3, %r3, %r3, %r5};\n" +
                  look(24) + "bra L;\nOUT:\n",
              Finding::kSpins},
        Scene{"looks_at_a_byte_of_a_count", 1,
              "L:\nadd.u32 %r5, %r5, 1;\nst.volatile.shared.u32 [%r2+8], %r5;\nld.volatile.shared.u8 %r6, "
              "[%r2+9];\n"
              "setp.eq.u32 %p3, %r6, 255;\n@%p3 bra OUT;\nbra L;\nOUT:\n",
              Finding::kMoves},
        Scene{"stores_a_count_at_a_generic_address", 1,
              "mov.u64 %rd1, s;\ncvta.shared.u64 %rd2, %rd1;\nL:\nadd.u32 %r5, %r5, 1;\n"
              "st.volatile.u32 [%rd2+8], %r5;\n" +
                  look(8) + "bra L;\nOUT:\n",
              Finding::kMoves},
        Scene{"adds_atomically", 1, "L:\natom.shared.add.u32 %r6, [%r2+8], 1;\n" + look(8) + "bra L;\nOUT:\n",
              Finding::kMoves},
        Scene{"uses_what_an_atomic_returns", 1,
              "L:\natom.shared.add.u32 %r6, [%r2+8], 1;\nsetp.ne.u32 %p3, %r6, 4000000000;\n@%p3 bra L;\n",
              Finding::kMoves},
        Scene{"adds_what_nobody_looks_at", 2,
              "L:\natom.shared.add.u32 %r6, [%r2+8], 1;\nred.shared.add.u32 [%r2+12], 1;\nbra L;\n",
              Finding::kSpins},
        Scene{"adds_nothing", 2,
              "L:\natom.shared.add.u32 %r6, [%r2+8], 0;\nsetp.eq.u32 %p3, %r6, 0;\n@%p3 bra L;\n",
              Finding::kSpins},
        Scene{"exchanges_the_same", 2,
              "L:\natom.shared.exch.b32 %r6, [%r2+8], 0;\nsetp.eq.u32 %p3, %r6, 0;\n@%p3 bra L;\n",
              Finding::kSpins},
        Scene{"stores_a_count_for_itself", 1,
              "L:\nadd.u32 %r5, %r5, 1;\nst.volatile.local.u32 [own], %r5;\nbra L;\n", Finding::kSpins},
        Scene{"one_lane_looks_at_a_count_of_its_own", 1,
              "setp.eq.u32 %p1, %r1, 5;\nL:\nadd.u32 %r5, %r5, 1;\n@%p1 st.volatile.local.u32 [own], "
              "%r5;\nld.volatile.local.u32 %r6, [own];\nsetp.eq.u32 %p3, %r6, 4000000000;\n@%p3 bra "
              "OUT;\nbra L;\nOUT:\n",
              Finding::kMoves},
        // Each round of warp 1 changes the word twice, but nobody looks at it yet: warp 0 computes. When it
        // begins to look, what was found of warp 1 does not hold.
        Scene{"looks_late", 2,
              kByWarp + "L:\nst.volatile.shared.u32 [%r2], 0;\n" + work("A", 60) +
                  "st.volatile.shared.u32 [%r2], 1;\n" + work("B", 60) + "bra L;\nZERO:\n" + work("C", 1500) +
                  wait_for(0),
              Finding::kMoves},
        // A word that is 1 for a moment in each round: it has not been seen so, and may be.
        Scene{"blinks", 2,
              kByWarp + "L:\nst.volatile.shared.u32 [%r2], 1;\nst.volatile.shared.u32 [%r2], 0;\n" +
                  work("A", 50) + "bra L;\nZERO:\n" + work("C", 37) +
                  "ld.volatile.shared.u32 %r4, [%r2];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra ZERO;\n",
              Finding::kMoves},
        // The tenth arrival completes the barrier.
        Scene{"arrivals_add_up", 2,
              kByWarp + "L:\n" + work("A", 60) + "bar.arrive 1, 320;\nbra L;\nZERO:\nbar.sync 1, 320;\n",
              Finding::kMoves, 1 << 20, 100},
        // Let go, and not yet on its way.
        Scene{"barrier_that_takes_long", 2,
              kByWarp + work("A", 40) + "bar.arrive 1, 64;\n" + wait_for(0) +
                  "bra END;\nZERO:\nbar.sync 1, 64;\nst.volatile.shared.u32 [%r2], 1;\nEND:\n",
              Finding::kMoves, 1 << 20, 0, 8, 5000},
        // All three vote for the first time together after 49 turns: 7 divides it, and with 8 it leaves 1.
        Scene{"votes_that_meet_late", 3,
              "shr.u32 %r8, %r1, 5;\nmov.u32 %r5, 0;\nmov.u32 %r9, 7;\nmov.u32 %r10, 0;\nsetp.eq.u32 %p1, "
              "%r8, 1;\n"
              "@%p1 mov.u32 %r9, 8;\n@%p1 mov.u32 %r10, 1;\nsetp.eq.u32 %p6, %r8, 2;\nL:\nadd.u32 %r5, %r5, "
              "1;\n"
              "setp.ge.u32 %p2, %r5, %r9;\n@%p2 mov.u32 %r5, 0;\nsetp.eq.or.u32 %p3, %r5, %r10, %p6;\n"
              "bar.red.and.pred %p4, 0, %p3;\n@!%p4 bra L;\n",
              Finding::kGaveUp},
        Scene{"votes_that_stay", 3,
              "setp.eq.u32 %p3, %r1, 70;\nL:\nbar.red.and.pred %p4, 0, %p3;\n@!%p4 bra L;\n",
              Finding::kSpins},
        // What a loop looks at in one round only: a count in every other one, or predicates alone.
        Scene{"counts_every_other_round", 1,
              "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nL:\nxor.b32 %r5, %r5, 1;\nsetp.ne.u32 %p1, %r5, 0;\n"
              "@%p1 bra L;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 1000000;\n@%p2 bra L;\n",
              Finding::kLooking},
        // To 32, in binary digits.
        Scene{"counts_in_predicates", 1,
              "setp.ne.u32 %p0, %r3, 0;\nsetp.ne.u32 %p1, %r3, 0;\nsetp.ne.u32 %p2, %r3, 0;\nsetp.ne.u32 "
              "%p3, %r3, 0;\n"
              "setp.ne.u32 %p4, %r3, 0;\nL:\nand.pred %p5, %p0, %p0;\nnot.pred %p0, %p0;\n"
              "and.pred %p6, %p5, %p1;\nxor.pred %p1, %p1, %p5;\nand.pred %p5, %p6, %p6;\n"
              "and.pred %p6, %p5, %p2;\nxor.pred %p2, %p2, %p5;\nand.pred %p5, %p6, %p6;\n"
              "and.pred %p6, %p5, %p3;\nxor.pred %p3, %p3, %p5;\nand.pred %p5, %p6, %p6;\n"
              "and.pred %p6, %p5, %p4;\nxor.pred %p4, %p4, %p5;\nand.pred %p5, %p6, %p6;\n"
              "@!%p5 bra L;\n",
              Finding::kMoves},
        // Each store is the first to its place. What was found of warp 0 before warp 1 has stored does not
        // hold: it works for long, and then lets warp 1 go, which waits by then.
        Scene{"lets_one_go_that_was_found_to_spin", 2,
              kByWarp + work("A", 200) + "st.volatile.shared.u32 [%r2], 1;\n" + wait_for(4) +
                  "bra END;\nZERO:\n" +
                  "V:\nld.volatile.shared.u32 %r4, [%r2];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra V;\n" +
                  work("B", 2000) + "st.volatile.shared.u32 [%r2+4], 1;\nEND:\n",
              Finding::kMoves},
        // Paths of one warp that wait for each other: for ever, or until the other one has its turn.
        Scene{"paths_wait_for_ever", 1, kByLane + wait_for(0) + "bra END;\nLOW:\n" + wait_for(4) + "END:\n",
              Finding::kSpins},
        Scene{"a_path_waits_for_one_that_will_run", 1,
              kByLane + work("A", 100) + "st.volatile.shared.u32 [%r2], 1;\nbra END;\nLOW:\n" + wait_for(0) +
                  "END:\n",
              Finding::kMoves}),
    [](const auto& info) { return std::string(info.param.name); });

// A CTA that comes while all others wait.
/// What an impatient probe says first of one warp that executes `body` under a front end that skips `opcode`.
Finding with_skipped(ptx::Opcode opcode, const char* name, const std::string& body) {
  SkipsOpcode::which() = opcode;
  Bench bench(name, 8, 2, "test_skips_opcode");
  bench.begin(body, 1);
  SpinProbe probe(bench.sms, bench.memory, 1 << 20);
  Finding finding = Finding::kLooking;
  for (unsigned step = 0; step < 20'000 && finding == Finding::kLooking; ++step) {
    bench.pass(1);
    finding = probe.finding(0);
  }
  EXPECT_GT(bench.sm.counters().fetch.skipped, 0u) << name;
  return finding;
}

// A skipped instruction is a part of the loop: what it computes may end it.
TEST(SpinProbe, FollowsASkippedInstructionThatChangesNothing) {
  EXPECT_EQ(with_skipped(ptx::Opcode::xor_, "beside",
                         "L:\nxor.b32 %r7, %r3, 5;\nld.volatile.shared.u32 %r4, [%r2];\n"
                         "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\n"),
            Finding::kSpins);
}
TEST(SpinProbe, FollowsASkippedInstructionThatCounts) {
  EXPECT_EQ(with_skipped(ptx::Opcode::add, "counts", work("A", 1'000'000)), Finding::kLooking);
}
TEST(SpinProbe, FollowsASkippedInstructionThatEndsTheLoop) {
  EXPECT_EQ(with_skipped(ptx::Opcode::add, "ends", work("A", 50)), Finding::kMoves);
}

TEST(SpinProbe, ProvesNothingOfSkippedLoads) {
  EXPECT_EQ(with_skipped(ptx::Opcode::ld, "load", wait_for(0)), Finding::kGaveUp);
}

TEST(SpinProbe, ACtaThatStartsMoves) {
  Bench bench("bench");
  bench.begin(wait_for(0), 1);
  bench.pass(500);
  SpinProbe probe(bench.sms, bench.memory, 1 << 20);
  bench.pass(500);
  EXPECT_EQ(probe.finding(0), Finding::kSpins);
  bench.launch_id = 1;
  bench.launch();
  bench.pass(100);
  EXPECT_EQ(probe.finding(0), Finding::kMoves);
}

// Somebody else writes where they look.
TEST(SpinProbe, AValueThatSomebodyElseChangesMoves) {
  Bench bench("bench");
  bench.target.latency_of = [](const tlm::tlm_generic_payload&) { return Cycle{10}; };
  bench.begin(
      "mov.u64 %rd1, SLOW;\nL:\nld.volatile.global.u32 %r4, [%rd1];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\n",
      1);
  SpinProbe probe(bench.sms, bench.memory, 1 << 20);
  bench.pass(2000);
  EXPECT_EQ(probe.finding(0), Finding::kSpins);
  *bench.memory.at(bench.slow) = std::byte{1};
  EXPECT_EQ(probe.finding(0), Finding::kMoves);
}

// One that issues nothing all the while counts as waiting for ever to a patient probe alone.
TEST(SpinProbe, PatienceIsForWhoIssuesNothing) {
  Bench bench("bench");
  bench.begin(kByWarp + wait_for(0) +
                  "ZERO:\nmov.u64 %rd1, SLOW;\nld.global.u32 %r6, [%rd1];\nadd.u32 %r6, %r6, 1;\n"
                  "st.shared.u32 [%r2], %r6;\n",
              2);
  SpinProbe probe(bench.sms, bench.memory, 1 << 20);
  const Cycle began = bench.clock.now();
  bench.pass(1000);
  EXPECT_EQ(probe.finding(0), Finding::kLooking);
  EXPECT_EQ(probe.finding(began + 1), Finding::kLooking) << "it issued later";
  EXPECT_EQ(probe.finding(bench.clock.now() - 500), Finding::kSpins);
  bench.pass(20'000);
  EXPECT_EQ(probe.finding(bench.clock.now()), Finding::kMoves);
}

// A bulk copy under way will yet tell the barrier that all look at.
TEST(SpinProbe, ACopyUnderWayIsWaitedFor) {
  Bench bench("bench");
  bench.begin(
      "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nmov.u64 %rd1, SLOW;\nmbarrier.init.shared.b64 [s], 1;\n"
      "mbarrier.arrive.expect_tx.shared.b64 %rd2, [s], 64;\n"
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s+64], [%rd1], 64, [s];\n"
      "L:\nbar.sync 0;\nwait:\nmbarrier.test_wait.parity.shared.b64 %p2, [s], 0;\n@!%p2 bra wait;\n",
      2);
  bench.pass(500);
  SpinProbe probe(bench.sms, bench.memory, 1 << 20);
  bench.pass(1000);
  EXPECT_EQ(probe.finding(0), Finding::kLooking);
  EXPECT_EQ(probe.finding(bench.clock.now()), Finding::kSpins) << "one that never comes";
  bench.pass(20'000);
  EXPECT_EQ(probe.finding(bench.clock.now()), Finding::kMoves);
}

}  // namespace
}  // namespace warpvp::test
