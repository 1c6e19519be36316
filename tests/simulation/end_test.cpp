// end(): results, exit reasons, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/platform/program.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kAdd = "platform: small\nworkload: {app: vector_add, params: {count: 1000}}\n";

TEST(End, WithoutARun) {
  Simulation simulation = Simulation::from_text(kAdd);
  simulation.attach_workload();
  EXPECT_EQ(simulation.end().code, ExitCode::kInterrupted);
  EXPECT_EQ(simulation.outcome().message, "ended at SM cycle 0, before its host programs");
  const auto result = nlohmann::json::parse(simulation.result());
  EXPECT_EQ(result["exit_code"], 130);
  EXPECT_EQ(result["simulation"]["cycles"], 0);
  EXPECT_EQ(result["kernels"].size(), 0u);
  EXPECT_EQ(simulation.run(), Halt::kEnded) << "it is over";
}

TEST(End, InTheMiddle) {
  // Without a core, which may be ahead of time.
  Simulation simulation = Simulation::from_text(kAdd, {{"platform.command_processor.type=hardware"}, {}, {}});
  simulation.attach_workload();
  ASSERT_EQ(simulation.run_until(us(4)), Halt::kTime);
  const std::string statistics = simulation.statistics();
  EXPECT_EQ(simulation.end().code, ExitCode::kInterrupted);
  EXPECT_EQ(difference(simulation.result(), statistics), "[]");
  EXPECT_EQ(simulation.statistics(), simulation.result()) << "from now on";
}

TEST(End, ForAReasonOfTheCaller) {
  Simulation simulation = Simulation::from_text(kAdd);
  simulation.attach_workload();
  ASSERT_EQ(simulation.run_until(us(10)), Halt::kTime);
  Outcome reason;
  reason.code = ExitCode::kResultDiffers;
  reason.message = "seen enough";
  EXPECT_EQ(simulation.end(reason).code, ExitCode::kResultDiffers);
  reason.message = "again";
  EXPECT_EQ(simulation.end(reason).message, "seen enough") << "only the first call counts";
  EXPECT_EQ(nlohmann::json::parse(simulation.result())["message"], "seen enough");
}

TEST(End, ARunThatIsOverKeepsItsReason) {
  Simulation simulation = Simulation::from_text(kAdd);
  simulation.attach_workload();
  ASSERT_EQ(simulation.run(), Halt::kEnded);
  EXPECT_THROW(simulation.result(), SimulationMisuse) << "not yet collected";
  Outcome reason;
  reason.code = ExitCode::kInterrupted;
  EXPECT_EQ(simulation.end(reason).code, ExitCode::kOk);
  EXPECT_TRUE(simulation.outcome().verified);
}

TEST(End, WritesIntoTheFolderWhatTheCommandLineWrites) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", kAdd + "trace: {enabled: true}\n");
  const Finished reference = run_program({"run", file, "--quiet", "--out", (scratch / "a").string()});
  ASSERT_EQ(reference.status, 0) << reference.err;
  SimulationOptions options;
  options.folder = (scratch / "b").string();
  Simulation simulation = Simulation::from_file(file, options);
  EXPECT_TRUE(fs::is_directory(scratch / "b"));
  simulation.attach_workload();
  simulation.run();
  EXPECT_FALSE(fs::exists(scratch / "b/result.json"));
  simulation.end();
  EXPECT_EQ(read_text(scratch / "b/result.json"), simulation.result());
  EXPECT_EQ(difference(simulation.result(), read_text(scratch / "a/result.json")), "[]");
  EXPECT_EQ(read_text(scratch / "b/trace.json"), read_text(scratch / "a/trace.json"));
}

TEST(End, WithoutAFolderWritesOnlyWhatTheSettingsAskFor) {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "here");
  const fs::path before = fs::current_path();
  fs::current_path(scratch / "here");
  Simulation simulation = Simulation::from_text(kAdd + "trace: {enabled: true}\n");
  simulation.attach_workload();
  run_at_once(simulation);
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(".")) files.push_back(entry.path().filename());
  fs::current_path(before);
  EXPECT_EQ(files, std::vector<std::string>{"trace.json"});
}

TEST(End, AFolderThatCannotBeMadeIsAnInputError) {
  const ScratchFolder scratch;
  scratch.file("taken", "");
  SimulationOptions options;
  options.folder = (scratch / "taken").string();
  EXPECT_THROW(Simulation::from_text(kAdd, options), InputError);
}

}  // namespace
}  // namespace warpvp::test
