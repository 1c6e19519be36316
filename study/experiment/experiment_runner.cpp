#include "study/experiment/experiment_runner.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <thread>

#include "base/end_guard.h"
#include "base/input_file.h"
#include "base/registry.h"
#include "platform/results/result_writer.h"
#include "platform/results/results_db.h"
#include "study/experiment/child_process.h"
#include "study/experiment/experiment_page.h"
#include "study/experiment/experiment_progress.h"
#include "study/experiment/needed_keys.h"
#include "study/experiment/page.h"
#include "study/experiment/report.h"
#include "study/experiment/run_claim.h"
#include "study/experiment/run_folder.h"
#include "study/experiment/run_intervals.h"
#include "study/experiment/worker.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

/// Digests of files' contents, each read once.
class FileDigests {
 public:
  std::uint64_t of(const fs::path& file) {
    const auto [at, first] = known_.try_emplace(file.string(), 0);
    if (first) at->second = digest(read_input_file(file, input_limit::kData));
    return at->second;
  }

 private:
  std::map<std::string, std::uint64_t> known_;
};

int worst(int a, int b) { return std::max(a, b); }  // the codes are ordered by how bad they are

/// The runs of one experiment, not of its parts.
class Runner {
 public:
  Runner(const ExperimentRequest& request, const Experiment& experiment, fs::path out)
      : request_(request),
        experiment_(experiment),
        runs_(experiment_.runs()),
        out_(std::move(out)),
        needed_(experiment_, page_keys()),
        shows_intervals_(std::any_of(
            experiment.tables.begin(), experiment.tables.end(),
            [](const TableSpec& table) { return table.each && table.each->list == kIntervalList; })),
        results_(runs_.size()),
        has_result_(runs_.size()),
        tried_before_(runs_.size()) {}

