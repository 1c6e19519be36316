// Jobs in launch lists: when they run, what result.json and the console say of them, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

const std::string kLaunch = "{ptx: " WARPVP_SOURCE
                            "/sw/kernels/pure_compute.ptx, entry: pure_compute_persistent, grid: [4], block: "
                            "[32], args: [{buffer: in}, "
                            "{buffer: out}, {u32: 256}, {u32: 100}, {u32: 32}]}";

std::string list(const std::string& jobs) {
  return "buffers:\n  in: {type: f32, count: 256, init: zero}\n  out: {type: f32, count: 256, init: zero}\n" +
         jobs;
}

/// Three jobs of two kernels; the middle one has 50 us.
std::string three_jobs() {
  const std::string launches = "launches: [" + kLaunch + ", " + kLaunch + "]";
  return list("jobs:\n  - {name: easy, deadline_us: 5000, " + launches +
              "}\n  - {name: hard, arrival_us: 20, deadline_us: 10, " + launches +
              "}\n  - {arrival_us: 40, " + launches + "}\n");
}

Finished run_list(const ScratchFolder& scratch, const std::string& text, std::vector<std::string> settings) {
  std::vector<std::string> words{"run",   scratch.file("list.yaml", text), "-p", "small",
                                 "--out", (scratch / "out").string()};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  return run_program(words);
}

TEST(LaunchListJobs, OneThatHangsIsRunning) {
  const std::string endless =
      "{ptx: " WARPVP_SOURCE
      "/sw/kernels/pure_compute.ptx, entry: pure_compute_persistent, grid: [4], block: "
      "[32], args: [{buffer: in}, {buffer: out}, {u32: 256}, {u32: 1000000}, {u32: 32}]}";
  const ScratchFolder scratch;
  const Finished run =
      run_list(scratch,
               list("jobs:\n  - {name: hangs, launches: [" + endless + "]}\n  - {name: ends, launches: [" +
                    kLaunch + "]}\n  - {name: behind, launches: [" + kLaunch + ", " + endless + "]}\n"),
               {"limits.cycles=60000", "platform.command_processor.queues=8"});
  EXPECT_EQ(run.status, 3) << run.err;
  const auto jobs = read_json(scratch / "out/result.json")["jobs"];
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0]["state"], "running") << "its kernel has begun, though the host was told nothing";
  EXPECT_EQ(jobs[0]["kernels_run"], 1);
  EXPECT_EQ(jobs[1]["state"], "complete");
  EXPECT_EQ(jobs[2]["state"], "running");
}

TEST(LaunchListJobs, AreToldOneByOneAndTogether) {
  for (const char* type : {"hardware", "native", "riscv"}) {
    const ScratchFolder scratch;
    const Finished run =
        run_list(scratch, three_jobs(), {std::string("platform.command_processor.type=") + type});
    ASSERT_EQ(run.status, 0) << run.err;
    const auto result = read_json(scratch / "out/result.json");
    const auto& jobs = result["jobs"];
    ASSERT_EQ(jobs.size(), 3u);
    EXPECT_EQ(jobs[0]["name"], "easy");
    EXPECT_EQ(jobs[2]["name"], "job3");
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& job = jobs[i];
      EXPECT_EQ(job["job"], i + 1);
      EXPECT_EQ(job["state"], "complete");
      EXPECT_EQ(job["rejected"], 0);
      EXPECT_EQ(job["kernels"], 2);
      EXPECT_EQ(job["kernels_run"], 2);
      EXPECT_EQ(job["ctas"], 8);
      EXPECT_NEAR(job["latency_us"].get<double>(),
                  job["end_us"].get<double>() - job["arrival_us"].get<double>(), 1e-6);
      EXPECT_GT(job["start_us"].get<double>(), job["arrival_us"].get<double>());
    }
    EXPECT_NEAR(jobs[1]["arrival_us"].get<double>() - jobs[0]["arrival_us"].get<double>(), 20, 1e-6);
    EXPECT_NEAR(jobs[1]["deadline_us"].get<double>() - jobs[1]["arrival_us"].get<double>(), 10, 1e-6);
    EXPECT_TRUE(jobs[2]["deadline_us"].is_null());
    EXPECT_EQ(jobs[0]["met"], 1);
    EXPECT_EQ(jobs[1]["met"], 0);
    EXPECT_TRUE(jobs[2]["met"].is_null());
    EXPECT_EQ(jobs[0]["wasted_ctas"], 0);
    EXPECT_EQ(jobs[1]["wasted_ctas"], 8);

    const auto& summary = result["job_summary"];
    EXPECT_EQ(summary["jobs"], 3);
    EXPECT_EQ(summary["complete"], 3);
    EXPECT_EQ(summary["met"], 1);
    EXPECT_EQ(summary["missed"], 1);
    EXPECT_EQ(summary["successful"], 2);
    EXPECT_EQ(summary["ctas"], 24);
    EXPECT_NEAR(summary["wasted_share"].get<double>(), 8.0 / 24, 1e-9);
    double first = 1e9, last = 0;
    std::vector<double> latencies;
    for (const auto& job : jobs) {
      first = std::min(first, job["arrival_us"].get<double>());
      last = std::max(last, job["end_us"].get<double>());
      latencies.push_back(job["latency_us"]);
    }
    std::sort(latencies.begin(), latencies.end());
    EXPECT_NEAR(summary["span_us"].get<double>(), last - first, 1e-6);
    double due = jobs[2]["arrival_us"];  // it has no deadline
    for (int i : {0, 1}) due = std::max(due, jobs[i]["deadline_us"].get<double>());
    EXPECT_NEAR(summary["due_us"].get<double>(), due - first, 1e-6);
    EXPECT_NEAR(summary["successful_per_second"].get<double>(), 2 / (last - first) * 1e6, 1e-3);
    EXPECT_EQ(summary["latency"]["p50_us"], latencies[1]);
    EXPECT_EQ(summary["latency"]["p99_us"], latencies[2]);

    for (const auto& kernel : result["kernels"]) EXPECT_GE(kernel["job"].get<int>(), 1);
    EXPECT_THAT(run.out,
                HasSubstr("3 jobs: 1 met their deadline, 1 missed it, 0 rejected; 8 of 24 CTAs wasted"));
  }
}

