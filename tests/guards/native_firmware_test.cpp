// Native firmware that crashes, loops or ends the process: exit status 3, what happened, and what the core
// last did.

#include <gmock/gmock.h>
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "base/end_guard.h"
#include "base/sanitizers.h"
#include "platform/config/run_input.h"
#include "platform/run/run.h"
#include "tests/guards/run.h"

extern "C" volatile int native_loop_begun;  // native_policies.c

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

struct NativeCase {
  const char* policy;
  std::vector<const char*> message;
};
void PrintTo(const NativeCase& c, std::ostream* out) { *out << c.policy; }

class NativeFirmware : public ::testing::TestWithParam<NativeCase> {
 protected:
  void SetUp() override {
#if WARPVP_HAS_ASAN || WARPVP_HAS_TSAN
    for (const char* text : GetParam().message)
      if (std::string(text).rfind("crashed", 0) == 0) GTEST_SKIP() << "crashes are the sanitizer's";
#endif
  }
};

TEST_P(NativeFirmware, ThatGoesWrongIsADeviceFault) {
  const Folder folder;
  struct sigaction before {};
  sigaction(SIGSEGV, nullptr, &before);
  const RunOutcome run = run_yaml(
      folder,
      std::string("platform:\n  extends: small\n  command_processor:\n    type: native\n    firmware: ") +
          GetParam().policy +
          "\n    core: {native_limit: 5000000}\nlimits: {progress_us: 200}\nworkload: {app: vector_add}\n");
  EXPECT_EQ(run.status, 3);
  for (const char* text : GetParam().message) EXPECT_THAT(run.err, HasSubstr(text));
  EXPECT_THAT(run.err, HasSubstr(std::string("native, policy ") + GetParam().policy));
  // What happens to the process afterwards is as it was.
  struct sigaction after {};
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, NativeFirmware,
    ::testing::Values(
        NativeCase{
            "writes_nowhere",
            {"crashed: SIGSEGV, an invalid access at address 0x10", "last accesses to device registers"}},
        NativeCase{"crashes_in_pick",
                   {"crashed: SIGSEGV, an invalid access at address 0x10", "QUEUES.READY"}},
        NativeCase{"divides", {"crashed: SIGFPE, a division by zero"}},
        NativeCase{"traps", {"crashed: SIGILL, an illegal instruction"}},
        NativeCase{"overflows", {"crashed: SIGSEGV, an invalid access", "beyond its stack of 256 KiB"}},
        NativeCase{"loops", {"no progress: more than 5000000 basic blocks", "core.native_limit"}},
        NativeCase{"aborts", {"it called abort"}}, NativeCase{"exits", {"it called exit with status 7"}},
        NativeCase{"stores_for_ever", {"no progress for 20", "limits.progress_us", "queue 1: "}},
        NativeCase{"picks_outside", {"gave up with code 3 (a policy that broke its contract)"}}),
    [](const auto& info) { return info.param.policy; });

#if !WARPVP_HAS_TSAN
/// Native firmware that loops with nothing that counts its blocks, by the limit or by a signal.
[[noreturn]] void simulate_for_ever(const std::string& settings, const std::string& out, bool by_signal) {
  static std::atomic<bool> interrupted{false};
  const ConfigSearch search = ConfigSearch::standard();
  RunRequest request;
  request.file = RunFile::from_tree(parse_yaml(settings, "settings", "."), search);
  request.out = out;
  request.quiet = true;
  request.interrupted = &interrupted;
  if (by_signal)
    std::thread([] {
      while (!native_loop_begun) std::this_thread::yield();
      interrupted = true;
    }).detach();
  if (!by_signal) EndGuard::of_process().set_limit(0.5);
  std::exit(100 + static_cast<int>(run_simulation(request)));
}

TEST(NativeFirmwareDeathTest, ThatNeverReturnsEndsAtTheLimitAndBySignal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Folder folder;
  const std::string settings =
      "platform:\n  extends: small\n  command_processor:\n    type: native\n    firmware: loops\n"
      "    core: {native_limit: 0}\nlimits: {progress_us: 0}\nworkload: {app: vector_add}\n";
  EXPECT_EXIT(
      simulate_for_ever(settings, (folder / "limit").string(), false), ::testing::ExitedWithCode(124),
      "warpvp: the wall-clock limit of 0.5 s is reached while simulating.*, after SM cycle [0-9]+\n$");
  EXPECT_EXIT(simulate_for_ever(settings, (folder / "signal").string(), true), ::testing::ExitedWithCode(130),
              "warpvp: interrupted while simulating.*, after SM cycle [0-9]+\n$");
}
#endif

}  // namespace
}  // namespace warpvp::test
