#pragma once
// Whole runs within the test's process, so that the test can register policies and modules of its own.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/simulation.h"
#include "tests/config/folder.h"

namespace warpvp::test {

struct RunOutcome {
  int status = -1;
  std::string err;  ///< what the command line would print on standard error
  nlohmann::json result;
};

/// Runs the YAML text as a run file, with `overrides` as of `--set`, to its end. Once in a process.
inline RunOutcome run_yaml(const Folder& folder, const std::string& yaml,
                           const std::vector<std::string>& overrides = {}) {
  SimulationOptions options;
  options.folder = (folder / "out").string();
  options.overrides = overrides;
  Simulation simulation = Simulation::from_file(folder.write("run.yaml", yaml).string(), options);
  simulation.attach_workload();
  EXPECT_EQ(simulation.run(), Halt::kEnded);
  const Outcome& outcome = simulation.end();
  RunOutcome run;
  run.status = static_cast<int>(outcome.code);
  run.err = outcome.message + "\n" + outcome.detail;
  run.result = nlohmann::json::parse(folder.read("out/result.json"));
  EXPECT_EQ(run.result["exit_code"], run.status);
  return run;
}

}  // namespace warpvp::test
