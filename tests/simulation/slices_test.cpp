// A run in slices of simulated time is the run in one go, and looking at it in between leaves no trace.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interconnect/host_interface.h"
#include "tests/platform/program.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

struct Case {
  const char* name;
  const char* yaml;
  int code;  ///< exit status of the run
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Slices : public ::testing::TestWithParam<std::tuple<Case, int>> {};

/// What a session says of itself in the middle of a run.
void look_at(Simulation& simulation) {
  const auto statistics = nlohmann::json::parse(simulation.statistics());
  EXPECT_EQ(statistics["simulation"]["cycles"], simulation.cycle());
  EXPECT_EQ(statistics["exit_code"], 130);
  EXPECT_EQ(statistics["kernels"].size() <= simulation.kernels().size(), true);
  simulation.describe();
}

TEST_P(Slices, GiveTheResultOfOneGo) {
  const auto& [run, slice_ns] = GetParam();
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", run.yaml);
  const Finished reference = run_program({"run", file, "--quiet", "--out", (scratch / "out").string()});
  ASSERT_EQ(reference.status, run.code) << reference.err;

  Simulation simulation = Simulation::from_file(file);
  simulation.attach_workload();
  const SimTime slice = ns(static_cast<std::uint64_t>(slice_ns));
  unsigned slices = 0;
  while (simulation.run_for(slice) != Halt::kEnded) {
    ++slices;
    ASSERT_EQ(simulation.now().fs(), slices * slice.fs());
    if (slices % 16 == 1) look_at(simulation);
  }
  EXPECT_GE(slices, slice_ns < 1000 ? 20u : 0u);
  EXPECT_EQ(static_cast<int>(simulation.end().code), run.code);
  EXPECT_EQ(difference(simulation.result(), read_text(scratch / "out/result.json")), "[]");
}

INSTANTIATE_TEST_SUITE_P(
    Simulation, Slices,
    ::testing::Combine(
        ::testing::Values(
            Case{"verified", "platform: small\nworkload: {app: vector_add, params: {count: 4096}}\n", 0},
            Case{"with_oracle",
                 "platform: {extends: small, sm: {oracle: true}}\n"
                 "workload: {app: matmul, params: {m: 32, n: 32, k: 32}}\n",
                 0},
            Case{"coordinated",
                 "platform: {extends: vortex_sm}\nworkload: {app: saxpy, params: {count: 2048}}\n", 0},
            Case{"many_streams", "platform: small\nworkload: {app: many_streams, params: {streams: 3}}\n", 0},
            Case{"on_threads",
                 "platform: {extends: small, evaluation: {threads: 2}}\n"
                 "workload: {app: reduction, params: {count: 4000}}\n",
                 0},
            Case{"fault", "platform: small\nworkload: {app: fault, params: {kind: misaligned}}\n", 3},
            // Found by looks of the watchdog, at the same cycle however time is sliced.
            Case{"spins",
                 "platform: small\nlimits: {progress_us: 300}\n"
                 "workload: {app: fault, params: {kind: endless}}\n",
                 3},
            Case{"deadlock", "platform: small\nworkload: {app: fault, params: {kind: deadlocked}}\n", 3},
            Case{"limit", "platform: small\nlimits: {cycles: 20000}\nworkload: vector_add\n", 3}),
        ::testing::Values(130, 1999, 7777)),
    [](const auto& info) {
      return std::string(std::get<0>(info.param).name) + "_" + std::to_string(std::get<1>(info.param)) + "ns";
    });

// A slice may end between events, and at one: what happens at the end of a slice belongs to the next.
TEST(Simulation, ReachesEachTimeItIsAskedFor) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  SimTime begin;
  std::vector<SimTime> woken;
  simulation.attach_program("sleeper", [&](rt::Runtime& device) {
    begin = device.host().now();
    for (int i = 0; i < 3; ++i) {
      device.host().sleep(us(10));
      woken.push_back(device.host().now());
    }
  });
  EXPECT_EQ(simulation.now(), SimTime());
  EXPECT_EQ(simulation.run_until(SimTime()), Halt::kTime);
  while (begin == SimTime()) ASSERT_EQ(simulation.run_for(ns(100)), Halt::kTime);
  EXPECT_EQ(simulation.run_until(begin + us(4)), Halt::kTime);
  EXPECT_EQ(simulation.now(), begin + us(4));
  EXPECT_EQ(simulation.run_until(begin + us(3)), Halt::kTime) << "which is past";
  EXPECT_EQ(simulation.now(), begin + us(4));
  EXPECT_EQ(simulation.run_until(begin + us(10)), Halt::kTime);
  EXPECT_EQ(woken.size(), 0u);
  EXPECT_EQ(simulation.run_for(SimTime::from_fs(1)), Halt::kTime);
  EXPECT_EQ(woken, std::vector<SimTime>{begin + us(10)});
  EXPECT_EQ(simulation.run_for(us(1000)), Halt::kEnded) << "when the program ends";
  EXPECT_LT(simulation.now(), begin + us(100));
  EXPECT_EQ(simulation.run_for(us(1)), Halt::kEnded);
  EXPECT_EQ(woken.size(), 3u);
}

// Limits of the host's time count all run() together.
TEST(Simulation, TheWallLimitHoldsForAllSlices) {
  Simulation simulation =
      Simulation::from_text(std::string(kPatient) + "workload: {app: fault, params: {kind: endless}}\n",
                            {{"limits.wall_seconds=0.2"}, {}, {}});
  simulation.attach_workload();
  Halt halt = Halt::kTime;
  while (halt == Halt::kTime) halt = simulation.run_for(us(2));
  EXPECT_EQ(halt, Halt::kEnded);
  EXPECT_EQ(simulation.outcome().code, ExitCode::kWallLimit);
  EXPECT_THAT(simulation.outcome().message, ::testing::HasSubstr("the wall-clock limit of 0.2 s"));
}

}  // namespace
}  // namespace warpvp::test
