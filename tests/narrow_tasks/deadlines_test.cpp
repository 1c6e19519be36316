// Tasks that arrive over time, with deadlines: under a device that schedules jobs, Pagoda, and a host that
// goes by deadlines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

struct Way {
  const char* name;
  const char* runtime;
  const char* firmware;
  bool rejects;  ///< what would be late
};
void PrintTo(const Way& w, std::ostream* os) { *os << w.name; }

const Way kWays[] = {
    {"rr", "{name: hyperq, streams: 32, deal: free}", "rr", false},
    {"edf", "{name: hyperq, streams: 32, deal: free}", "edf", false},
    {"lax", "{name: hyperq, streams: 32, deal: free}", "lax", true},
    {"pagoda", "{name: pagoda, idle_sleep_ns: 500}", "rr", false},
    {"host_pagoda", "{name: earliest_deadline, under_way: 8, runtime: {name: pagoda, idle_sleep_ns: 500}}",
     "rr", true},
    {"host_hyperq",
     "{name: earliest_deadline, under_way: 8, runtime: {name: hyperq, streams: 32, deal: free}}", "rr", true},
};

/// Settings of a run with so many tasks.
std::vector<std::string> settings(const Way& way, unsigned tasks, const std::string& arrival_us,
                                  const std::string& deadline_us, const std::string& spread = "0.5") {
  return {"workload.params.runtime=" + std::string(way.runtime),
          "platform.command_processor.firmware=" + std::string(way.firmware),
          "workload.params.workload={name: mandelbrot, side: 24, iterations: 300}",
          "workload.params.tasks=" + std::to_string(tasks),
          "workload.params.arrival_us=" + arrival_us,
          "workload.params.deadline_us=" + deadline_us,
          "workload.params.deadline_spread=" + spread};
}

class Deadlines : public testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(All, Deadlines, testing::ValuesIn(kWays),
                         [](const auto& info) { return std::string(info.param.name); });

/// Of a result: everything is accounted for, and right.
void expect_whole(const nlohmann::json& result, unsigned tasks) {
  const auto& m = result["measured"];
  EXPECT_EQ(result["verified"], true);
  EXPECT_EQ(m["met"].get<unsigned>() + m["late"].get<unsigned>() + m["rejected"].get<unsigned>(), tasks);
  if (!m["latency_mean_us"].is_number()) return;
  EXPECT_LE(m["latency_p50_us"], m["latency_p99_us"]);
  EXPECT_LE(m["latency_p99_us"], m["latency_max_us"]);
}

TEST_P(Deadlines, EveryTaskIsMetLateOrRejectedAndTheSameInEveryRun) {
  const auto words = settings(GetParam(), 48, "3", "150");
  const auto result = result_of_app("small", "narrow_tasks", words);
  expect_whole(result, 48);
  const auto& m = result["measured"];
  EXPECT_LT(m["met"], 48) << "more than the machine can do";
  if (!GetParam().rejects) {
    EXPECT_EQ(m["rejected"], 0);
  }
  // With a job for each task that the device heard of, the job's state is the task's.
  if (result.contains("jobs") && GetParam().firmware == std::string("lax")) {
    EXPECT_EQ(result["job_summary"]["rejected"], m["rejected"]);
  }
  EXPECT_EQ(result, result_of_app("small", "narrow_tasks", words));
}

TEST_P(Deadlines, GenerousOnesAreMet) {
  const auto result = result_of_app("small", "narrow_tasks", settings(GetParam(), 20, "40", "20000"));
  expect_whole(result, 20);
  EXPECT_EQ(result["measured"]["met"], 20);
}

// Nobody waits for the next arrival to learn of an end.
TEST_P(Deadlines, RareTasksAreNoticedBeforeTheNextArrives) {
  const auto result = result_of_app("small", "narrow_tasks", settings(GetParam(), 3, "700", "500", "0"));
  expect_whole(result, 3);
  EXPECT_EQ(result["measured"]["met"], 3);
  EXPECT_GT(result["measured"]["time_us"], 500) << "they do come over time";
}

TEST_P(Deadlines, HopelessOnesAreLateOrRejected) {
  const auto result = result_of_app("small", "narrow_tasks", settings(GetParam(), 24, "20", "1", "0"));
  expect_whole(result, 24);
  const auto& m = result["measured"];
  EXPECT_EQ(m["met"], 0);
  if (GetParam().rejects) {
    EXPECT_GT(m["rejected"], 12) << "once it is known how long they take";
  } else {
    EXPECT_EQ(m["late"], 24);
  }
}