TEST(LaunchListJobs, KernelsOutsideOfJobsHaveNone) {
  const ScratchFolder scratch;
  const Finished run =
      run_list(scratch, list("launches: [" + kLaunch + "]\njobs:\n  - {launches: [" + kLaunch + "]}\n"), {});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "out/result.json");
  ASSERT_EQ(result["kernels"].size(), 2u);
  EXPECT_FALSE(result["kernels"][0].contains("job"));
  EXPECT_EQ(result["kernels"][1]["job"], 1);
}

// A scheduler on the host that looks at its jobs each period is no progress of the device's.
TEST(LostJobs, EndARunUnderEachSchedulerOfTheHost) {
#ifndef HAVE_FIRMWARE_COMPILER
  GTEST_SKIP() << "built without riscv64-unknown-elf-gcc";
#endif
  for (const char* scheduler : {"device", "batchmaker", "baymax", "prophet", "lax_sw", "lax_cpu"}) {
    SCOPED_TRACE(scheduler);
    const ScratchFolder scratch;
    const std::string file = scratch.file(
        "run.yaml",
        std::string("platform: {extends: lax_gpu, command_processor: {type: riscv, firmware: " FIRMWARE_FOLDER
                    "/forgetful.elf}}\nworkload: {job_stream: {benchmarks: cuckoo, rate: high, jobs: 4, "
                    "scheduler: ") +
            scheduler + "}}\nlimits: {cycles: 100000000}\n");
    const Finished run = run_program({"run", file, "--out", (scratch / "out").string(), "--quiet"});
    EXPECT_EQ(run.status, 3);
    EXPECT_THAT(run.err, HasSubstr("deadlock"));
    EXPECT_THAT(run.err, HasSubstr("1 packets waiting"));
  }
}

