// Whole experiments with a small script in the simulator's place.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/end_guard.h"
#include "base/sanitizers.h"
#include "platform/results/json_stats.h"
#include "platform/results/result_checksum.h"
#include "platform/results/result_writer.h"
#include "study/experiment/child_process.h"
#include "study/experiment/experiment_runner.h"
#include "tests/config/folder.h"
#include "tests/config/sample_config.h"

namespace warpvp {
namespace {

// "Simulates" 10 n cycles, 5 n with the grouped chooser. n = 3 faults; n = 4 waits for an interrupt; n = 5
// leaves no result; n = 6 is killed.
const char* const kScript = R"(
file=$1; out=$3
echo "$file" >> "$(dirname "$0")/started"
n=$(sed -n 's/^ *n: //p' "$file")
case $n in
  3) echo "some chatter" >&2; echo "warpvp: the device faulted" >&2; echo "  warp 3 waits" >&2; exit 3;;
  4) trap 'exit 130' INT; while :; do sleep 0.02; done;;
  5) exit 0;;
  6) kill -9 $$;;
esac
if grep -q grouped "$file"; then factor=5; else factor=10; fi
printf 'cycle,dram.read_bytes\n400,%s\n800,9\n' "$n" > "$out/intervals.csv"
echo "{\"exit_code\": 0, \"simulation\": {\"cycles\": $((n * factor))}}" > "$out/result.json"
)";

/// Counts on being told when a run is finished.
class Watcher : public std::stringbuf {
 public:
  std::function<void()> on_line;
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    if (on_line && std::string(text, static_cast<std::size_t>(count)).find('\n') != std::string::npos)
      on_line();
    return std::stringbuf::xsputn(text, count);
  }
};

class Runner : public ::testing::Test {
 protected:
  Runner() : search_({folder_ / "configs"}) {
    script_ = folder_.write("child.sh", kScript);
    request_.file = folder_ / "experiment.yaml";
    request_.out = folder_ / "out";
    request_.jobs = 2;
    request_.search = search_;
    request_.platform = [](FieldVisitor& v) {
      sample::PlatformConfig platform;
      platform.fields(v);
    };
    request_.program = {"/bin/sh", script_.string()};
    request_.more_inputs = {script_};
    request_.interrupted = &interrupted_;
    request_.output = &output_;
    request_.progress = &progress_;
  }

  ExperimentOutcome run(const std::string& values, const std::string& more = "") {
    folder_.write("experiment.yaml",
                  "experiment: demo\ndescription: A demonstration.\nbase: {workload: {app: add}}\nmatrix:\n"
                  "  workload.params.n: [" +
                      values +
                      "]\n  chooser: {setting: platform.sm.chooser, values: [first, grouped]}\n"
                      "table: {across: chooser, values: [simulation.cycles], foot: mean}\n" +
                      more);
    output_.str("");
    buffer_.str("");
    return run_experiment(request_);
  }

  Folder folder_;
  ConfigSearch search_;
  std::filesystem::path script_;
  std::atomic<bool> interrupted_{false};
  std::ostringstream output_;
  Watcher buffer_;
  std::ostream progress_{&buffer_};
  ExperimentRequest request_;
};

TEST_F(Runner, RunsTheMatrixAndPrintsTheTable) {
  const ExperimentOutcome outcome = run("1, 2");
  EXPECT_EQ(outcome.exit_code, ExitCode::kOk);
  EXPECT_EQ(outcome.ran, 4u);
  EXPECT_EQ(output_.str(),
            "A demonstration.\n\n"
            "n      first  grouped\n"
            "---------------------\n"
            "1         10        5\n"
            "2         20       10\n"
            "---------------------\n"
            "mean  15.000    7.500\n");
  EXPECT_EQ(folder_.read("out/table.csv"), "n,first,grouped\n1,10,5\n2,20,10\nmean,15.000,7.500\n");
  EXPECT_NE(folder_.read("out/report.md").find("| 2 | 20 | 10 |"), std::string::npos);
  EXPECT_NE(folder_.read("out/report.html").find("\"caption\":\"Table 1\""), std::string::npos);
  EXPECT_TRUE(folder_.has("out/report.json"));
  EXPECT_TRUE(folder_.has("out/results.db"));
  EXPECT_NE(folder_.read("out/runs/n-2_chooser-grouped/run.yaml").find("name: grouped\n      group_size: 8"),
            std::string::npos);
}

