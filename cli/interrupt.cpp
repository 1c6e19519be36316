#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "base/error.h"

namespace warpvp {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

void on_signal(int) {
  if (interrupted.exchange(true)) _exit(static_cast<int>(ExitCode::kInterrupted));
}

}  // namespace

const std::atomic<bool>& watch_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

}  // namespace warpvp
