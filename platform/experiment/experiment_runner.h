#pragma once
// Runs an experiment: every run of the matrix as a process of its own, then the tables.

#include <atomic>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.h"
#include "platform/experiment/experiment.h"
#include "platform/experiment/result_table.h"

namespace warpvp {

struct ExperimentRequest {
  std::filesystem::path file;
  std::filesystem::path out;           ///< empty: runs/<name of the experiment>; parts: a folder in it each
  std::vector<std::string> overrides;  ///< laid under the matrix; places relative to the working folder
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
  std::size_t reused = 0;   ///< finished before, with the same settings, program and inputs
  std::size_t failed = 0;   ///< without a good result, for whatever reason
  std::size_t not_run = 0;  ///< of these, never begun
};

/// All runs are read and checked before the first one starts; InputError if one is wrong. Writes into the
/// folder: runs/NAME/{run.yaml,result.json,log.txt,error.txt}, results.db, table.csv, report.md, report.json, report.html;
/// and the page, if there is one.
ExperimentOutcome run_experiment(const ExperimentRequest& request);

}  // namespace warpvp