TEST_F(Runner, ShowsTheIntervalsOfARun) {
  folder_.write("experiment.yaml",
                "experiment: demo\nbase: {workload: {app: add}}\nmatrix: {workload.params.n: [7]}\ntable:\n"
                "  each: {list: intervals, label: each.cycle, title: cycle, until: 500}\n"
                "  values: [{key: each.dram.read_bytes, title: bytes}]\n");
  for (const std::size_t ran : {1u, 0u}) {  // also those of a run that was there before
    output_.str("");
    EXPECT_EQ(run_experiment(request_).ran, ran);
    EXPECT_EQ(folder_.read("out/table.csv"), "cycle,bytes\n400,7.000\n") << output_.str();
  }
}

TEST_F(Runner, FinishedRunsAreNotRunAgain) {
  run("1, 2");
  const std::string table = output_.str();
  ExperimentOutcome outcome = run("1, 2");
  EXPECT_EQ(outcome.ran, 0u);
  EXPECT_EQ(outcome.reused, 4u);
  EXPECT_EQ(output_.str(), table);
  outcome = run("1, 2, 7");  // only the new value
  EXPECT_EQ(outcome.ran, 2u);
  EXPECT_EQ(outcome.reused, 4u);
  std::filesystem::remove(folder_ / "out/runs/n-1_chooser-first/result.json");
  outcome = run("1, 2, 7");
  EXPECT_EQ(outcome.ran, 1u);
}

TEST_F(Runner, AResultOfAnotherShapeIsRunAgain) {
  run("1, 2");
  for (const char* wrong :
       {"[]", "7", "{\"exit_code\": \"0\"}", "{\"exit_code\": 0, \"simulation\": 3}", "{", ""}) {
    folder_.write("out/runs/n-1_chooser-first/result.json", wrong);
    const ExperimentOutcome outcome = run("1, 2");
    EXPECT_EQ(outcome.exit_code, ExitCode::kOk) << wrong;
    EXPECT_EQ(outcome.ran, 1u) << wrong;
  }
}

TEST_F(Runner, AChangedResultIsNotedAndRunAgain) {
  run("1, 2");
  const std::string table = output_.str();
  const std::string result = "out/runs/n-1_chooser-first/result.json";
  const std::string good = folder_.read(result);
  std::string digit = good;
  digit.replace(digit.find("10"), 2, "11");
  for (const std::string& wrong :
       {digit, folder_.read("out/runs/n-2_chooser-first/result.json"), std::string(),
        good.substr(0, good.size() / 2), std::string("\0\xff\x01", 3)}) {
    folder_.write(result, wrong);
    const ExperimentOutcome outcome = run("1, 2");
    EXPECT_EQ(outcome.exit_code, ExitCode::kOk) << wrong;
    EXPECT_EQ(outcome.ran, 1u) << wrong;
    EXPECT_EQ(outcome.reused, 3u) << wrong;
    EXPECT_EQ(outcome.changed, 1u) << wrong;
    EXPECT_NE(
        buffer_.str().find("n-1_chooser-first: result.json was changed since it was written: run again\n"),
        std::string::npos)
        << buffer_.str();
    EXPECT_EQ(output_.str(), table) << wrong;
    EXPECT_EQ(folder_.read(result), good) << wrong;
  }
  EXPECT_EQ(run("1, 2").changed, 0u);

  // Nothing is run again to merge; the table says what is missing.
  folder_.write(result, digit);
  request_.part = ExperimentPart::kMerge;
  const ExperimentOutcome merged = run("1, 2");
  EXPECT_EQ(merged.exit_code, ExitCode::kInterrupted);
  EXPECT_EQ(merged.changed, 1u);
  EXPECT_NE(output_.str().find("result.json was changed since it was written"), std::string::npos);
  // A worker does it again, as does one of a shard.
  request_.part = ExperimentPart::kWorker;
  EXPECT_EQ(run("1, 2").ran, 1u);
  EXPECT_EQ(folder_.read(result), good);
}

