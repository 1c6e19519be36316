#include "cli/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "base/error.h"

namespace warpvp {

namespace {

/// Signals that come within this time are one request.
constexpr std::int64_t kOneRequest = 1'000'000'000;  // nanoseconds

std::atomic<bool> interrupted{false};
std::atomic<std::int64_t> first_signal{0};  // when it came; 0: none has
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "set in a signal handler");

void on_signal(int) {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  std::int64_t first = 0;
  if (first_signal.compare_exchange_strong(first, now))
    interrupted = true;
  else if (now - first > kOneRequest)
    _exit(static_cast<int>(ExitCode::kInterrupted));
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