  ExperimentOutcome run() {
    std::vector<std::size_t> to_do;
    std::optional<Activity> looking(std::in_place, "looking at the results in", out_.string());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!mine(i)) continue;
      if (worker_) worker_->beat();
      if (!done_before(i)) to_do.push_back(i);
    }
    looking.reset();
    outcome_.reused = mine_ - to_do.size();
    if (worker_) {
      // Children that are told to end get ten seconds, and their results are kept.
      const Activity running("running the experiment", experiment_.name, 60);
      execute(to_do);
    }
    // As much as a run has, and what its database takes for each run.
    const Activity writing("writing the tables of", experiment_.name,
                           std::min(4 + 0.01 * static_cast<double>(runs_.size()), 30.0));
    outcome_.not_run = to_do.size() - outcome_.ran - outcome_.elsewhere;
    int code = static_cast<int>(*request_.interrupted ? ExitCode::kInterrupted
                                : out_of_time_        ? ExitCode::kWallLimit
                                                      : ExitCode::kOk);
    for (const FinishedRun& result : results_) {
      code = worst(code, result.exit_code);
      if (result.exit_code != 0) ++outcome_.failed;
    }
    outcome_.exit_code = static_cast<ExitCode>(code);
    if (request_.part == ExperimentPart::kWorker) return outcome_;
    // The tables first, and the rest whatever is in the way of one file.
    std::string in_the_way;
    try {
      write_database();
    } catch (const InputError& error) {
      in_the_way = error.what();
    }
    // Whole, for messages about keys that no result has.
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (results_[i].exit_code != 0 || !results_[i].result.is_object()) continue;
      results_[i].result = with_intervals(i, folders_[i].any_result());
      break;
    }
    write_report(experiment_, runs_, results_, out_, command(), *request_.output);
    if (!in_the_way.empty()) throw InputError(in_the_way);
    return outcome_;
  }

  ExperimentResults results() const { return {&experiment_, runs_, results_}; }

  /// Adds what there is to be done and what is good.
  void look(ExperimentStanding& standing) {
    for (std::size_t i = 0; i < runs_.size(); ++i) ++(has_good_result(i) ? standing.good : standing.missing);
  }

  /// Reads and checks all runs of this process' share.
  void prepare() {
    const Activity preparing("preparing the runs of", experiment_.name);
    FileDigests digests;
    const ConfigSearch& search = request_.search;
    std::uint64_t stamp = digests.of(request_.program.at(0));
    for (const fs::path& file : request_.more_inputs)
      stamp = digest(fmt::format("{:x}", digests.of(file)), stamp);
    std::vector<Assignment> under;
    for (const std::string& text : request_.overrides) {
      under.push_back(parse_override(text, "."));
      if (experiment_.seed_axis && under.back().path == "seed")
        throw InputError(
            fmt::format("experiment '{}' has 'seeds', so that a seed on the command line has no "
                        "effect; allowed: --seeds N, for others",
                        experiment_.name));
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const ExperimentRun& run = runs_[i];
      if (!mine(i)) {
        folders_.emplace_back(out_ / "runs" / run.name, "");
        continue;
      }
      ++mine_;
      RunFile file = RunFile::from_tree(experiment_.base, search);
      std::vector<Assignment> all = under;
      for (Assignment& assignment : experiment_.assignments(run)) all.push_back(std::move(assignment));
      file.assign(std::move(all));
      RunConfig config;
      const Setting resolved = file.resolved(request_.platform, PrintStyle{true}, &config);
      std::uint64_t inputs = stamp;
      for (const std::string& input : input_files(config))
        inputs = digest(fmt::format("{:x}", digests.of(input)), inputs);
      if (request_.platform_inputs)
        for (const fs::path& input : request_.platform_inputs(resolved))
          inputs = digest(fmt::format("{:x}", digests.of(input)), inputs);
      // The first line is compared too: another version, program or input makes an old result stale.
      folders_.emplace_back(out_ / "runs" / run.name,
                            fmt::format("# {} of {}; warpvp {}, inputs {:016x}\n{}", run.name,
                                        experiment_.name, version(), inputs, to_yaml(resolved)),
                            file.platform_origin());
    }
    make_writable_folder(out_);
    if (request_.part != ExperimentPart::kMerge) join_in(session(stamp));
  }

 private:
  /// As one would type it.
  std::string command() const {
    std::string text = "warpvp experiment " + request_.file.string();
    for (const std::string& setting : request_.overrides) text += " --set '" + setting + "'";
    return text;
  }

  bool mine(std::size_t i) const { return i % request_.shards == request_.shard - 1; }

  /// What all processes that may work in the folder at the same time have in common.
  std::uint64_t session(std::uint64_t stamp) const {
    std::string text = fmt::format("{:x} {}\n{}", stamp, experiment_.name, to_yaml(experiment_.base));
    for (const Axis& axis : experiment_.matrix) {
      text += axis.name + ":\n";
      for (const Alternative& alternative : axis.alternatives) {
        text += alternative.label + "\n";
        for (const Assignment& set : alternative.sets) text += set.path + "=" + to_yaml(set.value) + "\n";
        for (const AlsoSets& also : alternative.also) {
          for (const auto& [name, labels] : also.where)
            text += fmt::format("{}: {}\n", name, join_names(labels));
          for (const Assignment& set : also.sets) text += set.path + "=" + to_yaml(set.value) + "\n";
        }
      }
    }
    for (const std::string& override : request_.overrides) text += override + "\n";
    return digest(fmt::format("{}{}", runs_.size(), text)) | 1;
  }

  /// InputError if another process does other runs in the folder.
  void join_in(std::uint64_t session) {
    worker_.emplace(out_, session, std::chrono::duration<double>(request_.lease_seconds));
    static unsigned attempts = 0;  // of this process
    attempt_ = request_.attempt.empty() ? fmt::format("{}-{}", worker_->id(), ++attempts) : request_.attempt;
    bool told = false;
    for (;;) {
      std::string unknown;
      for (const auto& [id, other] : worker_->others()) {
        if (other == session) continue;
        if (worker_->certain(id))
          throw InputError(
              fmt::format("{} works in {} on other runs, or with another build of warpvp; wait for its end, "
                          "or give another folder with --out",
                          Worker::described(id), out_.string()));
        unknown = id;
      }
      if (unknown.empty() || *request_.interrupted) return;
      if (!told && !request_.quiet && request_.progress)
        fmt::print(*request_.progress, "waiting up to {} s to see whether {} still works in {}\n",
                   request_.lease_seconds, Worker::described(unknown), out_.string());
      told = true;
      std::this_thread::sleep_for(kLook);
      worker_->beat();
    }
  }

  bool done(std::size_t i, FinishedRun result, bool has_result) {
    results_[i] = std::move(result);
    has_result_[i] = has_result;
    return true;
  }

  /// The result of the run, with its intervals where tables show them.
  nlohmann::ordered_json with_intervals(std::size_t i, nlohmann::ordered_json result) const {
    if (shows_intervals_ && result.is_object()) result[kIntervalList] = run_intervals(folders_[i].path());
    return result;
  }
  /// What the tables need of it.
  nlohmann::ordered_json needed(std::size_t i, nlohmann::ordered_json result) const {
    return needed_.pick(with_intervals(i, std::move(result)));
  }

  /// Whether the run has a good result, which is then taken.
  bool has_good_result(std::size_t i) {
    const nlohmann::ordered_json result = folders_[i].good_result();
    if (!result.is_object()) return false;
    return done(i, {0, "", needed(i, result)}, true);
  }

  bool take_failure(std::size_t i, const RunFailure& failure) {
    const nlohmann::ordered_json result = folders_[i].any_result();
    return done(i, {failure.exit_code, failure.message, needed(i, result)}, result.is_object());
  }

  /// Whether there is nothing to do for the run. Failures are tried again, unless this is the same attempt.
  bool done_before(std::size_t i) {
    if (has_good_result(i)) return true;
    const std::optional<RunFailure> failure = folders_[i].failure();
    if (failure && (failure->attempt == attempt() || request_.part == ExperimentPart::kMerge))
      return take_failure(i, *failure);
    if (failure) tried_before_[i] = failure->attempt;
    results_[i].exit_code = static_cast<int>(ExitCode::kInterrupted);
    results_[i].message = "not run";
    if (folders_[i].was_changed()) note_change(i);
    return false;
  }

  void note_change(std::size_t i) {
    ++outcome_.changed;
    const bool anew = request_.part != ExperimentPart::kMerge;
    results_[i].message = "not run: result.json was changed since it was written";
    if (request_.progress)
      fmt::print(*request_.progress, "{}: result.json was changed since it was written: {}\n", runs_[i].name,
                 anew ? "run again" : "not taken");
  }

  /// Whether another process has ended it since.
  bool done_meanwhile(std::size_t i) {
    if (has_good_result(i)) return true;
    const std::optional<RunFailure> failure = folders_[i].failure();
    return failure && failure->attempt != tried_before_[i] && take_failure(i, *failure);
  }

  /// Whose failures are not tried again.
  const std::string& attempt() const { return attempt_; }

  /// Of a run that could not begin, which counts as one that ran.
  void fail(std::size_t i, const std::string& why, ExperimentProgress& progress) {
    done(i, {static_cast<int>(ExitCode::kBadInput), why, {}}, false);
    ++outcome_.ran;
    progress.start();
    progress.finish(runs_[i].name, why);
  }

  /// The next run that nobody has.
  JobOffer next(ExperimentProgress& progress) {
    if (to_do_.empty()) return {};
    if (Worker::Clock::now() < look_again_) return {JobOffer::Kind::kLater, 0, {}};
    const Worker::Clock::time_point begin = Worker::Clock::now();
    for (std::size_t looks = to_do_.size(); looks > 0 && !*request_.interrupted; --looks) {
      worker_->beat();
      if (at_ == to_do_.end()) at_ = to_do_.begin();
      const std::size_t i = *at_;
      try {
        if (!done_meanwhile(i)) {
          std::error_code error;
          fs::create_directories(folders_[i].path(), error);
          if (RunClaim::take(folders_[i].path(), *worker_) == RunClaim::Outcome::kTaken) {
            ++at_;
            continue;
          }
          if (!done_meanwhile(i)) {
            folders_[i].begin();
            at_ = to_do_.erase(at_);
            return {JobOffer::Kind::kJob, i, folders_[i].job(request_.program)};
          }
          RunClaim::release(folders_[i].path(), *worker_);
        }
      } catch (const InputError& error) {
        // Its folder cannot be used; the others' can.
        RunClaim::release(folders_[i].path(), *worker_);
        at_ = to_do_.erase(at_);
        fail(i, error.what(), progress);
        continue;
      }
      at_ = to_do_.erase(at_);
      ++outcome_.elsewhere;
      progress.reuse();
    }
    if (to_do_.empty() || request_.part == ExperimentPart::kWorker) return {};
    look_again_ =
        Worker::Clock::now() + std::max<Worker::Clock::duration>(
                                   kLook, 5 * (Worker::Clock::now() - begin));  // or it would only look
    return {JobOffer::Kind::kLater, 0, {}};
  }

  /// Says once whom it waits for.
  void tell_of_waiting(ExperimentProgress& progress) {
    if (told_ || request_.quiet || !request_.progress || to_do_.empty()) return;
    const std::string owner = RunClaim::owner(folders_[to_do_.front()].path(), *worker_);
    if (owner.empty()) return;
    told_ = true;
    progress.clear();
    fmt::print(*request_.progress, "waiting for {} runs of other processes, such as {}\n", to_do_.size(),
               Worker::described(owner));
  }

  void execute(const std::vector<std::size_t>& to_do) {
    for (const std::size_t i : to_do) results_[i].message = "not run: interrupted";
    to_do_.assign(to_do.begin(), to_do.end());
    at_ = to_do_.begin();
    // Where others work already, from another place on, so as not to run after them.
    if (!to_do_.empty() && !worker_->others().empty())
      std::advance(at_, digest(worker_->id()) % to_do_.size());
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
    ExperimentProgress progress(request_, mine_);
    for (std::size_t i = 0; i < outcome_.reused; ++i) progress.reuse();
    unsigned parallel = request_.jobs != 0 ? request_.jobs : std::thread::hardware_concurrency();
    std::size_t running = 0;
    run_children([&] { return next(progress); }, std::max(parallel, 1u), stop,
                 [&](std::size_t) {
                   ++running;
                   progress.start();
                 },
                 [&](std::size_t i, const ChildExit& exit) {
                   --running;
                   collect(i, exit);
                   ++outcome_.ran;
                   progress.finish(runs_[i].name, results_[i].message);
                   check();
                 },
                 [&] {
                   check();
                   worker_->beat();
                   if (running == 0) tell_of_waiting(progress);
                   progress.show();
                 });
    progress.clear();
    worker_->others();  // clears away the files of those that died
    if (request_.part == ExperimentPart::kWorker) leave_to_others();
    if (!out_of_time_ || *request_.interrupted) return;
    for (const std::size_t i : to_do)
      if (results_[i].exit_code == static_cast<int>(ExitCode::kInterrupted)) {
        results_[i].exit_code = static_cast<int>(ExitCode::kWallLimit);
        results_[i].message = fmt::format(
            "not finished: the experiment's wall-clock limit of {} s is reached", request_.wall_seconds);
      }
  }

  /// A worker answers for what it has run; what others have under way is no failure of it.
  void leave_to_others() {
    if (*request_.interrupted || out_of_time_) return;
    for (const std::size_t i : to_do_) results_[i] = {};
    outcome_.elsewhere += to_do_.size();
  }

  void collect(std::size_t i, const ChildExit& exit) {
    FinishedRun run;
    try {
      run = folders_[i].collect(exit, *request_.interrupted || out_of_time_);
    } catch (const InputError& error) {
      run.exit_code = static_cast<int>(ExitCode::kBadInput);
      run.message = error.what();
    }
    if (!exit.started) run.message = fmt::format("cannot start {}", request_.program[0]);
    const bool interrupted = run.exit_code == static_cast<int>(ExitCode::kInterrupted);
    try {
      if (run.exit_code != 0 && !interrupted)
        folders_[i].write_failure({run.exit_code, run.message, attempt()});
    } catch (const InputError& error) {
      run.message += fmt::format("; {}", error.what());
    }
    const bool has_result = run.result.is_object();
    run.result = needed(i, std::move(run.result));
    done(i, std::move(run), has_result);
    RunClaim::release(folders_[i].path(), *worker_);
  }

  void write_database() const {
    std::vector<ResultsDb::Column> settings;
    for (const Axis& axis : experiment_.matrix) {
      std::vector<std::string> labels;
      for (const Alternative& a : axis.alternatives) labels.push_back(a.label);
      settings.push_back({axis.name, ResultsDb::kind_of(labels)});
    }
    ResultsDb db(out_ / "results.db", settings);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      std::vector<std::string> labels;
      for (std::size_t a = 0; a < experiment_.matrix.size(); ++a)
        labels.push_back(experiment_.label(runs_[i], a));
      db.add_run(runs_[i].name, results_[i].exit_code, results_[i].message, labels,
                 has_result_[i] ? folders_[i].any_result() : nlohmann::ordered_json());
    }
    db.finish();
  }

  static constexpr std::chrono::milliseconds kLook{500};

  const ExperimentRequest& request_;
  const Experiment& experiment_;
  const std::vector<ExperimentRun> runs_;
  const fs::path out_;
  const NeededKeys needed_;
  const bool shows_intervals_;
  std::vector<RunFolder> folders_;
  std::vector<FinishedRun> results_;  ///< with what the tables need of result.json
  std::vector<bool> has_result_;
  std::vector<std::string> tried_before_;  ///< the attempt of a failure that was there at the beginning
  std::size_t mine_ = 0;
  ExperimentOutcome outcome_;
  std::optional<Worker> worker_;  ///< none to merge
  std::string attempt_;
  std::list<std::size_t> to_do_;
  std::list<std::size_t>::iterator at_;
  Worker::Clock::time_point look_again_;
  bool told_ = false;
  const std::chrono::steady_clock::time_point request_begin_ = std::chrono::steady_clock::now();
  bool out_of_time_ = false;
};