/// Who reads the tables has stopped reading, as of a full pipe. `then`: what happens there.
class Blocked : public std::streambuf {
 public:
  explicit Blocked(std::function<void()> then) : then_(std::move(then)) {}

 private:
  int overflow(int) override { block(); }
  std::streamsize xsputn(const char*, std::streamsize) override { block(); }
  [[noreturn]] void block() {
    then_();
    for (;;) pause();
  }
  std::function<void()> then_;
};

#if !WARPVP_HAS_TSAN
TEST_F(Runner, TheLimitAndASignalHoldWhileItsTablesAreWritten) {
  run("1, 2");
  // The limit begins, and the signal comes, while the tables are written, however long what is before takes.
  const auto write = [&](bool by_signal) {
    EndGuard& guard = EndGuard::of_process();
    Blocked blocked([&] {
      if (by_signal) {
        interrupted_ = true;
      } else {
        guard.set_limit(0.05);
      }
    });
    std::ostream output(&blocked);
    guard.start(interrupted_);
    request_.output = &output;
    run("1, 2");
  };
  EXPECT_EXIT(write(false), testing::ExitedWithCode(124),
              "warpvp: the wall-clock limit of 0.05 s is reached while writing the tables of demo");
  EXPECT_EXIT(write(true), testing::ExitedWithCode(130),
              "warpvp: interrupted while writing the tables of demo");
}
#endif

TEST_F(Runner, AResultForWhichNothingVouchesIsRunAgain) {
  run("1, 2");
  // No checksum of its own, and nobody knows what the run has left.
  std::filesystem::remove(folder_ / "out/runs/n-1_chooser-first/result.digest");
  const ExperimentOutcome outcome = run("1, 2");
  EXPECT_EQ(outcome.ran, 1u);
  EXPECT_EQ(outcome.reused, 3u);
  EXPECT_EQ(outcome.changed, 1u);
  // One of its own is enough.
  const std::string result = "out/runs/n-2_chooser-first/result.json";
  std::filesystem::remove(folder_ / "out/runs/n-2_chooser-first/result.digest");
  nlohmann::ordered_json whole = nlohmann::ordered_json::parse(folder_.read(result));
  whole["provenance"] = {{"date", "today"}, {"checksum", kNoChecksum}};
  folder_.write(result, result_text(whole));
  EXPECT_EQ(run("1, 2").reused, 4u);
  EXPECT_EQ(run("1, 2").changed, 0u);
}

TEST_F(Runner, WhateverLiesInARunsFolderTheOthersFinish) {
  namespace fs = std::filesystem;
  const std::string folder = "out/runs/n-1_chooser-first";
  struct Damage {
    const char* what;
    std::function<void()> make;
    bool mended;  ///< the run is done anew; else it is reported
  };
  const auto directory_at = [&](const std::string& name, bool filled) {
    fs::remove(folder_ / name);
    fs::create_directory(folder_ / name);
    if (filled) folder_.write(name + "/x", "x");
  };
  const std::vector<Damage> damages = {
      {"the run's folder is a file",
       [&] {
         fs::remove_all(folder_ / folder);
         folder_.write(folder, "x");
       },
       false},
      {"result.json is an empty folder", [&] { directory_at(folder + "/result.json", false); }, true},
      {"result.json is a folder", [&] { directory_at(folder + "/result.json", true); }, false},
      {"result.json is a FIFO",
       [&] {
         fs::remove(folder_ / folder / "result.json");
         mkfifo((folder_ / folder / "result.json").c_str(), 0600);
       },
       true},
      {"run.yaml is damaged", [&] { folder_.write(folder + "/run.yaml", "\xff\x00"); }, true},
      {"run.yaml is a folder", [&] { directory_at(folder + "/run.yaml", true); }, false},
      {"failure.json is damaged",
       [&] {
         folder_.write(folder + "/failure.json", "{\"exit_code\": \"3");
         fs::remove(folder_ / folder / "result.json");
       },
       true},
      {"failure.json is of another shape",
       [&] {
         folder_.write(folder + "/failure.json", "{\"exit_code\": 3, \"message\": [1], \"attempt\": {}}");
         fs::remove(folder_ / folder / "result.json");
       },
       true}};
  for (const Damage& damage : damages) {
    fs::remove_all(folder_ / "out");
    run("1, 2");
    damage.make();
    const ExperimentOutcome outcome = run("1, 2, 7");
    EXPECT_EQ(outcome.ran, 3u) << damage.what;
    EXPECT_EQ(outcome.reused, 3u) << damage.what;
    EXPECT_EQ(outcome.failed, damage.mended ? 0u : 1u) << damage.what << buffer_.str();
    EXPECT_EQ(outcome.exit_code, damage.mended ? ExitCode::kOk : ExitCode::kBadInput) << damage.what;
    EXPECT_NE(output_.str().find(" 70       35"), std::string::npos) << damage.what << output_.str();
  }
}

