// Ctrl-C ends a run cleanly: exit status 130 and what is known so far.

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

/// Waits until the process has a handler for the signal, which it has not from its first moment on, or has
/// ended.
void wait_for_handler(pid_t process, int signal) {
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("State:\tZ", 0) == 0) return;
      // Signal 1 is the lowest bit.
      if (line.rfind("SigCgt:", 0) == 0 &&
          (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0)
        return;
    }
  }
}

TEST(Interrupt, KeepsWhatIsKnown) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml",
                                        "platform: small\nworkload: {app: fault, params: {kind: "
                                        "endless}}\nlimits: {progress_us: 0}\n");
  const std::string out = (scratch / "run").string();
  std::vector<std::string> words{WARPVP_PROGRAM, "run", file, "--quiet", "--out", out};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, WARPVP_PROGRAM, nullptr, nullptr, argv.data(), environ), 0);
  wait_for_handler(child, SIGINT);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  // As `timeout` does, which tells the program and its process group. Signals of two kinds, as a second one
  // of the same kind is lost while the first has not been taken.
  kill(child, SIGTERM);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const auto result = read_json(scratch / "run/result.json");
  EXPECT_EQ(result["exit_code"], 130);
  EXPECT_EQ(result["kernels"].size(), 1u);
  EXPECT_GT(result["simulation"]["warp_instructions"], 0);
}

TEST(Interrupt, EndsTheReadingOfALongFile) {
  const ScratchFolder scratch;
  std::string text = "platform: small\nworkload: {app: hello}\nx: [1";
  for (unsigned i = 1; i < 3'900'000; ++i) text += ",1";
  const std::string file = scratch.file("run.yaml", text + "]\n");
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string out = (scratch / "out").string();
    std::vector<std::string> words{WARPVP_PROGRAM, "run", file, "--quiet", "--out", out};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    ASSERT_EQ(posix_spawn(&child, WARPVP_PROGRAM, nullptr, nullptr, argv.data(), environ), 0);
    wait_for_handler(child, signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 130);
  }
}

}  // namespace
}  // namespace warpvp::test
