// Every runtime of narrow tasks with every workload on the platform, and what runtimes refuse.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

struct Small {
  std::string workload;
  std::vector<std::string> params;  ///< that make it short
  bool one_batch_only = true;       ///< its tasks are known beforehand
  bool bare = true;                 ///< needs neither shared memory nor barriers
};

const std::vector<Small> kWorkloads = {
    {"filter_bank", {"width=160", "taps=9", "decimation=3"}, true, false},
    {"mandelbrot", {"side=24", "iterations=40"}},
    {"beam_former", {"width=160", "taps=7"}},
    {"convolution", {"side=24"}},
    {"dct", {"side=24"}, true, false},
    {"dct_shared", {"side=24"}, true, false},
    {"matmul", {"side=32"}},
    {"matmul_shared", {"side=32"}, true, false},
    {"triple_des", {"smallest=128", "largest=1024"}},
    {"sparse_lu", {"side=12"}, false, true},
    {"mixed",
     {"encryption={name: triple_des, smallest: 128, largest: 512}", "fractal={name: mandelbrot, side: 16}",
      "filter={name: filter_bank, width: 96, taps: 5}", "product={name: matmul_shared, side: 16}"},
     true,
     false},
};

std::vector<std::string> settings(const Small& w, const std::string& runtime, unsigned tasks) {
  std::string workload = "workload.params.workload={name: " + w.workload;
  for (const std::string& param : w.params) {
    const std::size_t at = param.find('=');
    workload += ", " + param.substr(0, at) + ": " + param.substr(at + 1);
  }
  return {"platform.check_protocol=true", "workload.params.runtime=" + runtime, workload + "}",
          "workload.params.tasks=" + std::to_string(tasks)};
}

class Runtimes : public testing::TestWithParam<Small> {
 protected:
  /// Runs it; all results must be right.
  nlohmann::json measured(const std::string& platform, const std::vector<std::string>& words) {
    const ScratchFolder scratch;
    const Finished run = run_app(platform, "narrow_tasks", scratch / "run", words);
    EXPECT_EQ(run.status, 0) << run.err;
    if (run.status != 0) return nlohmann::json::object();
    const auto result = read_json(scratch / "run/result.json");
    EXPECT_EQ(result["verified"], true);
    return result["measured"];
  }
};

TEST_P(Runtimes, HyperQ) {
  for (const std::string runtime : {"hyperq", "{name: hyperq, streams: 1}"}) {
    const auto m = measured("small", settings(GetParam(), runtime, 20));
    EXPECT_GT(m["time_us"], 0);
    EXPECT_GT(m["latency_mean_us"], 0);
    EXPECT_LE(m["latency_p50_us"], m["latency_p95_us"]);
    EXPECT_LE(m["latency_p95_us"], m["latency_max_us"]);
    EXPECT_LE(m["latency_max_us"], m["time_us"].get<double>() + 3);
  }
}

TEST_P(Runtimes, Fusion) {
  const ScratchFolder scratch;
  const auto words = settings(GetParam(), "{name: fusion, batch: 8}", 20);
  if (GetParam().one_batch_only) {
    EXPECT_GT(measured("small", words)["time_us"], 0);
    return;
  }
  const Finished run = run_app("small", "narrow_tasks", scratch / "run", words);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("depends on others"));
}

TEST_P(Runtimes, Gemtc) {
  const ScratchFolder scratch;
  const Small& w = GetParam();
  if (w.bare && w.one_batch_only) {
    EXPECT_GT(measured("small", settings(w, "{name: gemtc, batch: 8}", 20))["time_us"], 0);
    EXPECT_GT(measured("small", settings(w, "gemtc", 20))["time_us"], 0);
    return;
  }
  const Finished run = run_app("small", "narrow_tasks", scratch / "run", settings(w, "gemtc", 20));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("gemtc: task '"));
}

INSTANTIATE_TEST_SUITE_P(All, Runtimes, testing::ValuesIn(kWorkloads),
                         [](const auto& info) { return info.param.workload; });

TEST_P(Runtimes, Pagoda) {
  for (const std::string runtime :
       {"{name: pagoda, idle_sleep_ns: 500}", "{name: pagoda, idle_sleep_ns: 500, batch: 6}"})
    EXPECT_GT(measured("small", settings(GetParam(), runtime, 20))["time_us"], 0);
}

// The host keeps most of the tasks.
TEST_P(Runtimes, EarliestDeadline) {
  for (const std::string runtime :
       {"{name: earliest_deadline, under_way: 6, runtime: {name: pagoda, idle_sleep_ns: 500}}",
        "{name: earliest_deadline, under_way: 2, runtime: hyperq}"})
    EXPECT_GT(measured("small", settings(GetParam(), runtime, 20))["time_us"], 0);
}

TEST(NarrowTasks, GemtcMayBeGivenWhatItLacks) {
  const ScratchFolder scratch;
  const auto run = [&](unsigned workload, const std::string& params) {
    return run_app("small", "narrow_tasks", scratch / "run",
                   settings(kWorkloads[workload], "{name: gemtc, batch: 6" + params + "}", 20));
  };
  EXPECT_EQ(run(0, ", barriers: true").status, 0);
  EXPECT_EQ(run(7, ", barriers: true, shared_bytes: 3072").status, 0);
  const Finished less = run(7, ", barriers: true, shared_bytes: 3071");
  EXPECT_EQ(less.status, 2);
  EXPECT_THAT(
      less.err,
      HasSubstr(
          "task 'matmul_shared' needs 3072 bytes of shared memory; allowed: at most shared_bytes, 3071"));
}

