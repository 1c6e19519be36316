// Processes that share a device, as users run them: contexts, priorities, replays, times alone, metrics, and
// what is refused. Figures are worked by hand from profiles without contention.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Two SMs of one CTA each, CTAs of 100 and 10 us, and copies in no time to speak of.
const char* const kPlatform = R"(
platform:
  extends: gk110
  sms: 2
  sm:
    profiles: [profiles.yaml]
    resources: {ctas: 1}
  work_distributor: {policy: POLICY, setup_cycles: 0}
)";

class Processes : public testing::Test {
 protected:
  Processes() {
    scratch_.file("profiles.yaml",
                  "kernels:\n"
                  "  slow: {threads: 32, registers: 16, cta_us: 100}\n"
                  "  fast: {threads: 32, registers: 16, cta_us: 10}\n");
    scratch_.file(
        "slow.yaml",
        "profiles: profiles.yaml\nsteps:\n  - launch: {kernel: slow, ctas: 4}\n  - synchronize: true\n");
    scratch_.file(
        "fast.yaml",
        "profiles: profiles.yaml\nsteps:\n  - cpu_us: 20\n  - copy_to_device: {bytes: 64}\n"
        "  - launch: {kernel: fast, ctas: 2}\n  - synchronize: true\n  - copy_to_host: {bytes: 32}\n");
    scratch_.file("big.yaml", "steps:\n  - launch: {kernel: big, ctas: 1, threads: 1024, registers: 128}\n");
  }
  Finished run(const std::string& workload, const std::string& policy = "fcfs_s") {
    std::string platform = kPlatform;
    platform.replace(platform.find("POLICY"), 6, policy);
    const std::string file = scratch_.file("run.yaml", platform + workload);
    return run_program({"run", file, "--out", (scratch_ / "out").string(), "--quiet"});
  }
  json result(const std::string& workload, const std::string& policy = "fcfs_s") {
    const Finished finished = run(workload, policy);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return finished.status == 0 ? read_json(scratch_ / "out/result.json") : json();
  }
  ScratchFolder scratch_;
};

TEST_F(Processes, HaveContextsOfTheirOwnAndStatistics) {
  const json r = result(
      "workload:\n  processes:\n    - {application: slow.yaml}\n    - {application: fast.yaml, priority: 3, "
      "name: quick}\n");
  ASSERT_FALSE(r.is_null());
  const json& slow = r["processes"][0];
  const json& quick = r["processes"][1];
  EXPECT_EQ(slow["name"], "slow");
  EXPECT_EQ(quick["name"], "quick");
  EXPECT_EQ(slow["context"], 1);
  EXPECT_EQ(quick["context"], 2);
  EXPECT_EQ(quick["priority"], 3);
  EXPECT_EQ(slow["launches"], 1);
  EXPECT_NEAR(slow["kernel_us"], 200, 2);
  EXPECT_NEAR(slow["turnaround_us"], 200, 20);
  // First come, first served: its kernel, asked for after 20 us, waits for the other one's two rounds.
  EXPECT_NEAR(quick["response_us"], 200, 20);
  EXPECT_NEAR(quick["kernel_us"], 10, 1);
  EXPECT_EQ(quick["copies_to_device"], 1);
  EXPECT_EQ(quick["bytes_to_device"], 64);
  EXPECT_EQ(quick["bytes_to_host"], 32);
  EXPECT_TRUE(quick["alone_us"].is_null());
  EXPECT_TRUE(quick["ntt"].is_null());
  EXPECT_FALSE(r["multiprogram"].contains("antt"));
  EXPECT_EQ(slow["kernels"][0]["name"], "slow");
  EXPECT_EQ(slow["kernels"][0]["ctas"], 4);
  for (const json& kernel : r["kernels"]) EXPECT_EQ(kernel["context"], kernel["name"] == "slow" ? 1 : 2);
  for (const json& kernel : r["kernels"]) EXPECT_EQ(kernel["priority"], kernel["name"] == "slow" ? 0 : 3);
  EXPECT_EQ(r["verified"], false);
}