TEST_F(Runner, FilesInTheWayOfItsTablesAreReportedAfterThem) {
  namespace fs = std::filesystem;
  for (const char* name : {"results.db", "table.csv", "report.md", "report.json"}) {
    fs::remove_all(folder_ / "out");
    folder_.write(std::string("out/") + name, "garbage");
    EXPECT_EQ(run("1, 2").exit_code, ExitCode::kOk) << name << " is garbage";
    fs::remove_all(folder_ / "out" / name);
    folder_.write(std::string("out/") + name + "/x", "");
    EXPECT_THROW(run("1, 2"), InputError) << name << " is a folder";
    EXPECT_NE(output_.str().find("2         20       10"), std::string::npos) << name << output_.str();
  }
}

TEST_F(Runner, AnotherSettingOrInputRunsAgain) {
  run("1, 2");
  request_.overrides = {"seed=2"};
  EXPECT_EQ(run("1, 2").ran, 4u);
  folder_.write("child.sh", std::string(kScript) + "# changed\n");
  EXPECT_EQ(run("1, 2").ran, 4u);
  EXPECT_EQ(run("1, 2").ran, 0u);
}

TEST_F(Runner, AnotherInputThatThePlatformNamesRunsAgain) {
  const std::filesystem::path firmware = folder_.write("firmware", "one");
  request_.platform_inputs = [&](const Setting& resolved) {
    // Of the runs with one of the two settings only.
    const bool named = resolved.find("platform")->find("sm")->find("chooser")->text == "first";
    return named ? std::vector<std::filesystem::path>{firmware} : std::vector<std::filesystem::path>{};
  };
  EXPECT_EQ(run("1, 2").ran, 4u);
  EXPECT_EQ(run("1, 2").ran, 0u);
  folder_.write("firmware", "another");
  EXPECT_EQ(run("1, 2").ran, 2u);
}

TEST_F(Runner, TheMatrixWinsOverTheCommandLine) {
  request_.overrides = {"workload.params.n=9", "platform.sms=5"};
  EXPECT_EQ(run("1").exit_code, ExitCode::kOk);
  const std::string yaml = folder_.read("out/runs/n-1_chooser-first/run.yaml");
  EXPECT_NE(yaml.find("n: 1\n"), std::string::npos);
  EXPECT_NE(yaml.find("sms: 5\n"), std::string::npos);
}

TEST_F(Runner, SeedsAreRunsAndMayComeFromTheCommandLine) {
  request_.seeds = parse_override("seeds=2", ".").value;
  const std::string page = "page: {file: docs/p.md, title: T, blocks: [{text: x}]}\n";
  EXPECT_EQ(run("1", page).ran, 4u);
  EXPECT_NE(folder_.read("out/runs/n-1_chooser-first_seed-2/run.yaml").find("seed: 2\n"), std::string::npos);
  EXPECT_NE(output_.str().find("10.000 ± 0.000"), std::string::npos) << output_.str();
  EXPECT_FALSE(folder_.has("docs/p.md")) << "not the experiment's own seeds";
  request_.overrides = {"seed=5"};
  try {
    run("1");
    ADD_FAILURE() << "accepted";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("experiment 'demo' has 'seeds'"), std::string::npos) << e.what();
  }
}