TEST(DeadlineTasks, AreJobsOfTheDevice) {
  const auto result = result_of_app("small", "narrow_tasks", settings(kWays[1], 24, "10", "150"));
  const auto& jobs = result["jobs"];
  ASSERT_EQ(jobs.size(), 24u);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(jobs[i]["name"], "task" + std::to_string(i));
    EXPECT_EQ(jobs[i]["kernels"], 1);
    const double until = jobs[i]["deadline_us"].get<double>() - jobs[i]["arrival_us"].get<double>();
    EXPECT_GE(until, 75);
    EXPECT_LE(until, 225);
    EXPECT_GE(jobs[i]["start_us"], jobs[i]["arrival_us"]);
  }
  EXPECT_LE(result["measured"]["met"], result["job_summary"]["met"])
      << "the host learns of the end a little later";
}

// One stream for each task under way: with two there are never three, and the host waits for one of them.
TEST(DeadlineTasks, TakeFreeStreamsWhereToldTo) {
  auto words = settings(kWays[0], 16, "0", "100000");
  words[0] = "workload.params.runtime={name: hyperq, streams: 2, deal: free}";
  const auto jobs = result_of_app("small", "narrow_tasks", words)["jobs"];
  ASSERT_EQ(jobs.size(), 16u);
  unsigned most = 0;
  for (const auto& job : jobs) {
    const double at = job["start_us"];
    most = std::max<unsigned>(most, std::count_if(jobs.begin(), jobs.end(), [&](const auto& other) {
                                return other["start_us"].template get<double>() <= at &&
                                       at < other["end_us"].template get<double>();
                              }));
  }
  EXPECT_EQ(most, 2u);
}

// All are there at the beginning, the runtime gets one at a time: the most urgent ones first.
TEST(DeadlineTasks, TheHostGivesTheEarliestDeadlineFirst) {
  auto words = settings(kWays[5], 16, "0", "100000");
  words[0] = "workload.params.runtime={name: earliest_deadline, under_way: 1, drop: false, runtime: hyperq}";
  const auto jobs = result_of_app("small", "narrow_tasks", words)["jobs"];
  ASSERT_EQ(jobs.size(), 16u);
  for (std::size_t i = 1; i < jobs.size(); ++i) EXPECT_LT(jobs[i - 1]["deadline_us"], jobs[i]["deadline_us"]);
}

// All arrive at once, and run one after the other: the last one has waited for all of the time.
TEST(DeadlineTasks, LatenciesCountFromTheArrival) {
  auto words = settings(kWays[0], 12, "0", "100", "0");
  words[0] = "workload.params.runtime={name: hyperq, streams: 1, deal: free}";
  const auto m = result_of_app("small", "narrow_tasks", words)["measured"];
  EXPECT_GT(m["latency_max_us"], m["time_us"].get<double>() - 5);
  EXPECT_GT(m["time_us"], 200);
  EXPECT_GT(m["late"], 4);
}

TEST(DeadlineTasks, TheHostDropsOnlyIfToldTo) {
  auto words = settings(kWays[4], 24, "0", "60");
  EXPECT_GT(result_of_app("small", "narrow_tasks", words)["measured"]["rejected"], 0);
  words[0] =
      "workload.params.runtime={name: earliest_deadline, under_way: 8, drop: false, runtime: {name: pagoda, "
      "idle_sleep_ns: 500}}";
  EXPECT_EQ(result_of_app("small", "narrow_tasks", words)["measured"]["rejected"], 0);
}

TEST(DeadlineTasks, WithoutDeadlinesNothingIsCounted) {
  auto words = settings(kWays[0], 8, "20", "0", "0");
  const auto result = result_of_app("small", "narrow_tasks", words);
  EXPECT_FALSE(result["measured"].contains("met"));
  EXPECT_FALSE(result.contains("jobs")) << "tasks without deadlines are plain kernels";
}

TEST(DeadlineTasks, BadInputIsRefusedWithItsPlace) {
  const ScratchFolder scratch;
  const auto run = [&](const std::string& params) {
    return run_program(
        {"run",
         scratch.file("bad.yaml",
                      "platform: small\nworkload:\n  app: narrow_tasks\n  params:\n    " + params + "\n"),
         "--out", (scratch / "run").string()});
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"arrival_us: -1", "bad.yaml:5:17"},
      {"deadline_us: soon", "bad.yaml:5:18"},
      {"{deadline_us: 100, deadline_spread: 1}", "bad.yaml:5:41"},
      {"{arrival_us: 10, deadline_spread: 0.5}", "needs deadlines; set deadline_us, too"},
      {"runtime: {name: earliest_deadline, runtime: fusion}", "must be pagoda or hyperq"},
      {"runtime: {name: earliest_deadline, under_way: 0}", "bad.yaml:5:51"},
      {"runtime: {name: hyperq, deal: fair}", "turn, free"},
      {"{deadline_us: 100, workload: sparse_lu}", "the tasks of 'sparse_lu' depend on each other"},
  };
  for (const auto& [params, message] : cases) {
    const Finished finished = run(params);
    EXPECT_EQ(finished.status, 2) << params << ": " << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(message));
  }
}

}  // namespace
}  // namespace warpvp::test
