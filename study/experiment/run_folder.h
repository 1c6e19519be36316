#pragma once
// The folder of one run of an experiment: whether it has a result that still holds, and how a run of it
// ended.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "platform/config/run_config.h"
#include "study/experiment/child_process.h"
#include "study/experiment/result_table.h"

namespace warpvp {

/// A run that ended without a good result, as others read it.
struct RunFailure {
  int exit_code = 0;
  std::string message;
  std::string attempt;  ///< whose; see RunnerOptions
};

class RunFolder {
 public:
  /// `run_yaml` is what is to be run, with all that makes an older result stale in its first line.
  /// `origin` is where its platform comes from, which run.yaml no longer says.
  RunFolder(std::filesystem::path folder, std::string run_yaml, PlatformOrigin origin = {})
      : folder_(std::move(folder)), run_yaml_(std::move(run_yaml)), origin_(std::move(origin)) {}

  const std::filesystem::path& path() const { return folder_; }

  /// The whole result, if it is good (exit code 0) and of this very run; else null.
  nlohmann::ordered_json good_result() const;
  /// The whole result, good or not; null if there is none that can be read.
  nlohmann::ordered_json any_result() const;
  /// Whether a good result of this very run is there that is not as it was written: its checksum does not
  /// hold, or it is not the one that the run left when it ended, or it has no checksum and nobody knows what
  /// the run left.
  bool was_changed() const;
  /// How the last try of this very run failed; nullopt if it did not.
  std::optional<RunFailure> failure() const;

  /// Clears away what an earlier run has left, and writes run.yaml. InputError if that fails.
  void begin() const;
  /// What runs it: `program` and its arguments, with the files for its output.
  ChildJob job(const std::vector<std::string>& program) const;
  /// What became of it, also noted for was_changed(). `stopped`: it was told to end.
  FinishedRun collect(const ChildExit& exit, bool stopped) const;
  void write_failure(const RunFailure& failure) const;

 private:
  bool is_this_run() const;
  /// Of result.json; empty: it cannot be read.
  std::string result_text() const;
  bool is_as_written(const std::string& text) const;

  std::filesystem::path folder_;
  std::string run_yaml_;
  PlatformOrigin origin_;
};

}  // namespace warpvp
