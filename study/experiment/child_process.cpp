#include "study/experiment/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <thread>

namespace warpvp {

namespace {

constexpr int kCannotStart = 127;
constexpr auto kGraceAfterSignal = std::chrono::seconds(10);
constexpr auto kPoll = std::chrono::milliseconds(20);
constexpr int kPollsPerTick = 10;

/// In the child: nothing here may allocate, as the parent may have had other threads.
[[noreturn]] void become(char* const* argv, const char* out, const char* err, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotStart);  // it died before that
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  const int in_fd = open("/dev/null", O_RDONLY);
  const int out_fd = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const int err_fd = open(err, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (in_fd < 0 || out_fd < 0 || err_fd < 0) _exit(kCannotStart);
  dup2(in_fd, STDIN_FILENO);
  dup2(out_fd, STDOUT_FILENO);
  dup2(err_fd, STDERR_FILENO);
  execv(argv[0], argv);
  _exit(kCannotStart);
}

pid_t start(const ChildJob& job) {
  std::vector<char*> argv;
  for (const std::string& word : job.command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(argv.data(), job.output_file.c_str(), job.error_file.c_str(), parent);
  if (pid > 0) setpgid(pid, pid);  // here too, so that a signal sent at once finds the group
  return pid;
}

}  // namespace

void run_children(const std::function<JobOffer()>& next, unsigned parallel,
                  const std::atomic<bool>& interrupted, const std::function<void(std::size_t)>& on_start,
                  const std::function<void(std::size_t, const ChildExit&)>& on_exit,
                  const std::function<void()>& on_tick) {
  using Clock = std::chrono::steady_clock;
  std::map<pid_t, std::size_t> running;
  bool more = true;
  bool told = false;
  bool killed = false;
  Clock::time_point told_at;
  int polls = 0;
  while (!running.empty() || (more && !interrupted)) {
    while (!interrupted && more && running.size() < parallel) {
      const JobOffer offer = next();
      if (offer.kind == JobOffer::Kind::kNone) more = false;
      if (offer.kind != JobOffer::Kind::kJob) break;
      const pid_t pid = start(offer.job);
      on_start(offer.index);
      if (pid < 0) {
        ChildExit exit;
        exit.started = false;
        exit.code = errno;
        on_exit(offer.index, exit);
      } else {
        running[pid] = offer.index;
      }
    }
    if (interrupted && !told) {
      for (const auto& child : running) kill(-child.first, SIGINT);
      told = true;
      told_at = Clock::now();
    }
    if (told && !killed && Clock::now() - told_at > kGraceAfterSignal) {
      for (const auto& child : running) kill(-child.first, SIGKILL);
      killed = true;
    }
    bool reaped = false;
    for (auto it = running.begin(); it != running.end();) {
      int status = 0;
      const pid_t done = waitpid(it->first, &status, WNOHANG);
      if (done == 0 || (done < 0 && errno == EINTR)) {
        ++it;
        continue;
      }
      ChildExit exit;
      if (WIFSIGNALED(status)) {
        exit.signal = WTERMSIG(status);
      } else {
        exit.code = WEXITSTATUS(status);
        exit.started = exit.code != kCannotStart;
      }
      const std::size_t job = it->second;
      it = running.erase(it);
      on_exit(job, exit);
      reaped = true;
    }
    if (!reaped && (!running.empty() || more)) {
      std::this_thread::sleep_for(kPoll);
      if (++polls % kPollsPerTick == 0) on_tick();
    }
  }
}

}  // namespace warpvp
