// `sm.type: profile` and `warpvp profile` as a user has them: from YAML to result.json, and what is wrong in
// between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char kStub[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n.visible .entry "
    "m()\n{\nret;\n}\n";

/// A run of stubs on four SMs, with these profiles.
struct Stubs {
  ScratchFolder scratch;
  std::string file;
  explicit Stubs(const std::string& profiles, const std::string& launches, const std::string& fields = "") {
    scratch.file("stub.ptx", kStub);
    scratch.file("profiles.yaml", profiles);
    file = scratch.file(
        "run.yaml", "platform:\n  extends: small\n  sm: {type: profile, profiles: profiles.yaml" + fields +
                        "}\nworkload:\n  launches:\n" + launches);
  }
  Finished run(const std::vector<std::string>& settings = {}) const {
    std::vector<std::string> words = {"run", file, "--out", (scratch / "out").string()};
    for (const std::string& setting : settings) {
      words.push_back("--set");
      words.push_back(setting);
    }
    return run_program(words);
  }
  nlohmann::json result() const { return read_json(scratch / "out/result.json"); }
};

TEST(ProfileGrain, KernelsTakeTheTimeOfTheirProfilesAndCount) {
  const Stubs stubs("kernels:\n  k: {threads: 64, cta_us: 10, instructions: 2500, memory_bytes: 1000}\n",
                    "    - {ptx: stub.ptx, entry: k, grid: [8], block: [64]}\n");
  const Finished run = stubs.run();
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("results not verified: the SMs of this platform compute nothing"));
  const auto result = stubs.result();
  const auto& kernel = result["kernels"][0];
  const double cycles = 10 * result["config"]["platform"]["sm_clock_mhz"].get<double>();
  // Two CTAs on each SM, which do not slow each other; and what launching and reporting takes.
  EXPECT_GE(kernel["execution_cycles"].get<double>(), cycles);
  EXPECT_LT(kernel["execution_cycles"].get<double>(), cycles + 150);
  EXPECT_EQ(kernel["warp_instructions"], 20000);
  EXPECT_EQ(kernel["l1"]["read_bytes"], 8000);
  EXPECT_EQ(kernel["ctas_done"], 8);
  EXPECT_EQ(result["verified"], false);
  EXPECT_EQ(result["exit_code"], 0);
  EXPECT_EQ(result["sms"].size(), 4u);
  EXPECT_EQ(result["sms"][0]["ctas"], 2);
}

TEST(ProfileGrain, TwoKernelsShareWhatMemoryDelivers) {
  // 100 GB/s for two kernels of which each asks for that alone: twice the time.
  const std::string profiles =
      "kernels: {k: {threads: 64, cta_us: 100, memory_bytes: 2.5e6}, "
      "m: {threads: 64, cta_us: 100, memory_bytes: 2.5e6}}\n";
  const std::string first = "    - {ptx: stub.ptx, entry: k, grid: [4], block: [64]}\n",
                    second = "    - {ptx: stub.ptx, entry: m, grid: [4], block: [64], stream: 1}\n";
  const auto cycles = [](const Stubs& stubs) {
    const Finished run = stubs.run();
    EXPECT_EQ(run.status, 0) << run.err;
    return stubs.result()["kernels"][0]["execution_cycles"].get<double>();
  };
  const double alone = cycles(Stubs(profiles, first, ", memory_gb_s: 100"));
  const double shared = cycles(Stubs(profiles, first + second, ", memory_gb_s: 100"));
  EXPECT_NEAR(shared / alone, 2, 0.05);
}

TEST(ProfileGrain, TheSameSeedGivesTheSameRunInWhateverOrderAndByHoweverManyThreads) {
  const Stubs stubs(
      "kernels: {k: {threads: 64, cta_us: 10, memory_bytes: 300000, variation: 0.5}, m: {threads: 96, "
      "cta_us: 3, "
      "instructions: 5000, variation: 0.2, cold_cycles: 500}}\n",
      "    - {ptx: stub.ptx, entry: k, grid: [100], block: [64]}\n"
      "    - {ptx: stub.ptx, entry: m, grid: [300], block: [96], stream: 1}\n");
  const auto kernels = [&](const std::vector<std::string>& settings) {
    const Finished run = stubs.run(settings);
    EXPECT_EQ(run.status, 0) << run.err;
    auto result = stubs.result();
    return nlohmann::json{result["kernels"], result["sms"]};
  };
  const auto expected = kernels({});
  EXPECT_EQ(kernels({"platform.evaluation.order=reverse"}), expected);
  EXPECT_EQ(kernels({"platform.evaluation.threads=2"}), expected);
  EXPECT_EQ(kernels({"platform.check_protocol=true"}), expected);
  EXPECT_NE(kernels({"seed=2"}), expected);
}