// From a kernel on, what is put into a stream until the program waits is a request with a deadline.
TEST_F(Processes, RequestsHaveTheDeadline) {
  scratch_.file(
      "twice.yaml",
      "profiles: profiles.yaml\nsteps:\n  - copy_to_device: {bytes: 64}\n"
      "  - launch: {kernel: slow, ctas: 4}\n  - launch: {kernel: fast, ctas: 2}\n"
      "  - synchronize: true\n  - launch: {kernel: fast, ctas: 2}\n  - copy_to_host: {bytes: 32}\n");
  const auto requests = [&](const std::string& deadline) {
    const json process =
        result("workload:\n  processes:\n    - {application: twice.yaml, deadline_us: " + deadline +
               "}\n")["processes"][0];
    return std::vector<int>{process["requests_met"], process["requests_missed"],
                            process["requests_rejected"]};
  };
  // 200 us and 10, then 10.
  EXPECT_EQ(requests("300"), (std::vector<int>{2, 0, 0}));
  EXPECT_EQ(requests("205"), (std::vector<int>{1, 1, 0}));
  EXPECT_EQ(requests("5"), (std::vector<int>{0, 2, 0}));
  const json without = result("workload:\n  processes:\n    - {application: twice.yaml}\n");
  EXPECT_FALSE(without["processes"][0].contains("requests_met"));
  EXPECT_FALSE(without.contains("jobs"));
  EXPECT_THAT(run("workload:\n  processes:\n    - {application: twice.yaml, deadline_us: -1}\n").err,
              HasSubstr("deadline_us"));
}

