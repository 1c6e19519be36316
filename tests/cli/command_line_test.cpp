// The commands, with a stand-in for the simulator behind platform/run/run.h.

#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "cli/message_text.h"
#include "platform/observe/interval_counters.h"
#include "platform/results/result_writer.h"
#include "platform/run/attached.h"
#include "platform/run/run.h"
#include "study/calibrate_bandwidth.h"
#include "study/prediction.h"
#include "study/record_profiles.h"
#include "tests/config/folder.h"
#include "tests/config/sample_config.h"

namespace warpvp {

namespace {
struct Seen {
  RunConfig run;
  sample::PlatformConfig platform;
  RunRequest request;
  PtxRequest ptx;
  PredictRequest predict;
  ProfileRequest profile;
  CalibrationRequest calibration;
  std::string socket;  // of attach
  int runs = 0;
} seen;
}  // namespace

// The stand-in.
void visit_platform_config(FieldVisitor& visitor) {
  sample::PlatformConfig platform;
  platform.fields(visitor);
}

std::vector<IntervalCounters::Level> IntervalCounters::levels() { return {}; }

ResultReference result_reference() {
  ResultReference reference;
  reference.text("message", "", "Why it ended so.");
  struct Cache {
    void stats(ResultVisitor& v) const {
      v.value("hits", std::uint64_t{0}, "requests", "Found there.");
      v.when(false, "with sectors", [&] { v.value("sectors", std::uint64_t{0}, "sectors", "Fetched."); });
    }
  };
  struct Kernel {
    void stats(ResultVisitor& v) const { v.group("cache", Cache{}, "The cache for it."); }
  };
  reference.list("kernels", std::vector<Kernel>{}, "Each kernel.");
  reference.group("cache", Cache{}, "The cache.");
  reference.named("shares", {}, "PART", "share", "Of each part.", "Its share.");
  return reference;
}

ExitCode run_simulation(const RunRequest& request) {
  seen.request = request;
  seen.run = RunConfig{};
  seen.platform = sample::PlatformConfig{};
  request.file.read(seen.run, [](FieldVisitor& v) { seen.platform.fields(v); });
  ++seen.runs;
  return seen.run.seed == 99 ? ExitCode::kDeviceFault : ExitCode::kOk;
}

ExitCode run_attached(const RunFile& file, const std::string& socket) {
  seen.run = RunConfig{};
  seen.platform = sample::PlatformConfig{};
  file.read(seen.run, [](FieldVisitor& v) { seen.platform.fields(v); });
  seen.socket = socket;
  return ExitCode::kOk;
}

ExitCode show_ptx(const PtxRequest& request) {
  seen.ptx = request;
  seen.platform = sample::PlatformConfig{};
  request.platform.read_platform([](FieldVisitor& v) { seen.platform.fields(v); });
  return ExitCode::kOk;
}

ExitCode record_profiles(const ProfileRequest& request) {
  seen.profile = request;
  return ExitCode::kOk;
}

ExitCode calibrate_bandwidth(const CalibrationRequest& request) {
  seen.calibration = request;
  seen.platform = sample::PlatformConfig{};
  request.file.read_platform([](FieldVisitor& v) { seen.platform.fields(v); });
  return ExitCode::kOk;
}

ExitCode predict_schedules(const PredictRequest& request) {
  seen.predict = request;
  seen.run = RunConfig{};
  seen.platform = sample::PlatformConfig{};
  request.file.read(seen.run, [](FieldVisitor& v) { seen.platform.fields(v); });
  return ExitCode::kOk;
}

namespace {

class CommandLine : public ::testing::Test {
 protected:
  CommandLine() {
    seen = Seen{};
    folder_.write("configs/platforms/small.yaml", "# A small machine.\nsms: 1\nsm: {warps: 16}\n");
    folder_.write("configs/experiments/matrix.yaml",
                  "experiment: matrix\nbase: {workload: {app: add}}\ntable: {values: [x]}\n");
    folder_.write("configs/experiments/named.yaml", "# By name.\nplatform: small\nworkload: {app: add}\n");
    setenv("WARPVP_CONFIG_PATH", (folder_ / "configs").c_str(), 1);
    old_directory_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_.path());
  }
  ~CommandLine() override {
    std::filesystem::current_path(old_directory_);
    unsetenv("WARPVP_CONFIG_PATH");
  }

