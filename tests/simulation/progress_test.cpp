// How far a run is: the numbers of a session, and the line that tells them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "platform/run/progress_line.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SimulationProgress some_progress() {
  SimulationProgress p;
  p.simulated_us = 1234.5;
  p.cycle = 1000;
  p.instructions = 45'678;
  p.kernels_done = 3;
  p.kernels_running = 1;
  p.kernels_launched = 6;
  p.ctas_done = 30;
  return p;
}

TEST(ProgressText, SaysWhereTheRunIs) {
  EXPECT_EQ(
      progress_text(some_progress(), 12, 812'345),
      "1.234 ms simulated; kernels: 3 done, 1 running, 2 queued; 45,678 instructions, 812 k/s; 0:12 elapsed");
}

TEST(ProgressText, TellsTheRestWhereABoundIsKnown) {
  SimulationProgress p = some_progress();
  p.cycle_limit = 5000;  // a fifth of the cycles took 12 s
  EXPECT_THAT(progress_text(p, 12, 0), HasSubstr(", at most 0:48 to go"));
  p.wall_limit = 20;
  EXPECT_THAT(progress_text(p, 12, 0), HasSubstr(", at most 0:08 to go"));
  p.expected_kernels = 12;
  p.expected_ctas = 90;  // a third of the CTAs took 12 s
  const std::string text = progress_text(p, 12, 0);
  EXPECT_THAT(text, HasSubstr("3 done, 1 running, 8 to come"));
  EXPECT_THAT(text, HasSubstr(", about 0:24 to go"));
  p.ctas_done = 0;
  EXPECT_THAT(progress_text(p, 12, 0), Not(HasSubstr("to go")));
}

TEST(ProgressText, TimesAreWrittenAsPeopleReadThem) {
  EXPECT_EQ(minutes_text(7.9), "0:07");
  EXPECT_EQ(minutes_text(754), "12:34");
  EXPECT_EQ(minutes_text(3 * 3600 + 9), "3:00:09");
  EXPECT_EQ(minutes_text(-1), "0:00");
}

/// Shows at these times what stands on `out` afterwards.
std::string shown(bool terminal, double every, const std::vector<double>& times) {
  std::ostringstream out;
  double now = 0;
  {
    ProgressLine line(out, terminal, every, [&now] { return now; });
    for (const double time : times) {
      now = time;
      line.show(some_progress);
    }
  }
  return out.str();
}

TEST(ProgressLine, ShortRunsShowNothing) {
  EXPECT_EQ(shown(true, 0, {0.1, 1.0, 1.9}), "");
  EXPECT_EQ(shown(false, 0, {1, 10, 29}), "");
}

TEST(ProgressLine, OnATerminalOneLineIsWrittenOverAndCleared) {
  const std::string text = shown(true, 0, {2.0, 2.1, 2.6});
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("\r\033[K1.234 ms simulated"));
  EXPECT_THAT(text, HasSubstr("0:02 elapsed"));
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = text.find("elapsed", at)) != std::string::npos; ++at) ++lines;
  EXPECT_EQ(lines, 2u) << "2.1 s is too soon after 2.0 s";
  EXPECT_EQ(text.substr(text.size() - 4), "\r\033[K");
}

TEST(ProgressLine, ElsewhereALineEverySoOften) {
  const std::string text = shown(false, 5, {4, 5, 9, 10, 11});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(ProgressLine, TheRateIsThatSinceTheLastLine) {
  std::ostringstream out;
  double now = 0;
  SimulationProgress p;
  ProgressLine line(out, false, 1, [&now] { return now; });
  now = 1;
  p.instructions = 5000;
  line.show([&] { return p; });
  now = 2;
  p.instructions = 8000;
  line.show([&] { return p; });
  EXPECT_THAT(out.str(), HasSubstr("8,000 instructions, 3 k/s"));
}

TEST(Progress, OfASessionAddsUp) {
  const std::string text = in_child([] {
    Simulation simulation = Simulation::from_file("list_two_streams");
    simulation.attach_workload();
    const SimulationProgress before = simulation.progress();
    EXPECT_EQ(before.kernels_launched, 0u);
    EXPECT_GT(before.expected_kernels, 1u);
    EXPECT_EQ(simulation.run(), Halt::kEnded);
    const SimulationProgress after = simulation.progress();
    EXPECT_EQ(after.kernels_done, after.expected_kernels);
    EXPECT_EQ(after.ctas_done, after.expected_ctas);
    EXPECT_EQ(after.kernels_running, 0u);
    EXPECT_EQ(static_cast<double>(after.instructions), simulation.statistic("simulation.warp_instructions"));
    return std::string(testing::Test::HasFailure() ? "failed" : "fine");
  });
  EXPECT_EQ(text, "fine");
}

}  // namespace
}  // namespace warpvp::test
