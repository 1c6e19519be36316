#include "platform/experiment/experiment_runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "base/input_file.h"
#include "platform/experiment/child_process.h"
#include "platform/experiment/page.h"
#include "platform/experiment/report.h"
#include "platform/results/progress_text.h"
#include "platform/results/result_writer.h"
#include "platform/results/results_db.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

std::uint64_t file_digest(const fs::path& file) { return digest(read_input_file(file, input_limit::kData)); }

/// Why a run failed: its "warpvp: ..." line, or failing that the last line that says something.
std::string reason_in(const fs::path& file) {
  const std::string prefix = "warpvp: ";
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    line = line.substr(line.rfind('\r') + 1);  // a progress line may stand before it
    if (line.rfind(prefix, 0) == 0) return line.substr(prefix.size());
    if (line.find_first_not_of(" \t") != std::string::npos) last = line;
  }
  return last;
}

/// The file's result, or null if it is not one: unreadable, not JSON, or of another shape.
nlohmann::ordered_json read_result(const fs::path& file) {
  std::ifstream in(file);
  if (!in) return nullptr;
  nlohmann::ordered_json result = nlohmann::ordered_json::parse(in, nullptr, false);
  const bool good = result.is_object() && result.contains("exit_code") &&
                    result["exit_code"].is_number_integer() && result.contains("simulation") &&
                    result["simulation"].is_object();
  return good ? result : nullptr;
}

std::string old_content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  if (in) content << in.rdbuf();
  return content.str();
}

int worst(int a, int b) { return std::max(a, b); }  // the codes are ordered by how bad they are

/// One line on the terminal that is written over, or a line an event where there is no terminal.
class Progress {
 public:
  Progress(const ExperimentRequest& request, std::size_t total)
      : out_(request.quiet ? nullptr : request.progress),
        terminal_(request.progress_is_terminal),
        every_(request.progress_seconds),
        total_(total) {}

  void start() {
    ++running_;
    show();
  }
  void reuse() {
    ++done_;
    ++reused_;
  }
  void finish(const std::string& run, const std::string& failure) {
    --running_;
    ++done_;
    if (!failure.empty()) ++failed_;
    if (!out_) return;
    if (!failure.empty()) {
      clear();
      fmt::print(*out_, "failed: {}: {}\n", run, failure);
    }
    if (!terminal_) fmt::print(*out_, "[{}/{}] {}{}\n", done_, total_, run, standing());
    show();
  }
  void show() {
    if (!out_) return;
    if (terminal_) {
      *out_ << rewritten_line(fmt::format("[{}/{}]{}", done_, total_, standing())) << std::flush;
    } else if (every_ > 0 && clock_() >= due_) {
      fmt::print(*out_, "[{}/{}]{}\n", done_, total_, standing());
      due_ = clock_() + every_;
    }
  }
  void clear() {
    if (out_ && terminal_) *out_ << rewritten_line("") << std::flush;
  }

 private:
  /// Running, failed, elapsed and, once a run has ended, the rest of the time.
  std::string standing() const {
    const double seconds = clock_();
    const auto count = [](std::size_t n) { return static_cast<double>(n); };
    const auto rest = seconds_to_go(seconds, count(done_ - reused_), count(total_ - reused_));
    return fmt::format(" {} running, {} failed, {} elapsed{}", running_, failed_, minutes_text(seconds),
                       rest ? ", about " + minutes_text(*rest) + " to go" : "");
  }

  std::ostream* out_;
  bool terminal_;
  double every_;
  std::size_t total_;
  std::size_t done_ = 0;
  std::size_t reused_ = 0;  // of these, not run this time
  std::size_t running_ = 0;
  std::size_t failed_ = 0;
  const HostClock clock_ = steady_host_clock();
  double due_ = every_;
};

/// One run, prepared.
struct Prepared {
  fs::path folder;
  std::string run_yaml;
  PlatformOrigin origin;
};

/// Keeps a second experiment out of a results' folder as long as it lives; the system lets go of it when the
/// process ends, however it ends.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : file_(open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0)
      throw InputError(fmt::format("cannot write into the output folder {}: {}; give another with --out",
                                   folder.string(), std::strerror(errno)));
    if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    close(file_);
    throw InputError(
        fmt::format("another warpvp is working in {}; wait for its end, or give another folder with --out",
                    folder.string()));
  }
  ~FolderLock() { close(file_); }
  FolderLock(const FolderLock&) = delete;

 private:
  int file_;
};

/// The runs of one experiment, not of its parts.
class Runner {
 public:
  Runner(const ExperimentRequest& request, const Experiment& experiment, fs::path out)
      : request_(request), experiment_(experiment), runs_(experiment_.runs()), out_(std::move(out)) {}