TEST_F(Runner, FailuresAreNamedAndTheRestGoesOn) {
  const ExperimentOutcome outcome = run("3, 1");
  EXPECT_EQ(outcome.exit_code, ExitCode::kDeviceFault);
  EXPECT_EQ(outcome.failed, 2u);
  EXPECT_NE(buffer_.str().find("failed: n-3_chooser-first: the device faulted\n"), std::string::npos)
      << buffer_.str();
  EXPECT_NE(output_.str().find("3         -        -\n1        10        5\n"), std::string::npos)
      << output_.str();
  EXPECT_NE(output_.str().find("- n-3_chooser-first (exit status 3): the device faulted\n"),
            std::string::npos);
  EXPECT_EQ(run("3, 1").ran, 2u) << "failed runs are tried again";
}

TEST_F(Runner, ManyFailuresAreCutShortOnTheTerminal) {
  folder_.write("child.sh", "echo no >&2; exit 1\n");
  EXPECT_EQ(run("1, 2, 3, 4, 5, 6").exit_code, ExitCode::kResultDiffers);
  EXPECT_NE(output_.str().find("- n-5_chooser-grouped (exit status 1): no\nand 2 more, in "),
            std::string::npos)
      << output_.str();
  EXPECT_NE(folder_.read("out/report.md").find("- n-6_chooser-grouped (exit status 1): no\n"),
            std::string::npos);
}

TEST_F(Runner, ALostResultAndADeadChildAreFailures) {
  EXPECT_EQ(run("5").exit_code, ExitCode::kBadInput);
  EXPECT_NE(buffer_.str().find("no readable result.json"), std::string::npos);
  EXPECT_EQ(run("6").exit_code, ExitCode::kDeviceFault);
  EXPECT_NE(buffer_.str().find("ended by signal 9"), std::string::npos);
}

TEST_F(Runner, WrongSettingsStopBeforeAnythingRuns) {
  EXPECT_THROW(run("1, 0"), InputError);
  EXPECT_FALSE(folder_.has("out"));
  EXPECT_FALSE(folder_.has("started"));
}

TEST_F(Runner, ThePageIsWrittenWhereTheExperimentSaysAndIsTheSameAgain) {
  folder_.write("configs/experiments/part.yaml",
                "experiment: part\nbase: {workload: {app: add, params: {n: 2}}}\n"
                "table: {name: t, values: [simulation.cycles]}\n");
  folder_.write(
      "study.yaml",
      "experiment: study\nexperiments: [part]\nbase: {workload: {app: add}}\n"
      "matrix: {n: {setting: workload.params.n, values: [1, 7]}}\n"
      "table: {name: own, values: [{key: simulation.cycles, title: cycles}]}\n"
      "page:\n  file: docs/p.md\n  title: T\n  blocks: [{text: '{{own/7/cycles}}'}, {table: part.t}, "
      "{plot: own}]\n");
  request_.file = folder_ / "study.yaml";
  const ExperimentOutcome outcome = run_experiment(request_);
  EXPECT_EQ(outcome.exit_code, ExitCode::kOk);
  EXPECT_EQ(outcome.ran, 3u);
  EXPECT_TRUE(folder_.has("out/part/runs/run/result.json"));
  EXPECT_TRUE(folder_.has("out/runs/n-7/result.json"));
  const std::string page = folder_.read("docs/p.md");
  EXPECT_NE(page.find("\n70\n"), std::string::npos) << page;
  EXPECT_NE(page.find("| part | 20 |"), std::string::npos) << page;
  const std::string svg = folder_.read("docs/p-own.svg");
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(output_.str().find("\npage: " + (folder_ / "docs/p.md").string() + "\n"), std::string::npos)
      << output_.str();
  std::filesystem::remove_all(folder_ / "out");
  std::filesystem::remove_all(folder_ / "docs");
  run_experiment(request_);
  EXPECT_EQ(folder_.read("docs/p.md"), page);
  EXPECT_EQ(folder_.read("docs/p-own.svg"), svg);
}