  int run(std::vector<std::string> args) {
    out_.str("");
    err_.str("");
    return run_command_line(args, Console{&out_, &err_, false, "/bin/true"});
  }

  Folder folder_;
  std::filesystem::path old_directory_;
  std::ostringstream out_;
  std::ostringstream err_;
};

struct WrongLine {
  const char* name;
  std::vector<std::string> args;
  const char* message;
};
void PrintTo(const WrongLine& w, std::ostream* os) { *os << w.name; }
class WrongCommand : public CommandLine, public ::testing::WithParamInterface<WrongLine> {};

TEST_P(WrongCommand, IsOneLineWithTheRemedyAndExitTwo) {
  EXPECT_EQ(run(GetParam().args), 2);
  EXPECT_EQ(err_.str(), std::string("warpvp: ") + GetParam().message + "\n");
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(seen.runs, 0);
}

const WrongLine kWrongLines[] = {
    {"Command",
     {"rum"},
     "unknown command 'rum'; did you mean 'run'?; allowed: run, experiment, serve, attach, cuda, report, "
     "predict, profile, calibrate, record, config, ptx, list, describe, version"},
    {"Option",
     {"run", "named", "--sett", "a=1"},
     "unknown option '--sett'; did you mean '--set'?; see 'warpvp run --help'"},
    {"NoAbbreviations",
     {"run", "named", "--qui"},
     "unknown option '--qui'; did you mean '--out'?; see 'warpvp run --help'"},
    {"CalibrateWhat",
     {"calibrate", "latency", "--platform", "small"},
     "calibrate knows no 'latency'; allowed: bandwidth"},
    {"CalibrateNothing", {"calibrate"}, "calibrate needs bandwidth; see 'warpvp calibrate --help'"},
    {"CalibrateNoPlatform",
     {"calibrate", "bandwidth"},
     "calibrate needs --platform NAME; see 'warpvp calibrate --help'"},
    {"CalibrateWriteAndSet",
     {"calibrate", "bandwidth", "--platform", "small", "--write", "w.yaml", "--set", "platform.sms=3"},
     "--write and --set exclude each other: the file extends the platform as it is"},
    {"CalibrateWriteOverItself",
     {"calibrate", "bandwidth", "--platform", "small", "--write", "configs/platforms/small.yaml"},
     "--write: configs/platforms/small.yaml is the platform itself"},
    {"NoFile", {"run"}, "run needs FILE; see 'warpvp run --help'"},
    {"TwoFiles", {"run", "named", "other"}, "unexpected argument 'other'; see 'warpvp run --help'"},
    {"OptionWithoutValue",
     {"run", "named", "--out"},
     "the required argument for option '--out' is missing; see 'warpvp run --help'"},
    {"SeedNotANumber",
     {"run", "named", "--seed", "x"},
     "--seed is 'x'; allowed: a whole number from 0 to 18446744073709551615"},
    {"SeedsOfOneRun",
     {"run", "named", "--seeds", "2"},
     "--seeds is for experiments, and this file is one run"},
    {"ShardOutside",
     {"experiment", "matrix", "--shard", "0/3"},
     "--shard is '0/3'; allowed: I/N, the I-th of N shares, as in 1/8 to 8/8"},
    {"ShardWithoutNumber",
     {"experiment", "matrix", "--shard", "2"},
     "--shard is '2'; allowed: I/N, the I-th of N shares, as in 1/8 to 8/8"},
    {"TwoModes",
     {"experiment", "matrix", "--worker", "--merge"},
     "--worker and --merge; allowed: one of --worker, --shard, --merge, --slurm"},
    {"TasksWithoutSlurm", {"experiment", "matrix", "--tasks", "3"}, "--tasks is for --slurm"},
    {"LimitOfSlurm",
     {"experiment", "matrix", "--slurm", "--wall-limit", "3"},
     "--wall-limit and --slurm; allowed: Slurm's own limit, as in --sbatch=--time=2:00:00"},
    {"NoLease",
     {"experiment", "matrix", "--lease", "0"},
     "--lease is '0'; allowed: a whole number from 1 to 86400"},
    {"WrongSeeds",
     {"experiment", "matrix", "--seeds", "few"},
     "--seeds: 'seeds' is 'few'; allowed: a list of seeds, or how many from 1 to 10000, which are then 1, 2, "
     "3 "
     "and so on"},
    {"JobsOfOneRun", {"run", "named", "--jobs", "2"}, "--jobs is for experiments, and this file is one run"},
    {"GdbWaitAlone", {"run", "named", "--gdb-wait"}, "--gdb-wait needs --gdb PORT"},
    {"GdbPort",
     {"run", "named", "--gdb", "65536"},
     "--gdb is '65536'; allowed: a whole number from 0 to 65535"},
    {"GdbPortNotANumber",
     {"run", "named", "--gdb", "x"},
     "--gdb is 'x'; allowed: a whole number from 0 to 65535"},
    {"GdbOfAnExperimentCommand",
     {"experiment", "named", "--gdb", "0"},
     "unknown option '--gdb'; see 'warpvp experiment --help'"},
    {"Set",
     {"run", "named", "--set", "platform.sm.wraps=1"},
     "--set platform.sm.wraps=1: unknown key 'wraps' in 'platform.sm'; nearest: 'warps'; allowed: warps, "
     "registers, trace, "
     "clock_mhz, offset, write_policy, latencies, chooser, l1"},
    {"ReportOfWhat", {"report"}, "report needs DIR; see 'warpvp report --help'"},
    {"ReportOfNothing",
     {"report", "nowhere"},
     "no folder nowhere; allowed: the output folder of a run or an experiment"},
    {"Describe",
     {"describe", "groupe"},
     "nothing called 'groupe' to describe; did you mean 'grouped'?; see 'warpvp list'"},
    {"DescribeFile",
     {"describe", "smal"},
     "nothing called 'smal' to describe; did you mean 'small'?; see 'warpvp list'"},
    {"PtxBlock",
     {"ptx", "k.ptx", "--platform", "small", "--block", "2000"},
     "--block is '2000'; allowed: X, X,Y or X,Y,Z, whole numbers from 1 on, 1024 threads at most"},
    {"PtxBlockShape",
     {"ptx", "k.ptx", "--platform", "small", "--block", "32,33"},
     "--block is '32,33'; allowed: X, X,Y or X,Y,Z, whole numbers from 1 on, 1024 threads at most"},
    {"PtxBlockEnd",
     {"ptx", "k.ptx", "--platform", "small", "--block", "32,"},
     "--block is '32,'; allowed: X, X,Y or X,Y,Z, whole numbers from 1 on, 1024 threads at most"},
};
INSTANTIATE_TEST_SUITE_P(CommandLine, WrongCommand, ::testing::ValuesIn(kWrongLines),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(CommandLine, RunHandsOverFileOverridesAndFolder) {
  EXPECT_EQ(run({"run", "named", "--set", "platform.sm.warps=4", "-s", "workload.params.n=12", "--seed", "7",
                 "--out", "here", "--quiet"}),
            0);
  EXPECT_EQ(seen.platform.sms, 1u);
  EXPECT_EQ(seen.platform.sm.warps, 4u);
  EXPECT_EQ(seen.run.seed, 7u);
  EXPECT_EQ(seen.request.out, "here");
  EXPECT_TRUE(seen.request.quiet);
  ASSERT_NE(seen.request.interrupted, nullptr);
  EXPECT_FALSE(*seen.request.interrupted);
}

TEST_F(CommandLine, AWorkloadIsRunOnANamedPlatform) {
  folder_.write("configs/workloads/adding.yaml", "app: add\nparams: {n: 5}\n");
  EXPECT_EQ(run({"run", "adding", "-p", "small", "--set", "workload.params.n=6"}), 0) << err_.str();
  EXPECT_EQ(seen.run.workload.app.name, "add");
  EXPECT_EQ(seen.platform.sm.warps, 16u);
  EXPECT_EQ(seen.request.out, "runs/adding");
  EXPECT_EQ(run({"run", "configs/workloads/adding.yaml"}), 0) << err_.str();
  EXPECT_EQ(seen.platform.sm.warps, 16u) << "small is the default";
  // A run file may be called like the workload it names.
  folder_.write("adding.yaml", "workload: adding\nseed: 3\n");
  EXPECT_EQ(run({"run", "adding.yaml"}), 0) << err_.str();
  EXPECT_EQ(seen.run.seed, 3u);
}

TEST_F(CommandLine, AMissingFileNamesTheKnownOnes) {
  EXPECT_EQ(run({"run", "name"}), 2);
  EXPECT_EQ(err_.str(),
            "warpvp: no file, workload or experiment is called 'name'; did you mean the experiment 'named'?; "
            "see 'warpvp list'\n");
}

TEST_F(CommandLine, RunHasADefaultFolderAndPassesTheStatusOn) {
  folder_.write("mine.yaml", "workload: {app: add}\nseed: 99\n");
  EXPECT_EQ(run({"run", "mine.yaml"}), 3);
  EXPECT_EQ(seen.request.out, "runs/mine");
  EXPECT_FALSE(seen.request.quiet);
}

TEST_F(CommandLine, RunOnAnExperimentIsAnExperiment) {
  folder_.write("e.yaml",
                "experiment: e\nbase: {workload: {app: add}}\nmatrix: {platform.sms: [1, 2]}\ntable: "
                "{values: [cache.hits]}\n");
  // The stand-in program, /bin/true, leaves no results.
  EXPECT_EQ(run({"run", "e.yaml", "--jobs", "1"}), 2);
  EXPECT_NE(err_.str().find("2 runs: 0 ran, 0 finished before, 2 failed, 0 not run\n"), std::string::npos)
      << err_.str();
  EXPECT_TRUE(folder_.has("runs/e/runs/sms-1/run.yaml"));
  EXPECT_TRUE(folder_.has("runs/e/report.md"));
}

TEST_F(CommandLine, GdbIsForOneRun) {
  EXPECT_EQ(run({"run", "named", "--gdb", "3333", "--gdb-wait"}), 0) << err_.str();
  ASSERT_TRUE(seen.request.debug);
  EXPECT_EQ(seen.request.debug->port, 3333u);
  EXPECT_TRUE(seen.request.debug->wait);
  EXPECT_EQ(run({"run", "named", "--gdb", "0"}), 0) << err_.str();
  ASSERT_TRUE(seen.request.debug);
  EXPECT_FALSE(seen.request.debug->wait);
  EXPECT_EQ(run({"run", "named"}), 0);
  EXPECT_FALSE(seen.request.debug);
  folder_.write("e.yaml",
                "experiment: e\nbase: {workload: {app: add}}\nmatrix: {platform.sms: [1, 2]}\ntable: "
                "{values: [cache.hits]}\n");
  EXPECT_EQ(run({"run", "e.yaml", "--gdb", "0"}), 2);
  EXPECT_EQ(
      err_.str(),
      "warpvp: --gdb is for a single run, and this file is an experiment; allowed: one of its run files\n");
}

TEST_F(CommandLine, AttachHandsOverTheWorkloadAndTheSocket) {
  EXPECT_EQ(run({"attach", "named", "--seed", "5", "--socket", "/tmp/gpu.sock"}), 0) << err_.str();
  EXPECT_EQ(seen.socket, "/tmp/gpu.sock");
  EXPECT_EQ(seen.run.seed, 5u);
  EXPECT_EQ(run({"attach", "named"}), 2);
  EXPECT_EQ(err_.str(), "warpvp: attach: no socket; write --socket PATH, where the device is served\n");
}

TEST_F(CommandLine, ConfigOfARunAndOfAPlatform) {
  EXPECT_EQ(run({"config", "named", "--set", "platform.sm.chooser=grouped"}), 0);
  EXPECT_NE(out_.str().find("    chooser:\n      name: grouped\n      group_size: 8\n"), std::string::npos)
      << out_.str();
  EXPECT_NE(out_.str().find("  app: add\n  params:\n    n: 1024\n"), std::string::npos);
  const std::string text = out_.str();
  folder_.write("again.yaml", text);
  EXPECT_EQ(run({"config", "again.yaml"}), 0);
  EXPECT_EQ(out_.str(), text);
  EXPECT_EQ(run({"config", "small"}), 0);
  EXPECT_EQ(out_.str().rfind("sms: 1\nsm:\n  warps: 16\n", 0), 0u) << out_.str();
  EXPECT_EQ(out_.str().find("workload"), std::string::npos);
  const std::string machine = out_.str();
  folder_.write("machine.yaml", machine);
  EXPECT_EQ(run({"config", "machine.yaml"}), 0);
  EXPECT_EQ(out_.str(), machine);
  folder_.write("mine.yaml", "extends: small\nsms: 6\n");
  EXPECT_EQ(run({"config", "mine.yaml"}), 0);
  EXPECT_EQ(out_.str().rfind("sms: 6\nsm:\n  warps: 16\n", 0), 0u) << out_.str();
}

TEST_F(CommandLine, PtxHandsOverItsOptions) {
  EXPECT_EQ(run({"ptx", "k.ptx", "--entry", "e", "--dot", "--platform", "small", "--block", "64", "--set",
                 "platform.sms=3"}),
            0);
  EXPECT_EQ(seen.ptx.file, "k.ptx");
  EXPECT_EQ(seen.ptx.entry, "e");
  EXPECT_TRUE(seen.ptx.dot);
  EXPECT_FALSE(seen.ptx.disassemble);
  EXPECT_EQ(seen.ptx.block, 64u);
  EXPECT_EQ(seen.ptx.platform_name, "small");
  EXPECT_EQ(seen.ptx.code, "");
  EXPECT_EQ(seen.platform.sms, 3u);
  EXPECT_EQ(seen.platform.sm.warps, 16u);
}

TEST_F(CommandLine, PtxRedundancy) {
  EXPECT_EQ(run({"ptx", "k.ptx", "--platform", "small"}), 0);
  EXPECT_FALSE(seen.ptx.redundancy);
  EXPECT_EQ(seen.ptx.block, 256u);
  EXPECT_EQ(seen.ptx.shape, (std::array<std::uint32_t, 3>{0, 0, 0})) << "unknown";
  EXPECT_EQ(run({"ptx", "k.ptx", "--platform", "small", "--redundancy", "--with-tid-y", "--block", "8,4,2"}),
            0);
  EXPECT_TRUE(seen.ptx.redundancy);
  EXPECT_TRUE(seen.ptx.by_xy);
  EXPECT_EQ(seen.ptx.block, 64u);
  EXPECT_EQ(seen.ptx.shape, (std::array<std::uint32_t, 3>{8, 4, 2}));
}

TEST_F(CommandLine, PtxCode) {
  EXPECT_EQ(run({"ptx", "k.ptx", "--platform", "small", "--code", "machine"}), 0);
  EXPECT_EQ(seen.ptx.code, "machine");
  EXPECT_EQ(run({"ptx", "k.ptx", "--platform", "small", "--code", "sass"}), 2);
  EXPECT_NE(err_.str().find("--code is 'sass'; allowed: ptx, machine"), std::string::npos) << err_.str();
}

TEST_F(CommandLine, PredictHandsOverPoliciesAndOptions) {
  EXPECT_EQ(run({"predict", "named", "--policies", "lrr,{name: select, mode: strict},gtlo", "--traces",
                 "t.txt", "--set", "platform.sms=3", "--seed", "5"}),
            0);
  EXPECT_EQ(seen.predict.policies, (std::vector<std::string>{"lrr", "{name: select, mode: strict}", "gtlo"}));
  EXPECT_EQ(seen.predict.traces, "t.txt");
  EXPECT_EQ(seen.predict.out, std::filesystem::path("runs/predict_named"));
  EXPECT_EQ(seen.platform.sms, 3u);
  EXPECT_EQ(seen.run.seed, 5u);
  EXPECT_EQ(run({"predict", "named", "--save-traces", "mine.txt", "--out", "here", "-q"}), 0);
  EXPECT_EQ(seen.predict.policies, (std::vector<std::string>{"lrr", "gtlrr", "gtlo"}));
  EXPECT_EQ(seen.predict.save_traces, "mine.txt");
  EXPECT_EQ(seen.predict.out, "here");
  EXPECT_TRUE(seen.predict.quiet);
}

TEST_F(CommandLine, CalibrateHandsOverThePlatformAndTheFile) {
  EXPECT_EQ(run({"calibrate", "bandwidth", "-p", "small", "--set", "platform.sms=3"}), 0);
  EXPECT_EQ(seen.platform.sms, 3u);
  EXPECT_EQ(seen.calibration.platform, "small");
  EXPECT_TRUE(seen.calibration.write.empty());
  EXPECT_EQ(run({"calibrate", "bandwidth", "-p", "small", "-w", "there/w.yaml"}), 0);
  EXPECT_EQ(seen.calibration.write, std::filesystem::path("there/w.yaml"));
  EXPECT_EQ(seen.calibration.extends, "small");
  // A file without a name in configs/ is named as seen from the file that is written.
  folder_.write("own.yaml", "sms: 2\n");
  EXPECT_EQ(run({"calibrate", "bandwidth", "-p", "own.yaml", "-w", "there/w.yaml"}), 0);
  EXPECT_EQ(seen.calibration.extends, "../own.yaml");
  EXPECT_EQ(run({"calibrate", "bandwidth", "-p", "smal"}), 2);
  EXPECT_NE(err_.str().find("small"), std::string::npos) << err_.str();
}

TEST_F(CommandLine, ProfileHandsOverFilesAndCommand) {
  EXPECT_EQ(run({"profile", "named", "--set", "platform.sms=3", "--seed", "5"}), 0);
  EXPECT_EQ(seen.profile.runs, std::filesystem::path("runs/profile_named"));
  EXPECT_EQ(seen.profile.profiles, std::filesystem::path("runs/profile_named/profiles.yaml"));
  EXPECT_EQ(seen.profile.command, "warpvp profile named --set platform.sms=3 --seed 5");
  RunConfig read;
  sample::PlatformConfig platform;
  seen.profile.file.read(read, [&](FieldVisitor& v) { platform.fields(v); });
  EXPECT_EQ(platform.sms, 3u);
  EXPECT_EQ(read.seed, 5u);
  EXPECT_EQ(run({"profile", "named", "-o", "mine.yaml", "--runs", "there", "-q"}), 0);
  EXPECT_EQ(seen.profile.runs, std::filesystem::path("there"));
  EXPECT_EQ(seen.profile.profiles, std::filesystem::path("mine.yaml"));
  EXPECT_TRUE(seen.profile.quiet);
  EXPECT_EQ(run({"profile", "matrix"}), 2);
  EXPECT_NE(err_.str().find("is an experiment; profile takes a run file or a workload"), std::string::npos);
}

TEST_F(CommandLine, RecordRunsWithTheRecorderOn) {
  EXPECT_EQ(run({"record", "named", "--set", "platform.sms=3", "--seed", "5", "-q"}), 0);
  EXPECT_EQ(seen.request.out, std::filesystem::path("runs/record_named"));
  EXPECT_TRUE(seen.run.output.applications);
  EXPECT_TRUE(seen.request.quiet);
  EXPECT_EQ(seen.platform.sms, 3u);
  EXPECT_EQ(seen.run.seed, 5u);
  EXPECT_EQ(run({"record", "named", "--runs", "there"}), 0);
  EXPECT_EQ(seen.request.out, std::filesystem::path("there"));
  EXPECT_EQ(run({"record", "matrix"}), 2);
}

TEST_F(CommandLine, ListAndDescribe) {
  EXPECT_EQ(run({"list", "policies"}), 0);
  EXPECT_EQ(out_.str(),
            "chooser\n------------------------------\nfirst    Takes the first.\ngrouped  Takes groups in "
            "turn.\n\n");
  EXPECT_EQ(run({"list", "apps"}), 0);
  EXPECT_NE(out_.str().find("add  Adds two vectors.\n"), std::string::npos);
  EXPECT_EQ(run({"list", "platforms"}), 0);
  EXPECT_NE(out_.str().find("A small machine.\n"), std::string::npos);
  EXPECT_EQ(run({"list"}), 0);
  EXPECT_NE(out_.str().find("By name."), std::string::npos);
  EXPECT_EQ(run({"list", "platform"}), 2);
  EXPECT_NE(err_.str().find("did you mean 'platforms'?"), std::string::npos);
  EXPECT_EQ(run({"describe", "grouped"}), 0);
  EXPECT_NE(
      out_.str().find("| `group_size` | `8` | warps | a whole number from 1 to 32 | Warps of a group. |"),
      std::string::npos);
  EXPECT_NE(out_.str().find("Kind: chooser."), std::string::npos);
  EXPECT_EQ(run({"describe", "platform"}), 0);
  EXPECT_NE(out_.str().find("## `sm.l1`"), std::string::npos);
  EXPECT_EQ(run({"describe", "chooser"}), 0);
  EXPECT_NE(out_.str().find("# `first`"), std::string::npos);
  EXPECT_EQ(run({"describe", "--markdown"}), 0);
  EXPECT_EQ(out_.str(), configuration_reference());
  for (const char* part :
       {"# Configuration reference\n", "## Run file\n", "## Platform\n", "### chooser\n", "#### `grouped`\n"})
    EXPECT_NE(out_.str().find(part), std::string::npos) << part;
}

TEST_F(CommandLine, DescribeAResultOrAKeyOfIt) {
  const auto described = [&](const char* key) {
    EXPECT_EQ(run({"describe", "result", key}), 0) << key << ": " << err_.str();
    return out_.str();
  };
  const std::string hits = "# `kernels.cache.hits`\n\nUnit: requests\n\nFound there.\n\n";
  for (const char* key :
       {"kernels.cache.hits", "kernels.0.cache.hits", "kernels[name=a.b].cache.hits", "kernels.*.cache.hits"})
    EXPECT_EQ(described(key), hits) << key;
  EXPECT_EQ(described("hits"), hits + "# `cache.hits`\n\nUnit: requests\n\nFound there.\n\n");
  EXPECT_EQ(described("cache.sectors"),
            "# `cache.sectors`\n\nUnit: sectors\n\nFetched. Only with sectors.\n\n");
  EXPECT_EQ(described("shares.crossbar"), "# `shares.PART`\n\nUnit: share\n\nIts share.\n\n");
  EXPECT_EQ(
      described("kernels"),
      "# `kernels`\n\nEach kernel.\n\n| key | unit | meaning |\n|---|---|---|\n"
      "| `cache` | group | The cache for it. |\n\n"
      "# `kernels.cache`\n\nThe cache for it.\n\n| key | unit | meaning |\n|---|---|---|\n"
      "| `hits` | requests | Found there. |\n| `sectors` | sectors | Fetched. Only with sectors. |\n\n");
  EXPECT_EQ(run({"describe", "result"}), 0);
  EXPECT_EQ(out_.str().find("| key | unit | meaning |\n|---|---|---|\n"
                            "| `message` | text | Why it ended so. |\n"
                            "| `kernels` | list | Each kernel. |\n"),
            0u);
  EXPECT_EQ(run({"describe", "result", "--markdown"}), 0);
  EXPECT_EQ(out_.str(), statistics_reference());
  EXPECT_EQ(run({"describe", "result", "kernels.cache.hit"}), 2);
  EXPECT_EQ(err_.str(),
            "warpvp: result.json has no key 'kernels.cache.hit'; did you mean 'kernels.cache.hits'?; see "
            "'warpvp describe result'\n");
  EXPECT_EQ(run({"describe", "result", "hist"}), 2);
  EXPECT_NE(err_.str().find("did you mean 'hits'?"), std::string::npos) << err_.str();
  EXPECT_EQ(run({"describe", "named", "hits"}), 2);
  EXPECT_NE(err_.str().find("unexpected argument 'hits'; only 'result' takes a second one, a key"),
            std::string::npos);
  EXPECT_EQ(run({"describe", "result", "hits", "misses"}), 2);
  EXPECT_EQ(run({"describe", "--help"}), 0);
  EXPECT_NE(out_.str().find("warpvp describe result\n"), std::string::npos);
}

TEST_F(CommandLine, DescribeAFileByItsHeadCommentAndMainSettings) {
  folder_.write("configs/platforms/small.yaml",
                "# A small machine.\n#\n#   [1] a source\nsms: 3\n# not this\n");
  EXPECT_EQ(run({"describe", "small"}), 0) << err_.str();
  EXPECT_EQ(out_.str(),
            "# `small`\n\nA platform of configs/platforms.\n\nA small machine.\n\n  [1] a source\n\n"
            "SMs               3\n\nEvery setting: warpvp config small\n\n");
  EXPECT_EQ(run({"describe", "named"}), 0) << err_.str();
  EXPECT_EQ(
      out_.str(),
      "# `named`\n\nA run of configs/experiments.\n\nBy name.\n\nplatform: small\nworkload:\n  app: add\n\n");
  folder_.write("configs/workloads/adds.yaml", "# Adds.\napp: add\nparams: {n: 3}\n");
  EXPECT_EQ(run({"describe", "adds"}), 0) << err_.str();
  EXPECT_EQ(out_.str(),
            "# `adds`\n\nA workload of configs/workloads.\n\nAdds.\n\napp: add\nparams:\n  n: 3\n\n");
  folder_.write("configs/experiments/many.yaml",
                "# Many.\nexperiment: many\nbase: {platform: small, workload: {app: add}}\n"
                "matrix:\n  sms: {setting: platform.sms, values: [1, 2]}\n"
                "  warps: {setting: platform.sm.warps, values: [4, 8, 16]}\n"
                "table: {rows: sms, across: warps, values: [{key: simulation.cycles, title: cycles}]}\n");
  EXPECT_EQ(run({"describe", "many"}), 0) << err_.str();
  EXPECT_EQ(
      out_.str(),
      "# `many`\n\nAn experiment of configs/experiments.\n\nMany.\n\nbase:\n  platform: small\n  workload:\n"
      "    app: add\n\n6 runs:\n  sms             1, 2\n  warps           4, 8, 16\n\ntables:\n  cycles\n\n");
}

TEST_F(CommandLine, HelpAndVersion) {
  EXPECT_EQ(run({}), 2);
  EXPECT_NE(err_.str().find("usage: warpvp COMMAND"), std::string::npos);
  EXPECT_EQ(run({"--help"}), 0);
  for (const char* command : {"run", "experiment", "config", "ptx", "list", "describe", "version"}) {
    EXPECT_NE(out_.str().find(command), std::string::npos);
  }
  for (const char* command : {"run", "experiment", "config", "ptx", "list", "describe"}) {
    std::ostringstream out;
    EXPECT_EQ(run_command_line({command, "--help"}, Console{&out, &err_, false, ""}), 0);
    EXPECT_EQ(out.str().rfind(std::string("usage: warpvp ") + command, 0), 0u);
    EXPECT_NE(out.str().find("Examples:\n  warpvp " + std::string(command)), std::string::npos) << command;
  }
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_EQ(out_.str().find(std::string("warpvp ") + version() + "\ncommit "), 0u) << out_.str();
}

TEST(MessageText, IsBoundedAndOneLine) {
  const std::string x80(80, 'x');
  EXPECT_EQ(message_text("a.yaml:1:2: 'n' is '" + x80 + "'; allowed: 1"),
            "a.yaml:1:2: 'n' is '" + x80 + "'; allowed: 1");
  EXPECT_EQ(message_text("'n' is '" + x80 + "y'; allowed: 1"), "'n' is '" + x80 + "...'; allowed: 1");
  EXPECT_EQ(
      message_text("Slurm's own limit, which isn't a quotation's begin however long the text goes on, and "
                   "on, and on"),
      "Slurm's own limit, which isn't a quotation's begin however long the text goes on, and on, and on");
  EXPECT_EQ(message_text("a\nb\x1b[1m\x7f\xff\xc3"), "a?b?[1m???");
  EXPECT_EQ(message_text("'\xc3\xa9'"), "'\xc3\xa9'");
  std::string letters;
  for (int i = 0; i < 81; ++i) letters += "\xc3\xa9";
  EXPECT_EQ(message_text("'" + letters + "'"), "'" + letters.substr(0, 160) + "...'")
      << "no character is cut";
  EXPECT_EQ(message_text(std::string(5'000'000, 'w') + " end"), std::string(80, 'w') + "... end");
  const std::string path = "/tmp/" + std::string(200, 'p');
  EXPECT_EQ(message_text("cannot read " + path), "cannot read " + path);
  std::string words;
  for (int i = 0; i < 1'000'000; ++i) words += "w ";
  EXPECT_LT(message_text(words).size(), 9000u);
}

}  // namespace
}  // namespace warpvp
