#pragma once
// `warpvp predict`: schedules computed from traces, set against simulated ones.

#include <atomic>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.h"
#include "platform/config/run_config.h"

namespace warpvp {

struct PredictRequest {
  RunFile file;
  std::filesystem::path out;
  std::vector<std::string> policies;  ///< warp schedulers, by name
  std::filesystem::path traces;       ///< read them from here; empty: record them
  std::filesystem::path save_traces;  ///< recorded ones go here; empty: into `out`
  bool quiet = false;
  const std::atomic<bool>* interrupted = nullptr;
  std::ostream* output = nullptr;  ///< gets the table
};

/// For every policy, predicts and simulates the coordinated front end and the separate one, and writes
/// `predict.json`. kResultDiffers if a prediction for the coordinated one is not exact. InputError for what
/// is wrong with the input; what a simulation ends with, if not well, is returned.
ExitCode predict_schedules(const PredictRequest& request);

}  // namespace warpvp
