#pragma once
// How far an experiment is, told while it runs.

#include <cstddef>
#include <ostream>
#include <string>

#include "platform/results/progress_text.h"
#include "study/experiment/experiment_runner.h"

namespace warpvp {

/// One line on the terminal that is written over, or a line an event where there is no terminal.
class ExperimentProgress {
 public:
  /// Of `total` runs.
  ExperimentProgress(const ExperimentRequest& request, std::size_t total)
      : out_(request.quiet ? nullptr : request.progress),
        terminal_(request.progress_is_terminal),
        every_(request.progress_seconds),
        total_(total) {}

  void start() {
    ++running_;
    show();
  }
  /// A run that this process need not do.
  void reuse() {
    ++done_;
    ++reused_;
  }
  /// `failure`: why, empty if it has not failed.
  void finish(const std::string& run, const std::string& failure);
  void show();
  /// Makes room on the terminal for other text.
  void clear();

 private:
  std::string standing() const;

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

}  // namespace warpvp
