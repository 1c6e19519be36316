// Streams of jobs on the whole platform: every job comes to its end once, under each scheduler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

/// Two kinds of jobs on lax_gpu, with kernels that the test chooses.
std::string files(const ScratchFolder& scratch) {
  scratch.file("profiles.yaml",
               "kernels:\n  wide: {threads: 256, registers: 16, cta_us: 20, instructions: 1000}\n"
               "  narrow: {threads: 64, registers: 16, cta_us: 5, instructions: 100}\n");
  return scratch.file(
      "bench.yaml",
      "profiles: profiles.yaml\ndeadline_us: 150\n"
      "jobs_per_second: {high: 100000, low: 1000}\n"
      "length: {mean: 3, variation: 0.5, least: 1, most: 6}\n"
      "kinds:\n"
      "  - {name: a, share: 2, steps: [launch: {kernel: wide, ctas: 40}, {repeat: length, steps: "
      "[launch: {kernel: narrow, ctas: 1}]}]}\n"
      "  - {name: b, steps: [launch: {kernel: narrow, ctas: 3}]}\n");
}

nlohmann::json run_stream(const ScratchFolder& scratch, const std::string& stream,
                          const std::vector<std::string>& settings = {}) {
  const std::string file =
      scratch.file("run.yaml",
                   "platform: {extends: lax_gpu, sm: {profiles: [profiles.yaml]}}\nworkload:\n  job_stream: "
                   "{benchmarks: bench.yaml, " +
                       stream + "}\n");
  std::vector<std::string> words{"run", file, "--out", (scratch / "out").string(), "--quiet"};
  // What the host writes into priority registers is for firmware that goes by them.
  if (stream.find("lax_cpu") != std::string::npos)
    words.insert(words.end(), {"--set", "platform.command_processor.firmware=priority"});
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  const Finished run = run_program(words);
  EXPECT_EQ(run.status, 0) << run.err;
  return run.status == 0 ? read_json(scratch / "out/result.json") : nlohmann::json();
}

const char* const kSchedulers[] = {"device", "batchmaker", "baymax", "prophet", "lax_sw", "lax_cpu"};

/// A queue is used again as soon as the host knows that its job is over, which a slow core may learn later
/// than that the next job's head waits at the gate: a run like this one once lost such a job and never ended.
TEST(JobStreamRun, ASlowCoreBesideHardwareKeepsJobsOfOneQueueApart) {
  const ScratchFolder scratch;
  const std::string file = scratch.file(
      "run.yaml",
      "platform: {extends: lax_gpu, command_processor: {type: assisted, firmware: lax}}\n"
      "output: {kernels: false}\n"
      "workload: {job_stream: {benchmarks: hybrid, rate: high}}\nlimits: {cycles: 100000000}\nseed: 4\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string(), "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_json(scratch / "out/result.json")["job_summary"]["unfinished"], 0);
}

/// A period's work is that of the jobs there are: once the tournament of all 256 ranks was played anew for
/// one.
TEST(JobStreamRun, APeriodWithOneJobTakesTheCoreLittle) {
  for (const char* policy : {"mlfq", "srf", "prema", "lax"}) {
    const ScratchFolder scratch;
    const std::string file = scratch.file(
        "run.yaml",
        std::string("platform: {extends: lax_gpu, sm: {profiles: [" WARPVP_SOURCE
                    "/configs/profiles/cost.yaml]}, command_processor: {type: riscv, firmware: ") +
            policy +
            "}}\noutput: {kernels: false}\nworkload: {job_stream: {benchmarks: " WARPVP_SOURCE
            "/configs/jobs/cost/long.yaml, rate: high, jobs: 1, queues: 1, told_time: 0.01}}\n");
    const Finished run = run_program({"run", file, "--out", (scratch / "out").string(), "--quiet"});
    ASSERT_EQ(run.status, 0) << run.err;
    const auto result = read_json(scratch / "out/result.json");
    const auto& core = result["control"]["command_processor"]["core"];
    const double periods = result["simulation"]["time_us"].get<double>() / 100;
    const double cycles = (1 - core["sleeping"].get<double>()) * core["cycles"].get<double>() / periods;
    EXPECT_GT(cycles, 500) << policy;
    EXPECT_LT(cycles, 2500) << policy;
  }
}