TEST(ProfileGrain, ACtaMayTakeLongerThanTheWatchdogWaits) {
  const Stubs stubs("kernels: {k: {threads: 64, cta_us: 50000}}\n",
                    "    - {ptx: stub.ptx, entry: k, grid: [1], block: [64]}\n");
  const Finished run = stubs.run({"limits.progress_us=1000"});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(ProfileGrain, AnAppsChecksCountForNothing) {
  const ScratchFolder scratch;
  const std::string profiles =
      scratch.file("p.yaml", "kernels: {vector_add: {threads: 256, cta_us: 2, memory_bytes: 3072}}\n");
  const Finished run = run_app("small", "vector_add", scratch / "out",
                               {"platform.sm=profile", "platform.sm.profiles=" + profiles});
  EXPECT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "out/result.json");
  EXPECT_EQ(result["verified"], false);
  EXPECT_EQ(result["message"], "");
}

TEST(ProfileGrain, AKernelWithoutAProfileIsADeviceFaultWithTheRemedy) {
  const Stubs stubs("kernels: {other: {threads: 64, cta_us: 1}}\n",
                    "    - {ptx: stub.ptx, entry: k, grid: [8], block: [64]}\n");
  const Finished run = stubs.run();
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("kernel 'k' has no profile"));
  EXPECT_THAT(run.err, HasSubstr("`warpvp profile` records profiles"));
}

struct Wrong {
  const char *name, *profiles, *message;
};
class WrongProfile : public testing::TestWithParam<Wrong> {};

TEST_P(WrongProfile, IsOneLineWithThePlace) {
  const Stubs stubs(GetParam().profiles, "    - {ptx: stub.ptx, entry: k, grid: [8], block: [64]}\n");
  const Finished run = stubs.run();
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr(GetParam().message));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

const Wrong kWrong[] = {
    {"Key", "kernels:\n  k: {threads: 64, cta_us: 1, instruction: 5}\n",
     "profiles.yaml:2:31: unknown key 'instruction' in 'kernels.k'; nearest: 'instructions'"},
    {"Heading", "kernel:\n  k: {threads: 64, cta_us: 1}\n", "profiles.yaml:1:1: unknown key 'kernel'"},
    {"Nothing", "{}\n", "profiles.yaml:1:1: 'kernels' is missing; allowed: a mapping of names to records"},
    {"List", "kernels: [1]\n",
     "profiles.yaml:1:10: 'kernels' is a list; allowed: a mapping of names to records"},
    {"Record", "kernels: {k: 5}\n", "profiles.yaml:1:14: 'kernels.k' is '5'; allowed: a mapping"},
    {"Negative", "kernels:\n  k: {threads: 64, cta_us: -1}\n",
     "profiles.yaml:2:28: 'kernels.k.cta_us' is -1; allowed: "},
    {"NoTime", "kernels:\n  k: {threads: 64}\n",
     "profiles.yaml:2:6: 'kernels.k.cta_us': a profile has either cta_us or cta_cycles"},
    {"BothTimes", "kernels:\n  k: {threads: 64, cta_us: 1, cta_cycles: 3}\n",
     "profiles.yaml:2:28: 'kernels.k.cta_us': a profile has either cta_us or cta_cycles"},
    {"NoThreads", "kernels:\n  k: {cta_us: 1}\n", "profiles.yaml:2:6: 'kernels.k.threads': is missing"},
    {"TooLarge", "kernels:\n  k: {threads: 2048, cta_us: 1}\n",
     "profiles.yaml:2:3: a CTA of 'k' never fits on an SM, for lack of threads per CTA"},
    {"TooMuchShared", "kernels:\n  k: {threads: 64, cta_us: 1, shared_bytes: 1000000}\n",
     "profiles.yaml:2:3: a CTA of 'k' never fits on an SM, for lack of shared memory per CTA"},
    {"TooManyRegisters", "kernels:\n  k: {threads: 1024, registers: 128, cta_us: 1}\n",
     "profiles.yaml:2:3: a CTA of 'k' never fits on an SM, for lack of registers"},
    {"TooShort", "kernels:\n  k: {threads: 64, cta_cycles: 0.5}\n",
     "profiles.yaml:2:3: a CTA of 'k' takes 0.5 cycles at 1200 MHz; allowed: at least one"},
    {"TooManyBytes", "kernels:\n  k: {threads: 64, cta_cycles: 10, memory_bytes: 1e12}\n",
     "profiles.yaml:2:3: a CTA of 'k' asks for 100000000000 bytes a cycle; allowed: at most 1048576"},
};
INSTANTIATE_TEST_SUITE_P(ProfileGrain, WrongProfile, testing::ValuesIn(kWrong),
                         [](const auto& info) { return info.param.name; });