/// Writes the page to where the experiment says if these are its results: whole and with its own settings.
/// Otherwise the page is for this run of it only, and belongs into the results' folder.
void write_page_of(const Experiment& experiment, const std::vector<ExperimentResults>& results,
                   const ExperimentRequest& request, const fs::path& out, bool all_good) {
  const bool its_own = all_good && request.overrides.empty() && !request.seeds;
  const fs::path folder = its_own ? experiment.page->file.parent_path().lexically_normal() : out;
  const std::vector<PageFile> files = make_page(experiment, results);
  write_page(files, folder);
  fmt::print(*request.output, "\npage: {}\n", (folder / files[0].name).string());
}

void check_keys(const Experiment& experiment,
                const std::function<std::string(const std::string& key)>& key_error) {
  if (!key_error) return;
  const auto check = [&](const Expression& expression, const std::string& place) {
    for (const std::string& name : expression.names()) {
      if (name[0] == '$' || name[0] == '#') continue;
      const std::string key = name[0] == '@' ? Expression::elsewhere(name).key : name;
      const std::string column = interval_column(key);
      if (column == "time_us" || column == "cycle") continue;
      // The other columns have the names of keys.
      const std::string why = key_error(column.empty() ? key : column);
      if (!why.empty()) throw InputError(fmt::format("{}: {}", place, why));
    }
  };
  for (const TableSpec& table : experiment.tables) {
    if (table.each) check(table.each->of(table.each->label, 0), table.each->place);
    for (const ValueSpec& value : table.values) {
      for (const Expression* e : {&value.key, &value.relative_key, &value.against}) check(*e, value.place);
      if (value.best) check(value.best->by, value.place);
    }
  }
}

