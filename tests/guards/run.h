#pragma once
// Whole runs within the test's process, so that the test can register policies and modules of its own.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "platform/run.h"
#include "tests/config/folder.h"

namespace warpvp::test {

struct RunOutcome {
  int status = -1;
  std::string err;  ///< standard error
  nlohmann::json result;
};

/// Runs the YAML text as a run file. Once in a process.
inline RunOutcome run_yaml(const Folder& folder, const std::string& yaml) {
  RunRequest request;
  request.file =
      RunFile::from_tree(parse_yaml(yaml, "run.yaml", folder.path().string()), ConfigSearch::standard());
  request.out = folder / "out";
  request.quiet = true;
  RunOutcome outcome;
  ::testing::internal::CaptureStderr();
  outcome.status = static_cast<int>(run_simulation(request));
  outcome.err = ::testing::internal::GetCapturedStderr();
  outcome.result = nlohmann::json::parse(folder.read("out/result.json"));
  EXPECT_EQ(outcome.result["exit_code"], outcome.status);
  return outcome;
}

}  // namespace warpvp::test