/// Totals and streams are those of all kernels, whether or not the result lists them.
TEST(JobStreamRun, SumsAreTheSameWithoutTheListOfKernels) {
  const auto run = [](const std::string& setting) {
    const ScratchFolder scratch;
    files(scratch);
    return run_stream(scratch, "rate: high, jobs: 20", {setting});
  };
  const nlohmann::json with = run("output.kernels=true"), some = run("output.most_kernels=7"),
                       without = run("output.kernels=false");
  ASSERT_GT(with["kernels"].size(), 20u);
  EXPECT_FALSE(with.contains("kernels_left_out"));
  ASSERT_EQ(some["kernels"].size(), 7u);
  for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(some["kernels"][k], with["kernels"][k]);
  EXPECT_EQ(some["kernels_left_out"], with["kernels"].size() - 7);
  EXPECT_EQ(some["streams"], with["streams"]);
  EXPECT_EQ(some["simulation"], with["simulation"]);
  EXPECT_TRUE(without["kernels"].empty());
  EXPECT_EQ(without["kernels_left_out"], with["kernels"].size());
  std::uint64_t instructions = 0;
  for (const auto& kernel : with["kernels"]) instructions += kernel["warp_instructions"].get<std::uint64_t>();
  EXPECT_EQ(without["simulation"]["warp_instructions"], instructions);
  EXPECT_EQ(without["simulation"], with["simulation"]);
  EXPECT_EQ(without["streams"], with["streams"]);
  EXPECT_EQ(without["jobs"], with["jobs"]);
}

/// Hardware starts kernels faster than the core reads of them, and no period ends meanwhile: the log, half
/// full again when it was read, once told nobody, got full and stopped the machine.
TEST(JobStreamRun, ALogThatFillsAsItIsReadIsReadOn) {
  const ScratchFolder scratch;
  const std::string file = scratch.file(
      "run.yaml", "platform: {extends: lax_gpu, sm: {profiles: [" WARPVP_SOURCE
                  "/configs/profiles/cost.yaml]}, command_processor: {type: assisted, firmware: lax, "
                  "period_us: 1000000}}\n"
                  "output: {kernels: false}\nworkload: {job_stream: {benchmarks: " WARPVP_SOURCE
                  "/configs/jobs/cost/short.yaml, rate: high, jobs: 64, queues: 64, told_time: 0.01}}\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string(), "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_json(scratch / "out/result.json")["control"]["command_processor"]["kernels"], 64 * 40);
}

TEST(JobStreamRun, EveryJobIsOverOnceUnderEachScheduler) {
  for (const char* scheduler : kSchedulers)
    for (const unsigned seed : {1u, 2u}) {
      SCOPED_TRACE(scheduler);
      const ScratchFolder scratch;
      files(scratch);
      const auto result = run_stream(scratch, std::string("jobs: 40, scheduler: ") + scheduler,
                                     {"seed=" + std::to_string(seed)});
      ASSERT_EQ(result["jobs"].size(), 40u);
      std::uint64_t ctas = 0;
      for (const auto& job : result["jobs"]) {
        if (job["state"] == "rejected") {
          EXPECT_EQ(job["code"], 1);
          EXPECT_EQ(job["kernels_run"], 0);
          EXPECT_EQ(job["ctas"], 0);
        } else {
          EXPECT_EQ(job["state"], "complete");
          EXPECT_EQ(job["kernels_run"], job["kernels"]);
          EXPECT_GE(job["start_us"].get<double>(), job["arrival_us"].get<double>());
        }
        ctas += job["ctas"].get<std::uint64_t>();
      }
      const auto& summary = result["job_summary"];
      EXPECT_EQ(summary["unfinished"], 0);
      EXPECT_EQ(summary["ctas"], ctas);
      std::uint64_t launched = 0;
      for (const auto& kernel : result["kernels"]) launched += kernel["grid"][0].get<std::uint64_t>();
      EXPECT_EQ(launched, ctas);
    }
}

/// What docs/results/lax-over-time.md is made of: a kernel begins with the priority of its job, which under
/// `lax` is 2147483647 less half of the laxity in ns.
TEST(JobStreamRun, ThePriorityOfTheLastKernelTellsWhenTheJobEnds) {
  const ScratchFolder scratch;
  files(scratch);
  const auto result =
      run_stream(scratch, "jobs: 20, rate: 20000",
                 {"platform.command_processor.firmware=lax", "platform.command_processor.period_us=10"});
  unsigned jobs = 0;
  for (const auto& job : result["jobs"]) {
    if (job["met"] != 1) continue;
    ++jobs;
    double begin = 0, priority = 0;
    for (const auto& kernel : result["kernels"]) {
      if (kernel["job"] != job["job"]) continue;
      EXPECT_GE(kernel["start_us"].get<double>(), begin);
      begin = kernel["start_us"];
      priority = kernel["priority"];
    }
    const double predicted = job["deadline_us"].get<double>() - (2147483647 - priority) / 500;
    EXPECT_NEAR(predicted, job["end_us"].get<double>(), 25) << job["job"];
  }
  EXPECT_GE(jobs, 5u);
}

TEST(JobStreamRun, NearlyAllAreInTimeWhereThereIsRoomForAll) {
  for (const char* scheduler : kSchedulers) {
    SCOPED_TRACE(scheduler);
    const ScratchFolder scratch;
    files(scratch);
    const auto result = run_stream(scratch, std::string("jobs: 30, rate: low, scheduler: ") + scheduler);
    EXPECT_GE(result["job_summary"]["met"], 28);
  }
}

