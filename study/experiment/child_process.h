#pragma once
// Child processes: several at a time, each with its output in a file, ended together when the user
// interrupts.

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace warpvp {

struct ChildJob {
  std::vector<std::string> command;   ///< program and arguments
  std::filesystem::path output_file;  ///< gets standard output
  std::filesystem::path error_file;   ///< gets standard error
};

struct ChildExit {
  int code = 0;    ///< exit status, if it exited
  int signal = 0;  ///< or the signal that ended it
  bool started = true;
};

/// What there is to do next.
struct JobOffer {
  enum class Kind {
    kJob,    ///< this
    kLater,  ///< nothing now; ask again
    kNone,   ///< nothing any more
  };
  Kind kind = Kind::kNone;
  std::size_t index = 0;  ///< the caller's number of the job
  ChildJob job;
};

/// Runs the jobs that `next` offers, at most `parallel` at a time. `on_start` and `on_exit` get the number of
/// the job; `on_tick` is called a few times a second. When `*interrupted` becomes true no more jobs are
/// started, the running ones get SIGINT, and SIGKILL if they still run ten seconds later; `on_exit` is called
/// for them too. Children have process groups of their own, so a Ctrl-C at the terminal reaches them only
/// through this function, and they are killed when this process dies, so that nothing is written any more
/// when somebody takes their work over.
void run_children(const std::function<JobOffer()>& next, unsigned parallel,
                  const std::atomic<bool>& interrupted, const std::function<void(std::size_t)>& on_start,
                  const std::function<void(std::size_t, const ChildExit&)>& on_exit,
                  const std::function<void()>& on_tick);

}  // namespace warpvp