  ExperimentOutcome run() {
    std::vector<std::size_t> to_do;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (!reuse(i)) to_do.push_back(i);
    outcome_.reused = runs_.size() - to_do.size();
    execute(to_do);
    outcome_.not_run = to_do.size() - outcome_.ran;
    int code = static_cast<int>(*request_.interrupted ? ExitCode::kInterrupted
                                : out_of_time_        ? ExitCode::kWallLimit
                                                      : ExitCode::kOk);
    for (const RunResult& result : results_) {
      code = worst(code, result.exit_code);
      if (result.exit_code != 0) ++outcome_.failed;
    }
    outcome_.exit_code = static_cast<ExitCode>(code);
    write_database();
    write_report(experiment_, runs_, results_, out_, command(), *request_.output);
    return outcome_;
  }

  ExperimentResults results() const { return {&experiment_, runs_, results_}; }

  /// Reads and checks all runs.
  void prepare() {
    std::uint64_t stamp = file_digest(request_.program.at(0));
    for (const fs::path& file : request_.more_inputs)
      stamp = digest(fmt::format("{:x}", file_digest(file)), stamp);
    std::vector<Assignment> under;
    for (const std::string& text : request_.overrides) under.push_back(parse_override(text, "."));
    for (const ExperimentRun& run : runs_) {
      RunFile file = RunFile::from_tree(experiment_.base, request_.search);
      std::vector<Assignment> all = under;
      for (Assignment& assignment : experiment_.assignments(run)) all.push_back(std::move(assignment));
      file.assign(std::move(all));
      RunConfig config;
      const Setting resolved = file.resolved(request_.platform, PrintStyle{true}, &config);
      std::uint64_t inputs = stamp;
      for (const std::string& input : input_files(config))
        inputs = digest(fmt::format("{:x}", file_digest(input)), inputs);
      if (request_.platform_inputs)
        for (const fs::path& input : request_.platform_inputs(resolved))
          inputs = digest(fmt::format("{:x}", file_digest(input)), inputs);
      // The first line is compared too: another version, program or input makes an old result stale.
      prepared_.push_back({out_ / "runs" / run.name,
                           fmt::format("# {} of {}; warpvp {}, inputs {:016x}\n{}", run.name,
                                       experiment_.name, version(), inputs, to_yaml(resolved)),
                           file.platform_origin()});
    }
    make_writable_folder(out_);
    lock_.emplace(out_);
    results_.resize(runs_.size());
  }

 private:
  /// As one would type it.
  std::string command() const {
    std::string text = "warpvp experiment " + request_.file.string();
    for (const std::string& setting : request_.overrides) text += " --set '" + setting + "'";
    return text;
  }

  bool reuse(std::size_t i) {
    if (old_content(prepared_[i].folder / "run.yaml") != prepared_[i].run_yaml) return false;
    nlohmann::ordered_json result = read_result(prepared_[i].folder / "result.json");
    if (!result.is_object() || result["exit_code"] != 0) return false;
    results_[i].result = std::move(result);
    return true;
  }

  void execute(const std::vector<std::size_t>& to_do) {
    std::vector<ChildJob> jobs;
    for (const std::size_t i : to_do) {
      const Prepared& p = prepared_[i];
      make_writable_folder(p.folder);
      std::error_code error;
      fs::remove(p.folder / "result.json", error);
      write_file_atomically(p.folder / "run.yaml", p.run_yaml);
      ChildJob job;
      job.command = request_.program;
      for (const std::string& word :
           {(p.folder / "run.yaml").string(), std::string("--out"), p.folder.string()})
        job.command.push_back(word);
      if (!p.origin.name.empty()) {
        job.command.push_back("--platform-origin");
        job.command.push_back(p.origin.name + "=" + p.origin.file);
      }
      job.output_file = p.folder / "log.txt";
      job.error_file = p.folder / "error.txt";
      jobs.push_back(std::move(job));
      results_[i].exit_code = static_cast<int>(ExitCode::kInterrupted);
      results_[i].message = "not run: interrupted";
    }
    std::atomic<bool> stop{false};
    const auto check = [&] {
      out_of_time_ =
          out_of_time_ ||
          (request_.wall_seconds > 0 &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - request_begin_).count() >
               request_.wall_seconds);
      stop = *request_.interrupted || out_of_time_;
    };
    check();
    Progress progress(request_, runs_.size());
    for (std::size_t i = 0; i < outcome_.reused; ++i) progress.reuse();
    unsigned parallel = request_.jobs != 0 ? request_.jobs : std::thread::hardware_concurrency();
    run_children(
        jobs, std::max(parallel, 1u), stop, [&](std::size_t) { progress.start(); },
        [&](std::size_t job, const ChildExit& exit) {
          const std::size_t i = to_do[job];
          collect(i, exit);
          ++outcome_.ran;
          progress.finish(runs_[i].name, results_[i].message);
          check();
        },
        [&] {
          check();
          progress.show();
        });
    progress.clear();
    if (!out_of_time_ || *request_.interrupted) return;
    for (const std::size_t i : to_do)
      if (results_[i].exit_code == static_cast<int>(ExitCode::kInterrupted)) {
        results_[i].exit_code = static_cast<int>(ExitCode::kWallLimit);
        results_[i].message = fmt::format(
            "not finished: the experiment's wall-clock limit of {} s is reached", request_.wall_seconds);
      }
  }

  void collect(std::size_t i, const ChildExit& exit) {
    RunResult& run = results_[i];
    const fs::path& folder = prepared_[i].folder;
    run.result = read_result(folder / "result.json");
    run.exit_code = exit.code;
    run.message.clear();
    if (!exit.started) {
      run.exit_code = static_cast<int>(ExitCode::kBadInput);
      run.message = fmt::format("cannot start {}", request_.program[0]);
    } else if (exit.signal != 0) {
      run.exit_code = static_cast<int>(*request_.interrupted || out_of_time_ ? ExitCode::kInterrupted
                                                                             : ExitCode::kDeviceFault);
      run.message = fmt::format("ended by signal {}", exit.signal);
    } else if (exit.code != 0) {
      run.message = reason_in(folder / "error.txt");
      if (run.message.empty()) run.message = fmt::format("exit status {}", exit.code);
    } else if (!run.result.is_object()) {
      run.exit_code = static_cast<int>(ExitCode::kBadInput);
      run.message = "no readable result.json";
    }
  }

  void write_database() const {
    std::vector<std::string> settings;
    for (const Axis& axis : experiment_.matrix) settings.push_back(axis.name);
    ResultsDb db(out_ / "results.db", settings);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      std::vector<std::string> labels;
      for (std::size_t a = 0; a < experiment_.matrix.size(); ++a)
        labels.push_back(experiment_.label(runs_[i], a));
      db.add_run(runs_[i].name, results_[i].exit_code, results_[i].message, labels, results_[i].result);
    }
    db.finish();
  }

  const ExperimentRequest& request_;
  const Experiment& experiment_;
  const std::vector<ExperimentRun> runs_;
  const fs::path out_;
  std::vector<Prepared> prepared_;
  std::vector<RunResult> results_;
  ExperimentOutcome outcome_;
  std::optional<FolderLock> lock_;
  const std::chrono::steady_clock::time_point request_begin_ = std::chrono::steady_clock::now();
  bool out_of_time_ = false;
};