TEST(JobStreamRun, BatchesHaveTheKernelsOfSeveralJobs) {
  const ScratchFolder scratch;
  files(scratch);
  const auto result = run_stream(scratch, "jobs: 12, burst: 12, scheduler: batchmaker");
  std::size_t kernels = 0;
  for (const auto& job : result["jobs"]) kernels += job["kernels"].get<std::size_t>();
  EXPECT_LT(result["kernels"].size(), kernels / 2);
}

TEST(JobStreamRun, MoreJobsThanQueuesTakeTheQueuesInTurn) {
  for (const char* scheduler : kSchedulers) {
    SCOPED_TRACE(scheduler);
    const ScratchFolder scratch;
    files(scratch);
    const auto result =
        run_stream(scratch, std::string("jobs: 30, burst: 10, queues: 3, scheduler: ") + scheduler);
    const auto& summary = result["job_summary"];
    EXPECT_EQ(summary["complete"].get<int>() + summary["rejected"].get<int>(), 30);
    if (scheduler == std::string("batchmaker")) continue;  // batches have streams of their own
    std::vector<std::pair<double, int>> times;
    for (const auto& job : result["jobs"]) {
      if (job["state"] != "complete") continue;
      times.emplace_back(job["start_us"].get<double>(), 1);
      times.emplace_back(job["end_us"].get<double>(), -1);
    }
    std::sort(times.begin(), times.end());
    int now = 0, most = 0;
    for (const auto& [time, change] : times) most = std::max(most, now += change);
    EXPECT_LE(most, 3);
    EXPECT_GT(most, 1);
  }
}

TEST(JobStreamRun, HasTheSameJobsUnderEachScheduler) {
  std::vector<std::pair<std::string, double>> first;
  for (const char* scheduler : kSchedulers) {
    const ScratchFolder scratch;
    files(scratch);
    const auto result = run_stream(scratch, std::string("jobs: 20, rate: 20000, scheduler: ") + scheduler);
    std::vector<std::pair<std::string, double>> jobs;
    const double begin = result["jobs"][0]["arrival_us"];
    for (const auto& job : result["jobs"])
      jobs.emplace_back(job["name"], std::round((job["arrival_us"].get<double>() - begin) * 100));
    if (first.empty()) first = jobs;
    EXPECT_EQ(jobs, first) << scheduler;
  }
}

TEST(JobStreamRun, WrongDeadlinesAreToldAndRightOnesCounted) {
  const ScratchFolder scratch;
  files(scratch);
  const auto right = run_stream(scratch, "jobs: 20, rate: low, scheduler: lax_sw");
  const auto wrong = run_stream(scratch, "jobs: 20, rate: low, scheduler: lax_sw, told_deadline: 0.01");
  EXPECT_EQ(right["job_summary"]["rejected"], 0);
  EXPECT_EQ(wrong["job_summary"]["rejected"], 20);
  EXPECT_EQ(wrong["jobs"][0]["deadline_us"].get<double>() - wrong["jobs"][0]["arrival_us"].get<double>(),
            150);
}

TEST(JobStreamRun, RealKernelsRunOnSmsThatCompute) {
  const ScratchFolder scratch;
  scratch.file("bench.yaml",
               "deadline_us: 500\njobs_per_second: {high: 20000}\nsteps:\n"
               "  - launch: {kernel: lstm_gemm, ctas: 1, threads: 128}\n"
               "  - launch: {kernel: lstm_tensor, ctas: 1, threads: 32}\n");
  const std::string text =
      "platform: small\nworkload:\n  job_stream: {benchmarks: bench.yaml, jobs: 5, kernels: lstm, "
      "kernels_params: {hidden: 32}}\n";
  const std::string file = scratch.file("run.yaml", text);
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string(), "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "out/result.json");
  EXPECT_EQ(result["job_summary"]["complete"], 5);
  for (const auto& kernel : result["kernels"]) EXPECT_GT(kernel["warp_instructions"].get<double>(), 0);
  // And its profiles can be recorded.
  const Finished profile = run_program({"profile", file, "-o", (scratch / "p.yaml").string(), "--runs",
                                        (scratch / "runs").string(), "--quiet"});
  ASSERT_EQ(profile.status, 0) << profile.err;
  EXPECT_THAT(read_text(scratch / "p.yaml"), HasSubstr("lstm_tensor"));

  scratch.file(
      "bench.yaml",
      "deadline_us: 500\njobs_per_second: {high: 20000}\nsteps: [launch: {kernel: lstm_gemm, ctas: 9, "
      "threads: 128}]\n");
  const Finished many = run_program({"run", file, "--out", (scratch / "out").string(), "--quiet"});
  EXPECT_EQ(many.status, 2);
  EXPECT_THAT(many.err, HasSubstr("1152 threads, and data for 128"));
}

TEST(JobStreamRun, GivesTheSameResultTwice) {
  const ScratchFolder scratch;
  files(scratch);
  const auto one = run_stream(scratch, "jobs: 30, scheduler: lax_cpu");
  const auto two = run_stream(scratch, "jobs: 30, scheduler: lax_cpu");
  EXPECT_EQ(one["jobs"], two["jobs"]);
}

}  // namespace
}  // namespace warpvp::test