TEST(ProfileGrain, FilesMayNotDisagreeAndMustBeThere) {
  const ScratchFolder scratch;
  scratch.file("a.yaml", "kernels: {k: {threads: 64, cta_us: 1}}\n");
  scratch.file("b.yaml", "kernels: {k: {threads: 64, cta_us: 2}}\n");
  const auto run = [&](const std::string& files) {
    const std::string file =
        scratch.file("run.yaml", "platform:\n  extends: small\n  sm: {type: profile, profiles: " + files +
                                     "}\nworkload: vector_add\n");
    return run_program({"config", file});
  };
  EXPECT_EQ(run("[a.yaml]").status, 0);
  const Finished twice = run("[a.yaml, b.yaml]");
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("b.yaml:1:11: 'k' has a profile already, at "));
  EXPECT_THAT(twice.err, HasSubstr("a.yaml:1:11; allowed: one for each name"));
  const Finished none = run("[a.yaml, c.yaml]");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("run.yaml:3:42: 'platform.sm.profiles': no file "));
  const Finished number = run("{a: b}");
  EXPECT_EQ(number.status, 2);
  EXPECT_THAT(
      number.err,
      HasSubstr("run.yaml:3:33: 'platform.sm.profiles' is a mapping; allowed: a path, or a list of paths"));
}

TEST(ProfileGrain, AnExperimentRunsAnewWhenAProfileHasChanged) {
  const ScratchFolder scratch;
  const auto write = [&](int us) {
    return scratch.file("p.yaml",
                        "kernels: {vector_add: {threads: 256, cta_us: " + std::to_string(us) + "}}\n");
  };
  write(2);
  const std::string file = scratch.file(
      "e.yaml",
      "experiment: e\nbase:\n  platform: {extends: small, sm: {type: profile, profiles: p.yaml}}\n"
      "  workload: vector_add\ntable: {values: [simulation.kernel_cycles]}\n");
  const auto outcome = [&] {
    return run_program({"experiment", file, "--out", (scratch / "out").string(), "--jobs", "1"});
  };
  EXPECT_THAT(outcome().err, HasSubstr("1 ran, 0 finished before"));
  EXPECT_THAT(outcome().err, HasSubstr("0 ran, 1 finished before"));
  write(3);
  EXPECT_THAT(outcome().err, HasSubstr("1 ran, 0 finished before"));
}

TEST(ProfileGrain, FieldsThatTheCycleSmHasTooStay) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", "platform: vortex_sm\nworkload: vector_add\n");
  const Finished config = run_program({"config", file, "--set", "platform.sm=profile"});
  EXPECT_EQ(config.status, 0) << config.err;
  EXPECT_THAT(config.out, HasSubstr("type: profile\n"));
  EXPECT_THAT(config.out, HasSubstr("schedulers: 1\n"));
}