TEST(LaunchListJobs, FirmwareMayRejectThem) {
#ifndef HAVE_FIRMWARE_COMPILER
  GTEST_SKIP() << "built without riscv64-unknown-elf-gcc";
#endif
  const ScratchFolder scratch;
  const std::string cp = "platform.command_processor.";
  const Finished run = run_list(scratch, three_jobs(),
                                {cp + "firmware=" FIRMWARE_FOLDER "/choosy.elf", cp + "parameters=[1000, 0]",
                                 cp + "decisions=decisions.csv"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "out/result.json");
  const auto& jobs = result["jobs"];
  EXPECT_EQ(jobs[0]["state"], "complete");
  EXPECT_EQ(jobs[1]["state"], "rejected");
  EXPECT_EQ(jobs[1]["code"], 102);
  EXPECT_EQ(jobs[1]["met"], 0);
  EXPECT_EQ(jobs[1]["kernels_run"], 0);
  EXPECT_EQ(jobs[1]["ctas"], 0);
  EXPECT_GT(jobs[1]["end_us"].get<double>(), jobs[1]["arrival_us"].get<double>());
  EXPECT_TRUE(jobs[1]["latency_us"].is_null());
  EXPECT_EQ(jobs[2]["state"], "complete");
  EXPECT_EQ(result["job_summary"]["rejected"], 1);
  EXPECT_EQ(result["control"]["command_processor"]["rejections"], 2);
  EXPECT_EQ(result["control"]["command_processor"]["errors"], 0);
  EXPECT_EQ(result["kernels"].size(), 4u);
  EXPECT_THAT(read_text(scratch / "out/decisions.csv"), HasSubstr(",reject,2,0,code 102\n"));
  EXPECT_THAT(run.out, HasSubstr("rejected 102"));
}

TEST(LaunchListJobs, FirmwareMayRejectOneKernelOfAJob) {
#ifndef HAVE_FIRMWARE_COMPILER
  GTEST_SKIP() << "built without riscv64-unknown-elf-gcc";
#endif
  const ScratchFolder scratch;
  const std::string cp = "platform.command_processor.";
  const Finished run = run_list(scratch, three_jobs(),
                                {cp + "firmware=" FIRMWARE_FOLDER "/choosy.elf", cp + "parameters=[0, 1]"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "out/result.json");
  for (const auto& job : result["jobs"]) {
    EXPECT_EQ(job["state"], "rejected");
    EXPECT_EQ(job["code"], 9);
    EXPECT_EQ(job["kernels_run"], 1);
    EXPECT_EQ(job["wasted_ctas"], 4);
  }
}

struct Bad {
  const char* name;
  std::string jobs, place, text;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

class BadJobs : public testing::TestWithParam<Bad> {};

TEST_P(BadJobs, AreRefusedWithPlaceAndRemedy) {
  const ScratchFolder scratch;
  const Finished run = run_list(scratch, list(GetParam().jobs), {"platform.command_processor.queues=3"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("list.yaml:" + GetParam().place));
  EXPECT_THAT(run.err, HasSubstr(GetParam().text));
}

std::string job(const std::string& keys) { return "jobs:\n  - {" + keys + "launches: [" + kLaunch + "]}\n"; }
std::string with(const std::string& key) {
  return "jobs:\n  - {launches: [{" + key + ", " + kLaunch.substr(1) + "]}\n";
}

INSTANTIATE_TEST_SUITE_P(
    Lists, BadJobs,
    testing::Values(
        Bad{"no_kernels", "jobs:\n  - {name: a}\n", "5:5",
            "'workload.jobs.0' has no kernels; give it 'launches'"},
        Bad{"deadline_before_arrival", job("deadline_us: -1, "), "5:19",
            "'workload.jobs.0.deadline_us' is -1; allowed: a number from 0 to 1000000000"},
        Bad{"arrival", job("arrival_us: -3, "), "5:18", "arrival_us"},
        Bad{"same_name", job("name: a, ") + "  - {name: a, launches: [" + kLaunch + "]}\n", "6:5",
            "as another job's; allowed: a name of its own"},
        Bad{"start", with("start_us: 3"), "5:17", "give the job 'arrival_us' instead"},
        Bad{"deadline_of_launch", with("deadline_us: 3"), "5:17", "give the job 'deadline_us' instead"},
        Bad{"stream", with("stream: 3"), "5:17", "a job has a stream of its own"},
        Bad{"priority", with("priority: 3"), "5:17", "give the job 'priority' instead"},
        Bad{"context", with("context: 3"), "5:17", "give the job 'context' instead"},
        Bad{"no_ptx", "jobs:\n  - {launches: [{grid: [1]}]}\n", "5:17",
            "'workload.jobs.0.launches.0.ptx' is missing"},
        Bad{"too_many", job("") + "  - {launches: [" + kLaunch + "]}\n  - {launches: [" + kLaunch + "]}\n",
            "7:5",
            "3 jobs, each in a queue of its own, and 3 hardware queues, of which the host takes one; raise "
            "command_processor.queues"},
        Bad{"steps", job("") + "steps:\n  - " + kLaunch + "\n", "",
            "either 'launches' and 'jobs' or 'steps'"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpvp::test
