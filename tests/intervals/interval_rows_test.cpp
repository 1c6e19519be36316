// The rows of interval statistics: when they are taken, what they hold, and that taking them changes nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <thread>

#include "tests/intervals/interval_table.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

TEST(Rows, EndAtMultiplesOfTheLength) {
  const ScratchFolder scratch;
  ASSERT_EQ(run_app("small", "matmul", scratch / "out", {"output.intervals.cycles=750"}).status, 0);
  const IntervalTable table = read_intervals(scratch / "out");
  const auto result = read_json(scratch / "out/result.json");
  const std::uint64_t cycles = result["simulation"]["cycles"];
  const double period_us = 1 / result["config"]["platform"]["sm_clock_mhz"].get<double>();
  ASSERT_EQ(table.rows.size(), (cycles + 749) / 750);
  for (std::size_t i = 0; i + 1 < table.rows.size(); ++i) {
    EXPECT_EQ(table.rows[i].cycle, (i + 1) * 750);
    EXPECT_NEAR(std::stod(table.rows[i].time_us), static_cast<double>(table.rows[i].cycle) * period_us, 1e-4);
  }
  EXPECT_EQ(table.rows.back().cycle, cycles);
}

// At each cycle a resident warp issues or is stalled for one reason. So waits are counted where they are, not
// where they end.
TEST(Rows, CountEveryCycleOfAWarpWhereItIs) {
  const ScratchFolder scratch;
  const Finished run =
      run_app("small", "matmul", scratch / "out",
              {"output.intervals.cycles=100",
               "output.intervals.counters=[default, sms.ctas, control.work_distributor.ctas_issued]"});
  ASSERT_EQ(run.status, 0) << run.err;
  const IntervalTable table = read_intervals(scratch / "out");
  const std::size_t warps = table.column("sms.resident_warps"), ctas = table.column("sms.resident_ctas"),
                    issued = table.column("sms.issued"), done = table.column("sms.ctas"),
                    sent = table.column("control.work_distributor.ctas_issued");
  unsigned compared = 0;
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    const auto &before = table.rows[i - 1].values, &now = table.rows[i].values;
    // Nobody came or went.
    if (now[warps] == 0 || now[warps] != before[warps] || now[ctas] != before[ctas]) continue;
    if (now[done] != 0 || now[sent] != 0 || before[sent] != 0) continue;
    double cycles = now[issued];
    for (const std::string& reason : kStalls) cycles += now[table.column("kernels.stalls." + reason)];
    EXPECT_EQ(cycles, now[warps] * 100) << "row " << i;
    ++compared;
  }
  EXPECT_GT(compared, 10u);
}

// What looks at the run leaves no trace in it: the same result with intervals, with a timeline of all warps,
// and with both, also beside the oracles, which see every edge.
TEST(Rows, LeaveTheResultAsItIs) {
  for (const std::string platform :
       {"small", "{extends: small, sm: {oracle: true}}", "{extends: vortex_sm, evaluation: {threads: 2}}"}) {
    const ScratchFolder scratch;
    const auto result = [&](const std::string& name, const std::vector<std::string>& settings) {
      const Finished run = run_app(platform, "reduction", scratch / name, settings);
      EXPECT_EQ(run.status, 0) << run.err;
      auto json = read_result(scratch / name);
      json["config"].erase("output");
      json["config"].erase("trace");
      return json.dump();
    };
    const std::string plain = result("plain", {});
    EXPECT_EQ(result("intervals", {"output.intervals.cycles=77"}), plain) << platform;
    EXPECT_EQ(result("traced", {"trace.enabled=true", "trace.warps=all"}), plain) << platform;
    EXPECT_EQ(result("both", {"trace.enabled=true", "trace.warps=[0]", "output.intervals.cycles=13"}), plain)
        << platform;
    EXPECT_FALSE(std::filesystem::exists(scratch / "plain/intervals.csv"));
  }
}

