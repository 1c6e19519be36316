// Schedules worked out by hand. Unless said otherwise, buffers have four entries, a line of the instruction
// cache holds eight instructions and takes ten cycles to come, and warps start at edge 0. "N" is a NOP.

#include "predict/predictor.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/registry.h"
#include "modules/sm/policies.h"
#include "predict/fetch_model.h"
#include "tests/predict/support.h"

namespace warpvp::predict {
namespace {

const std::string kTwo = R"(program 0 address 0x1000
inst 0 int latency 1 writes 0
inst 1 control latency 1
launch 0 program 0
cta 0 0 0 0 sm 0 at 0
)";

// The buffer is shown after each edge, head first.
//  edge 0: N issues, 0 misses and leaves a NOP: [N N N N]; the warp sleeps until the line comes at 10
//  10: N, [N N N 0]   11: N, [N N 0 1]   12: N, nothing is behind 1: [N 0 1 N]   13: N, [0 1 N N]
//  14: 0, 15: 1, the exit
TEST(Predictor, AWarpStartsWithAMissAndItsBufferOfNops) {
  const Schedule s = predict_on(small_sm(), kTwo + "warp\nrun 0 1\n");
  EXPECT_EQ(text_of(s), "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0.1");
  EXPECT_EQ(s.makespan(), 15u);
  EXPECT_EQ(s.nops(), 5u);
}

// Round robin. Warp 1 misses on the line that is on its way for warp 0, so both sleep until 10 and then take
// turns.
TEST(Predictor, WarpsThatMissTheSameLineShareItsFill) {
  EXPECT_EQ(text_of(predict_on(small_sm(), kTwo + "warp\nrun 0 1\nwarp\nrun 0 1\n")),
            "0:0N 1:1N 10:0N 11:1N 12:0N 13:1N 14:0N 15:1N 16:0N 17:1N 18:0.0 19:1.0 20:0.1 21:1.1");
}

// Greedy then oldest: warp 0 runs through, warp 1 has its four NOPs and its instructions behind it.
TEST(Predictor, GreedyWarpsRunUntilTheyStall) {
  EXPECT_EQ(text_of(predict_on(small_sm("gto"), kTwo + "warp\nrun 0 1\nwarp\nrun 0 1\n")),
            "0:0N 1:1N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0.1 16:1N 17:1N 18:1N 19:1N 20:1.0 21:1.1");
}

const std::string kThree = R"(program 0 address 0x1000
inst 0 int latency 1 writes 0
inst 1 control latency 1
inst 2 control latency 1
launch 0 program 0
cta 0 0 0 0 sm 0 at 0
warp
)";

//  10..13: four NOPs bring 0, 1 and 2 in: [0 1 2 N]   14: 0, [1 2 N N]   15: 1 jumps to 0: [N N N N]
//  16..19: NOPs, again [0 1 2 N]   20: 0   21: 1 falls through   22: 2, the exit
TEST(Predictor, ATakenBranchCostsABufferOfNops) {
  const Schedule s = predict_on(small_sm(), kThree + "run 0 1\nrun 0 2\n");
  EXPECT_EQ(text_of(s),
            "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0.1 16:0N 17:0N 18:0N 19:0N 20:0.0 21:0.1 22:0.2");
}

