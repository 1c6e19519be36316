#include "predict/trace_file.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"

namespace warpvp::predict {
namespace {

const std::string kGood = R"(warpvp-trace 1
program 0 address 0x1000 name kernel
inst 0 int latency 1 reads 1,2 writes 3
inst 1 lsu latency 2 guard 0 address special reads 3 writes 4,5 tests 0 sets 1
inst 2 control latency 1 holds 5
launch 3 program 0 budget 2 priority -1
cta 3 0 1 2 sm 1 at 500
warp
run 0
step 1 latency 40 long
step 1 latency 41 store
step 1 latency 42 copy
frame 8 2
run 0 2
frame 0 0
step 2 barrier 3
step 2 barrier 4 of 16 passes
step 2 fence
step 2 copies
warp
run 0 2
end
)";

TEST(TraceFile, WhatIsWrittenIsWhatWasRead) {
  std::istringstream in(kGood);
  const Trace trace = read_trace(in, "good");
  EXPECT_EQ(trace.programs[0].code[1].writes, (std::vector<std::uint16_t>{4, 5}));
  EXPECT_EQ(trace.programs[0].code[1].guard, 0);
  EXPECT_EQ(trace.programs[0].code[0].guard, Instruction::kNoGuard);
  EXPECT_TRUE(trace.programs[0].code[1].address);
  EXPECT_FALSE(trace.programs[0].code[0].address);
  EXPECT_TRUE(trace.programs[0].code[1].special);
  EXPECT_FALSE(trace.programs[0].code[0].special);
  EXPECT_EQ(trace.programs[0].code[2].holds, 5u);
  EXPECT_EQ(trace.launches[0].priority, -1);
  EXPECT_EQ(trace.ctas[0].arrival, 500u);
  ASSERT_EQ(trace.ctas[0].warps.size(), 2u);
  EXPECT_EQ(trace.ctas[0].warps[0].steps.size(), 1u + 3 + 3 + 4);
  EXPECT_EQ(trace.ctas[0].warps[0].frames.size(), 2u);
  EXPECT_TRUE(trace.ctas[0].warps[0].steps[1].is(Step::kLong));
  EXPECT_EQ(trace.ctas[0].warps[0].steps[8].barrier_warps, 16);
  std::ostringstream out;
  write_trace(out, trace);
  EXPECT_EQ(out.str(), kGood);
}

TEST(TraceFile, AnInstructionMayHaveAChoiceOfUnits) {
  std::string text = kGood;
  text.replace(text.find("inst 0 int"), 10, "inst 0 int_or_fp32");
  std::istringstream in(text);
  const Trace trace = read_trace(in, "good");
  EXPECT_STREQ(kUnitNames[trace.programs[0].code[0].unit], "int_or_fp32");
  std::ostringstream out;
  write_trace(out, trace);
  EXPECT_EQ(out.str(), text);
}

TEST(TraceFile, CommentsAndEmptyLinesAreSkipped) {
  std::istringstream in("warpvp-trace 1\n# a comment\n\n" + kGood.substr(kGood.find('\n') + 1) +
                        "\n# more\n");
  EXPECT_EQ(read_trace(in, "good").ctas.size(), 1u);
}

struct BadTrace {
  std::string from, to;  ///< replaced in the good one
  std::string message;
};

class BadTraceFile : public testing::TestWithParam<BadTrace> {};

TEST_P(BadTraceFile, IsNamedWithItsLine) {
  std::string text = kGood;
  const std::size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, GetParam().from.size(), GetParam().to);
  std::istringstream in(text);
  try {
    read_trace(in, "t");
    ADD_FAILURE() << "accepted";
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), GetParam().message);
  }
}