// A host program that sleeps for 20 ms: one row, not 24,000.
TEST(Rows, PassOverTimeInWhichNothingHappens) {
  const ScratchFolder scratch;
  const std::string kernels = std::filesystem::current_path() / "sw/kernels/vector_add.ptx";
  const std::string file =
      scratch.file("run.yaml",
                   "platform: {extends: small, command_processor: {type: hardware}}\n"
                   "workload:\n"
                   "  buffers:\n"
                   "    a: {type: f32, count: 1024, init: {fill: 1.5}}\n"
                   "    c: {type: f32, count: 1024, init: zero}\n"
                   "  launches:\n"
                   "    - {ptx: " +
                       kernels +
                       ", entry: vector_add, grid: [8], block: [128], start_us: 20000,\n"
                       "       args: [{buffer: a}, {buffer: a}, {buffer: c}, {u32: 1024}]}\n");
  const Finished run = run_program({"run", file, "--quiet", "--intervals", "1000", "--out", scratch / "out"});
  ASSERT_EQ(run.status, 0) << run.err;
  const IntervalTable table = read_intervals(scratch / "out");
  ASSERT_GT(table.rows.back().cycle, 20'000'000u);
  EXPECT_LT(table.rows.size(), 2000u);
  expect_sums_of_result(scratch / "out");
  std::uint64_t longest = 0;
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    const std::uint64_t length = table.rows[i].cycle - table.rows[i - 1].cycle;
    longest = std::max(longest, length);
    if (i + 1 < table.rows.size()) {
      EXPECT_EQ(length % 1000, 0u);
    }
    // In a long one nothing happened.
    if (length <= 1000) continue;
    for (const char* name : {"sms.issued", "noc.request.packets", "l2.accesses", "control.dma.bytes"})
      EXPECT_EQ(table.rows[i].values[table.column(name)], 0) << name;
  }
  EXPECT_GT(longest, 1'000'000u);
}

TEST(Rows, AreKeptOfARunThatEndsInAFault) {
  const ScratchFolder scratch;
  EXPECT_EQ(run_app("small", "fault, params: {kind: deadlocked}", scratch / "deadlock",
                    {"output.intervals.cycles=1000"})
                .status,
            3);
  expect_sums_of_result(scratch / "deadlock");
  EXPECT_EQ(run_app("small", "fault, params: {kind: misaligned}", scratch / "fault",
                    {"output.intervals.cycles=1000"})
                .status,
            3);
  expect_sums_of_result(scratch / "fault");
  EXPECT_EQ(
      run_app("small", "matmul", scratch / "limit", {"output.intervals.cycles=1000", "limits.cycles=22000"})
          .status,
      3);
  expect_sums_of_result(scratch / "limit");
}

/// Starts the program and sends it the signal once its file has rows.
int status_after(int signal, const std::filesystem::path& out, const std::string& file) {
  std::vector<std::string> words{WARPVP_PROGRAM, "run", file,    "--quiet",
                                 "--intervals",  "500", "--out", out.string()};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, WARPVP_PROGRAM, nullptr, nullptr, argv.data(), environ) != 0) return -1;
  const auto lines = [&] {
    const std::string text = read_text(out / "intervals.csv");
    return std::count(text.begin(), text.end(), '\n');
  };
  while (waitpid(child, nullptr, WNOHANG) == 0 && lines() < 20)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(Rows, AreKeptOfARunThatIsInterrupted) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml",
                                        "platform: small\nworkload: {app: fault, params: {kind: endless}}\n"
                                        "limits: {progress_us: 0}\n");
  EXPECT_EQ(status_after(SIGINT, scratch / "interrupted", file), 130);
  expect_sums_of_result(scratch / "interrupted");
  // Killed, it has no time for anything: what was written stays, in whole lines.
  EXPECT_EQ(status_after(SIGKILL, scratch / "killed", file), 1009);
  EXPECT_GE(read_intervals(scratch / "killed").rows.size(), 19u);
}

TEST(Rows, OfAnEarlierRunAreRemoved) {
  const ScratchFolder scratch;
  ASSERT_EQ(run_app("small", "vector_add", scratch / "out", {"output.intervals.cycles=1000"}).status, 0);
  ASSERT_TRUE(std::filesystem::exists(scratch / "out/intervals.csv"));
  ASSERT_EQ(run_app("small", "vector_add", scratch / "out", {}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(scratch / "out/intervals.csv"));
}

TEST(Rows, AFullDiskIsReported) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "out");
  // ResultWriter removes a file of that name; a folder stays, and cannot be written.
  std::filesystem::create_directories(scratch / "out/intervals.csv/x");
  const Finished run = run_app("small", "vector_add", scratch / "out", {"output.intervals.cycles=1000"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("intervals.csv: Is a directory"));
}

TEST(Rows, DumpsDoNotTakeTheirFile) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml",
                                        "platform: small\nworkload: list_vector_add\n"
                                        "output: {intervals: {cycles: 1000}}\n");
  const Finished run =
      run_program({"run", file, "--quiet", "--set", "workload.dumps=[{buffer: c, file: intervals.csv}]",
                   "--out", scratch / "out"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("'intervals.csv', which the run writes"));
}

}  // namespace
}  // namespace warpvp::test