/// Those of the parts and of the experiment itself. Parts keep what they have finished whether they are run
/// alone or as parts.
std::deque<Runner> runners_of(const ExperimentRequest& request, const Experiment& experiment,
                              const fs::path& out) {
  std::deque<Runner> runners;
  for (const Experiment& part : experiment.parts)
    runners.emplace_back(request, part, request.out.empty() ? fs::path("runs") / part.name : out / part.name);
  if (!experiment.base.is_null()) runners.emplace_back(request, experiment, out);
  return runners;
}

Experiment load(const ExperimentRequest& request) {
  return Experiment::load(request.file, request.search, request.seeds ? &*request.seeds : nullptr);
}

fs::path folder_of(const ExperimentRequest& request, const Experiment& experiment) {
  return request.out.empty() ? fs::path("runs") / experiment.name : request.out;
}

}  // namespace

ExperimentStanding experiment_standing(const ExperimentRequest& request) {
  ExperimentRequest look = request;
  look.part = ExperimentPart::kMerge;
  const Experiment experiment = load(look);
  ExperimentStanding standing{experiment.name, folder_of(look, experiment), 0, 0};
  std::deque<Runner> runners = runners_of(look, experiment, standing.folder);
  for (Runner& runner : runners) runner.prepare();
  for (Runner& runner : runners) runner.look(standing);
  return standing;
}

