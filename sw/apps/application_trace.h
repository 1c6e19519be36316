#pragma once
// An application as a trace of what its host program does: calls of the API in order, and the times between
// them in which only the CPU works. Traces are written by hand, or recorded (trace_recorder.h), and played as
// an app (play_trace). Kernels need no PTX: each gets one that ends at once, so a trace means something on
// SMs that know kernels by their profiles (sm.type: profile).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/apps/app.h"

namespace warpvp::apps {

/// A kernel launch of a trace.
struct TraceLaunch {
  std::string kernel;                  ///< entry: a PTX identifier
  std::uint32_t grid[3] = {1, 1, 1};   ///< CTAs
  std::uint32_t block[3] = {1, 1, 1};  ///< threads of a CTA
  std::uint32_t registers = 16;        ///< of a thread
  std::uint32_t shared_bytes = 0;      ///< of a CTA
};

struct TraceStep {
  enum class Kind : std::uint8_t {
    kCpu,           ///< the CPU works for `us`
    kCopyToDevice,  ///< `bytes`
    kCopyToHost,    ///< `bytes`
    kCopyOnDevice,  ///< `bytes`
    kFill,          ///< `bytes`
    kLaunch,        ///< `launch`
    kSynchronize,   ///< with `stream`, or all
    kRecord,        ///< `event` in `stream`
    kWait,          ///< `stream` waits for `event`
    kSynchronizeEvent,
    kRepeat  ///< `body`, `times` times
  };
  Kind kind = Kind::kCpu;
  double us = 0;
  /// What the CPU does in `us`, where a trace counts it: kinds of work, and how much of each.
  std::vector<std::pair<std::string, double>> work;
  std::uint64_t bytes = 0;
  TraceLaunch launch;
  /// Without one: launches go into stream 0, and copies and fills too, which then wait until they are done
  /// (as cudaMemcpy), and synchronize waits for all streams.
  std::optional<unsigned> stream;
  unsigned event = 0;
  std::uint64_t times = 1;
  std::vector<TraceStep> body;
  std::string place;  ///< "file:line:column", or empty
};

struct ApplicationTrace {
  std::string name;
  std::vector<int> stream_priorities;  ///< of streams 1, 2, ..; 0 for those beyond
  std::vector<TraceStep> steps;
};

/// Calls `visit` with each step, those of a repeat after it, once however often it repeats; `times` is how
/// often the step is done in all.
inline void for_each_trace_step(const std::vector<TraceStep>& steps,
                                const std::function<void(const TraceStep&, std::uint64_t times)>& visit,
                                std::uint64_t times = 1) {
  for (const TraceStep& step : steps) {
    visit(step, times);
    for_each_trace_step(step.body, visit, times * step.times);
  }
}

/// Plays the trace, CPU phases `cpu_scale` times as long. Nothing is computed, so nothing is checked.
AppResult play_trace(const ApplicationTrace& trace, rt::Runtime& device, double cpu_scale = 1);

/// PTX of kernels without parameters that end at once, one for each name.
std::string stub_ptx(const std::vector<std::string>& kernels);

/// An app that plays a trace, which outlives it.
class TracePlayer : public App {
 public:
  explicit TracePlayer(const ApplicationTrace& trace, double cpu_scale = 1)
      : trace_(trace), cpu_scale_(cpu_scale) {}
  AppResult run(rt::Runtime& device, const AppContext&) override {
    return play_trace(trace_, device, cpu_scale_);
  }

 private:
  const ApplicationTrace& trace_;
  const double cpu_scale_;
};

}  // namespace warpvp::apps