const BadTrace kBad[] = {
    {"warpvp-trace 1", "warpvp-trace 2", "t:1: not a trace; the first line must be 'warpvp-trace 1'"},
    {"end\n", "", "t:21: the file ends without 'end': it is not complete"},
    {"inst 1", "inst 2", "t:4: instructions are numbered from 0 in order; this one is 1"},
    {"inst 0 int", "inst 0 iny",
     "t:3: unknown word 'iny'; allowed: int, fp32, fp64, sfu, lsu, control, tensor, int_or_fp32; did you "
     "mean "
     "'int'?"},
    {"latency 1 reads 1,2", "latency 0 reads 1,2",
     "t:3: the latency is '0'; allowed: a whole number from 1 to 1000000"},
    {"reads 1,2", "reads 1,x", "t:3: a row is 'x'; allowed: a whole number from 0 to 65534"},
    {"reads 1,2", "reads 1,2,3,4,5,6,7,8,9,10,11,12,13", "t:3: 13 rows; at most 12 are possible"},
    {"program 0 budget", "program 1 budget", "t:6: the program is '1'; allowed: a whole number from 0 to 0"},
    {"cta 3 ", "cta 4 ", "t:7: there is no launch 4"},
    {"warp\nrun 0\n", "run 0\n", "t:8: a step before the first 'warp' of a CTA"},
    {"run 0 2\nframe", "run 2 0\nframe",
     "t:14: a run from 2 to 0; the last instruction must not be before the first"},
    {"run 0 2\nframe", "run 0 3\nframe",
     "t:14: the last instruction is '3'; allowed: a whole number from 0 to 2"},
    {"latency 40 long", "long",
     "t:10: 'long', 'store' and 'copy' are for memory accesses; give their latency first"},
    // 16 is that of a cluster of one CTA.
    {"barrier 3", "barrier 17", "t:16: the barrier is '17'; allowed: a whole number from 0 to 16"},
    {"step 2 fence", "step 2 fense",
     "t:18: unknown word 'fense'; allowed: latency, long, store, copy, barrier, of, passes, fence, copies; "
     "did you "
     "mean 'fence'?"},
    {"step 2 fence", "step 2 of 3", "t:18: 'of' follows the number of a barrier"},
    {"run 0 2\nend", "end", "t:21: the warp before this line has no step"},
    {"run 0 2\nend", "run 0 2 3\nend", "t:21: '3' is too much"},
    {"end\n", "end\nwarp\n", "t:23: text after 'end'"},
    {"sm 1 at 500", "at 500", "t:7: 'sm' is expected here, not 'at'"},
    {"sm 1 at 500", "sm 1 at", "t:7: the edge is missing"},
};

INSTANTIATE_TEST_SUITE_P(Kinds, BadTraceFile, testing::ValuesIn(kBad));

TEST(TraceFile, AMissingFileIsNamed) { EXPECT_THROW(read_trace_file("/nonexistent/traces.txt"), InputError); }

TEST(TraceFile, LinesAndStepsAreBounded) {
  const auto error_of = [](const std::string& text, std::uint64_t most_steps) -> std::string {
    std::istringstream in(text);
    try {
      read_trace(in, "t", most_steps);
      return "accepted";
    } catch (const InputError& e) {
      return e.what();
    }
  };
  const std::string good = kGood;
  std::istringstream whole(good);
  std::uint64_t steps = 0;
  for (const CtaTrace& cta : read_trace(whole, "good").ctas)
    for (const WarpTrace& warp : cta.warps) steps += warp.steps.size();
  EXPECT_EQ(error_of(good, steps), "accepted");
  EXPECT_EQ(error_of(good, steps - 1), "t:21: more than " + std::to_string(steps - 1) + " steps");
  EXPECT_EQ(error_of(good + "#" + std::string(65535, 'x') + "\n", steps), "accepted");
  EXPECT_EQ(error_of(good + "#" + std::string(65536, 'x') + "\n", steps),
            "t:23: a line of more than 65536 bytes");
  EXPECT_EQ(error_of("#" + std::string(1'000'000, 'x'), steps), "t:1: a line of more than 65536 bytes");
}

TEST(TraceFile, ArrivalsComeFromTheRun) {
  std::istringstream in(kGood);
  const Trace trace = read_trace(in, "good");
  Trace run = trace;
  run.ctas[0].arrival = 7;
  run.ctas[0].sm = 0;
  const Trace moved = at_arrivals_of(trace, run);
  EXPECT_EQ(moved.ctas[0].arrival, 7u);
  EXPECT_EQ(moved.ctas[0].sm, 0u);
  EXPECT_EQ(first_difference(moved, run), "");
  run.ctas[0].warps[1].steps[2].latency = 9;
  EXPECT_EQ(first_difference(moved, run), "CTA (0,1,2) of launch 3, warp 1, step 2");
  run.ctas[0].index[0] = 5;
  EXPECT_THROW(at_arrivals_of(trace, run), InputError);
}

}  // namespace
}  // namespace warpvp::predict
