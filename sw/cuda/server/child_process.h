#pragma once
// The CUDA program as a process of the system: started with the library folder first in its search path,
// ended with its owner.

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpvp::cuda {

class ChildProcess {
 public:
  /// `program` as a shell finds it: a path, or a name in PATH. `environment` is set on top of this process's.
  /// InputError where it cannot be started.
  ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
               const std::string& folder,
               const std::vector<std::pair<std::string, std::string>>& environment);
  /// Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;

  /// Its status as wait(2) tells it; nothing while it runs.
  std::optional<int> ended();

 private:
  pid_t process_ = -1;
  std::optional<int> status_;
};

/// A line's words: apart by spaces, but for those within '' or "", and after \, which stands for the next
/// character outside of ''. InputError where a quote does not end.
std::vector<std::string> split_words(const std::string& line);

/// 0 to 255 as a shell has it: the exit status, or 128 and the signal.
int exit_status(int wait_status);

}  // namespace warpvp::cuda