TEST_F(Processes, AppsAreProcessesToo) {
  const std::string file = scratch_.file(
      "apps.yaml",
      "platform: small\nworkload:\n  processes:\n    - {app: vector_add, params: {count: 2048}}\n"
      "    - {app: vector_add, params: {count: 1024}}\n    - {app: many_streams}\n");
  const Finished finished = run_program({"run", file, "--out", (scratch_ / "out").string(), "--quiet"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const json r = read_json(scratch_ / "out/result.json");
  EXPECT_EQ(r["verified"], true);  // each against its reference
  EXPECT_EQ(r["processes"][0]["name"], "vector_add_1");
  EXPECT_EQ(r["processes"][1]["name"], "vector_add_2");
  EXPECT_EQ(r["processes"][2]["name"], "many_streams");
  for (const json& kernel : r["kernels"]) EXPECT_GE(kernel["context"], 1);
  EXPECT_EQ(r["processes"][0]["bytes_to_device"], 3 * 4 * 2048);  // a, b and what c begins as
}

TEST_F(Processes, ThoseThatEndEarlyStartAgainUntilAllHaveEndedOnce) {
  const std::string both = "workload:\n  processes: [{application: slow.yaml}, {application: fast.yaml}]\n";
  EXPECT_EQ(result(both)["processes"][1]["executions"], 1);
  const json r = result(
      "workload:\n  processes: [{application: slow.yaml, arrival_us: 200}, {application: fast.yaml}]\n"
      "  replay: until_all_once\n");
  ASSERT_FALSE(r.is_null());
  EXPECT_EQ(r["processes"][0]["executions"], 1);
  EXPECT_GE(r["processes"][1]["executions"], 4);  // of about 35 us each
  // The end is the last first end.
  EXPECT_NEAR(200 + r["processes"][0]["turnaround_us"].get<double>(), r["multiprogram"]["time_us"], 1);
  EXPECT_NEAR(r["processes"][1]["turnaround_us"], 35, 10);
  // Statistics are of the first execution: one launch, however many more there were.
  EXPECT_EQ(r["processes"][1]["launches"], 1);
  EXPECT_EQ(r["processes"][1]["copies_to_device"], 1);
}

TEST_F(Processes, MetricsFollowFromTimesAlone) {
  const json r = result(
      "workload:\n  processes: [{application: slow.yaml}, {application: fast.yaml}, {application: "
      "fast.yaml}]\n"
      "  alone: measure\n");
  ASSERT_FALSE(r.is_null());
  double sum = 0, progress = 0, least = 1e9, most = 0;
  for (const json& process : r["processes"]) {
    const double ntt = process["turnaround_us"].get<double>() / process["alone_us"].get<double>();
    EXPECT_NEAR(process["ntt"], ntt, 1e-9);
    sum += ntt;
    progress += 1 / ntt;
    least = std::min(least, 1 / ntt);
    most = std::max(most, 1 / ntt);
  }
  EXPECT_NEAR(r["processes"][0]["alone_us"], 200, 20);
  EXPECT_NEAR(r["processes"][1]["alone_us"], 35, 10);
  EXPECT_EQ(r["processes"][1]["alone_us"], r["processes"][2]["alone_us"]);  // the same application
  EXPECT_GT(r["processes"][1]["ntt"], 4);
  EXPECT_NEAR(r["multiprogram"]["antt"], sum / 3, 1e-9);
  EXPECT_NEAR(r["multiprogram"]["stp"], progress, 1e-9);
  EXPECT_NEAR(r["multiprogram"]["fairness"], least / most, 1e-9);
  // Both SMs for 200 us, and 10 us for each of the others, of the time since the common start.
  EXPECT_NEAR(r["multiprogram"]["sm_occupancy"].get<double>() * r["multiprogram"]["time_us"].get<double>(),
              220, 5);
}

TEST_F(Processes, TimesAloneComeFromAFileOfTheSamePlatform) {
  const std::string both = "workload:\n  processes: [{application: slow.yaml}, {application: fast.yaml}]\n";
  const json only = result(both + "  alone: only\n");
  EXPECT_TRUE(only["processes"][0]["turnaround_us"].is_null());
  const std::string times = scratch_.file("times.yaml", read_text(scratch_ / "out/alone.yaml"));
  const std::string from_file = both + "  alone: file\n  alone_times: times.yaml\n";
  const json with_file = result(from_file, "fcfs_m");  // another scheduler is the same platform
  ASSERT_FALSE(with_file.is_null());
  EXPECT_EQ(with_file["processes"][0]["alone_us"], only["processes"][0]["alone_us"]);
  EXPECT_TRUE(with_file["multiprogram"].contains("antt"));

  std::string platform = kPlatform;
  platform.replace(platform.find("POLICY"), 6, "fcfs_s");
  platform.replace(platform.find("sms: 2"), 6, "sms: 3");
  const Finished bigger = run_program(
      {"run", scratch_.file("run.yaml", platform + from_file), "--out", (scratch_ / "out").string()});
  EXPECT_EQ(bigger.status, 2);
  EXPECT_THAT(bigger.err, HasSubstr("times of another platform"));

  scratch_.file("fast.yaml", "profiles: profiles.yaml\nsteps:\n  - launch: {kernel: fast, ctas: 1}\n");
  const Finished changed = run(from_file);
  EXPECT_EQ(changed.status, 2);
  EXPECT_THAT(changed.err, HasSubstr("no time of fast.yaml, as it is now"));
}

TEST_F(Processes, TellTheTailOfTheirLaunches) {
  scratch_.file("many.yaml",
                "profiles: profiles.yaml\nsteps:\n"
                "  - launch: {kernel: slow, ctas: 2}\n  - synchronize: true\n  - repeat: 19\n    steps:\n"
                "      - launch: {kernel: fast, ctas: 2}\n      - synchronize: true\n");
  const json r = result("workload:\n  processes: [{application: many.yaml}]\n");
  ASSERT_FALSE(r.is_null());
  const json& many = r["processes"][0];
  EXPECT_NEAR(many["launch_p95_us"], 10, 5);  // 19 of 20 take no longer
  EXPECT_NEAR(many["launch_p99_us"], 100, 5);
  EXPECT_NEAR(many["launch_mean_us"], (100 + 19 * 10) / 20.0, 5);
  // From the call on: what waits for another kernel is late.
  const json queued = result(
      "workload:\n  processes: [{application: slow.yaml}, {application: many.yaml, arrival_us: 100}]\n");
  EXPECT_NEAR(queued["processes"][1]["launch_p99_us"], 200, 10);  // 100 us of the other's, and its own
}

TEST_F(Processes, TheCpusShareMayBeScaled) {
  const std::string one = "workload:\n  processes: [{application: fast.yaml}]\n  alone: measure\n";
  const json plain = result(one), scaled = result(one + "  cpu_scale: 10\n");
  ASSERT_FALSE(plain.is_null() || scaled.is_null());
  const double before = plain["processes"][0]["turnaround_us"],
               after = scaled["processes"][0]["turnaround_us"];
  EXPECT_NEAR(after - before, 180, 0.01);  // 20 us become 200
  EXPECT_NEAR(scaled["processes"][0]["alone_us"], after, 1);
  // Times alone of another scale are not taken.
  const std::string times = scratch_.file("times.yaml", read_text(scratch_ / "out/alone.yaml"));
  const Finished other =
      run("workload:\n  processes: [{application: fast.yaml}]\n  alone: file\n"
          "  alone_times: times.yaml\n");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("no time of"));
}

// 10 calls and 3 bytes at 2 us and 4 us each: 32 us; 11 at the low ends, 80 at the high ones.
TEST_F(Processes, TheCpusWorkTakesWhatTheRatesSay) {
  scratch_.file("rates.yaml",
                "rates:\n  call: {ns: 2000, low: 800, high: 5000, unit: call, source: s}\n"
                "  byte: {ns: 4000, low: 1000, high: 10000, unit: byte, source: s}\n");
  scratch_.file("counted.yaml",
                "profiles: profiles.yaml\nrates: rates.yaml\nsteps:\n  - cpu: {call: 10}\n"
                "  - repeat: 3\n    steps:\n      - cpu: {byte: 1}\n");
  const std::string one = "workload:\n  processes: [{application: counted.yaml}]\n  alone: measure\n";
  const auto takes = [&](const std::string& more) {
    const json r = result(one + more);
    return r.is_null() ? -1.0 : r["processes"][0]["turnaround_us"].get<double>();
  };
  const double stated = takes("");
  EXPECT_NEAR(stated, 32, 1);
  EXPECT_NEAR(takes("  cpu_rates: low\n") - stated, 11 - 32, 0.01);
  EXPECT_NEAR(takes("  cpu_rates: {all: high}\n") - stated, 80 - 32, 0.01);
  EXPECT_NEAR(takes("  cpu_rates: {byte: 0}\n") - stated, 20 - 32, 0.01);
  EXPECT_NEAR(takes("  cpu_rates: {byte: high, all: low}\n") - stated, 8 + 30 - 32, 0.01);
  EXPECT_NEAR(takes("  cpu_rates: {call: stated}\n  cpu_scale: 2\n") - stated, 32, 0.01);
  // Times alone belong to the rates that they were taken with.
  scratch_.file("times.yaml", read_text(scratch_ / "out/alone.yaml"));
  takes("  cpu_rates: low\n");
  scratch_.file("low.yaml", read_text(scratch_ / "out/alone.yaml"));
  const std::string from_file =
      "workload:\n  processes: [{application: counted.yaml}]\n  alone: file\n  alone_times: ";
  EXPECT_EQ(run(from_file + "low.yaml\n  cpu_rates: low\n").status, 0);
  EXPECT_EQ(run(from_file + "low.yaml\n").status, 2);
  const Finished unknown = run(one + "  cpu_rates: {bite: 1}\n");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no application has a rate 'bite'"));
}

// Three that compute for 600, 600 and 300 us at once, and one that comes later. Each line: what is left of
// all, by hand.
TEST_F(Processes, ShareTheCoresOfTheCpu) {
  scratch_.file("long.yaml", "steps:\n  - cpu_us: 600\n");
  scratch_.file("short.yaml", "steps:\n  - cpu_us: 300\n");
  const std::string four =
      "workload:\n  processes:\n    - {application: long.yaml, name: a}\n    - {application: long.yaml, "
      "name: b}\n"
      "    - {application: short.yaml, name: c}\n    - {application: short.yaml, name: d, arrival_us: "
      "1000}\n";
  struct Case {
    const char* cores;
    double us[4];
  };
  // One core: 300 us each by 900, then 300 each for two until 1,000 (50 each), with d for a third of it each:
  // 250 each by 1,750, 50 of d by 1,800. Two cores: c ends at 450, a and b have a core each from then on.
  const Case cases[] = {{"0", {600, 600, 300, 300}},
                        {"4", {600, 600, 300, 300}},
                        {"3", {600, 600, 300, 300}},
                        {"2", {750, 750, 450, 300}},
                        {"1", {1750, 1750, 900, 800}}};
  json by_default;
  for (const Case& c : cases) {
    const json r = result(std::string("  host: {cores: ") + c.cores + "}\n" + four);
    ASSERT_FALSE(r.is_null());
    for (unsigned p = 0; p < 4; ++p)
      EXPECT_NEAR(r["processes"][p]["turnaround_us"], c.us[p], 1) << c.cores << " cores, process " << p;
    if (std::string(c.cores) == "0") by_default = r["processes"];
    if (std::string(c.cores) == "4") {
      EXPECT_EQ(r["processes"], by_default);
    }
  }
}

TEST_F(Processes, ArriveWhenTheyAreSaidTo) {
  const json r = result(
      "workload:\n  processes:\n    - {application: slow.yaml, arrival_us: 500}\n    - {application: "
      "fast.yaml}\n");
  ASSERT_FALSE(r.is_null());
  EXPECT_NEAR(r["processes"][0]["turnaround_us"], 200, 20);  // counted from its arrival
  EXPECT_NEAR(r["processes"][1]["response_us"], 30, 10);     // nobody in its way
  EXPECT_NEAR(r["multiprogram"]["time_us"], 700, 20);
}

TEST_F(Processes, AMixIsDrawnAndRuns) {
  const std::string file = scratch_.file("mix.yaml",
                                         "platform: gk110\noutput: {kernels: false}\nworkload:\n"
                                         "  mix: {size: 2, kind: short_short, urgent: 1, number: 3}\n");
  const Finished finished = run_program({"run", file, "--out", (scratch_ / "out").string(), "--quiet"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const json r = read_json(scratch_ / "out/result.json");
  ASSERT_EQ(r["processes"].size(), 2u);
  EXPECT_NE(r["processes"][0]["application"], r["processes"][1]["application"]);
  EXPECT_EQ(r["processes"][0]["priority"], 1);
  EXPECT_EQ(r["processes"][1]["priority"], 0);
  for (const json& process : r["processes"]) {
    EXPECT_THAT(process["application"].get<std::string>(), testing::StartsWith("parboil/"));
    EXPECT_GT(process["turnaround_us"], 0);
  }
  EXPECT_TRUE(r["kernels"].empty());
  EXPECT_EQ(r["config"]["workload"]["mix"]["number"],
            3);  // the settings are those of the mix, again a run file
}

TEST_F(Processes, BadInputIsRefusedWithItsPlace) {
  const auto expect = [&](const std::string& workload, const std::vector<std::string>& parts,
                          const std::string& policy = "fcfs_s") {
    const Finished finished = run(workload, policy);
    EXPECT_EQ(finished.status, 2) << workload << finished.err;
    for (const std::string& part : parts) EXPECT_THAT(finished.err, HasSubstr(part)) << workload;
  };
  expect("workload:\n  processes: [{application: parboil/lmb}]\n",
         {"run.yaml:", "no file 'lmb'", "did you mean 'lbm'?"});
  expect("workload:\n  processes: [{application: big.yaml}]\n",
         {"big.yaml:2:5", "never fits an SM", "1024 threads of 128 registers"});
  expect("workload:\n  processes: [{priority: 1}]\n", {"run.yaml:", "has nothing to run"});
  expect("workload:\n  processes: [{application: slow.yaml, app: matmul}]\n",
         {"either 'application' or 'app'"});
  expect("workload:\n  processes: [{application: slow.yaml, arrival_us: -1}]\n", {"arrival_us"});
  expect("workload:\n  processes: [{application: slow.yaml, name: a}, {application: fast.yaml, name: a}]\n",
         {"a name of its own"});
  expect("workload:\n  app: matmul\n  processes: [{application: slow.yaml}]\n", {"either processes"});
  expect("workload:\n  processes: [{application: slow.yaml}]\n  mix: {size: 2}\n",
         {"either processes or a mix"});
  expect("workload:\n  mix: {size: 2, kind: shortish}\n",
         {"short_short, long_long, short_long, in_turn, any"});
  expect("workload:\n  mix: {size: 2, urgent: 3}\n", {"more than there are processes"});
  expect("workload:\n  processes: [{application: slow.yaml}]\n  alone: file\n", {"needs 'alone_times'"});
  expect("workload:\n  processes: [{application: slow.yaml}]\n", {"tokens"}, "{name: token, tokens: [9, 9]}");
}

}  // namespace
}  // namespace warpvp::test
