// What INT and TERM do to the program itself; what they do to a run: tests/platform/interrupt_test.cpp.

#include "cli/interrupt.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace warpvp {
namespace {

TEST(Interrupt, TheFirstSignalIsAFlag) {
  const std::atomic<bool>& flag = watch_for_interrupts();
  EXPECT_FALSE(flag);
  std::raise(SIGINT);
  EXPECT_TRUE(flag);
}

TEST(InterruptDeathTest, ALaterOneEndsTheProgram) {
  EXPECT_EXIT(
      {
        watch_for_interrupts();
        std::raise(SIGTERM);
        std::this_thread::sleep_for(std::chrono::milliseconds(1100));
        std::raise(SIGINT);
      },
      ::testing::ExitedWithCode(130), "");
}

// `timeout` tells a program and its process group.
TEST(InterruptDeathTest, TwoAtOnceAreOne) {
  EXPECT_EXIT(
      {
        const std::atomic<bool>& flag = watch_for_interrupts();
        std::raise(SIGTERM);
        std::raise(SIGINT);
        std::_Exit(flag ? 7 : 8);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace warpvp