TEST_F(Runner, ThePageOfOtherSettingsOrOfFailuresStaysAmongTheResults) {
  const std::string more = "page: {file: docs/p.md, title: T, blocks: [{text: x}]}\n";
  request_.overrides = {"seed=2"};
  run("1", more);
  EXPECT_FALSE(folder_.has("docs/p.md"));
  EXPECT_TRUE(folder_.has("out/p.md"));
  request_.overrides.clear();
  run("1, 3", more);
  EXPECT_FALSE(folder_.has("docs/p.md"));
  run("1, 2", more);
  EXPECT_TRUE(folder_.has("docs/p.md"));
}

TEST_F(Runner, AWrongPageStopsBeforeAnythingRuns) {
  EXPECT_THROW(run("1", "page: {file: p.md, title: T, blocks: [{text: '{{t/1/first}}'}]}\n"), InputError);
  EXPECT_FALSE(folder_.has("started"));
}

TEST_F(Runner, InterruptEndsChildrenAndKeepsWhatIsFinished) {
  // Two at a time: n = 4 waits while the first n = 1 finishes, which interrupts.
  const char* const without = "exclude: [{workload.params.n: 4, chooser: grouped}]\n";
  buffer_.on_line = [&] { interrupted_ = true; };
  const ExperimentOutcome outcome = run("4, 1", without);
  EXPECT_EQ(outcome.exit_code, ExitCode::kInterrupted);
  EXPECT_EQ(outcome.ran, 2u);
  EXPECT_TRUE(folder_.has("out/runs/n-1_chooser-first/result.json"));
  EXPECT_FALSE(folder_.has("out/runs/n-4_chooser-first/result.json"));
  EXPECT_NE(output_.str().find("- n-1_chooser-grouped (exit status 130): not run: interrupted\n"),
            std::string::npos);
  EXPECT_TRUE(folder_.has("out/report.md"));
  interrupted_ = false;
  buffer_.on_line = nullptr;
  const ExperimentOutcome again = run("1");
  EXPECT_EQ(again.reused, 1u);
  EXPECT_EQ(again.ran, 1u);
}

TEST_F(Runner, ATerminalGetsOneLineThatIsWrittenOver) {
  request_.progress_is_terminal = true;
  run("1, 3");
  const std::string text = buffer_.str();
  EXPECT_NE(text.find("\r\033[K[4/4] 0 running, 2 failed, "), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 4), "\r\033[K") << "the line is cleared at the end";
  request_.quiet = true;
  std::filesystem::remove_all(folder_ / "out");
  run("1");
  EXPECT_EQ(buffer_.str(), "");
}

/// Offers the jobs one after the other.
std::function<JobOffer()> offering(std::vector<ChildJob> jobs) {
  return [jobs = std::move(jobs), next = std::size_t{0}]() mutable -> JobOffer {
    if (next == jobs.size()) return {};
    const std::size_t index = next++;
    return {JobOffer::Kind::kJob, index, jobs[index]};
  };
}

TEST(Children, AtMostSoManyAtATime) {
  const Folder folder;
  std::vector<ChildJob> jobs(
      6, ChildJob{{"/bin/sh", "-c", "sleep 0.03; exit 5"}, folder / "out", folder / "err"});
  std::atomic<bool> interrupted{false};
  int running = 0;
  int most = 0;
  int done = 0;
  run_children(
      offering(jobs), 3, interrupted, [&](std::size_t) { most = std::max(most, ++running); },
      [&](std::size_t, const ChildExit& exit) {
        --running;
        ++done;
        EXPECT_EQ(exit.code, 5);
      },
      [] {});
  EXPECT_EQ(most, 3);
  EXPECT_EQ(done, 6);
}

TEST(Children, AProgramThatIsNotThereIsReported) {
  const Folder folder;
  std::atomic<bool> interrupted{false};
  bool started = true;
  run_children(
      offering({ChildJob{{(folder / "none").string()}, folder / "out", folder / "err"}}), 1, interrupted,
      [](std::size_t) {}, [&](std::size_t, const ChildExit& exit) { started = exit.started; }, [] {});
  EXPECT_FALSE(started);
}

}  // namespace
}  // namespace warpvp
