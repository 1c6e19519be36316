#pragma once
// Ends the program where nothing else can: at its limit of wall-clock time, or after the first INT or TERM,
// while it reads a file, is inside a policy that never returns, or writes results. A thread of the guard's
// own looks at the clock; what the program is doing is noted by coarse Activities, never per event.

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <string>

#include "base/error.h"

namespace warpvp {

/// What the program does while one exists: "reading" "a.yaml".
class Activity {
 public:
  /// `grace` is how long it may go on, once the program is to end, to come to an end by itself. The longest
  /// of all that are under way counts, from the begin of the last that has any.
  explicit Activity(const char* doing, std::string what = "", double grace_seconds = 0);
  ~Activity();
  Activity(const Activity&) = delete;

 private:
  struct Entry;
  friend class EndGuard;
  std::list<Entry>::iterator entry_;
};

class EndGuard {
 public:
  /// The process' own; it lasts as long as the process.
  static EndGuard& of_process();

  /// Begins to look. `interrupted` outlives the process' work. Does nothing the second time.
  void start(const std::atomic<bool>& interrupted);
  /// The program is to end so many seconds from now on; the first limit set holds.
  void set_limit(double seconds);
  bool limit_passed() const;
  /// The program is to end: it was interrupted, or the limit has passed.
  bool ending() const;

  /// Says more of what is simulated, and keeps what is known. Called by the guard's thread once, right before
  /// the process ends, with the exit status and the message; returns what to add to the message.
  using LastWords = std::function<std::string(ExitCode code, const std::string& message)>;
  void set_last_words(LastWords words);

 private:
  friend class Activity;
  struct State;
  EndGuard();
  void watch(const std::atomic<bool>& interrupted);
  [[noreturn]] void end(ExitCode code);
  State* const state_;  // never freed: the thread uses it until the process ends
};

}  // namespace warpvp
