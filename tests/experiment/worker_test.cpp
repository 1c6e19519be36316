// Several processes on one experiment: who lives, and who has a run.

#include "study/experiment/worker.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "study/experiment/run_claim.h"
#include "tests/config/folder.h"

namespace warpvp {
namespace {

using Seconds = std::chrono::duration<double>;
using Outcome = RunClaim::Outcome;

const char* const kRemote = "elsewhere.01234567.f0000000.17.99";

/// A process that does `what` and then waits to be killed.
class Other {
 public:
  explicit Other(const std::function<void(int pipe)>& what) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      what(ends[1]);
      for (;;) pause();
    }
    close(ends[1]);
    char text[512];
    for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;) {
      said_.append(text, static_cast<std::size_t>(got));
      if (said_.back() == '\n') break;
    }
    close(ends[0]);
  }
  ~Other() { end(); }
  /// Killed, and left as a zombie, as by a parent that does not look.
  void kill_only() {
    kill(pid_, SIGKILL);
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  void end() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    pid_ = -1;
  }
  /// Its line, without the line break.
  std::string said() const { return said_.substr(0, said_.find('\n')); }

 private:
  pid_t pid_ = -1;
  std::string said_;
};

void say(int pipe, const std::string& line) {
  const std::string text = line + "\n";
  if (write(pipe, text.data(), text.size()) < 0) _exit(1);
}

TEST(Workers, OneOfThisMachineIsDeadWithItsProcess) {
  const Folder folder;
  Worker worker(folder.path(), 5, Seconds(1000));
  EXPECT_TRUE(worker.alive(worker.id()));
  EXPECT_TRUE(worker.others().empty());
  Other other([&](int pipe) {
    const Worker theirs(folder.path(), 7, Seconds(1000));
    say(pipe, theirs.id());
    for (;;) pause();
  });
  EXPECT_TRUE(worker.alive(other.said()));
  EXPECT_TRUE(worker.certain(other.said()));
  ASSERT_EQ(worker.others().size(), 1u);
  EXPECT_EQ(worker.others()[0], (std::pair<std::string, std::uint64_t>(other.said(), 7)));
  EXPECT_NE(Worker::described(other.said()).find("process "), std::string::npos);
  other.kill_only();
  EXPECT_FALSE(worker.alive(other.said())) << "a zombie does no work";
  EXPECT_TRUE(worker.others().empty());
  EXPECT_FALSE(folder.has(".workers/" + other.said())) << "cleared away";
  other.end();
  EXPECT_FALSE(worker.alive(other.said()));
}

TEST(Workers, AnotherProcessWithTheNumberOfADeadOneIsNotTakenForIt) {
  const Folder folder;
  Worker worker(folder.path(), 5, Seconds(1000));
  std::string id = worker.id();
  id.back() = id.back() == '0' ? '1' : '0';  // it started at another time
  EXPECT_FALSE(worker.alive(id));
}

TEST(Workers, ARemoteOneIsDeadWhenItShowsNoLifeForALease) {
  const Folder folder;
  folder.write(std::string(".workers/") + kRemote, "0000000000000007 1\n");
  Worker worker(folder.path(), 5, Seconds(0.3));
  EXPECT_TRUE(worker.alive(kRemote));
  EXPECT_FALSE(worker.certain(kRemote)) << "seen only once";
  // As long as it writes, it lives, however long that is.
  for (int beat = 2; beat < 12; ++beat) {
    std::this_thread::sleep_for(Seconds(0.05));
    folder.write(std::string(".workers/") + kRemote, "0000000000000007 " + std::to_string(beat) + "\n");
    EXPECT_TRUE(worker.alive(kRemote));
  }
  EXPECT_TRUE(worker.certain(kRemote));
  EXPECT_EQ(worker.others().size(), 1u);
  while (worker.alive(kRemote)) std::this_thread::sleep_for(Seconds(0.01));
  EXPECT_TRUE(worker.others().empty());
  EXPECT_FALSE(folder.has(std::string(".workers/") + kRemote));
  EXPECT_FALSE(worker.alive("elsewhere.01234567.f0000000.18.99")) << "it has no file";
}

TEST(Workers, ShowLifeAgainAndAgain) {
  const Folder folder;
  Worker worker(folder.path(), 5, Seconds(0.06));
  const std::string first = folder.read(".workers/" + worker.id());
  EXPECT_EQ(first, "0000000000000005 00000001\n");
  worker.beat();
  EXPECT_EQ(folder.read(".workers/" + worker.id()), first) << "not each time it is asked to";
  std::this_thread::sleep_for(Seconds(0.02));
  worker.beat();
  EXPECT_EQ(folder.read(".workers/" + worker.id()), "0000000000000005 00000002\n");
}