/// Writes the page to where the experiment says if these are its results: whole and with its own settings.
/// Otherwise the page is for this run of it only, and belongs into the results' folder.
void write_page_of(const Experiment& experiment, const std::vector<ExperimentResults>& results,
                   const ExperimentRequest& request, const fs::path& out, bool all_good) {
  const bool its_own = all_good && request.overrides.empty();
  const fs::path folder = its_own ? experiment.page->file.parent_path().lexically_normal() : out;
  const std::vector<PageFile> files = make_page(experiment, results);
  write_page(files, folder);
  fmt::print(*request.output, "\npage: {}\n", (folder / files[0].name).string());
}

}  // namespace

namespace {

void check_keys(const Experiment& experiment,
                const std::function<std::string(const std::string& key)>& key_error) {
  if (!key_error) return;
  const auto check = [&](const Expression& expression, const std::string& place) {
    for (const std::string& name : expression.names()) {
      if (name[0] == '$' || name[0] == '#') continue;
      const std::string why = key_error(name[0] == '@' ? Expression::elsewhere(name).key : name);
      if (!why.empty()) throw InputError(fmt::format("{}: {}", place, why));
    }
  };
  for (const TableSpec& table : experiment.tables)
    for (const ValueSpec& value : table.values) {
      for (const Expression* e : {&value.key, &value.relative_key, &value.against}) check(*e, value.place);
      if (value.best) check(value.best->by, value.place);
    }
}

}  // namespace

ExperimentOutcome run_experiment(const ExperimentRequest& request) {
  const Experiment experiment = Experiment::load(request.file, request.search);
  const fs::path out = request.out.empty() ? fs::path("runs") / experiment.name : request.out;
  std::deque<Runner> runners;
  // Parts keep what they have finished whether they are run alone or as parts.
  for (const Experiment& part : experiment.parts)
    runners.emplace_back(request, part, request.out.empty() ? fs::path("runs") / part.name : out / part.name);
  if (!experiment.base.is_null()) runners.emplace_back(request, experiment, out);
  for (Runner& runner : runners) runner.prepare();
  for (const Experiment& part : experiment.parts) check_keys(part, request.key_error);
  check_keys(experiment, request.key_error);
  std::vector<ExperimentResults> results;
  for (const Runner& runner : runners) results.push_back(runner.results());
  if (experiment.page) make_page(experiment, results);  // a wrong reference in its text shows before the runs

  ExperimentOutcome total;
  results.clear();
  for (Runner& runner : runners) {
    if (&runner != &runners.front()) fmt::print(*request.output, "\n");
    const ExperimentOutcome outcome = runner.run();
    total.exit_code =
        static_cast<ExitCode>(worst(static_cast<int>(total.exit_code), static_cast<int>(outcome.exit_code)));
    total.ran += outcome.ran;
    total.reused += outcome.reused;
    total.failed += outcome.failed;
    total.not_run += outcome.not_run;
    results.push_back(runner.results());
  }
  if (experiment.page) write_page_of(experiment, results, request, out, total.exit_code == ExitCode::kOk);
  return total;
}

}  // namespace warpvp