// Lines of four instructions: 0 to 3 and 4, 5.
//  10..13: [0 1 2 3]   14: 0 issues, 4 misses until 24: [1 2 3 N]. Instruction 1 is there, but the warp is
//  suspended. 24: 1, [2 3 N 4]   25: 2, [3 N 4 5]   26: 3, [N 4 5 N]   27: N   28: 4   29: 5
TEST(Predictor, AMissSuspendsTheWarpAndLeavesANop) {
  SmConfig config = small_sm();
  config.memory.instruction = {512, 64, 2, 1};
  EXPECT_EQ(text_of(predict_on(config, R"(program 0 address 0x1000
inst 0 int latency 1
inst 1 int latency 1
inst 2 int latency 1
inst 3 int latency 1
inst 4 int latency 1
inst 5 control latency 1
launch 0 program 0
cta 0 0 0 0 sm 0 at 0
warp
run 0 5
)")),
            "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 24:0.1 25:0.2 26:0.3 27:0N 28:0.4 29:0.5");
}

// As before, but 0 is a taken branch to 5: the miss on line 1 at its very edge, 14, is on the wrong path and
// not waited for. At 15 instruction 5 is fetched from the same line: a NOP issues and the warp sleeps
// until 24. Then four NOPs, the last of the five fetched at 24 issues at 28.
TEST(Predictor, AMissOnTheWrongPathIsNotWaitedForButItsLineComes) {
  SmConfig config = small_sm();
  config.memory.instruction = {512, 64, 2, 1};
  EXPECT_EQ(text_of(predict_on(config, R"(program 0 address 0x1000
inst 0 control latency 1
inst 1 int latency 1
inst 2 int latency 1
inst 3 int latency 1
inst 4 int latency 1
inst 5 control latency 1
launch 0 program 0
cta 0 0 0 0 sm 0 at 0
warp
run 0
run 5
)")),
            "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0N 24:0N 25:0N 26:0N 27:0N 28:0.5");
}

const std::string kLoad = R"(program 0 address 0x1000
inst 0 lsu latency 1 writes 0
inst 1 fp32 latency 4 reads 0 writes 1
inst 2 fp32 latency 4 reads 1 sets 0
inst 3 control latency 1 tests 0
launch 0 program 0
cta 0 0 0 0 sm 0 at 0
warp
)";

// 0 at 14, data at 34; 1 at 34, its result at 38; 2 at 38; 3 waits for a predicate until 42.
TEST(Predictor, OperandsAreWaitedFor) {
  EXPECT_EQ(text_of(predict_on(small_sm(), kLoad + "step 0 latency 20 long\nrun 1 3\n")),
            "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 34:0.1 38:0.2 42:0.3");
}

// Of int at 14, for fp32 3 later: at 21; its result at 25, for the special function 20 later: at 45, whose
// result waits for nothing more: 55, at fp32 and at sfu. Of either unit: on int, which both have at once, and
// fp32 three later.
TEST(Predictor, OperandsAreLaterForOtherUnits) {
  SmConfig config = small_sm();
  config.latency.special_operand = 20;
  config.latency.other_pipe = 3;
  EXPECT_EQ(text_of(predict_on(config, R"(program 0 address 0x1000
inst 0 int latency 4 writes 0
inst 1 fp32 latency 4 reads 0 writes 1
inst 2 sfu latency 10 special reads 1 writes 2
inst 3 fp32 latency 4 reads 2 writes 3
inst 4 int_or_fp32 latency 4 reads 3 writes 4
inst 5 int latency 4 reads 4 writes 5
inst 6 fp32 latency 4 writes 5
inst 7 control latency 1
launch 0 program 0
cta 0 0 0 0 sm 0 at 0
warp
run 0 7
)")),
            "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 21:0.1 45:0.2 55:0.3 59:0.4 63:0.5 70:0.6 71:0.7");
}

// An access whose lanes are all off takes its unit's latency: 0 at 14, 1 at 15.
TEST(Predictor, AnAccessThatIsNotMadeHasNoMemoryLatency) {
  EXPECT_EQ(text_of(predict_on(small_sm(), kLoad + "run 0 3\n")),
            "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0.1 19:0.2 23:0.3");
}

// Frames: behind the call at 1 the callee's row 0 is another one, so 1 does not wait for the load of the
// caller.
TEST(Predictor, RowsCountFromTheFrame) {
  const Schedule s =
      predict_on(small_sm(), kLoad + "step 0 latency 20\nframe 8 2\nrun 1 2\nframe 0 0\nrun 3\n");
  EXPECT_EQ(text_of(s), "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0.1 19:0.2 20:0.3");
  EXPECT_EQ(s.ctas[0].end, 34u) << "the load is under way until then";
}

// The exit at 15 leaves a store that takes until 34; the warp is there until then.
TEST(Predictor, AWarpIsThereUntilItsAccessesAreComplete) {
  const Schedule s = predict_on(small_sm(), kTwo + "warp\nstep 0 latency 20 store\nrun 1\n");
  EXPECT_EQ(text_of(s), "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0.1");
  EXPECT_EQ(s.makespan(), 34u);
}

// A fence at 15 holds the warp until the store of 14 is acknowledged at 34; it does not wait for loads.
TEST(Predictor, FencesWaitForStores) {
  EXPECT_EQ(text_of(predict_on(small_sm(), kThree + "step 0 latency 20 store\nstep 1 fence\nrun 2\n")),
            "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0.1 34:0.2");
  EXPECT_EQ(text_of(predict_on(small_sm(), kThree + "step 0 latency 20\nstep 1 fence\nrun 2\n")),
            "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0.1 16:0.2");
  EXPECT_EQ(text_of(predict_on(small_sm(), kThree + "step 0 latency 7 copy\nstep 1 copies\nrun 2\n")),
            "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0.1 21:0.2");
}

// As WarpsThatMissTheSameLineShareItsFill up to 17. Warp 0 arrives at 18 and waits; warp 1 completes the
// barrier at 19 and goes on at once; warp 0 goes on 2 cycles after that.
TEST(Predictor, BarriersReleaseAfterTheirLatency) {
  EXPECT_EQ(text_of(predict_on(small_sm(),
                               kTwo + "warp\nstep 0 barrier 3\nrun 1\nwarp\nstep 0 barrier 3\nrun 1\n")),
            "0:0N 1:1N 10:0N 11:1N 12:0N 13:1N 14:0N 15:1N 16:0N 17:1N 18:0.0 19:1.0 20:1.1 21:0.1");
}

// Warp 1 exits at 19 without arriving. A barrier of the whole CTA no longer expects it.
TEST(Predictor, ExitsCompleteBarriersOfTheWholeCta) {
  EXPECT_EQ(text_of(predict_on(small_sm(), kTwo + "warp\nstep 0 barrier 0\nrun 1\nwarp\nrun 0\n")),
            "0:0N 1:1N 10:0N 11:1N 12:0N 13:1N 14:0N 15:1N 16:0N 17:1N 18:0.0 19:1.0 21:0.1");
}

// Warp 0 only signals barrier 1 of two warps and goes on; warp 1 does not have to wait when it comes.
TEST(Predictor, ArrivalsThatPassDoNotWait) {
  EXPECT_EQ(text_of(predict_on(small_sm(), kTwo + "warp\nstep 0 barrier 1 of 2 passes\nrun 1\n"
                                                  "warp\nstep 0 barrier 1 of 2\nrun 1\n")),
            "0:0N 1:1N 10:0N 11:1N 12:0N 13:1N 14:0N 15:1N 16:0N 17:1N 18:0.0 19:1.0 20:0.1 21:1.1");
}

// The unit takes an instruction every 4 cycles and has no queue: warp 0 starts on it at 19, so it is closed
// until 23. At 19 warp 1 cannot issue, and warp 0 goes on.
TEST(Predictor, UnitsTakeAnInstructionAnInterval) {
  SmConfig config = small_sm();
  config.sfu_unit = UnitConfig(4);
  config.sfu_unit.queue = 0;
  EXPECT_EQ(text_of(predict_on(config, R"(program 0 address 0x1000
inst 0 sfu latency 16
inst 1 control latency 1
launch 0 program 0
cta 0 0 0 0 sm 0 at 0
warp
run 0 1
warp
run 0 1
)")),
            "0:0N 1:1N 10:0N 11:1N 12:0N 13:1N 14:0N 15:1N 16:0N 17:1N 18:0.0 19:0.1 22:1.0 23:1.1");
}

// Warps are dealt in turn; both sub-cores run through the same edges, and take turns at being first.
TEST(Predictor, SeveralSchedulersShareTheInstructionCache) {
  SmConfig config = small_sm();
  config.schedulers = 2;
  EXPECT_EQ(text_of(predict_on(config, kTwo + "warp\nrun 0 1\nwarp\nrun 0 1\n"), true),
            "0:0N@0 0:1N@1 10:0N@0 10:1N@1 11:1N@1 11:0N@0 12:0N@0 12:1N@1 13:1N@1 13:0N@0 14:0.0@0 14:1.0@1 "
            "15:1.1@1 15:0.1@0");
}

// The second launch finds its line in the cache: no miss at 100, four NOPs, then its instructions. The
// schedule between is empty.
TEST(Predictor, TheInstructionCacheOutlivesLaunches) {
  const Schedule s = predict_on(small_sm(), kTwo + R"(warp
run 0 1
launch 7 program 0
cta 7 0 0 0 sm 0 at 100
warp
run 0 1
)");
  EXPECT_EQ(
      text_of(s),
      "0:0N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0.1 100:1/0N 101:1/0N 102:1/0N 103:1/0N 104:1/0.0 105:1/0.1");
  EXPECT_EQ(s.makespan(), 15u + 5u);
}

TEST(Predictor, OtherSmsAreLeftOut) {
  const Trace trace = trace_of(kTwo + "warp\nrun 0 1\ncta 0 1 0 0 sm 1 at 3\nwarp\nrun 0 1\n");
  const Schedule s = Predictor(small_sm(), BufferModel::kCoordinated).run(trace, 1);
  EXPECT_EQ(text_of(s), "3:1/0N 13:1/0N 14:1/0N 15:1/0N 16:1/0N 17:1/0.0 18:1/0.1");
}

// CTA 1 comes at 12, when CTA 0 fills the SM. It starts at 16, the edge after the exit of warp 0, whose place
// it takes. Warp 1 is older and runs through; the line is there.
TEST(Predictor, ACtaWaitsForRoom) {
  SmConfig config = small_sm("gto");
  config.resources.warps = 2;
  const Schedule s =
      predict_on(config, kTwo + "warp\nrun 0 1\nwarp\nrun 0 1\ncta 0 1 0 0 sm 0 at 12\nwarp\nrun 0 1\n");
  EXPECT_EQ(text_of(s),
            "0:0N 1:1N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:0.1 16:1N 17:1N 18:1N 19:1N 20:1.0 21:1.1 "
            "22:1/0N 23:1/0N 24:1/0N 25:1/0N 26:1/0.0 27:1/0.1");
  EXPECT_EQ(s.ctas[1].begin, 16u);
}

/// Takes the first ready warp and notes what it was shown, from the first instruction on.
class Noting : public WarpPolicy<Noting> {
 public:
  static std::string notes;
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const IssueView& view) override {
    if (view.cycle >= 18)
      notes += std::to_string(view.cycle) + ": ready " + std::to_string(view.ready) + " held " +
               std::to_string(view.held) + " long " + std::to_string(view.long_stalled) + " buffered " +
               std::to_string(view.buffered[0]) + "," + std::to_string(view.buffered[1]) + "\n";
    return static_cast<unsigned>(__builtin_ctzll(view.ready));
  }
};
std::string Noting::notes;
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, Noting, "noting", "Notes what it is shown.");

// Warp 0 is first whenever it is ready. It loads at 14 until 34 and waits for that; warp 1, whose four NOPs
// issue at 15 to 18, arrives at the barrier at 19 and is held. At 34 warp 0 goes on, and completes the
// barrier at 35, so that warp 1 is held until 37. The buffers hold three instructions, less those that
// issued, and NOPs otherwise.
TEST(Predictor, PoliciesAreShownWhatTheSmShowsThem) {
  Noting::notes.clear();
  EXPECT_EQ(text_of(predict_on(small_sm("noting"), R"(program 0 address 0x1000
inst 0 lsu latency 1 writes 0
inst 1 fp32 latency 4 reads 0
inst 2 control latency 1
inst 3 control latency 1
launch 0 program 0
cta 0 0 0 0 sm 0 at 0
warp
step 0 latency 20 long
run 1
step 2 barrier 0
run 3
warp
step 0 barrier 0
run 1 3
)")),
            "0:0N 1:1N 10:0N 11:0N 12:0N 13:0N 14:0.0 15:1N 16:1N 17:1N 18:1N 19:1.0 34:0.1 35:0.2 36:0.3 "
            "37:1.1 38:1.2 "
            "39:1.3");
  EXPECT_EQ(Noting::notes,
            "18: ready 2 held 0 long 1 buffered 3,3\n"
            "19: ready 2 held 0 long 1 buffered 3,4\n"
            "34: ready 1 held 2 long 0 buffered 3,3\n"
            "35: ready 1 held 2 long 0 buffered 2,3\n"
            "36: ready 1 held 2 long 0 buffered 1,3\n"
            "37: ready 2 held 0 long 0 buffered 1,3\n"
            "38: ready 2 held 0 long 0 buffered 1,2\n"
            "39: ready 2 held 0 long 0 buffered 1,1\n");
}

// One set of two ways, a line an instruction, so that every instruction is a line. The loop 0, 1, 0 keeps
// line 0 in use; 2 then replaces 1, the least recently used, and the last 0 hits.
TEST(FetchModel, TheLeastRecentlyUsedLineLeaves) {
  FetchModel cache({32, 16, 2, 1}, 10);
  EXPECT_EQ(cache.fetch(0, 0), 10u);
  cache.arrive(10);
  EXPECT_EQ(cache.fetch(16, 10), 20u);
  EXPECT_EQ(cache.fetch(24, 12), 20u) << "the same line, under way";
  cache.arrive(20);
  EXPECT_EQ(cache.fetch(0, 20), kNever);
  EXPECT_EQ(cache.fetch(32, 21), 31u);
  cache.arrive(31);
  EXPECT_EQ(cache.fetch(0, 31), kNever);
  EXPECT_EQ(cache.fetch(16, 32), 42u);
}

// What a policy intends with buffers that are never empty: the first instructions are there at 4.
TEST(Predictor, FullBuffersLeaveOperandsAndThePolicy) {
  EXPECT_EQ(
      text_of(predict_on(small_sm(), kTwo + "warp\nrun 0 1\nwarp\nrun 0 1\n", BufferModel::kAlwaysFull)),
      "4:0.0 5:1.0 6:0.1 7:1.1");
  EXPECT_EQ(text_of(predict_on(small_sm(), kThree + "run 0 1\nrun 0 2\n", BufferModel::kAlwaysFull)),
            "4:0.0 5:0.1 6:0.0 7:0.1 8:0.2");
}

TEST(Predictor, TracesThatCannotRunAreRefused) {
  const auto message = [](const std::string& lines) -> std::string {
    try {
      predict_on(small_sm(), lines);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message(kTwo + "warp\nstep 0 barrier 0 of 2\nrun 1\n"),
            "the warps of the trace wait at barriers for ever");
  std::string nine = kTwo;
  for (int i = 0; i < 9; ++i) nine += "warp\nrun 0 1\n";
  EXPECT_EQ(message(nine), "CTA (0,0,0) of launch 0 has 9 warps; this SM has room for 8");
}

}  // namespace
}  // namespace warpvp::predict