TEST(Claims, OneWorkerHasARun) {
  const Folder folder;
  Worker worker(folder.path(), 5, Seconds(1000));
  EXPECT_EQ(RunClaim::take(folder.path(), worker), Outcome::kMine);
  EXPECT_EQ(folder.read(".claim-1"), worker.id() + "\n");
  EXPECT_EQ(RunClaim::owner(folder.path(), worker), worker.id());
  Other other([&](int pipe) {
    Worker theirs(folder.path(), 5, Seconds(1000));
    const bool taken = RunClaim::take(folder.path(), theirs) == Outcome::kTaken;
    RunClaim::release(folder.path(), theirs);  // of what it has not
    say(pipe, taken ? "taken" : "free");
  });
  EXPECT_EQ(other.said(), "taken");
  RunClaim::release(folder.path(), worker);
  EXPECT_FALSE(folder.has(".claim-1"));
  EXPECT_EQ(RunClaim::owner(folder.path(), worker), "");
}

TEST(Claims, OfADeadWorkerAreTakenOverByOne) {
  const Folder folder;
  {
    Other dead([&](int pipe) {
      Worker theirs(folder.path(), 5, Seconds(1000));
      RunClaim::take(folder.path(), theirs);
      say(pipe, theirs.id());
      for (;;) pause();
    });
    EXPECT_EQ(folder.read(".claim-1"), dead.said() + "\n");
  }
  std::vector<std::unique_ptr<Other>> others;
  std::size_t have_it = 0;
  for (int i = 0; i < 6; ++i) {
    others.push_back(std::make_unique<Other>([&](int pipe) {
      Worker theirs(folder.path(), 5, Seconds(1000));
      say(pipe, RunClaim::take(folder.path(), theirs) == Outcome::kMine ? "mine" : "taken");
      for (;;) pause();
    }));
    have_it += others.back()->said() == "mine" ? 1 : 0;
  }
  EXPECT_EQ(have_it, 1u);
  EXPECT_TRUE(folder.has(".claim-2"));
  EXPECT_FALSE(folder.has(".claim-3"));
}

TEST(Claims, AreMadeByOneOfManyAtTheSameTime) {
  for (int round = 0; round < 20; ++round) {
    const Folder folder;
    if (round % 2)
      folder.write(".claim-1", "gone.01234567.f0000000.17.99\n");  // by a worker that has no file
    int start[2], result[2], finish[2];
    ASSERT_EQ(pipe(start), 0);
    ASSERT_EQ(pipe(result), 0);
    ASSERT_EQ(pipe(finish), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
      const pid_t pid = fork();
      if (pid == 0) {
        char go;
        {
          Worker worker(folder.path(), 5, Seconds(1000));
          if (read(start[0], &go, 1) != 1) _exit(1);
          const char mine = RunClaim::take(folder.path(), worker) == Outcome::kMine ? 'y' : 'n';
          if (write(result[1], &mine, 1) != 1) _exit(1);
          if (read(finish[0], &go, 1) != 1) _exit(1);  // alive until all have tried
        }
        _exit(0);
      }
      children.push_back(pid);
    }
    ASSERT_EQ(write(start[1], "gggg", 4), 4);
    std::string answers;
    char answer;
    while (answers.size() < 4 && read(result[0], &answer, 1) == 1) answers += answer;
    ASSERT_EQ(write(finish[1], "gggg", 4), 4);
    for (const pid_t pid : children) waitpid(pid, nullptr, 0);
    for (const int end : {start[0], start[1], result[0], result[1], finish[0], finish[1]}) close(end);
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 'y'), 1) << answers;
  }
}

TEST(Claims, OneThatIsBeingWrittenIsWaitedForALease) {
  const Folder folder;
  folder.write(".claim-1", "");
  Worker worker(folder.path(), 5, Seconds(0.1));
  EXPECT_EQ(RunClaim::take(folder.path(), worker), Outcome::kTaken);
  std::this_thread::sleep_for(Seconds(0.11));
  EXPECT_EQ(RunClaim::take(folder.path(), worker), Outcome::kMine);
  RunClaim::release(folder.path(), worker);
  EXPECT_FALSE(folder.has(".claim-1"));
  EXPECT_FALSE(folder.has(".claim-2"));
}

}  // namespace
}  // namespace warpvp
