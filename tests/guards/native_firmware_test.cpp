// Native firmware that crashes, loops or ends the process: exit status 3, what happened, and what the core
// last did.

#include <gmock/gmock.h>
#include <signal.h>

#include "tests/guards/run.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

struct Case {
  const char* policy;
  std::vector<const char*> message;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.policy; }

class NativeFirmware : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
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
        Case{"writes_nowhere",
             {"crashed: SIGSEGV, an invalid access at address 0x10", "last accesses to device registers"}},
        Case{"crashes_in_pick", {"crashed: SIGSEGV, an invalid access at address 0x10", "QUEUES.READY"}},
        Case{"divides", {"crashed: SIGFPE, a division by zero"}},
        Case{"traps", {"crashed: SIGILL, an illegal instruction"}},
        Case{"overflows", {"crashed: SIGSEGV, an invalid access", "beyond its stack of 256 KiB"}},
        Case{"loops", {"no progress: more than 5000000 basic blocks", "core.native_limit"}},
        Case{"aborts", {"it called abort"}}, Case{"exits", {"it called exit with status 7"}},
        Case{"stores_for_ever", {"no progress for 20", "limits.progress_us", "queue 1: "}},
        Case{"picks_outside", {"gave up with code 3 (a policy that broke its contract)"}}),
    [](const auto& info) { return info.param.policy; });

}  // namespace
}  // namespace warpvp::test