TEST(NarrowTasks, MoreStreamsThanOneRunTasksBesideEachOther) {
  double us[2];
  for (int i = 0; i < 2; ++i) {
    const auto result = result_of_app(
        "small", "narrow_tasks",
        settings(kWorkloads[1], i == 0 ? "{name: hyperq, streams: 1}" : "{name: hyperq, streams: 8}", 32));
    us[i] = result["measured"]["time_us"];
  }
  EXPECT_LT(us[1], 0.7 * us[0]);
}

TEST(NarrowTasks, CopiesApartAreNotInTheTime) {
  double us[2];
  for (int i = 0; i < 2; ++i) {
    auto words = settings(kWorkloads[6], "{name: hyperq, streams: 1}", 16);
    words.push_back(std::string("workload.params.copies=") + (i == 0 ? "task" : "apart"));
    const auto result = result_of_app("small", "narrow_tasks", words);
    us[i] = result["measured"]["time_us"];
    EXPECT_EQ(result["measured"]["bytes_to_host"], i == 0 ? 16 * 4096 : 0);
    EXPECT_EQ(result["measured"]["bytes_to_device"], i == 0 ? 16 * 8192 : 0);
  }
  EXPECT_LT(us[1], us[0]);
}

// Stamps are cycles of the SMs' clock: no register of the command processor is needed to compare them with
// the host's time.
TEST(NarrowTasks, StepsOfATaskAddUpWithEveryCommandProcessor) {
  const std::vector<std::string> steps = {"step_spawn_us", "step_copy_us",     "step_release_us",
                                          "step_poll_us",  "step_schedule_us", "step_run_us",
                                          "step_notice_us"};
  for (const std::string type : {"riscv", "native", "assisted", "hardware"}) {
    SCOPED_TRACE(type);
    auto words = settings(kWorkloads[1], "{name: pagoda, idle_sleep_ns: 500, steps: 20}", 20);
    words.push_back("platform.command_processor.type=" + type);
    const auto m = result_of_app("small", "narrow_tasks", words)["measured"];
    double sum = 0;
    for (const std::string& step : steps) {
      EXPECT_GE(m[step], 0) << step;
      sum += m[step].get<double>();
    }
    EXPECT_NEAR(sum, m["latency_mean_us"].get<double>(), 0.01);
    EXPECT_GT(m["step_run_us"], 1);
  }
}

TEST(NarrowTasks, FusionCopiesEachTaskByItselfIfAsked) {
  double us[2];
  for (int i = 0; i < 2; ++i) {
    const std::string copies = i == 0 ? "joined" : "each";
    auto words = settings(kWorkloads[3], "{name: fusion, batch: 16, copies: " + copies + "}", 16);
    words.push_back("platform.runtime.call_ns=2000");
    us[i] = result_of_app("small", "narrow_tasks", words)["measured"]["time_us"];
  }
  // A copy there and one back, or 16 and 16: 30 calls more, of which those of the inputs at least are in the
  // way.
  EXPECT_GT(us[1], us[0] + 15 * 2);
}

TEST(NarrowTasks, IsTheSameInEveryRun) {
  const auto words = settings(kWorkloads[1], "{name: gemtc, batch: 7}", 20);
  EXPECT_EQ(result_of_app("small", "narrow_tasks", words), result_of_app("small", "narrow_tasks", words));
}

// Tasks of 2^20 iterations a pixel: a person would not wait for them, and neither does the host.
TEST(NarrowTasks, TasksThatDoNotEndEndTheRunAsAHang) {
  const auto run = [](const std::string& runtime, const std::string& out) {
    return run_app("small", "narrow_tasks", out,
                   {"workload.params.runtime=" + runtime, "workload.params.tasks=3",
                    "workload.params.workload={name: mandelbrot, side: 16, iterations: 1048576}"});
  };
  const ScratchFolder scratch;
  const Finished pagoda = run("{name: pagoda, idle_sleep_ns: 1000, task_limit_us: 300}", scratch / "pagoda");
  EXPECT_EQ(pagoda.status, 3);
  EXPECT_THAT(pagoda.err, HasSubstr("warpvp: pagoda: task "));
  EXPECT_THAT(pagoda.err, HasSubstr(" ('mandelbrot') does not end: spawned "));
  EXPECT_THAT(pagoda.err, HasSubstr("none has ended for 300 us; task_limit_us"));
  EXPECT_THAT(pagoda.err, HasSubstr("kernel pagoda_master"));
  EXPECT_EQ(read_json(scratch / "pagoda/result.json")["exit_code"], 3);
  const Finished gemtc = run("{name: gemtc, batch: 3, task_limit_us: 300}", scratch / "gemtc");
  EXPECT_EQ(gemtc.status, 3);
  EXPECT_THAT(gemtc.err, HasSubstr("warpvp: gemtc: a batch does not end: of its 3 tasks, 0 to 2, "));
}

TEST(NarrowTasks, BadInputIsRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"workload.params.threads=100", "must be a multiple of 32"},
      {"workload.params.runtime=hyperk", "did you mean 'hyperq'?"},
      {"workload.params.workload=mandelbrod", "did you mean 'mandelbrot'?"},
      {"workload.params.workload={name: mixed, filter: matmul}", "must be filter_bank"},
      {"workload.params.workload={name: dct, side: 20}", "must be a multiple of 8"},
      {"workload.params.workload={name: triple_des, smallest: 4096, largest: 2048}",
       "must be at least 'smallest'"},
      {"workload.params.blocks=2", "filter_bank: a task is one thread block"},
  };
  for (const auto& [setting, message] : cases) {
    const ScratchFolder scratch;
    const Finished run = run_app("small", "narrow_tasks", scratch / "run", {setting});
    EXPECT_EQ(run.status, 2) << setting;
    EXPECT_THAT(run.err, HasSubstr(message));
  }
}

}  // namespace
}  // namespace warpvp::test
