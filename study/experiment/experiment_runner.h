#pragma once
// Runs an experiment: every run of the matrix as a process of its own, then the tables.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "study/experiment/experiment.h"
#include "study/experiment/result_table.h"

namespace warpvp {

/// What a process does of an experiment. Any number of processes may work in one folder at the same time.
enum class ExperimentPart : std::uint8_t {
  kAll,     ///< runs what nobody else does, waits for the others, prints the tables
  kWorker,  ///< runs what nobody else does, and no more
  kMerge,   ///< prints the tables of what there is
};

struct ExperimentRequest {
  std::filesystem::path file;
  ExperimentPart part = ExperimentPart::kAll;
  unsigned shard = 1, shards = 1;  ///< only every so-manieth run, from that one on; of a worker
  double lease_seconds = 60;  ///< a worker on another machine that shows no sign of life for so long is dead
  /// Failures of the same attempt are not tried again; empty: this process alone is an attempt.
  std::string attempt;
  std::filesystem::path out;           ///< empty: runs/<name of the experiment>; parts: a folder in it each
  std::vector<std::string> overrides;  ///< laid under the matrix; places relative to the working folder
  std::optional<Setting> seeds;        ///< in place of the experiment's own
  unsigned jobs = 0;                   ///< 0: as many as there are cores
  double wall_seconds = 0;             ///< 0: no limit; when it is over, what runs is interrupted
  bool quiet = false;                  ///< no progress; the tables are printed all the same
  ConfigSearch search;
  RunFile::PlatformFields platform;  ///< visits a default-constructed platform
  std::vector<std::string>
      program;  ///< command that runs one file: program, arguments; gets FILE --out FOLDER
  std::vector<std::filesystem::path> more_inputs;  ///< files whose change makes finished runs stale
  /// The same for one run, from its resolved settings; may be empty.
  std::function<std::vector<std::filesystem::path>(const Setting& resolved)> platform_inputs;
  /// Why no run can have this number in its result.json; empty: one can. May be empty itself.
  std::function<std::string(const std::string& key)> key_error;
  const std::atomic<bool>* interrupted = nullptr;
  std::ostream* output = nullptr;    ///< tables
  std::ostream* progress = nullptr;  ///< progress and failures
  bool progress_is_terminal = false;
  double progress_seconds = 0;  ///< elsewhere than on a terminal, a line every so often too; 0: none
};

/// What became of an experiment.
struct ExperimentOutcome {
  ExitCode exit_code = ExitCode::kOk;  ///< the worst of the runs
  std::size_t ran = 0;
  std::size_t reused = 0;     ///< finished before, with the same settings, program and inputs
  std::size_t elsewhere = 0;  ///< done meanwhile by other processes
  std::size_t failed = 0;     ///< without a good result, for whatever reason
  std::size_t not_run = 0;    ///< of these, never begun
  std::size_t changed = 0;    ///< had a result that was changed since it was written, which is not taken
};

/// All runs are read and checked before the first one starts; InputError if one is wrong. Writes into the
/// folder: runs/NAME/{run.yaml,result.json,result.digest,log.txt,error.txt}, results.db, table.csv,
/// report.md, report.json, report.html; and the page, if there is one. InputError too where a process works
/// in the folder that would do other runs.
ExperimentOutcome run_experiment(const ExperimentRequest& request);

/// How far an experiment is.
struct ExperimentStanding {
  std::string name;
  std::filesystem::path folder;
  std::size_t good = 0;     ///< runs with a good result
  std::size_t missing = 0;  ///< runs that have none, failures too
};

/// Reads and checks all runs and looks for their results; nothing is run.
ExperimentStanding experiment_standing(const ExperimentRequest& request);

}  // namespace warpvp
