#include "sw/cuda/server/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

extern char** environ;

namespace warpvp::cuda {

namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

ChildProcess::ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                           const std::string& folder,
                           const std::vector<std::pair<std::string, std::string>>& environment) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables;
  for (char** v = environ; *v != nullptr; ++v) {
    const std::string name(*v, std::strcspn(*v, "="));
    bool replaced = false;
    for (const auto& [key, value] : environment) replaced = replaced || key == name;
    if (!replaced) variables.emplace_back(*v);
  }
  for (const auto& [key, value] : environment) variables.push_back(key + "=" + value);
  const std::vector<char*> argv = pointers(words), envp = pointers(variables);
  // Says why the program has not come to run; closed when it has.
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0)
    throw InputError(fmt::format("cannot start {}: {}", program, std::strerror(errno)));
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // it does not outlive the simulator, however that ends
    if (folder.empty() || chdir(folder.c_str()) == 0) execvpe(program.c_str(), argv.data(), envp.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t told = write(failure[1], &error, sizeof error);
    _exit(127);
  }
  int error = process_ < 0 ? errno : 0;
  close(failure[1]);
  if (process_ > 0 && read(failure[0], &error, sizeof error) == sizeof error) waitpid(process_, nullptr, 0);
  close(failure[0]);
  if (error != 0) {
    process_ = -1;
    throw InputError(fmt::format("cannot start {}{}: {}", program, folder.empty() ? "" : " in " + folder,
                                 std::strerror(error)));
  }
}

ChildProcess::~ChildProcess() {
  if (process_ < 0 || ended()) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

std::optional<int> ChildProcess::ended() {
  int status = 0;
  if (!status_ && waitpid(process_, &status, WNOHANG) == process_) status_ = status;
  return status_;
}

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words;
  bool within = false;  // a word
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && c == ' ') {
      within = false;
      continue;
    }
    if (!std::exchange(within, true)) words.emplace_back();
    if (c == '\\' && quote != '\'' && i + 1 < line.size())
      words.back() += line[++i];
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote)
      quote = 0;
    else
      words.back() += c;
  }
  if (quote != 0) throw InputError(fmt::format("arguments: the {} in \"{}\" does not end", quote, line));
  return words;
}

int exit_status(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

}  // namespace warpvp::cuda