TEST(ProfileGrain, TheFieldsOfAProfileAreDescribed) {
  const Finished described = run_program({"describe", "profile"});
  EXPECT_EQ(described.status, 0);
  EXPECT_THAT(described.out, HasSubstr("| `profiles` |"));
  EXPECT_THAT(described.out, HasSubstr("| `cta_us` |"));
}

TEST(RecordedProfiles, GiveTheCyclesOfTheRunTheyWereRecordedFrom) {
  const ScratchFolder scratch;
  const std::string profiles = (scratch / "matmul.yaml").string(), runs = (scratch / "runs").string();
  const Finished recorded =
      run_program({"profile", "matmul", "--platform", "small", "-o", profiles, "--runs", runs});
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  EXPECT_EQ(recorded.out, profiles + ": 1 profiles\n");
  const std::string text = read_text(profiles);
  EXPECT_THAT(text, HasSubstr("#   warpvp profile matmul --platform small"));
  EXPECT_THAT(text, HasSubstr("# platform: small\n"));
  EXPECT_THAT(text, HasSubstr("\n  matmul:\n    threads: 256\n    cta_cycles: "));
  const auto whole = read_json(scratch / "runs/as_is/result.json")["kernels"][0];
  const Finished replayed =
      run_program({"run", "matmul", "--platform", "small", "--set", "platform.sm=profile", "--set",
                   "platform.sm.profiles=" + profiles, "--out", (scratch / "out").string()});
  ASSERT_EQ(replayed.status, 0) << replayed.err;
  const auto kernel = read_json(scratch / "out/result.json")["kernels"][0];
  EXPECT_NEAR(kernel["execution_cycles"].get<double>() / whole["execution_cycles"].get<double>(), 1, 0.1);
  EXPECT_NEAR(kernel["warp_instructions"].get<double>() / whole["warp_instructions"].get<double>(), 1, 1e-4);
}

TEST(RecordedProfiles, ShapesOfOneKernelHaveProfilesOfTheirOwn) {
  const ScratchFolder scratch;
  const std::string profiles = (scratch / "p.yaml").string();
  const std::string launch = "    - {ptx: stub.ptx, entry: k, grid: [GRID], block: [64]}\n";
  std::string launches;
  for (const char* grid : {"4", "9", "4"})
    launches += std::string(launch).replace(launch.find("GRID"), 4, grid);
  scratch.file("stub.ptx", kStub);
  const std::string file = scratch.file("run.yaml", "platform: small\nworkload:\n  launches:\n" + launches);
  const Finished recorded =
      run_program({"profile", file, "-o", profiles, "--runs", (scratch / "runs").string(), "-q"});
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  EXPECT_EQ(recorded.out, "");
  const std::string text = read_text(profiles);
  EXPECT_THAT(text, HasSubstr("  # 2 launches of 4 CTAs; "));
  EXPECT_THAT(text, HasSubstr("\n  k@4x64:\n"));
  EXPECT_THAT(text, HasSubstr("\n  k@9x64:\n"));
  EXPECT_EQ(run_program({"run", file, "--set", "platform.sm=profile", "--set",
                         "platform.sm.profiles=" + profiles, "--out", (scratch / "out").string()})
                .status,
            0);
}

TEST(RecordedProfiles, LaunchesThatDependOnTheNumberOfSmsAreTimedOnAll) {
  const ScratchFolder scratch;
  const std::string profiles = (scratch / "p.yaml").string();
  const Finished recorded = run_program({"profile", "vector_add_persistent", "--platform", "small", "-o",
                                         profiles, "--runs", (scratch / "runs").string()});
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  EXPECT_THAT(read_text(profiles), HasSubstr("  vector_add_persistent:\n"));
  EXPECT_FALSE(read_text(scratch / "runs/spread/result.json").empty());
}

TEST(RecordedProfiles, AreOfTheGrainOfCycles) {
  const ScratchFolder scratch;
  const Finished recorded = run_program({"profile", "matmul", "--platform", "small", "--set",
                                         "platform.sm=profile", "--runs", (scratch / "runs").string()});
  EXPECT_EQ(recorded.status, 2);
  EXPECT_THAT(recorded.err, HasSubstr("'platform.sm.type' is 'profile'; profiles are recorded of: cycle"));
}

}  // namespace
}  // namespace warpvp::test
