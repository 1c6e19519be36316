// Paths that lead to something other than a file: every command refuses them at once, with one line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

void expect_refused(const std::vector<std::string>& words, const std::string& message) {
  const Finished run = run_program(words);
  EXPECT_EQ(run.status, 2) << words[0] << ": " << run.err;
  EXPECT_THAT(run.err, HasSubstr(message));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

/// What `path` says in a message is `why`, wherever a command takes a file.
void expect_refused_everywhere(const std::string& path, const std::string& why) {
  SCOPED_TRACE(path);
  const ScratchFolder scratch;
  const std::string unreadable = "cannot read " + path + ": " + why;
  const std::string out = (scratch / "out").string();
  expect_refused({"ptx", path}, unreadable);
  expect_refused({"config", path}, unreadable);
  expect_refused({"run", path, "--out", out}, unreadable);
  expect_refused({"experiment", path, "--out", out}, unreadable);
  const std::string run = scratch.file("run.yaml", "platform: small\nworkload: {app: vector_add}\n");
  expect_refused({"run", run, "--out", out, "--set", "platform.command_processor.console_input=" + path},
                 "command_processor.console_input: " + unreadable);
  expect_refused({"run", run, "--out", out, "--set", "platform.command_processor.type=riscv", "--set",
                  "platform.command_processor.firmware=" + path},
                 unreadable);
  expect_refused({"run", run, "--out", out, "--platform", path}, unreadable);
  const std::string predicted =
      scratch.file("predict.yaml", "platform: vortex_sm\nworkload: {app: vector_add}\n");
  expect_refused({"predict", predicted, "--out", out, "--traces", path}, unreadable);
  const std::string launch =
      scratch.file("launch.yaml", "platform: small\nworkload:\n  launches: [{ptx: '" + path + "'}]\n");
  expect_refused({"run", launch, "--out", out}, "launch.yaml:3:20: 'workload.launches.0.ptx': " + unreadable);
  const std::string buffer =
      scratch.file("buffer.yaml",
                   "platform: small\nworkload:\n  buffers:\n    a: {type: u8, init: {file: '" + path +
                       "'}}\n  launches: [{ptx: " WARPVP_SOURCE "/sw/kernels/faults.ptx, entry: trapped}]\n");
  expect_refused({"run", buffer, "--out", out},
                 "buffer.yaml:4:32: 'workload.buffers.a.init.file': " + unreadable);
}

TEST(BadFiles, DevicesFifosAndFolders) {
  const ScratchFolder scratch;
  const std::string fifo = (scratch / "fifo").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string folder = (scratch / "folder").string();
  std::filesystem::create_directory(folder);
  expect_refused_everywhere("/dev/zero", "it is a device");
  expect_refused_everywhere(fifo, "it is a FIFO");
  expect_refused_everywhere(folder, "it is a folder");
}

TEST(BadFiles, AFileBeyondTheLimitIsRefusedUnread) {
  const ScratchFolder scratch;
  // A file of holes: it has the size and takes no room.
  const std::string huge = (scratch / "huge").string();
  std::ofstream(huge).close();
  std::filesystem::resize_file(huge, std::uintmax_t{1} << 40);
  expect_refused_everywhere(huge, "it has 1099511627776 bytes, more than the ");
}

}  // namespace
}  // namespace warpvp::test
