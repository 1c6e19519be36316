// The worked example of the QAWS paper (section IV-A, figure 3): two kernels of two warps, nine instructions
// each, the second launched one cycle after the first, on a scheduler that issues one instruction a cycle.
//
// The text does not print the figure's stalls. Of all patterns of eight stalls of 1 to 8 cycles, those used
// here meet every number the text gives, and the only ones that do are this pattern and the same with a 3 for
// the second 2, which gives the same schedules. They do so when the decision falls in the cycle of the stall
// (`switch_on: stall`). No pattern of stalls up to 11 cycles does with Algorithm 1 as printed, which counts a
// switch one step later, when the other warp has issued; the last test says what that changes.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/sm_policies/policy_maker.h"

namespace warpvp::test {
namespace {

constexpr unsigned kWarps = 4, kInstructions = 9;
/// Cycles from the issue of an instruction to the earliest issue of the next of its warp.
constexpr std::array<Cycle, kInstructions> kStall = {2, 1, 2, 1, 1, 1, 5, 1, 1};

struct Schedule {
  std::string issued;      ///< per cycle the warp that issued, '.' for none
  Cycle end[kWarps] = {};  ///< cycle after the last issue

  /// Response time of kernel 1 or 2, from cycle 0 as the paper's averages count.
  Cycle kernel(unsigned k) const { return std::max(end[2 * k - 2], end[2 * k - 1]); }
  double mean() const { return (kernel(1) + kernel(2)) / 2.0; }
};

/// An in-order scheduler with its four warps: w0 and w1 of K1 from cycle 0, w2 and w3 of K2 from cycle 1.
Schedule run(WarpSchedulerPolicy& policy, std::uint32_t budget_of_k2) {
  Schedule s;
  unsigned next[kWarps] = {}, running = kWarps;
  Cycle ready_at[kWarps] = {0, 0, 1, 1};
  WarpMask resident = 0;
  for (Cycle cycle = 0; running > 0 && cycle < 200; ++cycle) {
    for (unsigned w = 0; w < kWarps && cycle < 2; ++w) {
      if (ready_at[w] != cycle || next[w] > 0 || (resident >> w & 1)) continue;
      policy.warp_started(w, warp_info(w, w / 2, w < 2 ? 1 : budget_of_k2));
      resident |= WarpMask{1} << w;
    }
    WarpMask ready = 0;
    for (unsigned w = 0; w < kWarps; ++w)
      if ((resident >> w & 1) && ready_at[w] <= cycle) ready |= WarpMask{1} << w;
    const unsigned w = ready ? policy.pick({cycle, resident, ready, 0}) : kNoWarp;
    s.issued += w == kNoWarp ? '.' : static_cast<char>('0' + w);
    if (w == kNoWarp) continue;
    ready_at[w] = cycle + kStall[next[w]];
    if (++next[w] < kInstructions) continue;
    s.end[w] = cycle + 1;
    resident &= ~(WarpMask{1} << w);
    policy.warp_finished(w);
    --running;
  }
  EXPECT_EQ(running, 0u);
  return s;
}

Schedule gto() { return run(*make_scheduler("gto"), 1); }
Schedule lrr() { return run(*make_scheduler("lrr", {{"greedy", "true"}}), 1); }
Schedule qaws(std::uint32_t budget, const char* switch_on = "stall") {
  return run(*make_scheduler("qaws", {{"switch_on", switch_on}}), budget);
}

TEST(QawsExample, Budget4) {
  const Schedule s = qaws(4);
  EXPECT_EQ(s.issued, "0123223322220011223333000033111100..11");
  EXPECT_EQ(s.issued.substr(0, 3), "012");          // w0 stalls at cycle 1, w1 at cycle 2, then K2
  EXPECT_EQ(s.issued.find_first_of("01", 2), 12u);  // K2 issues until cycle 12
  EXPECT_EQ(s.issued[21], '3');                     // w3 stalls at cycle 22 ...
  EXPECT_EQ(s.issued.substr(22, 4).find('3'), std::string::npos);
  EXPECT_EQ(s.issued[26], '3');  // ... and issues again as soon as ready, at 26,
  EXPECT_LT(s.end[2], 22u);      // when no other warp of K2 is left
  EXPECT_NE(s.issued[27], '0');  // K2 still comes first
}

TEST(QawsExample, Budget6) {
  const Schedule s = qaws(6);
  EXPECT_EQ(s.issued, "0123223322223333220011330000111100..11");
  EXPECT_EQ(s.issued.find_first_of("01", 2), 18u);  // K2 issues until cycle 18
}

TEST(QawsExample, Gto) { EXPECT_EQ(gto().issued, "0100110000111100231122332222333322..33"); }

TEST(QawsExample, Lrr) { EXPECT_EQ(lrr().issued, "012300112233000011112222333300112233"); }

TEST(QawsExample, ResponseTimesOrderAsTheAnalysisSays) {
  const Schedule g = gto(), l = lrr(), q4 = qaws(4), q6 = qaws(6);
  for (const Schedule& other : {l, q4, q6}) {
    EXPECT_LT(g.kernel(1), other.kernel(1));  // GTO is best for K1
    EXPECT_GE(g.kernel(2), other.kernel(2));  // and worst for K2
  }
  EXPECT_LT(q4.kernel(2), l.kernel(2));
  EXPECT_LT(q4.kernel(2), g.kernel(2));
  EXPECT_LT(q6.kernel(2), q4.kernel(2));  // budget 6 is best for K2
  EXPECT_DOUBLE_EQ(g.mean(), 29.0);
  EXPECT_DOUBLE_EQ(q6.mean(), 31.0);
}

// Algorithm 1 as printed on the same stalls. K1 hands over one switch later: w0 issues once more at cycle 2.
// K2 keeps the machine one switch longer, too: to cycle 14 with a budget of 4, to 19 with 6. The order of the
// response times stays as the analysis says.
TEST(QawsExample, AlgorithmAsPrinted) {
  const Schedule q4 = qaws(4, "issue"), q6 = qaws(6, "issue");
  EXPECT_EQ(q4.issued, "0102322332222301102233300013311100..11");
  EXPECT_EQ(q6.issued, "0102322332222333322013300001.111100..11");
  EXPECT_LT(q4.kernel(2), gto().kernel(2));
  EXPECT_LT(q4.kernel(2), lrr().kernel(2));
  EXPECT_LT(q6.kernel(2), q4.kernel(2));
}

}  // namespace
}  // namespace warpvp::test
