#include "study/experiment/experiment_progress.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace warpvp {

void ExperimentProgress::finish(const std::string& run, const std::string& failure) {
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

void ExperimentProgress::show() {
  if (!out_) return;
  if (terminal_) {
    *out_ << rewritten_line(fmt::format("[{}/{}]{}", done_, total_, standing())) << std::flush;
  } else if (every_ > 0 && clock_() >= due_) {
    fmt::print(*out_, "[{}/{}]{}\n", done_, total_, standing());
    due_ = clock_() + every_;
  }
}

void ExperimentProgress::clear() {
  if (out_ && terminal_) *out_ << rewritten_line("") << std::flush;
}

// Running, failed, elapsed and, once a run has ended, the rest of the time.
std::string ExperimentProgress::standing() const {
  const double seconds = clock_();
  const auto count = [](std::size_t n) { return static_cast<double>(n); };
  const auto rest = seconds_to_go(seconds, count(done_ - reused_), count(total_ - reused_));
  return fmt::format(" {} running, {} failed, {} elapsed{}", running_, failed_, minutes_text(seconds),
                     rest ? ", about " + minutes_text(*rest) + " to go" : "");
}

}  // namespace warpvp