ExperimentOutcome run_experiment(const ExperimentRequest& request) {
  const Experiment experiment = load(request);
  const fs::path out = folder_of(request, experiment);
  std::deque<Runner> runners = runners_of(request, experiment, out);
  for (Runner& runner : runners) runner.prepare();
  for (const Experiment& part : experiment.parts) check_keys(part, request.key_error);
  check_keys(experiment, request.key_error);
  std::vector<ExperimentResults> results;
  for (const Runner& runner : runners) results.push_back(runner.results());
  if (experiment.page) make_page(experiment, results);  // a wrong reference in its text shows before the runs

  ExperimentOutcome total;
  results.clear();
  for (Runner& runner : runners) {
    if (&runner != &runners.front() && request.part != ExperimentPart::kWorker)
      fmt::print(*request.output, "\n");
    const ExperimentOutcome outcome = runner.run();
    total.exit_code =
        static_cast<ExitCode>(worst(static_cast<int>(total.exit_code), static_cast<int>(outcome.exit_code)));
    total.ran += outcome.ran;
    total.reused += outcome.reused;
    total.elsewhere += outcome.elsewhere;
    total.failed += outcome.failed;
    total.not_run += outcome.not_run;
    total.changed += outcome.changed;
    results.push_back(runner.results());
  }
  if (experiment.page && request.part != ExperimentPart::kWorker)
    write_page_of(experiment, results, request, out, total.exit_code == ExitCode::kOk);
  return total;
}

}  // namespace warpvp
