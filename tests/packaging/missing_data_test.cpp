// The program without its data: one line that says so, where it was looked for, and the remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/data_folder.h"
#include "cli/command_line.h"

namespace warpvp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Finished {
  int status;
  std::string out, err;
};

Finished run(const std::vector<std::string>& words) {
  std::ostringstream out, err;
  const int status = run_command_line(words, Console{&out, &err, false, "warpvp"});
  return {status, out.str(), err.str()};
}

TEST(MissingData, IsToldByEveryCommandThatNeedsIt) {
  const std::vector<std::vector<std::string>> commands = {{"run", "vector_add"},
                                                          {"experiment", "qaws_quick"},
                                                          {"predict", "swas_sgemm"},
                                                          {"config", "small"},
                                                          {"list"},
                                                          {"describe", "titan_v"},
                                                          {"ptx", "kernel.ptx"}};
  for (const auto& words : commands) {
    const Finished finished = run(words);
    EXPECT_EQ(finished.status, 2) << words[0];
    EXPECT_THAT(finished.err,
                AllOf(StartsWith("warpvp: the program's data is missing: "), HasSubstr("configs"),
                      HasSubstr("/no/such/source/tree"), HasSubstr("make install PREFIX=DIR")))
        << words[0];
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << words[0];
  }
}

TEST(MissingData, LeavesVersionAndHelpAlone) {
  EXPECT_EQ(run({"version"}).status, 0);
  EXPECT_THAT(run({"version"}).out, HasSubstr("commit unknown"));
  EXPECT_EQ(run({"--help"}).status, 0);
  EXPECT_EQ(run({"run", "--help"}).status, 0);
}

TEST(MissingData, NamesTheFolderThatWasNamed) {
  set_data_folder("/no/such/share");
  EXPECT_THAT(run({"list", "platforms"}).err, HasSubstr("in /no/such/share, /no/such/source/tree; "));
}

}  // namespace
}  // namespace warpvp
