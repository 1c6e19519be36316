#include "study/experiment/slurm_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/end_guard.h"
#include "base/error.h"
#include "platform/results/result_writer.h"
#include "study/experiment/child_process.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::minutes kUnansweredLimit{5};
constexpr std::chrono::milliseconds kFirstLook{500};
constexpr std::chrono::milliseconds kLongestLook{10'000};

/// For /bin/sh, whatever the word holds.
std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string content(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  return text.str();
}

struct Answer {
  bool good = false;
  std::string out, err;
};

/// Runs a command of Slurm's, found on the path.
Answer ask(const fs::path& folder, const std::vector<std::string>& words) {
  const Activity asking("waiting for", words[0]);
  const std::string mark = process_mark();
  ChildJob job;
  job.command = {"/bin/sh", "-c", "exec \"$@\"", "sh"};
  job.command.insert(job.command.end(), words.begin(), words.end());
  job.output_file = folder / fmt::format(".{}.{}.out", words[0], mark);
  job.error_file = folder / fmt::format(".{}.{}.err", words[0], mark);
  const std::atomic<bool> interrupted{false};
  Answer answer;
  bool offered = false;
  run_children(
      [&] {
        JobOffer offer;
        if (!offered) offer = {JobOffer::Kind::kJob, 0, job};
        offered = true;
        return offer;
      },
      1, interrupted, [](std::size_t) {},
      [&](std::size_t, const ChildExit& exit) {
        answer.good = exit.started && exit.signal == 0 && exit.code == 0;
      },
      [] {});
  answer.out = content(job.output_file);
  answer.err = content(job.error_file);
  std::error_code error;
  fs::remove(job.output_file, error);
  fs::remove(job.error_file, error);
  std::replace(answer.err.begin(), answer.err.end(), '\n', ' ');
  answer.err.erase(answer.err.find_last_not_of(' ') + 1);
  return answer;
}

}  // namespace

bool SlurmJob::tasks(const std::string& job, SlurmTasks& out, std::string& why) const {
  // All of one's own jobs: to be asked for one that has ended is an error to squeue. %F: of the whole array.
  const Answer answer =
      ask(request_.folder / "slurm", {"squeue", "--noheader", "--me", "--array", "--format=%F %t"});
  if (!answer.good) {
    why = answer.err.empty() ? "no answer" : answer.err;
    return false;
  }
  out = {};
  std::istringstream lines(answer.out);
  for (std::string number, state; lines >> number >> state;)
    if (number == job) ++(state == "PD" ? out.pending : out.running);
  return true;
}

std::string SlurmJob::active() const {
  std::istringstream record(content(request_.folder / "slurm" / "job"));
  std::string job;
  if (!(record >> job)) return "";
  SlurmTasks found;
  std::string why;
  if (!tasks(job, found, why)) throw InputError("cannot ask Slurm for job " + job + ": " + why);
  return found.all() > 0 ? job : "";
}

std::string SlurmJob::submit() const {
  const fs::path folder = request_.folder / "slurm";
  make_writable_folder(folder);
  std::string script = "#!/bin/sh\n# Written by `warpvp experiment --slurm`: one task of the array.\ncd " +
                       quoted(fs::current_path().string()) + " &&\nexec";
  for (const std::string& word : request_.command) script += " " + quoted(word);
  script += " --attempt \"slurm-${SLURM_ARRAY_JOB_ID}\"\n";
  write_file_atomically(folder / "job.sh", script);
  std::vector<std::string> words = {"sbatch", "--parsable", "--job-name=warpvp-" + request_.name,
                                    fmt::format("--cpus-per-task={}", request_.jobs),
                                    "--output=" + (fs::absolute(folder) / "task-%a.log").string()};
  words.insert(words.end(), request_.options.begin(), request_.options.end());
  words.push_back(fmt::format("--array=1-{}", request_.tasks));
  words.push_back((folder / "job.sh").string());
  const Answer answer = ask(folder, words);
  // "17", or "17;cluster".
  const std::string job = answer.out.substr(0, answer.out.find_first_of(";\n"));
  const bool number =
      !job.empty() && std::all_of(job.begin(), job.end(), [](unsigned char c) { return std::isdigit(c); });
  if (!answer.good || !number)
    throw InputError(fmt::format("cannot submit to Slurm: {}", answer.err.empty() ? answer.out : answer.err));
  write_file_atomically(folder / "job", job + "\n");
  return job;
}

bool SlurmJob::wait(const std::string& job, const std::atomic<bool>& interrupted,
                    const std::function<void(const SlurmTasks&)>& on_look) const {
  using Clock = std::chrono::steady_clock;
  Clock::time_point answered = Clock::now();
  std::chrono::milliseconds pause = kFirstLook;
  for (;;) {
    SlurmTasks found;
    std::string why;
    if (tasks(job, found, why)) {
      answered = Clock::now();
      if (found.all() == 0) return true;
      on_look(found);
    } else if (Clock::now() - answered > kUnansweredLimit) {
      throw InputError(fmt::format(
          "Slurm has not answered for five minutes: {}; start again to wait for job {}", why, job));
    }
    const Clock::time_point next = Clock::now() + pause;
    while (Clock::now() < next) {
      if (interrupted) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    pause = std::min(pause * 5 / 4, kLongestLook);
  }
}

}  // namespace warpvp
