#include "platform/run/run_apart.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ostream>

namespace warpvp {

ExitCode run_apart(const std::string& what, std::ostream& output, const std::function<ExitCode()>& simulate) {
  std::fflush(nullptr);
  output.flush();
  const pid_t child = fork();
  if (child < 0)
    throw InputError("no process for a simulation can be started; end others or raise `ulimit -u`");
  if (child == 0) {
    ExitCode code = ExitCode::kDeviceFault;
    try {
      code = simulate();
    } catch (const InputError& e) {
      fmt::print(stderr, "warpvp: {}\n", e.what());
      code = ExitCode::kBadInput;
    } catch (const std::exception& e) {
      fmt::print(stderr, "warpvp: internal error: {}\n", e.what());
    }
    std::fflush(nullptr);
    _exit(static_cast<int>(code));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return static_cast<ExitCode>(WEXITSTATUS(status));
  fmt::print(stderr, "warpvp: {} was ended by signal {}\n", what, WTERMSIG(status));
  return ExitCode::kDeviceFault;
}

}  // namespace warpvp
