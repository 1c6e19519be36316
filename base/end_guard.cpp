#include "base/end_guard.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <thread>

namespace warpvp {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Activity::Entry {
  const char* doing;
  std::string what;
  double grace;
  Clock::time_point begin;
};

struct EndGuard::State {
  std::mutex mutex;
  bool started = false;
  std::list<Activity::Entry> activities;
  double limit = 0;
  /// As a count, to be read without the lock; 0: none.
  std::atomic<Clock::rep> deadline{0};
  std::atomic<const std::atomic<bool>*> interrupted{nullptr};  ///< nullptr: nobody looks yet
  LastWords last_words;
};

namespace {

constexpr auto kLook = std::chrono::milliseconds(50);
/// Between two activities, and after the last, the program is about to do something or to end.
constexpr double kGraceBetween = 2;

}  // namespace

Activity::Activity(const char* doing, std::string what, double grace_seconds) {
  EndGuard::State& state = *EndGuard::of_process().state_;
  const std::lock_guard<std::mutex> lock(state.mutex);
  entry_ =
      state.activities.insert(state.activities.end(), {doing, std::move(what), grace_seconds, Clock::now()});
}

Activity::~Activity() {
  EndGuard::State& state = *EndGuard::of_process().state_;
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.activities.erase(entry_);
}

EndGuard& EndGuard::of_process() {
  static EndGuard guard;
  return guard;
}

EndGuard::EndGuard() : state_(new State) {}

void EndGuard::start(const std::atomic<bool>& interrupted) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  if (state_->started) return;
  state_->started = true;
  state_->interrupted = &interrupted;
  // Signals are for the other threads: the profile of a run samples what the main thread does.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this, &interrupted] { watch(interrupted); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void EndGuard::set_limit(double seconds) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  if (state_->deadline != 0) return;
  state_->limit = seconds;
  state_->deadline = (Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds)))
                         .time_since_epoch()
                         .count();
}

bool EndGuard::limit_passed() const {
  const Clock::rep deadline = state_->deadline;
  return deadline != 0 && Clock::now().time_since_epoch().count() >= deadline;
}

bool EndGuard::ending() const {
  const std::atomic<bool>* const interrupted = state_->interrupted;
  return limit_passed() || (interrupted != nullptr && *interrupted);
}

void EndGuard::set_last_words(LastWords words) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->last_words = std::move(words);
}

void EndGuard::watch(const std::atomic<bool>& interrupted) {
  Clock::time_point asked{};
  for (;;) {
    std::this_thread::sleep_for(kLook);
    const bool by_signal = interrupted;
    if (!by_signal && !limit_passed()) continue;
    const Clock::time_point now = Clock::now();
    if (asked == Clock::time_point{}) asked = now;
    double grace = 0;
    Clock::time_point from = asked;
    {
      const std::lock_guard<std::mutex> lock(state_->mutex);
      if (state_->activities.empty()) grace = kGraceBetween;
      for (const Activity::Entry& activity : state_->activities)
        if (activity.grace > 0) {
          grace = std::max(grace, activity.grace);
          from = std::max(from, activity.begin);
        }
    }
    if (Seconds(now - from).count() >= grace) end(by_signal ? ExitCode::kInterrupted : ExitCode::kWallLimit);
  }
}

void EndGuard::end(ExitCode code) {
  std::string message;
  LastWords last_words;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    message = code == ExitCode::kInterrupted
                  ? "interrupted"
                  : fmt::format("the wall-clock limit of {} s is reached", state_->limit);
    if (!state_->activities.empty()) {
      const Activity::Entry& last = state_->activities.back();
      message += fmt::format(" while {}{}{}", last.doing, last.what.empty() ? "" : " ", last.what);
    }
    last_words = state_->last_words;
  }
  if (last_words) try {
      message += last_words(code, message);
    } catch (const std::exception& error) {
      message += fmt::format("; what is known could not be kept: {}", error.what());
    }
  const std::string line = "warpvp: " + message + "\n";
  // Not through streams, whose lock the thread that hangs may have.
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) _exit(static_cast<int>(code));
  _exit(static_cast<int>(code));
}

}  // namespace warpvp
